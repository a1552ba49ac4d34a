use core::net::{IpAddr, SocketAddr};

use lasthop_contract::{
    Cause, Chunk, CloseReason, ConnectionId, Layer, Packet, Provenance, ReadOutcome, ResetReason,
    Transport, TransportEvent, TransportInput, TransportOutput,
};
use lasthop_transport::{Tcp, TcpProfile};
use lasthop_units::Instant;

use crate::exchange::CLIENT_PORT;
use crate::forged_segment::LastSegment;
use crate::script::Script;

/// A host with TCP and an application on it.
pub(crate) struct End {
    pub(crate) address: IpAddr,
    pub(crate) peer_address: IpAddr,
    /// When it wants to be woken.
    pub(crate) deadline: Option<Instant>,
    /// The first connection that the client opened: the one that is checked byte by byte.
    pub(crate) first: Stream,
    is_client: bool,
    host: Tcp,
    connections: Vec<ConnectionId>,
    sent: Vec<Packet>,
    last_segment: Option<LastSegment>,
    /// The most bytes that it may hold unread, and unacknowledged, on a connection.
    most_unread: usize,
    most_unsent: usize,
}

/// What an application wrote to a connection and read from it.
#[derive(Default)]
pub(crate) struct Stream {
    pub(crate) written: Vec<u8>,
    pub(crate) read: Vec<u8>,
    pub(crate) peer_finished: bool,
    pub(crate) closed: Option<CloseReason>,
    id: Option<ConnectionId>,
}

/// Where the server listens.
pub(crate) const PORT: u16 = 1883;

/// An application writes at most so much to the connection that is checked.
const MOST_WRITTEN: usize = 200_000;
/// More outputs than this for one input are a flood.
const MOST_OUTPUTS: usize = 10_000;

const PAYLOAD: Provenance = Provenance::new(Layer::Application, Cause::Payload);

impl End {
    pub(crate) fn new(
        host: Tcp,
        profile: &TcpProfile,
        address: IpAddr,
        peer_address: IpAddr,
    ) -> Self {
        let scale = profile.window_scale.unwrap_or(0);
        // The window is rounded up to what a scaled one can say.
        let most_unread = (profile.receive_buffer + (1 << scale)) as usize;
        Self {
            address,
            peer_address,
            deadline: None,
            first: Stream::default(),
            is_client: true,
            host,
            connections: Vec::new(),
            sent: Vec::new(),
            last_segment: None,
            most_unread,
            most_unsent: profile.send_buffer as usize,
        }
    }

    /// Makes it the server.
    pub(crate) fn listen(&mut self) {
        self.is_client = false;
        self.host.listen(PORT).expect("nobody else listens");
    }

    pub(crate) fn last_segment(&self) -> Option<&LastSegment> {
        self.last_segment.as_ref()
    }

    pub(crate) fn take_sent(&mut self) -> Vec<Packet> {
        core::mem::take(&mut self.sent)
    }

    pub(crate) fn open_connections(&self) -> usize {
        self.connections.len()
    }

    pub(crate) fn receive(&mut self, now: Instant, packet: Packet) {
        self.host.handle(now, TransportInput::Packet(packet));
        self.drain(now);
    }

    pub(crate) fn wake(&mut self, now: Instant) {
        self.host.handle(now, TransportInput::Timeout);
        self.drain(now);
        let is_later = self.deadline.is_none_or(|at| at > now);
        assert!(is_later, "it waits for what has passed");
    }

    pub(crate) fn open(&mut self, now: Instant, script: &mut Script<'_>) {
        let peer = SocketAddr::new(self.peer_address, PORT);
        let early = pattern(0, script.byte().into());
        if self.connections.len() < 8
            && let Ok(id) = self.host.open(now, peer, &[chunk(&early)])
        {
            assert_eq!(self.host.peer(id), Some(peer));
            self.connections.push(id);
            if self.is_client && self.first.id.is_none() {
                self.first.id = Some(id);
                self.first.written = early;
            }
        }
        self.drain(now);
    }

    pub(crate) fn write(&mut self, now: Instant, script: &mut Script<'_>) {
        let id = self.any_connection(script);
        let length = usize::from(script.word());
        self.write_to(now, id, length);
    }

    pub(crate) fn read(&mut self, now: Instant, script: &mut Script<'_>) {
        let id = self.any_connection(script);
        self.read_from(now, id, script.word().into());
        self.drain(now);
    }

    pub(crate) fn finish(&mut self, now: Instant, script: &mut Script<'_>) {
        let id = self.any_connection(script);
        self.host.finish(now, id, Tcp::STREAM);
        self.drain(now);
    }

