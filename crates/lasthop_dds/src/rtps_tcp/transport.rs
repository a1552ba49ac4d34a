use core::net::{IpAddr, SocketAddr};
use std::collections::{BTreeMap, VecDeque};

use lasthop_contract::{
    Awaited, Cause, Chunk, ConnectionId, DatagramError, Expectation, InterfaceId, Layer,
    ListenError, OpenError, OpenOptions, Outbox, Payload, Provenance, ReadOutcome, ResetReason,
    Transport, TransportEvent, TransportInput, TransportOutput,
};
use lasthop_units::Instant;

use super::LOGICAL_PORT;
use super::channel::{Channel, Passage, Phase, is_open};
use super::control::{Answer, Control, ControlMessage, Unreadable, refusal};
use super::frame::{CONTROL, Frame, MOST_CONTENT, frame_header};
use crate::contact::Contact;
use crate::ports::Ports;

/// RTPS messages of a participant over a stream transport with the same connection IDs.
///
/// A datagram is a logical port of the peer, in two bytes with the lower one first, and an RTPS message. Datagrams may be
/// sent as soon as a connection is opened: they wait until the peer has answered for their logical port. A message finds
/// no room, and is lost, while 256 KiB wait for TCP.
#[derive(Debug)]
pub struct RtpsTcp<T> {
    lower: T,
    /// Where the participant is, unless the transport below knows better.
    address: IpAddr,
    /// The TCP port at which it listens.
    service_port: u16,
    channels: BTreeMap<ConnectionId, Channel>,
    outputs: VecDeque<TransportOutput>,
}

/// The most bytes that wait for TCP before messages are lost.
const MOST_WAITING: usize = 1 << 18;

const HEADER: Provenance = Provenance::new(Layer::Application, Cause::Header);

impl<T: Transport> RtpsTcp<T> {
    /// Creates the connections of a participant at an address.
    pub const fn new(lower: T, address: IpAddr) -> Self {
        Self {
            lower,
            address,
            service_port: 0,
            channels: BTreeMap::new(),
            outputs: VecDeque::new(),
        }
    }

    /// Returns where this participant is, for a peer.
    fn contact(&self, towards: Option<SocketAddr>, port: u16) -> Contact {
        let found = towards.and_then(|peer| self.lower.local_address(peer.ip(), None));
        let address = found.unwrap_or(self.address);
        Contact::tcp(SocketAddr::new(address, port), 0)
    }

    fn emit(&mut self, id: ConnectionId, event: TransportEvent) {
        self.outputs.push_back(TransportOutput::Event(id, event));
    }

    fn on_lower(&mut self, now: Instant, id: ConnectionId, event: TransportEvent) {
        match event {
            TransportEvent::Established(_) => self.on_established(now, id),
            TransportEvent::StreamOpened(..) if !self.channels.contains_key(&id) => {
                self.on_established(now, id);
            }
            TransportEvent::Readable(_) => self.on_readable(now, id),
            TransportEvent::Writable(_) => {
                if let Some(channel) = self.channels.get_mut(&id) {
                    channel.outbox.flush(now, &mut self.lower, id);
                }
            }
            TransportEvent::Rebound | TransportEvent::Moved => self.emit(id, event),
            TransportEvent::Closed(_) => {
                self.channels.remove(&id);
                self.emit(id, event);
            }
            _ => {}
        }
    }

    /// The end that opened the connection binds it, and the other one waits for that.
    fn on_established(&mut self, now: Instant, id: ConnectionId) {
        if let Some(channel) = self.channels.get_mut(&id) {
            if channel.phase == Phase::Opening {
                let request = channel.bind();
                self.control(now, id, &request);
            }
            return;
        }
        let Some(stream) = self.lower.initial_stream(id) else {
            return;
        };
        let own = self.contact(self.lower.peer(id), self.service_port);
        let channel = Channel::new(Outbox::new(stream), Phase::Awaiting, own, None);
        self.channels.insert(id, channel);
    }

    fn on_readable(&mut self, now: Instant, id: ConnectionId) {
        const BUFFER: usize = 4096;
        let mut buffer = [0; BUFFER];
        while let Some(channel) = self.channels.get_mut(&id) {
            let stream = channel.outbox.stream();
            match self.lower.read(now, id, stream, &mut buffer) {
                Ok(ReadOutcome::Read(count)) => {
                    channel.reader.push(&buffer[..count]);
                    self.read_frames(now, id);
                }
                Ok(ReadOutcome::Finished) => {
                    channel.outbox.finish(now, &mut self.lower, id);
                    return;
                }
                Ok(ReadOutcome::Blocked) | Err(_) => return,
            }
        }
    }

