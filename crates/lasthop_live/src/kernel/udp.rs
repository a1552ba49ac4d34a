use core::net::SocketAddr;
use std::collections::VecDeque;
use std::io;
use std::os::fd::OwnedFd;
use std::rc::Rc;

use lasthop_contract::{
    Chunk, CloseReason, ConnectionId, DatagramError, Established, ListenError, OpenError,
    OpenOptions, Payload, ResetReason, ShortQueue, Transport, TransportEvent, TransportInput,
    TransportOutput,
};
use lasthop_transport::{Flow, FlowTable, PeerLimit};
use lasthop_units::Instant;
use rustix::io::Errno;
use rustix::net::sockopt::{self, Ipv4PathMtuDiscovery, Ipv6PathMtuDiscovery};
use rustix::net::{RecvFlags, SendFlags, SocketType, connect, recvfrom, send, sendto};

use super::Listener;
use super::listener::open_socket;
use crate::Poller;
use crate::containment::Peers;
use crate::poller::{Interest, Lane};

/// The kernel's UDP. A connection is a flow between one local socket and a peer.
#[derive(Debug)]
pub struct KernelUdp {
    lane: Lane,
    /// By their places; none where one was given back.
    sockets: Vec<Option<Socket>>,
    /// Places that were given back.
    free: Vec<u16>,
    flows: FlowTable<UdpFlow>,
    outputs: VecDeque<TransportOutput>,
    buffer: Box<[u8]>,
    /// A datagram that is put together from its parts.
    outgoing: Vec<u8>,
    /// What a link cannot carry in one packet is lost.
    never_in_fragments: bool,
}

#[derive(Debug)]
struct Socket {
    socket: OwnedFd,
    /// The flow that it belongs to alone; a listener's is anybody's.
    only: Option<ConnectionId>,
}

#[derive(Debug)]
struct UdpFlow {
    /// The place of its socket, which stands for our port.
    socket: u16,
    peer: SocketAddr,
    last_used: Instant,
    inbox: ShortQueue<Payload>,
}

/// No datagram carries more over IPv4.
const MAX_PAYLOAD: usize = 65_507;

/// How many datagrams of a socket are read before others get their turn.
const DATAGRAMS_A_TURN: usize = 64;

impl KernelUdp {
    /// Creates a transport that opens flows and ignores datagrams of unknown peers.
    #[must_use]
    pub fn client(poller: &Rc<Poller>) -> Self {
        Self::new(poller.lane(), FlowTable::new())
    }

    /// Creates a transport that accepts flows at these listeners, up to a limit.
    ///
    /// # Errors
    /// When they cannot be watched.
    pub fn server(
        poller: &Rc<Poller>,
        listeners: Vec<Listener>,
        limit: PeerLimit,
    ) -> io::Result<Self> {
        let mut server = Self::new(poller.lane(), FlowTable::bounded(limit));
        for listener in listeners {
            server.add_socket(listener.socket, None)?;
        }
        Ok(server)
    }

    /// Disables IP fragmentation of datagrams, as QUIC requires for path MTU discovery (RFC 9000 section 14).
    #[must_use]
    pub fn never_in_fragments(mut self) -> Self {
        self.never_in_fragments = true;
        for Socket { socket, .. } in self.sockets.iter().flatten() {
            keep_whole(socket);
        }
        self
    }

    fn new(lane: Lane, flows: FlowTable<UdpFlow>) -> Self {
        Self {
            lane,
            sockets: Vec::new(),
            free: Vec::new(),
            flows,
            outputs: VecDeque::new(),
            buffer: vec![0; 1 << 16].into_boxed_slice(),
            outgoing: Vec::new(),
            never_in_fragments: false,
        }
    }

    fn add_socket(&mut self, socket: OwnedFd, only: Option<ConnectionId>) -> io::Result<u16> {
        let next = self.free.last().copied().map(usize::from);
        let place = next.unwrap_or(self.sockets.len());
        let number = u16::try_from(place).map_err(|_| io::Error::other("too many sockets"))?;
        if self.never_in_fragments {
            keep_whole(&socket);
        }
        self.lane
            .watch(&socket, u64::from(number), Interest::Readable)?;
        let socket = Some(Socket { socket, only });
        match self.free.pop() {
            Some(_) => self.sockets[place] = socket,
            None => self.sockets.push(socket),
        }
        Ok(number)
    }

