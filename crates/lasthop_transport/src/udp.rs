use core::net::{IpAddr, SocketAddr};
use core::ops::Range;

use lasthop_contract::{
    Cause, Chunk, CloseReason, ConnectionId, DatagramError, DiscardReason, Established,
    Expectation, Layer, ListenError, OpenError, Packet, Payload, Provenance, ResetReason,
    ShortQueue, Transport, TransportEvent, TransportInput, TransportOutput,
};
use lasthop_units::{Duration, Instant};

use crate::flow_table::{Flow, FlowTable};
use crate::ip::{self, IpPacket, UDP_PROTOCOL};
use crate::peer_limit::PeerLimit;
use crate::ports::Ports;

/// UDP (RFC 768) over IPv4 or IPv6. A connection is a flow: a local port and a peer.
///
/// A flow survives a change of the host's own address; to the peer it is a new one then.
#[derive(Debug)]
pub struct Udp {
    address: IpAddr,
    ports: Ports,
    flows: FlowTable<UdpFlow>,
    outputs: ShortQueue<TransportOutput>,
}

/// A local port and a peer.
#[derive(Debug)]
struct UdpFlow {
    local_port: u16,
    peer: SocketAddr,
    /// When the last datagram came or went, in seconds rounded up: a flow is small.
    last_used_s: u32,
    /// Datagrams that nobody has read.
    inbox: ShortQueue<Payload>,
    /// What is expected to follow the next datagram.
    expectation: Option<Expectation>,
}

impl UdpFlow {
    fn new(now: Instant, local_port: u16, peer: SocketAddr) -> Self {
        Self {
            local_port,
            peer,
            last_used_s: seconds(now),
            inbox: ShortQueue::new(),
            expectation: None,
        }
    }
}

impl Flow for UdpFlow {
    fn local_port(&self) -> u16 {
        self.local_port
    }

    fn peer(&self) -> SocketAddr {
        self.peer
    }
}

/// What a packet says when all is well with it.
struct Accepted {
    local_port: u16,
    peer: SocketAddr,
    /// The flow, where there is one already.
    flow: Option<ConnectionId>,
    payload: Range<usize>,
}

const HEADER_LENGTH: usize = 8;
const HEADER: Provenance = Provenance::new(Layer::Udp, Cause::Header);

/// The largest payload whose length fits the IPv4 header.
const MAX_PAYLOAD: usize = 65_535 - 20 - HEADER_LENGTH;

impl Udp {
    /// UDP on a host with this address.
    #[must_use]
    pub fn new(address: IpAddr) -> Self {
        Self {
            address,
            ports: Ports::new(),
            flows: FlowTable::new(),
            outputs: ShortQueue::new(),
        }
    }

    /// The same with a limit on its peers: a stranger takes the place of who has been at rest longest, or finds none.
    #[must_use]
    pub fn bounded(address: IpAddr, limit: PeerLimit) -> Self {
        Self {
            flows: FlowTable::bounded(limit),
            ..Self::new(address)
        }
    }

    fn receive(&mut self, now: Instant, packet: Packet) {
        match self.accept(packet.bytes()) {
            Ok(accepted) => {
                if accepted.flow.is_none() && !self.make_room(now) {
                    let reason = DiscardReason::BacklogFull;
                    return self.outputs.push(TransportOutput::Discard(packet, reason));
                }
                let id = accepted
                    .flow
                    .unwrap_or_else(|| self.begin(now, accepted.local_port, accepted.peer));
                if let Some(flow) = self.flows.get_mut(id) {
                    flow.last_used_s = seconds(now);
                    flow.inbox.push(Payload::new(packet, accepted.payload));
                    self.emit(id, TransportEvent::DatagramReadable);
                }
            }
            Err(reason) => self.outputs.push(TransportOutput::Discard(packet, reason)),
        }
    }

    /// Checks a packet, and whether anybody wants it.
    fn accept(&self, bytes: &[u8]) -> Result<Accepted, DiscardReason> {
        let ip = IpPacket::parse(bytes)?;
        if ip.destination != self.address {
            return Err(DiscardReason::WrongAddress);
        }
        if ip.protocol != UDP_PROTOCOL {
            return Err(DiscardReason::UnknownProtocol);
        }
        let datagram = &bytes[ip.payload.clone()];
        let Some((header, _)) = datagram.split_first_chunk::<HEADER_LENGTH>() else {
            return Err(DiscardReason::Malformed);
        };
        let field = |at: usize| u16::from_be_bytes([header[at], header[at + 1]]);
        let (source_port, local_port, length, checksum) = (field(0), field(2), field(4), field(6));
        let length = usize::from(length);
        if length < HEADER_LENGTH || length > datagram.len() {
            return Err(DiscardReason::Malformed);
        }
        // A sender may leave the checksum out over IPv4 (RFC 768), not over IPv6 (RFC 8200 §8.1).
        let is_intact = if checksum == 0 {
            ip.source.is_ipv4()
        } else {
            let datagram = &datagram[..length];
            ip::transport_checksum(ip.source, ip.destination, UDP_PROTOCOL, datagram) == 0
        };
        if !is_intact {
            return Err(DiscardReason::BadChecksum);
        }
        let peer = SocketAddr::new(ip.source, source_port);
        let flow = self.flows.find(local_port, peer);
        if flow.is_none() && !self.ports.is_listening(local_port) {
            return Err(DiscardReason::PortUnreachable);
        }
        let start = ip.payload.start;
        Ok(Accepted {
            local_port,
            peer,
            flow,
            payload: start + HEADER_LENGTH..start + length,
        })
    }