    fn read_frames(&mut self, now: Instant, id: ConnectionId) {
        while let Some(channel) = self.channels.get_mut(&id) {
            match channel.reader.next() {
                Ok(Some(frame)) if !frame.is_intact => {}
                Ok(Some(frame)) if frame.logical_port == CONTROL => {
                    self.on_control(now, id, &frame.content);
                }
                Ok(Some(frame)) => self.on_message(now, id, &frame),
                Ok(None) => return,
                Err(_) => {
                    self.lower.reset(now, id, ResetReason::PeerError);
                    return;
                }
            }
        }
    }

    fn on_message(&mut self, now: Instant, id: ConnectionId, frame: &Frame) {
        let Some(channel) = self.channels.get_mut(&id) else {
            return;
        };
        let port = frame.logical_port;
        if !is_open(port) {
            let closed = channel.request(Control::LogicalPortClosed(port));
            return self.control(now, id, &closed);
        }
        // Who has not said where it is cannot be answered.
        if channel.peer.is_none() {
            return;
        }
        let datagram = [&port.to_le_bytes()[..], &frame.content].concat();
        channel.inbox.push_back(Payload::copied_from(&datagram));
        self.emit(id, TransportEvent::DatagramReadable);
    }

    fn on_control(&mut self, now: Instant, id: ConnectionId, content: &[u8]) {
        let message = match ControlMessage::read(content) {
            Ok(message) => message,
            Err(Unreadable::BadRequest(kind, transaction)) => {
                if let Some(refusal) = refusal(kind, transaction) {
                    self.control(now, id, &refusal);
                }
                return;
            }
            Err(Unreadable::NoHeader) => return,
        };
        let Some(channel) = self.channels.get_mut(&id) else {
            return;
        };
        let ControlMessage { transaction, body } = message;
        if let Some(body) = channel.answer(&body) {
            let is_bound = matches!(body, Control::ConnectionBound(Answer::Ok, _));
            self.control(now, id, &ControlMessage { transaction, body });
            if !is_bound {
                return;
            }
        }
        let Some(channel) = self.channels.get_mut(&id) else {
            return;
        };
        match body {
            Control::BindConnection { at, .. } => {
                channel.peer = Some(at);
                self.bound(now, id);
            }
            Control::ConnectionBound(answer, _) => {
                if channel.phase != Phase::Binding(transaction) {
                    return;
                }
                match answer {
                    Answer::Ok | Answer::ExistingConnection => self.bound(now, id),
                    _ => self.lower.reset(now, id, ResetReason::PeerError),
                }
            }
            Control::LogicalPortOpened(answer) => {
                let Some((port, waiting)) = channel.answered(transaction, answer) else {
                    return;
                };
                for message in waiting {
                    let chunks = message.iter().map(|(provenance, bytes)| Chunk {
                        bytes,
                        provenance: *provenance,
                    });
                    let chunks: Vec<Chunk<'_>> = chunks.collect();
                    self.frame(now, id, port, &chunks);
                }
            }
            Control::LogicalPortClosed(port) => channel.close_port(port),
            Control::UnbindConnection => {
                channel.phase = Phase::Ended;
                channel.outbox.finish(now, &mut self.lower, id);
            }
            _ => {}
        }
    }

    /// Both participants use a connection from now on.
    fn bound(&mut self, now: Instant, id: ConnectionId) {
        let Some(channel) = self.channels.get_mut(&id) else {
            return;
        };
        channel.phase = Phase::Bound;
        for request in channel.ask() {
            self.control(now, id, &request);
        }
        self.emit(
            id,
            TransportEvent::Established(lasthop_contract::Established::Full),
        );
    }

    /// Writes a control message.
    fn control(&mut self, now: Instant, id: ConnectionId, message: &ControlMessage) {
        let cause = if message.body.keeps_alive() {
            Cause::KeepAlive
        } else if message.body.tears_down() {
            Cause::SessionTearDown
        } else {
            Cause::SessionSetUp
        };
        let provenance = Provenance::new(Layer::Application, cause);
        let content = message.bytes();
        let header = frame_header(CONTROL, [&content[..]]);
        let chunks = [&header[..], &content].map(|bytes| Chunk { bytes, provenance });
        self.write(now, id, &chunks);
    }

