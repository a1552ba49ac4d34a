use lasthop_contract::{ConnectionId, Established, ResetReason, TransportEvent, TransportOutput};
use lasthop_units::{Duration, Instant};

use super::acceptor::Next;
use super::{DeviceTransport, Waits};

/// How the application's task comes to connections that others open.
impl DeviceTransport {
    /// Queues a new connection for the application's task. A connection opened by a peer waits to be accepted, or is
    /// reset if the mailbox is full (`accept_function` and `tcp_process` of lwIP). Returns whether the event was
    /// consumed.
    pub(super) fn queue_for_task(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        how: Established,
    ) -> bool {
        let is_stream = self.inner.initial_stream(connection).is_some();
        if !is_stream || self.acceptor.has_opened(connection) {
            return false;
        }
        let places = self.constraints().mailbox.get() as usize;
        if !self.acceptor.put(connection, how, places) {
            self.drop_unread(connection);
            self.inner.reset(now, connection, ResetReason::NotNeeded);
        }
        true
    }

    /// Records a connection that this end opens.
    pub(super) fn note_opened(&mut self, connection: ConnectionId) {
        let inner = &self.inner;
        self.acceptor
            .note_opened(connection, |it| inner.peer(it).is_some());
    }

    /// Notifies the task that a peer's connection was refused for lack of room.
    pub(super) fn note_no_room(&mut self) {
        let places = self.constraints().mailbox.get() as usize;
        let inner = &self.inner;
        self.acceptor
            .put_error(places, |it| inner.peer(it).is_some());
    }

    /// Consumes events of connections that the application does not know. Returns whether an event was consumed.
    pub(super) fn absorb(&mut self, connection: ConnectionId, event: TransportEvent) -> bool {
        let is_over = matches!(event, TransportEvent::Closed(_));
        if self.acceptor.has_refused(connection) {
            if is_over {
                self.acceptor.forget_refused(connection);
            }
            return true;
        }
        if is_over && self.acceptor.holds(connection) {
            self.acceptor.lose(connection);
            self.forget(connection);
            return true;
        }
        false
    }

    /// Records that the application no longer uses a connection.
    pub(super) fn leave(&mut self, connection: ConnectionId) {
        let inner = &self.inner;
        self.acceptor
            .leave(connection, |it| inner.peer(it).is_some());
    }

    /// Whether input waits for the application's task.
    #[inline]
    pub(super) fn has_something_to_begin(&self) -> bool {
        if self.acceptor.is_empty() {
            return !self.waiting.is_empty();
        }
        let most = self.constraints().connections.get() as usize;
        self.acceptor.may_accept(most) || self.readable() > 0
    }

    /// Starts the next work of the application's task, if it is idle and input waits.
    #[inline(never)]
    pub(super) fn begin(&mut self, now: Instant) -> bool {
        if self.at_work.is_some() || self.device.busy_until() > now {
            return false;
        }
        let most = self.constraints().connections.get() as usize;
        match self.acceptor.next(self.readable(), most) {
            Next::Read => {
                let next = self.first_that_may_begin();
                if let Some((connection, waits)) = next.and_then(|at| self.waiting.remove(at)) {
                    self.begin_piece(now, connection, waits);
                }
                true
            }
            Next::Accept(connection, how) => {
                let event = TransportEvent::Established(how);
                let takes = self.constraints().connection_time;
                if takes > Duration::ZERO {
                    self.at_work = Some((self.device.begin(now, takes), connection, event));
                } else {
                    self.ready.push(TransportOutput::Event(connection, event));
                }
                true
            }
            Next::Error => true,
            Next::Pause => false,
        }
    }

    /// How much waits of connections that are accepted.
    fn readable(&self) -> usize {
        if self.acceptor.is_empty() {
            return self.waiting.len();
        }
        let is_accepted = |(it, _): &&(ConnectionId, Waits)| !self.acceptor.holds(*it);
        self.waiting.iter().filter(is_accepted).count()
    }

    /// The first of what waits, but for what is told of a connection that has something unread: that is read first.
    fn first_that_may_begin(&self) -> Option<usize> {
        self.waiting
            .iter()
            .position(|(connection, waits)| match waits {
                _ if self.acceptor.holds(*connection) => false,
                Waits::Event(TransportEvent::Established(_)) => true,
                Waits::Event(_) => !self
                    .waiting
                    .iter()
                    .any(|(it, other)| it == connection && !matches!(other, Waits::Event(_))),
                Waits::Stream(_) | Waits::Datagram => true,
            })
    }
}
