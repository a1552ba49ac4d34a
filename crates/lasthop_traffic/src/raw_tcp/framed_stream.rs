use lasthop_contract::message_text::read_id;
use lasthop_contract::{
    ApplicationOutput, Cause, Chunk, ConnectionId, FailureReason, Layer, MessageEvent, MessageId,
    Outbox, OutgoingMessage, Provenance, ReadOutcome, Received, ResetReason, ShortQueue, StreamId,
    Transport,
};
use lasthop_units::Instant;

use super::inbox::{Inbox, LENGTH, MAX_PAYLOAD};

/// One connection, as both ends have it: payloads out and in.
#[derive(Debug)]
pub(super) struct FramedStream {
    id: ConnectionId,
    outbox: Outbox,
    inbox: Inbox,
    /// The first and the last message that were written to it.
    written: Option<(MessageId, MessageId)>,
}

const SET_UP: Provenance = Provenance::new(Layer::Application, Cause::SessionSetUp);

/// How much is read at a time.
const READ_SIZE: usize = 2048;

impl FramedStream {
    pub(super) fn new(id: ConnectionId, stream: StreamId) -> Self {
        Self {
            id,
            outbox: Outbox::new(stream),
            inbox: Inbox::default(),
            written: None,
        }
    }

    pub(super) fn id(&self) -> ConnectionId {
        self.id
    }

    /// Sends a message; gives what is to be said of it.
    pub(super) fn send(
        &mut self,
        now: Instant,
        message: OutgoingMessage<'_>,
        transport: &mut dyn Transport,
    ) -> MessageEvent {
        let OutgoingMessage { id, payload, .. } = message;
        if payload.len() > MAX_PAYLOAD {
            return failed(id, FailureReason::TooLarge);
        }
        let [header, body] =
            [Cause::Header, Cause::Payload].map(|cause| Provenance::of_message(cause, id));
        self.write(now, payload, [header, body], transport);
        let first = self.written.map_or(id, |(first, _)| first);
        self.written = Some((first, id));
        MessageEvent::Transmitted {
            id,
            attempt: 1,
            // TCP goes on trying for as long as the connection is there.
            last: false,
            trigger: None,
        }
    }

    /// Sends a greeting, or its confirmation.
    pub(super) fn greet(&mut self, now: Instant, greeting: &[u8], transport: &mut dyn Transport) {
        self.write(now, greeting, [SET_UP; 2], transport);
    }

    /// Takes all that has come; `false` when the peer will send no more.
    pub(super) fn receive(
        &mut self,
        now: Instant,
        transport: &mut dyn Transport,
        mut give: impl FnMut(Received),
    ) -> bool {
        let connection = self.id;
        let mut buffer = [0; READ_SIZE];
        loop {
            match transport.read(now, connection, self.outbox.stream(), &mut buffer) {
                Ok(ReadOutcome::Read(count)) => {
                    let taken = self.inbox.take(&buffer[..count], |payload| {
                        give(Received {
                            connection,
                            payload,
                        });
                    });
                    if taken.is_err() {
                        transport.reset(now, connection, ResetReason::PeerError);
                        return false;
                    }
                }
                Ok(ReadOutcome::Blocked) | Err(_) => return true,
                Ok(ReadOutcome::Finished) => return false,
            }
        }
    }

    /// Writes what waits.
    pub(super) fn flush(&mut self, now: Instant, transport: &mut dyn Transport) {
        self.outbox.flush(now, transport, self.id);
    }

    /// Ends this end.
    pub(super) fn finish(&self, now: Instant, transport: &mut dyn Transport) {
        transport.finish(now, self.id, self.outbox.stream());
    }

    /// Gives up what was written: nobody knows what of it arrived.
    pub(super) fn give_up(&self, outputs: &mut ShortQueue<ApplicationOutput>) {
        let Some((first, last)) = self.written else {
            return;
        };
        for number in first.number.get()..=last.number.get() {
            let number = number.try_into().expect("counted from 1");
            let id = MessageId {
                flow: first.flow,
                number,
            };
            outputs.push(ApplicationOutput::Event(failed(
                id,
                FailureReason::ConnectionLost,
            )));
        }
    }

    fn write(
        &mut self,
        now: Instant,
        payload: &[u8],
        [header, body]: [Provenance; 2],
        transport: &mut dyn Transport,
    ) {
        let length: [u8; LENGTH] = (payload.len() as u32).to_be_bytes();
        let chunks = [(&length[..], header), (payload, body)]
            .map(|(bytes, provenance)| Chunk { bytes, provenance });
        self.outbox.write(now, transport, self.id, &chunks);
    }
}

pub(super) fn failed(id: MessageId, reason: FailureReason) -> MessageEvent {
    MessageEvent::Failed { id, reason }
}

/// Whether a payload is a greeting: a message id whose number is 0.
pub(super) fn is_greeting(payload: &[u8]) -> bool {
    matches!(read_id(payload), Some((_, 0)))
}
