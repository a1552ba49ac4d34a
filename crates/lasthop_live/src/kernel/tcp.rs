use core::net::{IpAddr, SocketAddr};
use std::cell::Cell;
use std::collections::VecDeque;
use std::io;
use std::os::fd::OwnedFd;
use std::rc::Rc;

use lasthop_contract::{
    Chunk, CloseReason, ConnectionId, Established, ListenError, LookupMap, OpenError, ReadOutcome,
    ResetReason, StreamError, StreamId, Transport, TransportEvent, TransportInput, TransportOutput,
};
use lasthop_transport::FlowTable;
use lasthop_units::Instant;
use rustix::io::Errno;
use rustix::net::{
    RecvFlags, SendFlags, Shutdown, SocketFlags, SocketType, acceptfrom_with, connect, getsockname,
    recv, send, shutdown, sockopt,
};

use super::Listener;
use super::listener::open_socket;
use super::tcp_flow::{Phase, TcpFlow, Unread};
use crate::Poller;
use crate::poller::{Interest, Lane, Ready};

/// TCP of the kernel. What is written in one go of the loop leaves in one call for each connection.
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

/// How many connections a server takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionLimits {
    /// Of all clients together.
    pub connections: usize,
    /// Of one IP address.
    pub connections_per_address: usize,
}

/// What a transport counts, to be asked for while it works.
#[derive(Debug, Default)]
pub struct Tally {
    /// Connections that are open now.
    pub open: Cell<usize>,
    /// Connections that were accepted.
    pub accepted: Cell<u64>,
    /// Connections that were closed at once, because there were as many as there may be.
    pub refused: Cell<u64>,
    /// Why the last connection did not come about or broke.
    pub last_error: Cell<Option<Errno>>,
}

/// How much is read at a time, from one connection before the next.
const READ_SIZE: usize = 64 << 10;

/// How much waits for the kernel at most, beyond what the kernel itself takes.
const SEND_LIMIT: usize = 64 << 10;

/// How many connections are accepted before others get their turn.
const ACCEPTS_A_TURN: usize = 64;

/// A buffer that grew larger is not kept.
const SPARE_SIZE: usize = 4 << 10;
const SPARE_BUFFERS: usize = 64;

/// Where the tokens of listeners begin; below are places of connections.
const LISTENERS: u64 = 1 << 40;

impl KernelTcp {
    /// A client: it opens connections and accepts none.
    #[must_use]
    pub fn client(poller: &Rc<Poller>) -> Self {
        Self::new(poller.lane(), Vec::new(), ConnectionLimits::NONE)
    }

    /// A server at these listeners.
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

