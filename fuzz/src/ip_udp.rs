use core::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use lasthop_contract::{
    Cause, Chunk, ConnectionId, InterfaceId, Layer, Packet, Provenance, ReadOutcome, ResetReason,
    StreamId, StreamKind, Transport, TransportEvent, TransportInput, TransportOutput,
};
use lasthop_transport::{IpPacket, UDP_PROTOCOL, Udp};
use lasthop_units::Instant;

use crate::repair::{Protocol, repair};
use crate::script::Script;

const V4: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));
const V6: IpAddr = IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 1, 0, 0, 0, 0, 1));
const PEER_V4: IpAddr = IpAddr::V4(Ipv4Addr::new(198, 18, 0, 1));
const PEER_V6: IpAddr = IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 2, 0, 0, 0, 0, 1));
const NOW: Instant = Instant::ZERO;
const PAYLOAD: Provenance = Provenance::new(Layer::Application, Cause::Payload);

/// UDP over IP as a host has it: a script of packets and calls.
///
/// The first byte says which IP version the host has; each further step is a byte for the operation and what
/// that takes.
pub fn ip_udp(data: &[u8]) {
    let _ = IpPacket::parse(data);
    let mut script = Script::new(data);
    let mut host = HostUnderTest::new(if script.flag() { V6 } else { V4 });
    while !script.is_empty() {
        host.step(&mut script);
        host.drain();
    }
}

struct HostUnderTest {
    udp: Udp,
    address: IpAddr,
    connections: Vec<ConnectionId>,
    /// Packets given that are not yet accounted for.
    given: usize,
}

impl HostUnderTest {
    fn new(address: IpAddr) -> Self {
        let udp = Udp::new(address);
        Self {
            udp,
            address,
            connections: Vec::new(),
            given: 0,
        }
    }

    fn step(&mut self, script: &mut Script<'_>) {
        match script.byte() % 9 {
            0 => self.receive(script.slice().to_vec()),
            1 => {
                let mut packet = script.slice().to_vec();
                repair(&mut packet, Protocol::Udp);
                self.receive(packet);
            }
            2 => {
                let _ = self.udp.listen(script.word());
            }
            3 => self.open(script),
            4 => self.send(script),
            5 => self.reset(script),
            6 => self.change_address(script),
            7 => self.udp.handle(NOW, TransportInput::Timeout),
            _ => self.use_streams(script),
        }
    }

    fn receive(&mut self, bytes: Vec<u8>) {
        self.given += 1;
        let packet = Packet::of(&bytes, PAYLOAD);
        self.udp.handle(NOW, TransportInput::Packet(packet));
    }

    fn open(&mut self, script: &mut Script<'_>) {
        let address = if script.flag() { PEER_V6 } else { PEER_V4 };
        let peer = SocketAddr::new(address, script.word());
        let bytes = script.slice();
        let chunk = Chunk {
            bytes,
            provenance: PAYLOAD,
        };
        let early: &[Chunk<'_>] = if bytes.is_empty() { &[] } else { &[chunk] };
        if let Ok(id) = self.udp.open(NOW, peer, early) {
            assert_eq!(self.udp.peer(id), Some(peer));
            self.note(id);
        }
    }

    fn send(&mut self, script: &mut Script<'_>) {
        let id = self.any_connection(script);
        let chunk = Chunk {
            bytes: script.slice(),
            provenance: PAYLOAD,
        };
        let copies = 1 + usize::from(script.byte() % 3);
        let sent = self.udp.send_datagram(NOW, id, &vec![chunk; copies]);
        assert!(sent.is_err() || self.udp.peer(id).is_some());
    }

    fn reset(&mut self, script: &mut Script<'_>) {
        let id = self.any_connection(script);
        self.udp.reset(NOW, id, ResetReason::NotNeeded);
        assert_eq!(self.udp.peer(id), None);
        assert!(self.udp.send_datagram(NOW, id, &[]).is_err());
        assert!(self.udp.receive_datagram(id).is_none());
    }

    fn change_address(&mut self, script: &mut Script<'_>) {
        self.address = if script.flag() { V6 } else { V4 };
        let input = TransportInput::AddressChanged {
            interface: InterfaceId(0),
            address: self.address,
        };
        self.udp.handle(NOW, input);
    }

    /// UDP has no streams; asking for one is an error, never a panic.
    fn use_streams(&mut self, script: &mut Script<'_>) {
        let id = self.any_connection(script);
        let stream = StreamId(u64::from(script.byte()));
        let chunk = Chunk {
            bytes: &[1],
            provenance: PAYLOAD,
        };
        assert!(
            self.udp
                .open_stream(NOW, id, StreamKind::Bidirectional)
                .is_err()
        );
        assert!(self.udp.write(NOW, id, stream, &[chunk]).is_err());
        let read = self.udp.read(NOW, id, stream, &mut [0; 4]);
        assert!(!matches!(read, Ok(ReadOutcome::Read(_))));
        self.udp.finish(NOW, id, stream);
    }

    /// One that exists, existed, or never will.
    fn any_connection(&self, script: &mut Script<'_>) -> ConnectionId {
        let index = usize::from(script.byte());
        let unknown = ConnectionId((index as u64) << 32 | index as u64);
        self.connections.get(index).copied().unwrap_or(unknown)
    }

    fn note(&mut self, id: ConnectionId) {
        if !self.connections.contains(&id) {
            self.connections.push(id);
        }
    }

    /// Polls until it waits, and checks what comes out.
    fn drain(&mut self) {
        loop {
            match self.udp.poll(NOW) {
                TransportOutput::Transmit(packet) => check_transmitted(&packet),
                TransportOutput::Event(id, event) => self.on_event(id, event),
                TransportOutput::Discard(..) => self.given -= 1,
                TransportOutput::Evicted => {}
                TransportOutput::WaitUntil(deadline) => {
                    assert_eq!(deadline, None, "UDP waits for nothing");
                    break;
                }
            }
        }
        assert_eq!(self.given, 0, "a packet is taken or discarded");
    }

    fn on_event(&mut self, id: ConnectionId, event: TransportEvent) {
        self.note(id);
        if event == TransportEvent::DatagramReadable {
            self.given -= 1;
            let payload = self.udp.receive_datagram(id);
            assert!(payload.is_some_and(|payload| payload.len() <= 65_507));
        }
    }
}

/// What a host sends, the peer whose address it bears takes.
fn check_transmitted(packet: &Packet) {
    let spans: usize = packet.spans().iter().map(|s| usize::from(s.length)).sum();
    assert_eq!(spans, packet.length());
    let ip = IpPacket::parse(packet.bytes()).expect("our own packets are well formed");
    assert_eq!(ip.protocol, UDP_PROTOCOL);
    assert_eq!(ip.payload.end, packet.length());
    let port = &packet.bytes()[ip.payload][2..4];
    let mut peer = Udp::new(ip.destination);
    peer.listen(u16::from_be_bytes([port[0], port[1]]))
        .expect("nobody else listens");
    peer.handle(NOW, TransportInput::Packet(packet.duplicate()));
    assert!(matches!(peer.poll(NOW), TransportOutput::Event(..)));
}
