mod accept;
mod receive;
mod send;

use core::net::{IpAddr, SocketAddr};
use std::cell::Cell;
use std::collections::VecDeque;
use std::io;
use std::os::fd::OwnedFd;
use std::rc::Rc;

use lasthop_contract::{
    Chunk, CloseReason, ConnectionId, Established, ListenError, LookupMap, OpenError, OpenOptions,
    ReadOutcome, ResetReason, StreamError, StreamId, Transport, TransportEvent, TransportInput,
    TransportOutput,
};
use lasthop_transport::{FlowTable, Tcp};
use lasthop_units::Instant;
use rustix::io::Errno;
use rustix::net::{SocketType, connect, getsockname, sockopt};

use super::Listener;
use super::listener::open_socket;
use super::tcp_flow::{Phase, TcpFlow, Unread};
use crate::Poller;
use crate::containment::Peers;
use crate::poller::{Interest, Lane, Ready};

/// The kernel's TCP. All writes of a loop iteration to a connection use one system call.
#[derive(Debug)]
pub struct KernelTcp {
    lane: Lane,
    listeners: Vec<Listener>,
    flows: FlowTable<TcpFlow>,
    /// The connection at each place, by which the poller knows it.
    at_place: Vec<ConnectionId>,
    by_address: LookupMap<IpAddr, usize>,
    limits: ConnectionLimits,
    tally: Rc<Tally>,
    outputs: VecDeque<TransportOutput>,
    /// Connections with something to send.
    unflushed: Vec<ConnectionId>,
    /// Connections that have more to read, and let others have their turn first.
    resting: VecDeque<ConnectionId>,
    /// Buffers that nobody uses.
    spare: Vec<Vec<u8>>,
    /// What was read last, and of which connection.
    scratch: Unread,
    scratch_of: Option<ConnectionId>,
    /// A descriptor that is given up where there is no other, so that a connection can be refused.
    reserve: Option<OwnedFd>,
}

/// The maximum numbers of connections of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionLimits {
    /// Connections of all clients.
    pub connections: usize,
    /// Connections of one IP address.
    pub connections_per_address: usize,
}

/// The counters of a transport, readable while it runs.
#[derive(Debug, Default)]
pub struct Tally {
    /// Connections that are open now.
    pub open: Cell<usize>,
    /// Connections that were accepted.
    pub accepted: Cell<u64>,
    /// Connections closed at once because of the limits.
    pub refused: Cell<u64>,
    /// The error of the last connection that failed.
    pub last_error: Cell<Option<Errno>>,
}

/// How much is read at a time, from one connection before the next.
const READ_SIZE: usize = 64 << 10;

/// How much waits for the kernel at most, beyond what the kernel itself takes.
const SEND_LIMIT: usize = 64 << 10;

/// Where the tokens of listeners begin; below are places of connections.
const LISTENERS: u64 = 1 << 40;

impl KernelTcp {
    /// Creates a transport that only opens connections.
    #[must_use]
    pub fn client(poller: &Rc<Poller>) -> Self {
        Self::new(poller.lane(), Vec::new(), ConnectionLimits::NONE)
    }

    /// Creates a transport that accepts connections at these listeners.
    ///
    /// # Errors
    /// When they cannot be watched.
    pub fn server(
        poller: &Rc<Poller>,
        listeners: Vec<Listener>,
        limits: ConnectionLimits,
    ) -> io::Result<Self> {
        let lane = poller.lane();
        for (listener, token) in listeners.iter().zip(LISTENERS..) {
            lane.watch(&listener.socket, token, Interest::Readable)?;
        }
        let reserve = listeners[0].socket.try_clone()?;
        let mut server = Self::new(lane, listeners, limits);
        server.reserve = Some(reserve);
        Ok(server)
    }

    fn new(lane: Lane, listeners: Vec<Listener>, limits: ConnectionLimits) -> Self {
        Self {
            lane,
            listeners,
            flows: FlowTable::new(),
            at_place: Vec::new(),
            by_address: LookupMap::new(),
            limits,
            tally: Rc::default(),
            outputs: VecDeque::new(),
            unflushed: Vec::new(),
            resting: VecDeque::new(),
            spare: Vec::new(),
            scratch: Unread {
                bytes: vec![0; READ_SIZE],
                rest: 0..0,
            },
            scratch_of: None,
            reserve: None,
        }
    }