    /// Writes an RTPS message, or loses it as a whole where too much waits for TCP.
    fn frame(&mut self, now: Instant, id: ConnectionId, port: u16, chunks: &[Chunk<'_>]) {
        let header = frame_header(port, chunks.iter().map(|chunk| chunk.bytes));
        let header = Chunk {
            bytes: &header,
            provenance: HEADER,
        };
        let waiting = self.channels.get(&id).map(|it| it.outbox.size());
        if waiting.is_some_and(|waiting| waiting < MOST_WAITING) {
            self.write(now, id, &[&[header], chunks].concat());
        }
    }

    /// Writes a frame. Control messages are never lost: nobody would repeat them.
    fn write(&mut self, now: Instant, id: ConnectionId, chunks: &[Chunk<'_>]) {
        if let Some(channel) = self.channels.get_mut(&id)
            && !channel.outbox.is_ended()
        {
            channel.outbox.write(now, &mut self.lower, id, chunks);
        }
    }

    /// Says that the participant ends, and closes what is written.
    fn unbind(&mut self, now: Instant, id: ConnectionId) {
        let Some(channel) = self.channels.get_mut(&id) else {
            return;
        };
        let mut last = Vec::new();
        if channel.phase == Phase::Bound {
            let ports = Ports::LOGICAL.both();
            last.extend(ports.map(|port| channel.request(Control::LogicalPortClosed(port))));
            last.push(channel.request(Control::UnbindConnection));
        }
        channel.phase = Phase::Ended;
        for message in last {
            self.control(now, id, &message);
        }
        if let Some(channel) = self.channels.get_mut(&id) {
            channel.outbox.finish(now, &mut self.lower, id);
        }
    }
}

impl<T: Transport> Transport for RtpsTcp<T> {
    fn handle(&mut self, now: Instant, input: TransportInput) {
        match input {
            TransportInput::Stop => {
                let ids: Vec<ConnectionId> = self.channels.keys().copied().collect();
                for id in ids {
                    self.unbind(now, id);
                }
            }
            TransportInput::Crash(_) => {
                self.channels.clear();
                self.outputs.clear();
            }
            _ => {}
        }
        self.lower.handle(now, input);
    }

    fn poll(&mut self, now: Instant) -> TransportOutput {
        loop {
            if let Some(output) = self.outputs.pop_front() {
                return output;
            }
            match self.lower.poll(now) {
                TransportOutput::Event(id, event) => self.on_lower(now, id, event),
                TransportOutput::WaitUntil(_) if !self.outputs.is_empty() => {}
                output => return output,
            }
        }
    }

    /// Opens a connection. The local port of the options is the one that the peer is told.
    fn open_with(
        &mut self,
        now: Instant,
        peer: SocketAddr,
        options: OpenOptions,
        _early_data: &[Chunk<'_>],
    ) -> Result<ConnectionId, OpenError> {
        let own = self.contact(Some(peer), options.local_port.unwrap_or_default());
        let options = OpenOptions {
            local_port: None,
            ..options
        };
        let id = self.lower.open_with(now, peer, options, &[])?;
        let stream = self.lower.own_stream(now, id);
        let stream = stream.map_err(|_| OpenError::NoFreePort)?;
        let peer = Some(Contact::tcp(peer, 0));
        let channel = Channel::new(Outbox::new(stream), Phase::Opening, own, peer);
        self.channels.insert(id, channel);
        Ok(id)
    }

    fn listen(&mut self, port: u16) -> Result<(), ListenError> {
        self.service_port = port;
        self.lower.listen(port)
    }

    fn send_datagram(
        &mut self,
        now: Instant,
        id: ConnectionId,
        chunks: &[Chunk<'_>],
    ) -> Result<(), DatagramError> {
        let channel = self.channels.get_mut(&id);
        let channel = channel.filter(|it| it.phase != Phase::Ended);
        let channel = channel.ok_or(DatagramError::NoSuchConnection)?;
        let Some((port, chunks)) = chunks.split_first() else {
            return Err(DatagramError::TooLarge);
        };
        let port: [u8; LOGICAL_PORT] =
            port.bytes.try_into().map_err(|_| DatagramError::TooLarge)?;
        let size: usize = chunks.iter().map(|chunk| chunk.bytes.len()).sum();
        if size > MOST_CONTENT {
            return Err(DatagramError::TooLarge);
        }
        let port = u16::from_le_bytes(port);
        match channel.pass(port, chunks) {
            Passage::Open => self.frame(now, id, port, chunks),
            Passage::Ask(request) => self.control(now, id, &request),
            Passage::Waits | Passage::Full => {}
        }
        Ok(())
    }

    fn receive_datagram(&mut self, id: ConnectionId) -> Option<Payload> {
        self.channels.get_mut(&id)?.inbox.pop_front()
    }

    fn expectation(&self, awaited: Awaited) -> Option<Expectation> {
        self.lower.expectation(awaited)
    }

    fn expect(&mut self, connection: ConnectionId, expectation: Expectation) {
        self.lower.expect(connection, expectation);
    }

    fn reset(&mut self, now: Instant, id: ConnectionId, reason: ResetReason) {
        self.lower.reset(now, id, reason);
    }

    /// Returns the address that the peer has told, or the one that was connected to.
    fn peer(&self, id: ConnectionId) -> Option<SocketAddr> {
        Some(self.channels.get(&id)?.peer?.address)
    }

    fn local_address(&self, towards: IpAddr, by: Option<InterfaceId>) -> Option<IpAddr> {
        self.lower.local_address(towards, by)
    }
}
