use core::net::{IpAddr, SocketAddr};

use lasthop_contract::{
    Chunk, CloseReason, ConnectionId, DatagramError, JoinError, ListenError, OpenError,
    OpenOptions, Payload, ReadOutcome, ResetReason, StreamError, StreamId, StreamKind, Transport,
    TransportEvent, TransportInput, TransportOutput,
};
use lasthop_units::Instant;

use super::{Attempt, Connection, FIRST, Fallback};

impl Transport for Fallback {
    fn handle(&mut self, now: Instant, input: TransportInput) {
        let make: &dyn Fn() -> TransportInput = match input {
            TransportInput::Packet(packet) => return self.receive(now, packet),
            TransportInput::Timeout => &|| TransportInput::Timeout,
            TransportInput::AddressChanged { interface, address } => {
                &move || TransportInput::AddressChanged { interface, address }
            }
            TransportInput::AddressNoticed => {
                // Another network may let through what the last one did not.
                self.avoided_until = None;
                &|| TransportInput::AddressNoticed
            }
            TransportInput::InterfaceMtu { interface, mtu } => {
                &move || TransportInput::InterfaceMtu { interface, mtu }
            }
            TransportInput::Stop => &|| TransportInput::Stop,
            TransportInput::Crash(survives) => {
                self.forget_all();
                &move || TransportInput::Crash(survives)
            }
        };
        for side in &mut self.sides {
            side.handle(now, make());
        }
    }

    fn poll(&mut self, now: Instant) -> TransportOutput {
        while let Some(id) = self.timers.pop_due(now) {
            if let Some(attempt) = self.attempt(id) {
                attempt.second_at = None;
            }
            if self.try_second(now, id).is_err() {
                self.failed(now, id, 1, CloseReason::TimedOut);
            }
        }
        loop {
            if let Some(output) = self.outputs.pop_front() {
                return output;
            }
            let mut deadlines = [None; 2];
            let mut has_spoken = false;
            for side in [0, 1] {
                match self.sides[side].poll(now) {
                    TransportOutput::WaitUntil(deadline) => deadlines[side] = deadline,
                    TransportOutput::Event(lower, event) => {
                        self.on_side(now, side, lower, event);
                        has_spoken = true;
                        break;
                    }
                    output => return output,
                }
            }
            if !has_spoken {
                let all = deadlines.into_iter().chain([self.timers.next_deadline()]);
                return TransportOutput::WaitUntil(all.flatten().min());
            }
        }
    }