    /// Returns the counters of the transport.
    #[must_use]
    pub fn tally(&self) -> Rc<Tally> {
        Rc::clone(&self.tally)
    }

    /// Takes what the poller tells of a descriptor.
    fn ready(&mut self, ready: Ready) {
        if ready.token >= LISTENERS {
            return self.accept((ready.token - LISTENERS) as usize);
        }
        let Some(id) = self.at_place.get(ready.token as usize).copied() else {
            return;
        };
        let Some(flow) = self.flows.get_mut(id) else {
            return;
        };
        if ready.is_broken
            && let Ok(Err(error)) = sockopt::socket_error(&flow.socket)
        {
            return self.broken(id, error);
        }
        if ready.is_writable {
            if flow.phase == Phase::Connecting {
                flow.phase = Phase::Open;
                self.emit(id, TransportEvent::Established(Established::Full));
                self.unflushed.push(id);
            } else if flow.sending.is_blocked {
                flow.sending.is_blocked = false;
                self.unflushed.push(id);
            }
        }
        let Some(flow) = self.flows.get_mut(id) else {
            return;
        };
        if (ready.is_readable || ready.is_finished) && flow.phase == Phase::Open && !flow.has_ended
        {
            flow.may_read = true;
            flow.is_ending |= ready.is_finished;
            self.emit(id, TransportEvent::Readable(STREAM));
        }
    }

    /// The connection is gone, and its owner is to know.
    fn end(&mut self, id: ConnectionId, reason: CloseReason) {
        if self.remove(id).is_some() {
            self.emit(id, TransportEvent::Closed(reason));
        }
    }

    fn broken(&mut self, id: ConnectionId, error: Errno) {
        self.tally.last_error.set(Some(error));
        let reason = match error {
            Errno::TIMEDOUT | Errno::HOSTUNREACH | Errno::NETUNREACH => CloseReason::TimedOut,
            _ => CloseReason::PeerReset,
        };
        self.end(id, reason);
    }

    fn emit(&mut self, id: ConnectionId, event: TransportEvent) {
        self.outputs.push_back(TransportOutput::Event(id, event));
    }
}

/// The stream that a connection is.
const STREAM: StreamId = Tcp::STREAM;

impl Transport for KernelTcp {
    fn handle(&mut self, _now: Instant, input: TransportInput) {
        if let TransportInput::Timeout = input {
            self.end_rest();
        }
    }

    fn poll(&mut self, now: Instant) -> TransportOutput {
        loop {
            if let Some(output) = self.outputs.pop_front() {
                return output;
            }
            if let Some(ready) = self.lane.next_ready() {
                self.ready(ready);
            } else if !self.flush() {
                let rests = !self.resting.is_empty();
                return TransportOutput::WaitUntil(rests.then_some(now));
            }
        }
    }

