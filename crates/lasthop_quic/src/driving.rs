//! The processing of connections: timers and queued work.

use lasthop_contract::{
    Cause, CloseReason, ConnectionId, LookupMap, ShortQueue, Transport, TransportEvent,
};
use lasthop_units::Instant;
use quinn_proto::EndpointEvent;

use crate::clock::{from_library, to_library};
use crate::connection::Connection;
use crate::crypto::taking_notes;
use crate::gate;
use crate::labels::chunks_of;
use crate::outcome::{DONE, GIVEN_UP};
use crate::quic::{Quic, of_slots};

impl<T: Transport> Quic<T> {
    pub(crate) fn on_timeout(&mut self, now: Instant, id: ConnectionId) {
        let (slots, work) = (&mut self.slots, &mut self.work);
        let Some(connection) = of_slots(slots, id) else {
            return;
        };
        connection.armed = None;
        connection.is_late = true;
        let is_late = connection.established.is_none() && connection.give_up_at <= now;
        let peer = connection.peer;
        work.enter(now, Some(peer), || {
            connection.machine.handle_timeout(to_library(now));
        });
        if is_late {
            self.end(now, id, GIVEN_UP, CloseReason::TimedOut);
        }
        self.look_at(id);
    }

    /// Processes a connection: passes its events up and its packets down.
    pub(crate) fn drive(&mut self, now: Instant, id: ConnectionId) {
        let Some(connection) = of_slots(&mut self.slots, id) else {
            return;
        };
        connection.is_due = false;
        self.take_events(now, id);
        self.end_if_done(now, id);
        self.tell_endpoint(now, id);
        self.transmit(now, id);
        self.tell_endpoint(now, id);
        if let Some(qlog) = &mut self.qlog
            && let Some(connection) = of_slots(&mut self.slots, id)
        {
            qlog.look_at(now, id, connection);
        }
        self.arm(id);
        let is_gone = |it: &Connection| it.machine.is_drained() && it.held.is_none();
        let is_drained = self.get(id).is_some_and(is_gone);
        if is_drained && let Some(connection) = self.remove(id) {
            for flow in connection.flows {
                self.leave(now, flow, id);
            }
        }
    }

    /// Drops a connection whose processing panicked, without using its state.
    pub(crate) fn drop_failed(&mut self, now: Instant, id: ConnectionId, reason: CloseReason) {
        let Some(connection) = self.remove(id) else {
            return;
        };
        let handle = connection.handle;
        self.flows.remove(&connection.peer);
        for flow in connection.flows {
            self.leave(now, flow, id);
        }
        let (endpoint, work) = self.endpoint(now);
        // It has nothing to answer to that.
        let _ = work.enter(now, None, || {
            endpoint.handle_event(handle, EndpointEvent::drained())
        });
        self.emit(id, TransportEvent::Closed(reason));
    }

    fn tell_endpoint(&mut self, now: Instant, id: ConnectionId) {
        let connection = of_slots(&mut self.slots, id);
        // While there is something to read, its number is no other connection's.
        let Some(connection) = connection.filter(|it| it.held.is_none()) else {
            return;
        };
        let Some(endpoint) = &mut self.endpoint else {
            return;
        };
        while let Some(event) = connection.machine.poll_endpoint_events() {
            self.work.enter(now, Some(connection.peer), || {
                if let Some(answer) = endpoint.handle_event(connection.handle, event) {
                    connection.machine.handle_event(answer);
                }
            });
        }
    }

    fn transmit(&mut self, now: Instant, id: ConnectionId) {
        let mut has_probed = false;
        while let Some(is_again) = self.transmit_one(now, id) {
            has_probed |= is_again;
        }
        let connection = of_slots(&mut self.slots, id);
        let is_late = connection.is_some_and(|it| {
            core::mem::take(&mut it.is_late) && has_probed && it.is_unconfirmed()
        });
        if is_late {
            gate::passing(|| self.transmit_one(now, id));
        }
    }

    /// Sends one datagram; whether something in it is sent again, where there is one.
    fn transmit_one(&mut self, now: Instant, id: ConnectionId) -> Option<bool> {
        let (is_wanted, notes) = self.notes();
        let (slots, work) = (&mut self.slots, &mut self.work);
        let connection = of_slots(slots, id)?;
        // Whether something is sent again is to be known until the handshake is confirmed.
        let is_wanted = is_wanted || connection.is_unconfirmed();
        if !is_wanted {
            connection.labels.stop();
        }
        let datagram = &mut self.room.datagram;
        datagram.clear();
        let (transmit, notes) = taking_notes(is_wanted, notes, || {
            work.enter(now, Some(connection.peer), || {
                connection
                    .machine
                    .poll_transmit(to_library(now), 1, datagram)
            })
        });
        self.room.notes = notes;
        let transmit = transmit?;
        let agreed = self.room.notes.has_handshake().then(|| connection.agreed());
        let agreed = agreed.flatten();
        let spans = connection.labels.label(&self.room.notes, agreed.as_deref());
        let chunks = chunks_of(&self.room.datagram[..transmit.size], &spans);
        let flow = match connection.is_client() {
            true => connection.flow(),
            false => self.flows.get(&transmit.destination).copied(),
        };
        // Who is not to be reached below is not reached.
        if let Some(flow) = flow {
            let _ = self.lower.send_datagram(now, flow, &chunks);
        }
        self.tell_packets(now, id);
        Some(
            spans
                .iter()
                .any(|(it, _)| it.cause == Cause::Retransmission),
        )
    }

    /// Arms what a connection waits for.
    fn arm(&mut self, id: ConnectionId) {
        let Some(connection) = of_slots(&mut self.slots, id) else {
            return;
        };
        let own = connection
            .established
            .is_none()
            .then_some(connection.give_up_at);
        let own = own.filter(|_| !connection.is_over);
        let at = connection.machine.poll_timeout().map(from_library);
        if at.is_none() {
            connection.settle();
        }
        let at = at.into_iter().chain(own).min();
        if connection.armed == at {
            return;
        }
        if let Some(before) = connection.armed {
            self.timers.disarm(before, id);
        }
        connection.armed = at;
        if let Some(at) = at {
            self.timers.arm(at, id);
        }
    }

    /// Closes all connections after the written data.
    pub(crate) fn say_goodbye(&mut self, now: Instant) {
        for id in self.ids() {
            self.drive(now, id);
            self.end(now, id, DONE, CloseReason::Finished);
            self.transmit(now, id);
        }
        self.forget_all();
    }

    /// Removes all connections.
    pub(crate) fn forget_all(&mut self) {
        for id in self.ids() {
            self.remove(id);
        }
        self.endpoint = None;
        self.flows = LookupMap::new();
        self.owners = LookupMap::new();
        self.admission.end_all();
        self.outputs = ShortQueue::new();
        self.due.clear();
    }

    /// Tells all servers the host's new address.
    pub(crate) fn move_clients(&mut self) {
        for id in self.ids() {
            if let Some(connection) = self.get_mut(id)
                && connection.is_client()
            {
                connection.machine.local_address_changed();
                self.look_at(id);
            }
        }
    }
}