    /// Forgets a flow, and its socket where that is its alone; whether there was one.
    fn end(&mut self, id: ConnectionId) -> bool {
        let Some(flow) = self.flows.remove(id) else {
            return false;
        };
        let socket = self.sockets.get_mut(usize::from(flow.socket));
        let is_own = |it: &mut Socket| it.only == Some(id);
        if socket.and_then(|it| it.take_if(is_own)).is_some() {
            self.free.push(flow.socket);
        }
        true
    }

    /// Reads what has come by a socket.
    fn receive(&mut self, now: Instant, place: u16) {
        for _ in 0..DATAGRAMS_A_TURN {
            let socket = self.sockets.get(usize::from(place));
            let Some(Socket { socket, only }) = socket.and_then(Option::as_ref) else {
                return;
            };
            let only = *only;
            match recvfrom(socket, &mut self.buffer[..], RecvFlags::empty()) {
                Ok((length, _, from)) => {
                    let peer = from.and_then(|from| from.try_into().ok());
                    if let Some(peer) = peer {
                        self.take(now, place, peer, length);
                    }
                }
                Err(error) if tells_of_nobody(error) => self.lose(only),
                Err(_) => return,
            }
        }
    }

    fn take(&mut self, now: Instant, place: u16, peer: SocketAddr, length: usize) {
        let known = self.flows.find(place, peer);
        let Some(id) = known.or_else(|| self.begin(now, place, peer)) else {
            return;
        };
        if let Some(flow) = self.flows.get_mut(id) {
            flow.last_used = now;
            let payload = Payload::copied_from(&self.buffer[..length]);
            flow.inbox.push(payload);
            self.emit(id, TransportEvent::DatagramReadable);
        }
    }

    /// The peer's machine says that nobody is at the port of a flow.
    fn lose(&mut self, flow: Option<ConnectionId>) {
        if let Some(id) = flow
            && self.end(id)
        {
            self.emit(id, TransportEvent::Closed(CloseReason::PeerReset));
        }
    }

    /// A flow that a stranger has begun, if there is room for it.
    fn begin(&mut self, now: Instant, place: u16, peer: SocketAddr) -> Option<ConnectionId> {
        let left = self.flows.make_room(now, |flow| flow.last_used).ok()?;
        if let Some(left) = left {
            self.reset(now, left, ResetReason::NotNeeded);
            self.outputs.push_back(TransportOutput::Evicted);
        }
        let id = self.flows.add(UdpFlow::new(now, place, peer));
        self.flows.note(now, id);
        self.emit(id, TransportEvent::Established(Established::Full));
        Some(id)
    }

    fn emit(&mut self, id: ConnectionId, event: TransportEvent) {
        self.outputs.push_back(TransportOutput::Event(id, event));
    }
}

/// Whether an answer to what was sent before says that it reached nobody.
const fn tells_of_nobody(error: Errno) -> bool {
    matches!(
        error,
        Errno::CONNREFUSED | Errno::HOSTUNREACH | Errno::NETUNREACH
    )
}

/// Sets DF. A system that cannot loses nothing but what it finds out about paths.
fn keep_whole(socket: &OwnedFd) {
    let _ = sockopt::set_ip_mtu_discover(socket, Ipv4PathMtuDiscovery::PROBE);
    let _ = sockopt::set_ipv6_mtu_discover(socket, Ipv6PathMtuDiscovery::PROBE);
}

impl UdpFlow {
    fn new(now: Instant, socket: u16, peer: SocketAddr) -> Self {
        Self {
            socket,
            peer,
            last_used: now,
            inbox: ShortQueue::new(),
        }
    }
}

impl Flow for UdpFlow {
    fn local_port(&self) -> u16 {
        self.socket
    }

    fn peer(&self) -> SocketAddr {
        self.peer
    }
}

impl Transport for KernelUdp {
    fn handle(&mut self, _now: Instant, _input: TransportInput) {}

    fn poll(&mut self, now: Instant) -> TransportOutput {
        loop {
            if let Some(output) = self.outputs.pop_front() {
                return output;
            }
            match self.lane.next_ready() {
                Some(ready) => self.receive(now, ready.token as u16),
                None => return TransportOutput::WaitUntil(None),
            }
        }
    }

