use core::net::{IpAddr, SocketAddr};
use core::ops::Range;

use lasthop_contract::{
    Awaited, Cause, Chunk, CloseReason, ConnectionId, DatagramError, DiscardReason, Established,
    Expectation, InterfaceId, JoinError, Layer, ListenError, OpenError, OpenOptions, Packet,
    Payload, Provenance, ResetReason, ShortQueue, Transport, TransportEvent, TransportInput,
    TransportOutput,
};
use lasthop_units::{Duration, Instant};

use crate::UDP_PROTOCOL;
use crate::flow_table::{Flow, FlowTable};
use crate::ip::{self, IpPacket};
use crate::local::Local;
use crate::packed_peer::PackedPeer;
use crate::peer_limit::PeerLimit;

/// UDP (RFC 768) over IPv4 or IPv6. A connection is a flow: a local port and a peer.
///
/// A flow survives a change of the host's own address; to the peer it is a new one then.
#[derive(Debug)]
pub struct Udp {
    local: Local,
    flows: FlowTable<UdpFlow>,
    outputs: ShortQueue<TransportOutput>,
}

/// A local port and a peer.
#[derive(Debug)]
struct UdpFlow {
    local_port: u16,
    peer: PackedPeer,
    /// When the last datagram came or went, in seconds rounded up: a flow is small.
    last_used_s: u32,
    /// Datagrams that nobody has read.
    inbox: ShortQueue<Payload>,
    /// What is expected to follow the next datagram.
    expectation: Option<Expectation>,
}

