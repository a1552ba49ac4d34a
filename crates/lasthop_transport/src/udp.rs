use core::net::{IpAddr, SocketAddr};
use std::collections::VecDeque;

use lasthop_contract::{
    Cause, Chunk, CloseReason, ConnectionId, DatagramError, DiscardReason, Established, Layer,
    ListenError, LookupMap, OpenError, Packet, Payload, Provenance, ReadOutcome, ResetReason,
    StreamError, StreamId, Transport, TransportEvent, TransportInput, TransportOutput,
};
use lasthop_units::Instant;

use crate::ip::{self, IpPacket, UDP_PROTOCOL};

/// UDP (RFC 768) over IPv4 or IPv6. A connection is a flow: a local port and a peer.
///
/// A flow survives a change of the host's own address; to the peer it is a new one then.
#[derive(Debug)]
pub struct Udp {
    address: IpAddr,
    listening: Vec<u16>,
    next_port: u16,
    flows: Vec<Slot>,
    free: Vec<u32>,
    by_peer: LookupMap<(u16, SocketAddr), ConnectionId>,
    inbox: VecDeque<(ConnectionId, Payload)>,
    outputs: VecDeque<TransportOutput>,
}

/// A place for a flow. The generation tells its occupants apart, so that an id is never used twice.
#[derive(Debug)]
struct Slot {
    generation: u32,
    flow: Option<Flow>,
}

#[derive(Clone, Copy, Debug)]
struct Flow {
    local_port: u16,
    peer: SocketAddr,
}

const HEADER_LENGTH: usize = 8;
const HEADER: Provenance = Provenance::new(Layer::Udp, Cause::Header);

/// The largest payload whose length fits the IPv4 header.
const MAX_PAYLOAD: usize = 65_535 - 20 - HEADER_LENGTH;

/// The first of the ports that clients use (RFC 6335 §6).
const FIRST_EPHEMERAL_PORT: u16 = 49_152;

impl Udp {
    /// UDP on a host with this address.
    #[must_use]
    pub fn new(address: IpAddr) -> Self {
        Self {
            address,
            listening: Vec::new(),
            next_port: FIRST_EPHEMERAL_PORT,
            flows: Vec::new(),
            free: Vec::new(),
            by_peer: LookupMap::new(),
            inbox: VecDeque::new(),
            outputs: VecDeque::new(),
        }
    }

    fn receive(&mut self, packet: Packet) {
        match self.accept(packet.bytes()) {
            Ok((local_port, peer, payload)) => {
                let id = self.flow_from(local_port, peer);
                self.inbox
                    .push_back((id, Payload::new(packet, payload.start..payload.end)));
                self.emit(id, TransportEvent::DatagramReadable);
            }
            Err(reason) => self
                .outputs
                .push_back(TransportOutput::Discard(packet, reason)),
        }
    }

    /// Checks a packet; gives the local port, the peer and the place of the payload.
    fn accept(
        &self,
        bytes: &[u8],
    ) -> Result<(u16, SocketAddr, core::ops::Range<usize>), DiscardReason> {
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
        if !self.listening.contains(&local_port) && !self.by_peer.contains(&(local_port, peer)) {
            return Err(DiscardReason::PortUnreachable);
        }
        let start = ip.payload.start;
        Ok((local_port, peer, start + HEADER_LENGTH..start + length))
    }

    /// The flow with this peer, made where there is none yet.
    fn flow_from(&mut self, local_port: u16, peer: SocketAddr) -> ConnectionId {
        if let Some(id) = self.by_peer.get(&(local_port, peer)) {
            return *id;
        }
        let id = self.add(Flow { local_port, peer });
        self.emit(id, TransportEvent::Established(Established::Full));
        id
    }

    fn add(&mut self, flow: Flow) -> ConnectionId {
        let index = self.free.pop().unwrap_or_else(|| {
            self.flows.push(Slot {
                generation: 0,
                flow: None,
            });
            (self.flows.len() - 1) as u32
        });
        let slot = &mut self.flows[index as usize];
        slot.flow = Some(flow);
        let id = ConnectionId(u64::from(slot.generation) << 32 | u64::from(index));
        self.by_peer.insert((flow.local_port, flow.peer), id);
        id
    }

    fn flow(&self, id: ConnectionId) -> Option<Flow> {
        let slot = self.flows.get(id.0 as u32 as usize)?;
        (u64::from(slot.generation) == id.0 >> 32)
            .then_some(slot.flow)
            .flatten()
    }

    fn free_port(&mut self, peer: SocketAddr) -> Option<u16> {
        let ports = u16::MAX - FIRST_EPHEMERAL_PORT + 1;
        (0..ports).find_map(|_| {
            let port = self.next_port;
            self.next_port = port.checked_add(1).unwrap_or(FIRST_EPHEMERAL_PORT);
            let free = !self.listening.contains(&port) && !self.by_peer.contains(&(port, peer));
            free.then_some(port)
        })
    }

