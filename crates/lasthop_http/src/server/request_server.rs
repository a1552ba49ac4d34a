use std::collections::BTreeSet;

use http::Response;
use lasthop_contract::{
    ConnectionId, HeldBytes, LookupMap, Provenance, ResetReason, ShortQueue, TimerQueue, Transport,
    TransportEvent,
};
use lasthop_units::Instant;

use super::connection::Connection;
use crate::exchange::{ExchangeId, ServerEvent};
use crate::limits::ServerLimits;
use crate::purpose::Purpose;
use crate::wire::Wire;

/// An HTTP server without an application. It returns requests and takes their responses, at once or later.
///
/// Hand it what happens to its connections, and `timeout` at its deadline; take its events after each.
#[derive(Debug)]
pub struct RequestServer {
    limits: ServerLimits,
    connections: LookupMap<ConnectionId, Box<Served>>,
    /// The same in their order.
    order: BTreeSet<ConnectionId>,
    timers: TimerQueue<ConnectionId>,
    events: ShortQueue<ServerEvent>,
    pending: HeldBytes<ConnectionId>,
}

/// A connection, and when the timer of it is armed.
#[derive(Debug)]
struct Served {
    connection: Connection,
    armed: Instant,
}

impl RequestServer {
    /// Creates a server without connections.
    #[must_use]
    pub fn new(limits: ServerLimits) -> Self {
        Self {
            pending: HeldBytes::new(limits.most_pending),
            limits,
            connections: LookupMap::new(),
            order: BTreeSet::new(),
            timers: TimerQueue::new(),
            events: ShortQueue::new(),
        }
    }

    /// Processes an event of a connection.
    pub fn handle(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        event: TransportEvent,
        transport: &mut dyn Transport,
    ) {
        match event {
            TransportEvent::Established(_) => {
                let accepted = match transport.initial_stream(connection) {
                    Some(stream) => Connection::new(now, stream, &self.limits),
                    None => {
                        let mut wire = Wire::new(now, transport, connection);
                        Connection::of_many_streams(&mut wire, &self.limits)
                    }
                };
                let served = Served {
                    armed: accepted.deadline(),
                    connection: accepted,
                };
                self.timers.arm(served.armed, connection);
                self.connections.insert(connection, Box::new(served));
                self.order.insert(connection);
            }
            TransportEvent::Readable(_)
            | TransportEvent::StreamOpened(..)
            | TransportEvent::StreamReset(..)
            | TransportEvent::StreamsAllowed => {
                self.with(now, connection, transport, |it, wire, limits| {
                    it.take(wire, limits, event);
                });
                self.tell_gone(connection);
                self.receive(now, connection, transport);
            }
            TransportEvent::Writable(_) => {
                let mut resumes = false;
                self.with(now, connection, transport, |it, wire, limits| {
                    resumes = it.flush(wire, limits);
                    it.take(wire, limits, event);
                });
                if resumes {
                    self.receive(now, connection, transport);
                }
            }
            TransportEvent::Closed(_) => self.forget(connection),
            TransportEvent::DatagramReadable | TransportEvent::Rebound | TransportEvent::Moved => {}
        }
    }

    /// Sends the response of an exchange. An exchange that is gone is ignored.
    pub fn respond(
        &mut self,
        now: Instant,
        exchange: ExchangeId,
        response: &Response<Vec<u8>>,
        purpose: Purpose,
        transport: &mut dyn Transport,
    ) {
        let whole = (response.body().len(), purpose.body);
        self.respond_in_parts(now, exchange, response, purpose.head, &[whole], transport);
    }

    /// Sends a response whose body has parts of different provenance, given by their lengths.
    pub fn respond_in_parts(
        &mut self,
        now: Instant,
        exchange: ExchangeId,
        response: &Response<Vec<u8>>,
        head: Provenance,
        parts: &[(usize, Provenance)],
        transport: &mut dyn Transport,
    ) {
        let ExchangeId { connection, number } = exchange;
        self.with(now, connection, transport, |it, wire, limits| {
            it.respond(wire, limits, number, response, head, parts);
        });
        // The next request may be there already.
        self.receive(now, connection, transport);
    }