    /// The kernel chooses port and interface.
    fn open_with(
        &mut self,
        _now: Instant,
        peer: SocketAddr,
        _options: OpenOptions,
        early_data: &[Chunk<'_>],
    ) -> Result<ConnectionId, OpenError> {
        if early_data
            .iter()
            .map(|chunk| chunk.bytes.len())
            .sum::<usize>()
            > SEND_LIMIT
        {
            return Err(OpenError::EarlyDataTooLarge);
        }
        let opened = || {
            let socket = open_socket(peer, SocketType::STREAM)?;
            sockopt::set_tcp_nodelay(&socket, true)?;
            match connect(&socket, &peer) {
                Ok(()) | Err(Errno::INPROGRESS) => {}
                Err(error) => return Err(error),
            }
            let local: SocketAddr = getsockname(&socket)?.try_into()?;
            Ok((socket, local.port()))
        };
        let (socket, port) = opened().map_err(|error: Errno| {
            self.tally.last_error.set(Some(error));
            match error {
                Errno::AFNOSUPPORT => OpenError::AddressFamily,
                _ => OpenError::NoFreePort,
            }
        })?;
        let mut flow = TcpFlow::new(socket, peer, port, Phase::Connecting);
        for chunk in early_data {
            flow.sending.waiting.extend_from_slice(chunk.bytes);
        }
        self.add(flow).ok_or(OpenError::NoFreePort)
    }

    /// The sockets were opened when the server was made; the port that an application knows stands for them.
    fn listen(&mut self, port: u16) -> Result<(), ListenError> {
        if self.listeners.is_empty() {
            return Err(ListenError(port));
        }
        Ok(())
    }

    fn initial_stream(&self, _connection: ConnectionId) -> Option<StreamId> {
        Some(STREAM)
    }

    fn write(
        &mut self,
        _now: Instant,
        connection: ConnectionId,
        _stream: StreamId,
        chunks: &[Chunk<'_>],
    ) -> Result<usize, StreamError> {
        let flow = self
            .flows
            .get_mut(connection)
            .filter(|flow| !flow.sending.is_finished)
            .ok_or(StreamError::NoSuchStream)?;
        let sending = &mut flow.sending;
        if sending.waiting.is_empty() {
            if sending.waiting.capacity() == 0 {
                sending.waiting = self.spare.pop().unwrap_or_default();
            }
            self.unflushed.push(connection);
        }
        let mut taken = 0;
        for chunk in chunks {
            let room = SEND_LIMIT.saturating_sub(sending.waiting.len());
            let part = &chunk.bytes[..chunk.bytes.len().min(room)];
            sending.waiting.extend_from_slice(part);
            taken += part.len();
            if part.len() < chunk.bytes.len() {
                sending.is_awaited = true;
                break;
            }
        }
        Ok(taken)
    }

    fn read(
        &mut self,
        _now: Instant,
        connection: ConnectionId,
        _stream: StreamId,
        into: &mut [u8],
    ) -> Result<ReadOutcome, StreamError> {
        if let Some(length) = self.give_read(connection, into) {
            return Ok(ReadOutcome::Read(length));
        }
        if self.flows.get(connection).is_none() {
            return Err(StreamError::NoSuchStream);
        }
        match self.fill(connection) {
            Ok(ReadOutcome::Read(_)) => Ok(self
                .give_read(connection, into)
                .map_or(ReadOutcome::Blocked, ReadOutcome::Read)),
            Ok(outcome) => Ok(outcome),
            Err(error) => {
                self.tally.last_error.set(Some(error));
                if let Some(flow) = self.flows.get_mut(connection) {
                    flow.phase = Phase::Broken;
                    flow.may_read = false;
                }
                self.unflushed.push(connection);
                Ok(ReadOutcome::Blocked)
            }
        }
    }

    fn finish(&mut self, _now: Instant, connection: ConnectionId, _stream: StreamId) {
        if let Some(flow) = self.flows.get_mut(connection)
            && !flow.sending.is_finished
        {
            flow.sending.is_finished = true;
            self.unflushed.push(connection);
        }
    }

    fn reset(&mut self, _now: Instant, connection: ConnectionId, reason: ResetReason) {
        if let Some(flow) = self.remove(connection) {
            // The peer is told by RST when the socket is closed, or by FIN behind last words that the kernel takes.
            if !flow.says_last_words() {
                let _ = sockopt::set_socket_linger(&flow.socket, Some(core::time::Duration::ZERO));
            }
            self.emit(
                connection,
                TransportEvent::Closed(CloseReason::Reset(reason)),
            );
        }
    }

    fn peer(&self, connection: ConnectionId) -> Option<SocketAddr> {
        self.flows.get(connection).map(|flow| flow.peer)
    }
}

impl Peers for KernelTcp {
    fn connections_with(&self, peer: SocketAddr) -> Vec<ConnectionId> {
        self.flows.with_peer(peer)
    }
}

impl ConnectionLimits {
    /// No limit.
    pub const NONE: Self = Self {
        connections: usize::MAX,
        connections_per_address: usize::MAX,
    };
}