    fn emit(&mut self, id: ConnectionId, event: TransportEvent) {
        self.outputs.push_back(TransportOutput::Event(id, event));
    }
}

fn size_of_all(chunks: &[Chunk<'_>]) -> usize {
    chunks.iter().map(|chunk| chunk.bytes.len()).sum()
}

impl Transport for Udp {
    fn handle(&mut self, _now: Instant, input: TransportInput) {
        match input {
            TransportInput::Packet(packet) => self.receive(packet),
            TransportInput::AddressChanged(address) => self.address = address,
            TransportInput::Timeout => {}
        }
    }

    fn poll(&mut self, _now: Instant) -> TransportOutput {
        self.outputs
            .pop_front()
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
        let id = self.add(Flow { local_port, peer });
        if !early_data.is_empty() {
            self.send_datagram(now, id, early_data)
                .expect("its size and the peer's address were checked");
        }
        self.emit(id, TransportEvent::Established(Established::Full));
        Ok(id)
    }

    fn listen(&mut self, port: u16) -> Result<(), ListenError> {
        if self.listening.contains(&port) {
            return Err(ListenError(port));
        }
        self.listening.push(port);
        Ok(())
    }

    fn open_stream(
        &mut self,
        _now: Instant,
        _connection: ConnectionId,
    ) -> Result<StreamId, StreamError> {
        Err(StreamError::DatagramsOnly)
    }

    fn write(
        &mut self,
        _now: Instant,
        _connection: ConnectionId,
        _stream: StreamId,
        _chunk: Chunk<'_>,
    ) -> Result<usize, StreamError> {
        Err(StreamError::DatagramsOnly)
    }

    fn read(
        &mut self,
        _now: Instant,
        _connection: ConnectionId,
        _stream: StreamId,
        _into: &mut [u8],
    ) -> Result<ReadOutcome, StreamError> {
        Err(StreamError::DatagramsOnly)
    }

    fn send_datagram(
        &mut self,
        _now: Instant,
        connection: ConnectionId,
        chunks: &[Chunk<'_>],
    ) -> Result<(), DatagramError> {
        // After a change to an address of the other IP version, no packet reaches the peers from before.
        let flow = self
            .flow(connection)
            .filter(|flow| flow.peer.is_ipv4() == self.address.is_ipv4())
            .ok_or(DatagramError::NoSuchConnection)?;
        let payload = size_of_all(chunks);
        if payload > MAX_PAYLOAD {
            return Err(DatagramError::TooLarge);
        }
        let (source, destination) = (self.address, flow.peer.ip());
        let mut packet = ip::packet_with_room(source);
        let start = packet.length();
        packet.reserve(HEADER_LENGTH, HEADER);
        for chunk in chunks {
            packet.append(chunk.bytes, chunk.provenance);
        }
        let length = (HEADER_LENGTH + payload) as u16;
        let datagram = &mut packet.bytes_mut()[start..];
        datagram[0..2].copy_from_slice(&flow.local_port.to_be_bytes());
        datagram[2..4].copy_from_slice(&flow.peer.port().to_be_bytes());
        datagram[4..6].copy_from_slice(&length.to_be_bytes());
        let sum = ip::transport_checksum(source, destination, UDP_PROTOCOL, datagram);
        // 0 stands for "no checksum", so a sum of 0 is sent as its equal, all ones (RFC 768).
        let sum = if sum == 0 { u16::MAX } else { sum };
        datagram[6..8].copy_from_slice(&sum.to_be_bytes());
        ip::seal(&mut packet, source, destination, UDP_PROTOCOL);
        self.outputs.push_back(TransportOutput::Transmit(packet));
        Ok(())
    }

    fn receive_datagram(&mut self, connection: ConnectionId) -> Option<Payload> {
        let place = self.inbox.iter().position(|(id, _)| *id == connection)?;
        self.inbox.remove(place).map(|(_, payload)| payload)
    }

    fn finish(&mut self, _now: Instant, _connection: ConnectionId, _stream: StreamId) {}

    fn reset(&mut self, _now: Instant, connection: ConnectionId, reason: ResetReason) {
        let Some(flow) = self.flow(connection) else {
            return;
        };
        let index = connection.0 as u32;
        self.by_peer.remove(&(flow.local_port, flow.peer));
        let slot = &mut self.flows[index as usize];
        slot.flow = None;
        slot.generation += 1;
        self.free.push(index);
        self.inbox.retain(|(id, _)| *id != connection);
        self.emit(
            connection,
            TransportEvent::Closed(CloseReason::Reset(reason)),
        );
    }

    fn peer(&self, connection: ConnectionId) -> Option<SocketAddr> {
        self.flow(connection).map(|flow| flow.peer)
    }
}
