use lasthop_contract::{
    ApplicationOutput, Awaited, Cause, Chunk, ConnectionId, DatagramError, Expectation,
    FailureReason, Layer, MessageEvent, MessageId, OutgoingMessage, Payload, Provenance,
    RandomStream, Received, ShortQueue, Transport,
};
use lasthop_units::Instant;

use super::frame::{Frame, FrameId};
use super::reliability::{Due, Key, Pending, Reliability, RetransmissionPolicy};

/// What client and server share: messages out and in over the datagrams of a connection.
#[derive(Debug)]
pub(super) struct MessageLink {
    reliability: Option<Box<Reliability>>,
    outputs: ShortQueue<ApplicationOutput>,
    /// No messages come: nothing but acknowledgements.
    only_sends: bool,
}

const ACKNOWLEDGEMENT: Provenance = Provenance::new(Layer::Application, Cause::Acknowledgement);
const SET_UP: Provenance = Provenance::new(Layer::Application, Cause::SessionSetUp);

impl MessageLink {
    pub(super) fn new(policy: Option<RetransmissionPolicy>, stream: RandomStream) -> Self {
        let reliability = policy.map(|policy| Box::new(Reliability::new(policy, stream)));
        Self {
            reliability,
            outputs: ShortQueue::new(),
            only_sends: false,
        }
    }

    /// Tells the radio from now on what comes back: an acknowledgement, or nothing.
    pub(super) fn only_sends(&mut self) {
        self.only_sends = true;
    }

    /// Forgets all connections, and what waits.
    pub(super) fn forget(&mut self) {
        if let Some(reliability) = &mut self.reliability {
            reliability.forget();
        }
    }

    pub(super) fn push(&mut self, output: ApplicationOutput) {
        self.outputs.push(output);
    }

    /// Sends a message for the first time.
    pub(super) fn send(
        &mut self,
        now: Instant,
        connection: Option<ConnectionId>,
        message: OutgoingMessage<'_>,
        transport: &mut dyn Transport,
    ) {
        let OutgoingMessage { id, payload, .. } = message;
        let Some(connection) = connection else {
            return self.fail(id, FailureReason::NotConnected);
        };
        match self.transmit(now, connection, id, payload, 1, transport) {
            Ok(()) => {
                if let Some(reliability) = &mut self.reliability {
                    reliability.expect(now, (connection, id.into()), id, payload);
                }
            }
            Err(DatagramError::TooLarge) => self.fail(id, FailureReason::TooLarge),
            Err(_) => self.fail(id, FailureReason::NotConnected),
        }
    }

    /// Takes a datagram: a message, an acknowledgement, or nothing of ours.
    pub(super) fn receive(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        payload: Payload,
        transport: &mut dyn Transport,
    ) {
        let Some(reliability) = &mut self.reliability else {
            return self.push(ApplicationOutput::Received(Received {
                connection,
                payload,
            }));
        };
        match Frame::parse(&payload) {
            Ok(Frame::Data(id)) => {
                let new = reliability.is_new((connection, id));
                let chunk = Chunk {
                    bytes: &Frame::Acknowledgement(id).to_bytes(),
                    provenance: ACKNOWLEDGEMENT,
                };
                // A lost acknowledgement is repeated when the message comes again, so a failure needs no more.
                let _ = transport.send_datagram(now, connection, &[chunk]);
                if new {
                    let length = payload.len();
                    let payload = payload.narrowed(Frame::LENGTH..length);
                    self.push(ApplicationOutput::Received(Received {
                        connection,
                        payload,
                    }));
                }
            }
            Ok(Frame::Acknowledgement(acknowledged)) => {
                if let Some(id) = reliability.acknowledge((connection, acknowledged)) {
                    self.push(ApplicationOutput::Event(MessageEvent::Acknowledged { id }));
                }
            }
            // RFC 1122 section 4.1.1: what is not understood is ignored.
            Err(_) => {}
        }
    }

    /// Sends again, or gives up, what waited too long.
    pub(super) fn timeout(&mut self, now: Instant, transport: &mut dyn Transport) {
        while let Some((key, due)) = self.reliability.as_mut().and_then(|r| r.pop_due(now)) {
            match due {
                Due::SendAgain => self.send_again(now, key, transport),
                Due::GiveUp(id, waited) => {
                    transport.unanswered(now, key.0, waited);
                    self.fail(id, FailureReason::NoAcknowledgement);
                }
            }
        }
    }