    /// A flow that a peer has begun.
    fn begin(&mut self, now: Instant, local_port: u16, peer: SocketAddr) -> ConnectionId {
        let id = self.flows.add(UdpFlow::new(now, local_port, peer));
        self.flows.note(now, id);
        self.emit(id, TransportEvent::Established(Established::Full));
        id
    }

    /// Sees to it that another peer may come; whether it may.
    fn make_room(&mut self, now: Instant) -> bool {
        let last_used =
            |flow: &UdpFlow| Instant::ZERO + Duration::from_secs(flow.last_used_s.into());
        let Ok(left) = self.flows.make_room(now, last_used) else {
            return false;
        };
        if let Some(left) = left {
            self.reset(now, left, ResetReason::NotNeeded);
        }
        true
    }

    fn free_port(&mut self, peer: SocketAddr) -> Option<u16> {
        let flows = &self.flows;
        self.ports
            .take_free(|port| flows.find(port, peer).is_some())
    }

    fn emit(&mut self, id: ConnectionId, event: TransportEvent) {
        self.outputs.push(TransportOutput::Event(id, event));
    }
}

/// A time in seconds, rounded up.
fn seconds(at: Instant) -> u32 {
    u32::try_from(at.as_nanos().div_ceil(1_000_000_000)).unwrap_or(u32::MAX)
}

fn size_of_all(chunks: &[Chunk<'_>]) -> usize {
    chunks.iter().map(|chunk| chunk.bytes.len()).sum()
}

impl Transport for Udp {
    fn handle(&mut self, now: Instant, input: TransportInput) {
        match input {
            TransportInput::Packet(packet) => self.receive(now, packet),
            TransportInput::AddressChanged(address) => self.address = address,
            TransportInput::Timeout => {}
        }
    }

    fn poll(&mut self, _now: Instant) -> TransportOutput {
        self.outputs
            .pop()
            .unwrap_or(TransportOutput::WaitUntil(None))
    }

    fn open(
        &mut self,
        now: Instant,
        peer: SocketAddr,
        early_data: &[Chunk<'_>],
    ) -> Result<ConnectionId, OpenError> {
        if peer.is_ipv4() != self.address.is_ipv4() {
            return Err(OpenError::AddressFamily);
        }
        if size_of_all(early_data) > MAX_PAYLOAD {
            return Err(OpenError::EarlyDataTooLarge);
        }
        let local_port = self.free_port(peer).ok_or(OpenError::NoFreePort)?;
        let id = self.flows.add(UdpFlow::new(now, local_port, peer));
        if !early_data.is_empty() {
            self.send_datagram(now, id, early_data)
                .expect("its size and the peer's address were checked");
        }
        self.emit(id, TransportEvent::Established(Established::Full));
        Ok(id)
    }

    fn listen(&mut self, port: u16) -> Result<(), ListenError> {
        self.ports.listen(port)
    }

    fn send_datagram(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        chunks: &[Chunk<'_>],
    ) -> Result<(), DatagramError> {
        // After a change to an address of the other IP version, no packet reaches the peers from before.
        let flow = self
            .flows
            .get_mut(connection)
            .filter(|flow| flow.peer.is_ipv4() == self.address.is_ipv4())
            .ok_or(DatagramError::NoSuchConnection)?;
        let payload = size_of_all(chunks);
        if payload > MAX_PAYLOAD {
            return Err(DatagramError::TooLarge);
        }
        let (local_port, peer) = (flow.local_port, flow.peer);
        let expectation = flow.expectation.take();
        flow.last_used_s = seconds(now);
        let (source, destination) = (self.address, peer.ip());
        let mut packet = ip::packet_with_room(source);
        let start = packet.length();
        packet.reserve(HEADER_LENGTH, HEADER);
        for chunk in chunks {
            packet.append(chunk.bytes, chunk.provenance);
        }
        let length = (HEADER_LENGTH + payload) as u16;
        let datagram = &mut packet.bytes_mut()[start..];
        datagram[0..2].copy_from_slice(&local_port.to_be_bytes());
        datagram[2..4].copy_from_slice(&peer.port().to_be_bytes());
        datagram[4..6].copy_from_slice(&length.to_be_bytes());
        let sum = ip::transport_checksum(source, destination, UDP_PROTOCOL, datagram);
        // 0 stands for "no checksum", so a sum of 0 is sent as its equal, all ones (RFC 768).
        let sum = if sum == 0 { u16::MAX } else { sum };
        datagram[6..8].copy_from_slice(&sum.to_be_bytes());
        ip::seal(&mut packet, source, destination, UDP_PROTOCOL);
        if let Some(expectation) = expectation {
            packet.expect(expectation);
        }
        self.outputs.push(TransportOutput::Transmit(packet));
        Ok(())
    }

    fn expect(&mut self, connection: ConnectionId, expectation: Expectation) {
        if let Some(flow) = self.flows.get_mut(connection) {
            flow.expectation = Some(expectation);
        }
    }

    fn receive_datagram(&mut self, connection: ConnectionId) -> Option<Payload> {
        self.flows.get_mut(connection)?.inbox.pop()
    }

    fn reset(&mut self, _now: Instant, connection: ConnectionId, reason: ResetReason) {
        if self.flows.remove(connection).is_none() {
            return;
        }
        self.emit(
            connection,
            TransportEvent::Closed(CloseReason::Reset(reason)),
        );
    }

    fn peer(&self, connection: ConnectionId) -> Option<SocketAddr> {
        self.flows.get(connection).map(|flow| flow.peer)
    }
}
