use core::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::collections::{BTreeMap, VecDeque};

use lasthop_contract::{
    Chunk, ConnectionId, DatagramError, ListenError, OpenError, OpenOptions, Payload, ResetReason,
    Transport, TransportEvent, TransportInput, TransportOutput,
};
use lasthop_units::Instant;

/// Datagrams between ends that are known by their ports, with nothing below: what is sent waits until it is taken.
#[derive(Default)]
pub(crate) struct Datagrams {
    flows: BTreeMap<ConnectionId, u16>,
    inbox: VecDeque<(ConnectionId, Vec<u8>)>,
    events: VecDeque<(ConnectionId, TransportEvent)>,
    opened: u64,
    /// What was sent, and to which port.
    pub(crate) sent: VecDeque<(u16, Vec<u8>)>,
}

/// An end by its port.
pub(crate) fn address(port: u16) -> SocketAddr {
    SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port)
}

impl Datagrams {
    /// Takes a datagram from a port.
    pub(crate) fn receive(&mut self, from: u16, datagram: Vec<u8>) {
        let known = self.flows.iter().find(|(_, port)| **port == from);
        let flow = known.map(|(flow, _)| *flow);
        let flow = flow.unwrap_or_else(|| self.add(from));
        self.inbox.push_back((flow, datagram));
        self.events
            .push_back((flow, TransportEvent::DatagramReadable));
    }

    fn add(&mut self, port: u16) -> ConnectionId {
        let flow = ConnectionId(self.opened);
        self.opened += 1;
        self.flows.insert(flow, port);
        flow
    }
}

impl Transport for Datagrams {
    fn handle(&mut self, _now: Instant, _input: TransportInput) {}

    fn poll(&mut self, _now: Instant) -> TransportOutput {
        match self.events.pop_front() {
            Some((flow, event)) => TransportOutput::Event(flow, event),
            None => TransportOutput::WaitUntil(None),
        }
    }

    fn open_with(
        &mut self,
        _now: Instant,
        peer: SocketAddr,
        _options: OpenOptions,
        _early_data: &[Chunk<'_>],
    ) -> Result<ConnectionId, OpenError> {
        Ok(self.add(peer.port()))
    }

    fn listen(&mut self, _port: u16) -> Result<(), ListenError> {
        Ok(())
    }

    fn send_datagram(
        &mut self,
        _now: Instant,
        connection: ConnectionId,
        chunks: &[Chunk<'_>],
    ) -> Result<(), DatagramError> {
        let port = self.flows.get(&connection);
        let port = *port.ok_or(DatagramError::NoSuchConnection)?;
        let datagram = chunks.iter().flat_map(|chunk| chunk.bytes).copied();
        self.sent.push_back((port, datagram.collect()));
        Ok(())
    }

    fn receive_datagram(&mut self, connection: ConnectionId) -> Option<Payload> {
        let place = self
            .inbox
            .iter()
            .position(|(flow, _)| *flow == connection)?;
        let (_, datagram) = self.inbox.remove(place)?;
        Some(Payload::copied_from(&datagram))
    }

    fn reset(&mut self, _now: Instant, connection: ConnectionId, _reason: ResetReason) {
        self.flows.remove(&connection);
    }

    fn peer(&self, connection: ConnectionId) -> Option<SocketAddr> {
        self.flows.get(&connection).copied().map(address)
    }
}