impl UdpFlow {
    fn new(
        now: Instant,
        local_port: u16,
        peer: SocketAddr,
        interface: Option<InterfaceId>,
    ) -> Self {
        Self {
            local_port,
            peer: PackedPeer::new(peer, interface),
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

    #[inline]
    fn peer(&self) -> SocketAddr {
        self.peer.address()
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
    /// Creates UDP for a host with this address.
    #[must_use]
    pub fn new(address: IpAddr) -> Self {
        Self::at(Local::from(address))
    }

    /// Creates UDP with the addresses and ports of a transport in a host.
    #[must_use]
    pub fn at(mut local: Local) -> Self {
        local.speak(UDP_PROTOCOL);
        Self {
            local,
            flows: FlowTable::new(),
            outputs: ShortQueue::new(),
        }
    }

    /// Creates UDP with a limit on peers: a new peer evicts the peer that was idle longest, or is rejected.
    #[must_use]
    pub fn bounded(local: impl Into<Local>, limit: PeerLimit) -> Self {
        Self {
            flows: FlowTable::bounded(limit),
            ..Self::at(local.into())
        }
    }

    fn receive(&mut self, now: Instant, packet: Packet) {
        let interface = packet.interface();
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
                    flow.peer.came_by(interface);
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
        let is_for_group = !self.local.has(ip.destination);
        if is_for_group && !ip.destination.is_multicast() {
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
        // A sender may leave the checksum out over IPv4 (RFC 768), not over IPv6 (RFC 8200 section 8.1).
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
        let is_wanted = if is_for_group {
            self.local.is_member(ip.destination, local_port)
        } else {
            flow.is_some() || self.local.is_listening(local_port)
        };
        if !is_wanted {
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
        let id = self.flows.add(UdpFlow::new(now, local_port, peer, None));
        self.flows.note(now, id);
        self.emit(id, TransportEvent::Established(Established::Full));
        id
    }

    /// Makes room for another peer; returns whether there is room.
    fn make_room(&mut self, now: Instant) -> bool {
        let last_used =
            |flow: &UdpFlow| Instant::ZERO + Duration::from_secs(flow.last_used_s.into());
        let Ok(left) = self.flows.make_room(now, last_used) else {
            return false;
        };
        if let Some(left) = left {
            self.reset(now, left, ResetReason::NotNeeded);
            self.outputs.push(TransportOutput::Evicted);
        }
        true
    }

    /// The port of a flow that begins here.
    fn port(&mut self, peer: SocketAddr, wanted: Option<u16>) -> Result<u16, OpenError> {
        let flows = &self.flows;
        let is_taken = |port| flows.find(port, peer).is_some();
        match wanted {
            Some(port) if is_taken(port) || !self.local.claim(port) => {
                Err(OpenError::PortTaken(port))
            }
            Some(port) => Ok(port),
            None => self.local.take_free(is_taken).ok_or(OpenError::NoFreePort),
        }
    }

    /// Removes all flows, because no application receives on them any more.
    fn forget_flows(&mut self) {
        self.local.stop_listening();
        self.flows.clear();
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
            TransportInput::AddressChanged { interface, address } => {
                self.local.change_address(interface, address);
            }
            TransportInput::AddressNoticed => {
                for id in self.flows.ids() {
                    self.emit(id, TransportEvent::Moved);
                }
            }
            // What was said last still leaves.
            TransportInput::Stop => self.forget_flows(),
            TransportInput::Crash(_) => {
                self.forget_flows();
                self.outputs = ShortQueue::new();
            }
            TransportInput::InterfaceMtu { .. } | TransportInput::Timeout => {}
        }
    }

    fn poll(&mut self, _now: Instant) -> TransportOutput {
        self.outputs
            .pop()
            .unwrap_or(TransportOutput::WaitUntil(None))
    }

    fn open_with(
        &mut self,
        now: Instant,
        peer: SocketAddr,
        options: OpenOptions,
        early_data: &[Chunk<'_>],
    ) -> Result<ConnectionId, OpenError> {
        let interface = options.interface;
        if options.column != 0 {
            return Err(OpenError::NoSuchColumn);
        }
        if self.local.address_towards(peer.ip(), interface).is_none() {
            return Err(OpenError::AddressFamily);
        }
        if size_of_all(early_data) > MAX_PAYLOAD {
            return Err(OpenError::EarlyDataTooLarge);
        }
        let local_port = self.port(peer, options.local_port)?;
        let flow = UdpFlow::new(now, local_port, peer, interface);
        let id = self.flows.add(flow);
        if !early_data.is_empty() {
            self.send_datagram(now, id, early_data)
                .expect("its size and the peer's address were checked");
        }
        self.emit(id, TransportEvent::Established(Established::Full));
        Ok(id)
    }

    fn listen(&mut self, port: u16) -> Result<(), ListenError> {
        self.local.listen(port)
    }

    fn join(&mut self, group: IpAddr, port: u16) -> Result<(), JoinError> {
        self.local.join(group, port)
    }

    fn send_datagram(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        chunks: &[Chunk<'_>],
    ) -> Result<(), DatagramError> {
        let flow = self
            .flows
            .get_mut(connection)
            .ok_or(DatagramError::NoSuchConnection)?;
        let payload = size_of_all(chunks);
        if payload > MAX_PAYLOAD {
            return Err(DatagramError::TooLarge);
        }
        let (local_port, peer, interface) = (flow.local_port, flow.peer(), flow.peer.interface());
        // After a change to an address of the other IP version, no packet reaches the peers from before.
        let (source, destination) = match self.local.address_towards(peer.ip(), interface) {
            Some(source) => (source, peer.ip()),
            None => return Err(DatagramError::NoSuchConnection),
        };
        let expectation = flow.expectation.take();
        flow.last_used_s = seconds(now);
        let mut packet = ip::packet_with_room(source, HEADER_LENGTH, HEADER);
        let start = packet.length() - HEADER_LENGTH;
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
        if let Some(interface) = interface {
            packet.set_interface(interface);
        }
        self.outputs.push(TransportOutput::Transmit(packet));
        Ok(())
    }

    fn expect(&mut self, connection: ConnectionId, expectation: Expectation) {
        if let Some(flow) = self.flows.get_mut(connection) {
            flow.expectation = Some(expectation);
        }
    }

    fn expectation(&self, awaited: Awaited) -> Option<Expectation> {
        match awaited {
            Awaited::Nothing => Some(Expectation::NothingMore),
            Awaited::OneMessage => Some(Expectation::OneAnswer),
            Awaited::More => None,
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

    fn forget(&mut self, now: Instant, connection: ConnectionId) {
        self.reset(now, connection, ResetReason::NotNeeded);
    }

    fn peer(&self, connection: ConnectionId) -> Option<SocketAddr> {
        self.flows.get(connection).map(Flow::peer)
    }

    fn local_address(&self, towards: IpAddr, by: Option<InterfaceId>) -> Option<IpAddr> {
        self.local.address_towards(towards, by)
    }
}