    pub(crate) fn reset(&mut self, now: Instant, script: &mut Script<'_>) {
        let id = self.any_connection(script);
        self.host.reset(now, id, ResetReason::NotNeeded);
        self.drain(now);
        assert!(!self.connections.contains(&id), "a reset ends it at once");
        assert_eq!(self.host.peer(id), None);
    }

    pub(crate) fn reset_all(&mut self, now: Instant) {
        for id in self.connections.clone() {
            self.host.reset(now, id, ResetReason::NotNeeded);
        }
        self.drain(now);
    }

    /// Every application reads what there is, and has nothing more to say.
    pub(crate) fn come_to_an_end(&mut self, now: Instant) {
        for id in self.connections.clone() {
            self.read_from(now, id, usize::MAX);
            self.host.finish(now, id, Tcp::STREAM);
        }
        self.drain(now);
    }

    fn write_to(&mut self, now: Instant, id: ConnectionId, length: usize) {
        let is_first = self.first.id == Some(id);
        let start = if is_first {
            self.first.written.len()
        } else {
            0
        };
        let bytes = pattern(start, length.min(MOST_WRITTEN - start.min(MOST_WRITTEN)));
        let written = self.host.write(now, id, Tcp::STREAM, &[chunk(&bytes)]);
        if let Ok(taken) = written {
            assert!(self.connections.contains(&id));
            assert!(taken <= self.most_unsent, "{taken} B wait to be sent");
            if is_first {
                self.first.written.extend_from_slice(&bytes[..taken]);
            }
        }
        self.drain(now);
    }

    fn read_from(&mut self, now: Instant, id: ConnectionId, limit: usize) {
        let mut room = vec![0; limit.min(self.most_unread + 1)];
        let is_first = self.first.id == Some(id);
        match self.host.read(now, id, Tcp::STREAM, &mut room) {
            Ok(ReadOutcome::Read(count)) => {
                assert!(count <= self.most_unread, "it held {count} B");
                if is_first {
                    self.first.read.extend_from_slice(&room[..count]);
                }
            }
            Ok(ReadOutcome::Finished) => self.first.peer_finished |= is_first,
            Ok(ReadOutcome::Blocked) | Err(_) => {}
        }
    }

    /// One that is open, was, or never will be.
    fn any_connection(&self, script: &mut Script<'_>) -> ConnectionId {
        let index = script.byte();
        // None of those that a peer has begun and nobody was told of.
        let unknown = ConnectionId(u64::MAX - u64::from(index));
        let known = self.connections.get(usize::from(index));
        known.copied().unwrap_or(unknown)
    }

    fn drain(&mut self, now: Instant) {
        for _ in 0..MOST_OUTPUTS {
            match self.host.poll(now) {
                TransportOutput::Transmit(packet) => {
                    let spans = packet.spans().iter();
                    let length: usize = spans.map(|span| usize::from(span.length)).sum();
                    assert_eq!(length, packet.length());
                    self.last_segment = Some(LastSegment::read(&packet));
                    self.sent.push(packet);
                }
                TransportOutput::Event(id, event) => self.on_event(id, event),
                TransportOutput::Discard(..) | TransportOutput::Evicted => {}
                TransportOutput::WaitUntil(deadline) => {
                    self.deadline = deadline;
                    return;
                }
            }
        }
        panic!("one input makes a flood");
    }

    fn on_event(&mut self, id: ConnectionId, event: TransportEvent) {
        match event {
            TransportEvent::Established(_) if !self.connections.contains(&id) => {
                self.connections.push(id);
                let peer = self.host.peer(id).expect("it is there");
                if !self.is_client && peer.port() == CLIENT_PORT {
                    self.first.id.get_or_insert(id);
                }
            }
            TransportEvent::Closed(reason) => {
                assert!(self.connections.contains(&id), "nobody knows of it");
                self.connections.retain(|known| *known != id);
                if self.first.id == Some(id) {
                    self.first.closed = Some(reason);
                }
                assert_eq!(self.host.peer(id), None);
            }
            event => assert!(self.connections.contains(&id), "{event:?} of no connection"),
        }
    }
}

/// Bytes of a stream from a place on.
fn pattern(start: usize, length: usize) -> Vec<u8> {
    (start..start + length)
        .map(|place| (place % 251) as u8)
        .collect()
}

fn chunk(bytes: &[u8]) -> Chunk<'_> {
    Chunk {
        bytes,
        provenance: PAYLOAD,
    }
}