    /// The kernel chooses port and interface.
    fn open_with(
        &mut self,
        now: Instant,
        peer: SocketAddr,
        _options: OpenOptions,
        early_data: &[Chunk<'_>],
    ) -> Result<ConnectionId, OpenError> {
        let socket = open_socket(peer, SocketType::DGRAM).map_err(|_| OpenError::NoFreePort)?;
        // So that the kernel tells when nobody is there.
        connect(&socket, &peer).map_err(|_| OpenError::NoFreePort)?;
        let place = self
            .add_socket(socket, None)
            .map_err(|_| OpenError::NoFreePort)?;
        let id = self.flows.add(UdpFlow::new(now, place, peer));
        if let Some(socket) = &mut self.sockets[usize::from(place)] {
            socket.only = Some(id);
        }
        if !early_data.is_empty() {
            self.send_datagram(now, id, early_data)
                .map_err(|_| OpenError::EarlyDataTooLarge)?;
        }
        self.emit(id, TransportEvent::Established(Established::Full));
        Ok(id)
    }

    /// The sockets were opened when the server was made; the port that an application knows stands for them.
    fn listen(&mut self, port: u16) -> Result<(), ListenError> {
        if self.sockets.is_empty() {
            return Err(ListenError(port));
        }
        Ok(())
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
        self.outgoing.clear();
        for chunk in chunks {
            self.outgoing.extend_from_slice(chunk.bytes);
        }
        if self.outgoing.len() > MAX_PAYLOAD {
            return Err(DatagramError::TooLarge);
        }
        flow.last_used = now;
        let socket = self.sockets[usize::from(flow.socket)].as_ref();
        let Socket { socket, only } = socket.ok_or(DatagramError::NoSuchConnection)?;
        let only = *only;
        let sent = match only {
            Some(_) => send(socket, &self.outgoing, SendFlags::empty()),
            None => sendto(socket, &self.outgoing, SendFlags::empty(), &flow.peer),
        };
        // What the kernel has no room for is lost, as on the way.
        if sent.is_err_and(tells_of_nobody) {
            self.lose(only);
        }
        Ok(())
    }

    fn receive_datagram(&mut self, connection: ConnectionId) -> Option<Payload> {
        self.flows.get_mut(connection)?.inbox.pop()
    }

    fn reset(&mut self, _now: Instant, connection: ConnectionId, reason: ResetReason) {
        if self.end(connection) {
            let closed = TransportEvent::Closed(CloseReason::Reset(reason));
            self.emit(connection, closed);
        }
    }

    fn forget(&mut self, now: Instant, connection: ConnectionId) {
        self.reset(now, connection, ResetReason::NotNeeded);
    }

    fn peer(&self, connection: ConnectionId) -> Option<SocketAddr> {
        self.flows.get(connection).map(|flow| flow.peer)
    }
}

impl Peers for KernelUdp {
    fn connections_with(&self, peer: SocketAddr) -> Vec<ConnectionId> {
        self.flows.with_peer(peer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_not_be_cut_leaves_whole_over_both_versions_of_ip() {
        let poller = Poller::new().expect("the kernel has epoll");
        let mut udp = KernelUdp::client(&poller).never_in_fragments();
        for peer in ["127.0.0.1:9", "[::1]:9"] {
            let peer = peer.parse().expect("it is an address");
            udp.open_with(Instant::ZERO, peer, OpenOptions::default(), &[])
                .expect("a port is free");
        }
        let [Some(four), Some(six)] = &udp.sockets[..] else {
            panic!("each flow has a socket");
        };
        let four = sockopt::ip_mtu_discover(&four.socket).expect("it is one of IPv4");
        let six = sockopt::ipv6_mtu_discover(&six.socket).expect("it is one of IPv6");
        assert_eq!(
            (four, six),
            (Ipv4PathMtuDiscovery::PROBE, Ipv6PathMtuDiscovery::PROBE)
        );
    }

    #[test]
    fn the_place_of_a_flow_that_has_ended_is_that_of_the_next_one() {
        let poller = Poller::new().expect("the kernel has epoll");
        let mut udp = KernelUdp::client(&poller);
        let peer = "127.0.0.1:9".parse().expect("it is an address");
        for _ in 0..100_000 {
            let flow = udp.open_with(Instant::ZERO, peer, OpenOptions::default(), &[]);
            let flow = flow.expect("a port is free");
            udp.reset(Instant::ZERO, flow, ResetReason::NotNeeded);
        }
        assert_eq!(udp.sockets.len(), 1);
    }
}