    /// Returns the next event, in order.
    pub fn next_event(&mut self) -> Option<ServerEvent> {
        self.events.pop()
    }

    /// Returns the deadline for [`RequestServer::timeout`].
    #[must_use]
    pub fn next_deadline(&self) -> Option<Instant> {
        self.timers.next_deadline()
    }

    /// Handles the deadline.
    pub fn timeout(&mut self, now: Instant, transport: &mut dyn Transport) {
        while let Some(connection) = self.timers.pop_due(now) {
            let Some(served) = self.connections.get_mut(&connection) else {
                continue;
            };
            served.armed = Instant::FAR_FUTURE;
            let mut is_reset = false;
            if served.connection.deadline() <= now {
                self.with(now, connection, transport, |it, wire, limits| {
                    is_reset = it.timeout(wire, limits);
                });
            } else {
                served.arm(connection, &mut self.timers);
            }
            if is_reset {
                transport.reset(now, connection, ResetReason::PeerError);
                self.forget(connection);
            }
        }
    }

    /// Ends the service. Waiting requests are answered with an error.
    pub fn stop(&mut self, now: Instant, transport: &mut dyn Transport) {
        for connection in core::mem::take(&mut self.order) {
            self.with(now, connection, transport, |it, wire, limits| {
                it.stop(wire, limits);
            });
        }
        self.crash();
    }

    /// Drops all state because the host lost its power.
    pub fn crash(&mut self) {
        self.connections = LookupMap::new();
        self.order.clear();
        self.pending = HeldBytes::new(self.limits.most_pending);
        self.timers = TimerQueue::new();
        while self.events.pop().is_some() {}
    }

    fn receive(&mut self, now: Instant, id: ConnectionId, transport: &mut dyn Transport) {
        loop {
            let mut asked = None;
            self.with(now, id, transport, |it, wire, limits| {
                asked = it.receive(wire, limits);
            });
            self.tell_gone(id);
            let Some((number, request)) = asked else {
                return;
            };
            let exchange = ExchangeId {
                connection: id,
                number,
            };
            let request = Box::new(request);
            self.events.push(ServerEvent::Asked { exchange, request });
        }
    }

    /// Does something with a connection that is there, and sees to its timer.
    fn with(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        transport: &mut dyn Transport,
        then: impl FnOnce(&mut Connection, &mut Wire<'_>, &ServerLimits),
    ) {
        if let Some(served) = self.connections.get_mut(&connection) {
            let mut wire = Wire::new(now, transport, connection);
            then(&mut served.connection, &mut wire, &self.limits);
            served.arm(connection, &mut self.timers);
            if self.limits.most_pending < usize::MAX {
                let size = served.connection.pending();
                let address = || transport.peer(connection).map(|peer| peer.ip());
                self.pending.set(connection, size, address);
            }
        }
        while let Some(first) = self.pending.first_to_go() {
            transport.reset(now, first, ResetReason::PeerError);
            self.forget(first);
        }
    }

    /// Tells of requests whose answers nobody awaits any more.
    fn tell_gone(&mut self, id: ConnectionId) {
        let Some(served) = self.connections.get_mut(&id) else {
            return;
        };
        while let Some(number) = served.connection.gone() {
            let exchange = ExchangeId {
                connection: id,
                number,
            };
            self.events.push(ServerEvent::Gone(exchange));
        }
    }

    fn forget(&mut self, id: ConnectionId) {
        self.pending.remove(id);
        let Some(served) = self.connections.remove(&id) else {
            return;
        };
        self.order.remove(&id);
        self.timers.disarm(served.armed, id);
        for number in served.connection.open_exchanges() {
            let exchange = ExchangeId {
                connection: id,
                number,
            };
            self.events.push(ServerEvent::Gone(exchange));
        }
    }
}

impl Served {
    /// Arms the timer of a connection, unless it goes off early enough: then it is armed anew.
    fn arm(&mut self, id: ConnectionId, timers: &mut TimerQueue<ConnectionId>) {
        let wanted = self.connection.deadline();
        if wanted < self.armed {
            timers.disarm(self.armed, id);
            self.armed = wanted;
            timers.arm(wanted, id);
        }
    }
}