    /// Sends the greeting by which the server learns where a device is, or its confirmation.
    pub(super) fn greet(
        &self,
        now: Instant,
        connection: ConnectionId,
        greeting: &[u8],
        transport: &mut dyn Transport,
    ) {
        let header = Frame::Data(FrameId::GREETING).to_bytes();
        let bytes = if self.reliability.is_some() {
            &header[..]
        } else {
            &[]
        };
        let chunks = [bytes, greeting].map(|bytes| Chunk {
            bytes,
            provenance: SET_UP,
        });
        // The greeting is repeated until it is confirmed.
        let _ = transport.send_datagram(now, connection, &chunks);
    }

    /// The greeting in a datagram, where it is one: a message id whose number is 0.
    pub(super) fn greeting<'a>(&self, datagram: &'a [u8]) -> Option<&'a [u8]> {
        let text = if self.reliability.is_some() {
            datagram.strip_prefix(&Frame::Data(FrameId::GREETING).to_bytes())?
        } else {
            datagram
        };
        matches!(lasthop_contract::message_text::read_id(text), Some((_, 0))).then_some(text)
    }

    pub(super) fn poll(&mut self) -> Option<ApplicationOutput> {
        self.outputs.pop()
    }

    pub(super) fn next_deadline(&self) -> Option<Instant> {
        self.reliability.as_ref()?.next_deadline()
    }

    fn send_again(&mut self, now: Instant, key: Key, transport: &mut dyn Transport) {
        let pending = self.reliability.as_ref().and_then(|r| r.pending(key));
        let Some(pending) = pending else { return };
        let (id, attempt, payload) = (pending.id, pending.attempt, pending.payload.clone());
        if self
            .transmit(now, key.0, id, &payload, attempt, transport)
            .is_err()
        {
            // Nobody waits for the answer any more.
            self.reliability.as_mut().and_then(|r| r.acknowledge(key));
            self.fail(id, FailureReason::NotConnected);
        }
    }

    fn transmit(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        id: MessageId,
        payload: &[u8],
        attempt: u16,
        transport: &mut dyn Transport,
    ) -> Result<(), DatagramError> {
        let trigger = self
            .reliability
            .as_ref()
            .filter(|_| attempt > 1)
            .and_then(|reliability| reliability.pending((connection, id.into())))
            .and_then(Pending::trigger);
        let cause = if attempt == 1 {
            Cause::Payload
        } else {
            Cause::Retransmission
        };
        let body = Chunk {
            bytes: payload,
            provenance: Provenance::of_message(cause, id),
        };
        if let Some(expectation) = self.expectation((connection, id.into())) {
            transport.expect(connection, expectation);
        }
        let last = match &self.reliability {
            Some(reliability) => {
                let header = Chunk {
                    bytes: &Frame::Data(id.into()).to_bytes(),
                    provenance: Provenance::of_message(Cause::Header, id),
                };
                transport.send_datagram(now, connection, &[header, body])?;
                reliability.is_last(attempt)
            }
            None => {
                transport.send_datagram(now, connection, &[body])?;
                true
            }
        };
        self.push(ApplicationOutput::Event(MessageEvent::Transmitted {
            id,
            attempt,
            last,
            trigger,
        }));
        Ok(())
    }

    /// Acknowledgements.
    pub(super) fn awaits(&self) -> Awaited {
        let reliability = self.reliability.as_ref();
        Awaited::messages(reliability.map_or(0, |it| it.unacknowledged()))
    }

    /// What is expected to follow a message: its acknowledgement, unless others are to come besides.
    fn expectation(&self, key: Key) -> Option<Expectation> {
        let expectation = match &self.reliability {
            None => Expectation::NothingMore,
            Some(reliability) if reliability.is_alone(key) => Expectation::OneAnswer,
            Some(_) => return None,
        };
        self.only_sends.then_some(expectation)
    }

    fn fail(&mut self, id: MessageId, reason: FailureReason) {
        self.push(ApplicationOutput::Event(MessageEvent::Failed {
            id,
            reason,
        }));
    }
}