    fn open_with(
        &mut self,
        now: Instant,
        peer: SocketAddr,
        options: OpenOptions,
        early_data: &[Chunk<'_>],
    ) -> Result<ConnectionId, OpenError> {
        let words = early_data.iter();
        let words = words.map(|chunk| (chunk.provenance, chunk.bytes.to_vec()));
        let is_avoided = self.avoided_until.is_some_and(|until| now < until);
        let first = match is_avoided {
            true => None,
            false => Some(self.sides[0].open_with(now, peer, options, early_data)?),
        };
        let id = ConnectionId(self.next);
        self.next += 1;
        let second_at = now + self.policy.after;
        let attempt = Attempt {
            peer,
            options,
            first_words: words.collect(),
            lower: [first, None],
            second_at: first.map(|_| second_at),
            is_full: false,
        };
        self.connections
            .insert(id, Connection::Trying(Box::new(attempt)));
        match first {
            Some(first) => {
                self.names[0].insert(first, id);
                self.timers.arm(second_at, id);
            }
            None => {
                if let Err(error) = self.try_second(now, id) {
                    self.connections.remove(&id);
                    return Err(error);
                }
            }
        }
        Ok(id)
    }

    /// The first way is accepted at the port, the second at its own.
    fn listen(&mut self, port: u16) -> Result<(), ListenError> {
        self.sides[0].listen(port)?;
        self.sides[1].listen(self.policy.port)
    }

    fn join(&mut self, group: IpAddr, port: u16) -> Result<(), JoinError> {
        self.sides[0].join(group, port)
    }

    fn initial_stream(&self, id: ConnectionId) -> Option<StreamId> {
        match self.connections.get(&id)? {
            Connection::On(side, lower) => self.sides[*side].initial_stream(*lower),
            Connection::Trying(attempt) => (!attempt.first_words.is_empty()).then_some(FIRST),
        }
    }

    fn own_stream(&mut self, now: Instant, id: ConnectionId) -> Result<StreamId, StreamError> {
        if self.attempt(id).is_some() {
            return Ok(FIRST);
        }
        let (transport, lower) = self.of(id).ok_or(StreamError::NoSuchStream)?;
        transport.own_stream(now, lower)
    }

    fn open_stream(
        &mut self,
        now: Instant,
        id: ConnectionId,
        kind: StreamKind,
    ) -> Result<StreamId, StreamError> {
        let (transport, lower) = self.of(id).ok_or(StreamError::NoFurtherStream)?;
        transport.open_stream(now, lower, kind)
    }

    fn write(
        &mut self,
        now: Instant,
        id: ConnectionId,
        stream: StreamId,
        chunks: &[Chunk<'_>],
    ) -> Result<usize, StreamError> {
        if let Some(attempt) = self.attempt(id) {
            attempt.is_full = true;
            return Ok(0);
        }
        let (transport, lower) = self.of(id).ok_or(StreamError::NoSuchStream)?;
        transport.write(now, lower, stream, chunks)
    }

    fn read(
        &mut self,
        now: Instant,
        id: ConnectionId,
        stream: StreamId,
        into: &mut [u8],
    ) -> Result<ReadOutcome, StreamError> {
        if self.attempt(id).is_some() {
            return Ok(ReadOutcome::Blocked);
        }
        let (transport, lower) = self.of(id).ok_or(StreamError::NoSuchStream)?;
        transport.read(now, lower, stream, into)
    }

    fn send_datagram(
        &mut self,
        now: Instant,
        id: ConnectionId,
        chunks: &[Chunk<'_>],
    ) -> Result<(), DatagramError> {
        let (transport, lower) = self.of(id).ok_or(DatagramError::NoSuchConnection)?;
        transport.send_datagram(now, lower, chunks)
    }

    fn receive_datagram(&mut self, id: ConnectionId) -> Option<Payload> {
        let (transport, lower) = self.of(id)?;
        transport.receive_datagram(lower)
    }

    fn finish(&mut self, now: Instant, id: ConnectionId, stream: StreamId) {
        if self.attempt(id).is_some() {
            return self.reset(now, id, ResetReason::NotNeeded);
        }
        if let Some((transport, lower)) = self.of(id) {
            transport.finish(now, lower, stream);
        }
    }

    fn reset_stream(
        &mut self,
        now: Instant,
        id: ConnectionId,
        stream: StreamId,
        code: u64,
    ) -> Result<(), StreamError> {
        let (transport, lower) = self.of(id).ok_or(StreamError::NoSuchStream)?;
        transport.reset_stream(now, lower, stream, code)
    }

    fn prioritise(&mut self, id: ConnectionId, stream: StreamId, priority: i32) {
        if let Some((transport, lower)) = self.of(id) {
            transport.prioritise(lower, stream, priority);
        }
    }

    fn outlast_streams(&mut self, id: ConnectionId) {
        if let Some((transport, lower)) = self.of(id) {
            transport.outlast_streams(lower);
        }
    }

    fn close(&mut self, now: Instant, id: ConnectionId, code: u64) {
        match self.of(id) {
            Some((transport, lower)) => transport.close(now, lower, code),
            None => self.reset(now, id, ResetReason::NotNeeded),
        }
    }

    fn reset(&mut self, now: Instant, id: ConnectionId, reason: ResetReason) {
        if let Some((transport, lower)) = self.of(id) {
            transport.reset(now, lower, reason);
            return;
        }
        let Some(Connection::Trying(attempt)) = self.connections.remove(&id) else {
            return;
        };
        if let Some(at) = attempt.second_at {
            self.timers.disarm(at, id);
        }
        for (side, lower) in attempt.lower.into_iter().enumerate() {
            if let Some(lower) = lower {
                self.names[side].remove(&lower);
                self.sides[side].reset(now, lower, reason);
            }
        }
        self.emit(id, TransportEvent::Closed(CloseReason::Reset(reason)));
    }

    fn peer(&self, id: ConnectionId) -> Option<SocketAddr> {
        match self.connections.get(&id)? {
            Connection::On(side, lower) => self.sides[*side].peer(*lower),
            Connection::Trying(attempt) => Some(attempt.peer),
        }
    }
}