    /// What it counts.
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
            self.emit(id, TransportEvent::Readable(StreamId::FIRST));
        }
    }

    fn accept(&mut self, listener: usize) {
        for _ in 0..ACCEPTS_A_TURN {
            let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
            match acceptfrom_with(&self.listeners[listener].socket, flags) {
                Ok((socket, address)) => {
                    let peer = address.and_then(|address| address.try_into().ok());
                    // Who is gone already has no address.
                    if let Some(peer) = peer {
                        self.accepted(listener, socket, peer);
                    }
                }
                Err(Errno::MFILE | Errno::NFILE) => return self.refuse_one(listener),
                // Nobody waits, or who waited has gone.
                Err(_) => return,
            }
        }
    }

    fn accepted(&mut self, listener: usize, socket: OwnedFd, peer: SocketAddr) {
        let of_address = self.by_address.get(&peer.ip()).copied().unwrap_or(0);
        if self.tally.open.get() >= self.limits.connections
            || of_address >= self.limits.connections_per_address
        {
            count(&self.tally.refused);
            return;
        }
        // Each side of a protocol says what it has to say in one go.
        let _ = sockopt::set_tcp_nodelay(&socket, true);
        let port = self.listeners[listener].address().port();
        let flow = TcpFlow::new(socket, peer, port, Phase::Open);
        if let Some(id) = self.add(flow) {
            count(&self.tally.accepted);
            self.emit(id, TransportEvent::Established(Established::Full));
        }
    }

    /// Closes the connection that waits where there is no descriptor for it; otherwise it would be told of for ever.
    fn refuse_one(&mut self, listener: usize) {
        self.reserve = None;
        let waiting = &self.listeners[listener].socket;
        if acceptfrom_with(waiting, SocketFlags::CLOEXEC).is_ok() {
            count(&self.tally.refused);
        }
        self.reserve = waiting.try_clone().ok();
    }

    fn add(&mut self, flow: TcpFlow) -> Option<ConnectionId> {
        let address = flow.peer.ip();
        let id = self.flows.add(flow);
        let place = id.0 as u32;
        if self.at_place.len() <= place as usize {
            self.at_place.resize(place as usize + 1, id);
        }
        self.at_place[place as usize] = id;
        let flow = self.flows.get(id)?;
        let watched = self
            .lane
            .watch(&flow.socket, u64::from(place), Interest::Changes);
        if watched.is_err() {
            self.flows.remove(id);
            return None;
        }
        *self.by_address.get_or_insert_with(address, || 0) += 1;
        self.tally.open.set(self.tally.open.get() + 1);
        Some(id)
    }

    fn remove(&mut self, id: ConnectionId) -> Option<TcpFlow> {
        let flow = self.flows.remove(id)?;
        if self.scratch_of == Some(id) {
            self.scratch_of = None;
        }
        let address = flow.peer.ip();
        match self.by_address.get_mut(&address) {
            Some(count) if *count > 1 => *count -= 1,
            _ => {
                self.by_address.remove(&address);
            }
        }
        self.tally.open.set(self.tally.open.get() - 1);
        Some(flow)
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

    /// Gives the kernel what waits for it; whether there is something to tell.
    fn flush(&mut self) -> bool {
        while let Some(id) = self.unflushed.pop() {
            let Some(flow) = self.flows.get_mut(id) else {
                continue;
            };
            if flow.phase == Phase::Broken {
                self.end(id, CloseReason::PeerReset);
                continue;
            }
            let sending = &mut flow.sending;
            if flow.phase == Phase::Connecting || sending.is_blocked {
                continue;
            }
            if !sending.waiting.is_empty() {
                match send(&flow.socket, &sending.waiting, SendFlags::NOSIGNAL) {
                    Ok(sent) if sent < sending.waiting.len() => {
                        sending.waiting.drain(..sent);
                        sending.is_blocked = true;
                    }
                    Ok(_) => recycle(&mut self.spare, &mut sending.waiting),
                    Err(Errno::AGAIN) => sending.is_blocked = true,
                    Err(Errno::INTR) => self.unflushed.push(id),
                    Err(error) => {
                        self.broken(id, error);
                        continue;
                    }
                }
            }
            if sending.waiting.is_empty() {
                if sending.is_finished {
                    let _ = shutdown(&flow.socket, Shutdown::Write);
                }
                if core::mem::take(&mut sending.is_awaited) {
                    self.emit(id, TransportEvent::Writable(StreamId::FIRST));
                } else if flow.is_over() {
                    self.end(id, CloseReason::Finished);
                }
            }
        }
        !self.outputs.is_empty()
    }

    /// Gives what has been read of a connection already; `None` where nothing is left of it.
    fn give_read(&mut self, id: ConnectionId, into: &mut [u8]) -> Option<usize> {
        if self.scratch_of == Some(id) {
            let given = self.scratch.give(into);
            if self.scratch.rest.is_empty() {
                self.scratch_of = None;
            }
            return given;
        }
        let flow = self.flows.get_mut(id)?;
        let unread = flow.unread.as_mut()?;
        let given = unread.give(into);
        if unread.rest.is_empty() {
            flow.unread = None;
        }
        given
    }

    /// Reads from the kernel into the scratch buffer.
    fn fill(&mut self, id: ConnectionId) -> Result<ReadOutcome, Errno> {
        // What is left of another connection is kept for it.
        if let Some(other) = self.scratch_of.take()
            && let Some(flow) = self.flows.get_mut(other)
        {
            let bytes = self.scratch.bytes[self.scratch.rest.clone()].to_vec();
            let rest = 0..bytes.len();
            flow.unread = Some(Box::new(Unread { bytes, rest }));
        }
        let Some(flow) = self.flows.get_mut(id) else {
            return Ok(ReadOutcome::Blocked);
        };
        if flow.has_ended {
            return Ok(ReadOutcome::Finished);
        }
        if !flow.may_read {
            return Ok(ReadOutcome::Blocked);
        }
        let read = recv(
            &flow.socket,
            &mut self.scratch.bytes[..],
            RecvFlags::empty(),
        );
        match read.map(|(length, _)| length) {
            Ok(0) => {
                flow.has_ended = true;
                flow.may_read = false;
                if flow.is_over() {
                    self.unflushed.push(id);
                }
                Ok(ReadOutcome::Finished)
            }
            Ok(length) => {
                // A short read has emptied the kernel's buffer; what comes later is told of again.
                flow.may_read = flow.is_ending;
                if length == READ_SIZE {
                    flow.may_read = false;
                    self.resting.push_back(id);
                }
                self.scratch.rest = 0..length;
                self.scratch_of = Some(id);
                Ok(ReadOutcome::Read(length))
            }
            Err(Errno::AGAIN | Errno::INTR) => {
                flow.may_read = false;
                Ok(ReadOutcome::Blocked)
            }
            Err(error) => Err(error),
        }
    }

    /// Gives the next connection that has more to read its turn.
    fn end_rest(&mut self) -> bool {
        while let Some(id) = self.resting.pop_front() {
            if let Some(flow) = self.flows.get_mut(id) {
                flow.may_read = true;
                self.emit(id, TransportEvent::Readable(StreamId::FIRST));
                return true;
            }
        }
        false
    }
}

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

    fn open(
        &mut self,
        _now: Instant,
        peer: SocketAddr,
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
            // The peer is told by RST when the socket is closed.
            let _ = sockopt::set_socket_linger(&flow.socket, Some(core::time::Duration::ZERO));
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

impl Unread {
    /// Gives some of the rest.
    fn give(&mut self, into: &mut [u8]) -> Option<usize> {
        let length = self.rest.len().min(into.len());
        let end = self.rest.start + length;
        into[..length].copy_from_slice(&self.bytes[self.rest.start..end]);
        self.rest.start = end;
        (length > 0).then_some(length)
    }
}

impl ConnectionLimits {
    /// As many as there are.
    pub const NONE: Self = Self {
        connections: usize::MAX,
        connections_per_address: usize::MAX,
    };
}

/// Keeps a buffer for the next one who has something to send.
fn recycle(spare: &mut Vec<Vec<u8>>, buffer: &mut Vec<u8>) {
    let mut buffer = core::mem::take(buffer);
    if buffer.capacity() <= SPARE_SIZE && spare.len() < SPARE_BUFFERS {
        buffer.clear();
        spare.push(buffer);
    }
}

fn count(counter: &Cell<u64>) {
    counter.set(counter.get() + 1);
}
