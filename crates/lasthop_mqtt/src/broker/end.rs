use core::mem;
use std::collections::BTreeMap;

use lasthop_broker::{Client, Holder, Parting, Publication, Session, SessionId, Sessions};
use lasthop_contract::{
    Cause, FailureReason, LookupMap, ResetReason, SessionChange, Survives, TimerQueue, Transport,
};
use lasthop_units::{Duration, Instant};

use super::connection::{Phase, Role};
use super::session::{OwnedWill, SessionState};
use super::turns::Turns;
use super::{CLOSE_TIMEOUT, MqttBroker, Timer, pending_of, tell};
use crate::codec::{Disconnect, ReasonCode, Version};
use crate::ledger::chunk;

impl MqttBroker {
    /// Processes a DISCONNECT of a client (§3.14).
    pub(super) fn disconnect(
        &mut self,
        now: Instant,
        place: u32,
        id: SessionId,
        disconnect: Disconnect,
        transport: &mut dyn Transport,
    ) -> Result<(), ReasonCode> {
        if let Some(session) = self.sessions.get_mut(id) {
            let state = &mut session.state;
            match disconnect.session_expiry {
                // §3.14.2.2.2: what ends with its connection cannot be made to last.
                Some(seconds) if seconds > 0 && state.expiry == 0 => {
                    return Err(ReasonCode::PROTOCOL_ERROR);
                }
                Some(seconds) => state.expiry = seconds,
                None => {}
            }
            // MQTT-3.14.4-3: all is well, so there is no will.
            if disconnect.reason == ReasonCode::SUCCESS {
                state.will = None;
            }
        }
        self.part(now, id, Parting::Left, transport);
        self.close(now, place, transport);
        Ok(())
    }

    /// Ends a connection because of invalid input (§4.13).
    pub(super) fn refuse(
        &mut self,
        now: Instant,
        place: u32,
        reason: ReasonCode,
        transport: &mut dyn Transport,
    ) {
        self.counters.refused += 1;
        match self.connections.get(place).map(|it| it.role) {
            Some(Role::Data(_)) => self.give_up_data(now, place, reason, transport),
            _ => self.end_connection(now, place, reason, transport),
        }
    }

    /// Handles a power failure. Sessions in flash are restored without their wills; all other state is lost.
    pub(super) fn crash(&mut self, now: Instant, survives: Survives) {
        let connections = mem::take(&mut self.connections);
        for place in 0..connections.places() {
            if let Some(connection) = connections.get(place)
                && let (Phase::Serving(id), Role::Control) = (connection.phase, connection.role)
                && let Some(session) = self.sessions.get(id)
            {
                let id = session.client_id();
                tell(&mut self.outputs, id, SessionChange::Released);
            }
        }
        self.by_id = LookupMap::new();
        self.data_streams = BTreeMap::new();
        self.timers = TimerQueue::new();
        self.turns = Turns::default();
        self.pending = self.config.limits.pending_size.map(pending_of);
        self.core.crash(survives);
        if !survives.sessions.is_durable() {
            self.sessions = Sessions::new(self.config.limits);
            self.core.leave();
            return;
        }
        for place in 0..connections.places() {
            let Some(Phase::Serving(id)) = connections.get(place).map(|it| it.phase) else {
                continue;
            };
            let Some(session) = self.sessions.get_mut(id) else {
                continue;
            };
            session.state.connection = None;
            session.state.will = None;
            match session.state.expiry {
                0 => drop(self.remove_session(id)),
                expiry => self.park(now, id, expiry),
            }
        }
    }

    /// Handles the end of the client's stream.
    pub(super) fn peer_finished(
        &mut self,
        now: Instant,
        place: u32,
        transport: &mut dyn Transport,
    ) {
        if let Some(session) = self.session_at(place) {
            self.part(now, session, Parting::Lost, transport);
        }
        if let Some(connection) = self.connections.get_mut(place) {
            connection.abandon(now, transport);
        }
        self.close(now, place, transport);
    }

    /// Handles a broken connection. The arrival of its unacknowledged messages is unknown.
    pub(super) fn broken(&mut self, now: Instant, place: u32, transport: &mut dyn Transport) {
        let connection = self.connections.get_mut(place);
        let unconfirmed = connection.map(|it| mem::take(&mut it.unconfirmed));
        for id in unconfirmed.unwrap_or_default().messages() {
            self.fail(id, FailureReason::ConnectionLost);
        }
        self.break_all_data(now, place, transport);
        self.gone(now, place, transport);
    }

    /// Removes the state of a connection that has ended.
    pub(super) fn gone(&mut self, now: Instant, place: u32, transport: &mut dyn Transport) {
        self.end_all_data(now, place, transport);
        if let Some(session) = self.session_at(place) {
            self.part(now, session, Parting::Lost, transport);
        }
        if let Some(pending) = &mut self.pending {
            pending.remove(place);
        }
        if let Some(connection) = self.connections.remove(place) {
            self.by_id.remove(&connection.id);
            if let Some(armed) = connection.armed {
                self.timers.disarm(armed, Timer::Connection(place));
            }
        }
    }

    /// Handles the deadline of a connection: keep-alive timeout, missing CONNECT, or unfinished close.
    pub(super) fn check_connection(
        &mut self,
        now: Instant,
        place: u32,
        transport: &mut dyn Transport,
    ) {
        let Some(connection) = self.connections.get_mut(place) else {
            return;
        };
        connection.armed = None;
        match connection.phase {
            Phase::New => self.end_connection(now, place, ReasonCode::UNSPECIFIED, transport),
            Phase::Serving(_) => {
                let may_be_silent = connection.longest_silence == Duration::ZERO;
                let silent = connection.last_heard + connection.longest_silence;
                let silent = (!may_be_silent).then_some(silent);
                if connection.ends_at.is_some_and(|at| at <= now) {
                    self.end_connection(now, place, ReasonCode::NOT_AUTHORIZED, transport);
                } else if silent.is_some_and(|at| at <= now) {
                    // MQTT-3.1.2-22.
                    self.end_connection(now, place, ReasonCode::KEEP_ALIVE_TIMEOUT, transport);
                } else if let Some(at) = silent.into_iter().chain(connection.ends_at).min() {
                    self.arm(place, at);
                }
            }
            Phase::Closing if connection.last_heard + CLOSE_TIMEOUT > now => {
                let due = connection.last_heard + CLOSE_TIMEOUT;
                self.arm(place, due);
            }
            Phase::Closing => {
                transport.reset(now, connection.id, ResetReason::NotNeeded);
                self.broken(now, place, transport);
            }
        }
    }

    /// Disconnects all clients. Sessions with an expiry interval stay.
    pub(super) fn stop(&mut self, now: Instant, transport: &mut dyn Transport) {
        for place in 0..self.connections.places() {
            let is_open = self
                .connections
                .get(place)
                .is_some_and(|it| it.phase != Phase::Closing && it.role == Role::Control);
            if is_open {
                self.spare_will(place);
                self.end_connection(now, place, ReasonCode::SERVER_SHUTTING_DOWN, transport);
            }
        }
    }

    /// Where wills are kept, that the server stops is not to be read as the loss of a client.
    fn spare_will(&mut self, place: u32) {
        if self.keeper.is_some()
            && let Some(id) = self.session_at(place)
            && let Some(session) = self.sessions.get_mut(id)
        {
            session.state.will = None;
        }
    }

    /// Ends a connection, after a DISCONNECT with the reason if the version has one.
    pub(super) fn end_connection(
        &mut self,
        now: Instant,
        place: u32,
        reason: ReasonCode,
        transport: &mut dyn Transport,
    ) {
        if let Some(session) = self.session_at(place) {
            if let Some(connection) = self.connections.get_mut(place)
                && connection.version == Version::V5
            {
                let bytes = Disconnect::new(reason).write(Version::V5);
                connection.write(now, transport, &[chunk(&bytes, Cause::SessionTearDown)]);
            }
            self.part(now, session, parting_of(reason), transport);
        }
        self.close(now, place, transport);
    }

    /// Counts the unfinished bytes of a connection.
    pub(super) fn count_pending(&mut self, place: u32, transport: &dyn Transport) {
        let (Some(pending), Some(connection)) = (&mut self.pending, self.connections.get(place))
        else {
            return;
        };
        let id = connection.id;
        let size = connection.partial.len() + connection.outbox.size();
        pending.set(place, size, || transport.peer(id).map(|peer| peer.ip()));
    }

    /// Counts the unfinished bytes of a connection. Closes other connections if the common limit is exceeded.
    pub(super) fn weigh(&mut self, now: Instant, place: u32, transport: &mut dyn Transport) {
        self.count_pending(place, transport);
        while let Some(place) = self.pending.as_ref().and_then(|it| it.first_to_go()) {
            if let Some(pending) = &mut self.pending {
                pending.remove(place);
            }
            self.drop_pending(now, place, transport);
        }
    }

    /// Ends the connection of a stream of which too much is unfinished, with what waits to be sent.
    fn drop_pending(&mut self, now: Instant, place: u32, transport: &mut dyn Transport) {
        let Some(connection) = self.connections.get_mut(place) else {
            return;
        };
        let role = connection.role;
        if let Role::Data(_) = role {
            return self.give_up_data(now, place, ReasonCode::QUOTA_EXCEEDED, transport);
        }
        if connection.outbox.is_empty() {
            return self.end_connection(now, place, ReasonCode::QUOTA_EXCEEDED, transport);
        }
        // A client that does not read is told nothing.
        let id = connection.id;
        if let Some(session) = self.session_at(place) {
            self.part(now, session, Parting::Misbehaved, transport);
        }
        transport.reset(now, id, ResetReason::PeerError);
        self.broken(now, place, transport);
    }

    /// Ends the stream to a client, and closes the connection soon after if the client does not.
    pub(super) fn close(&mut self, now: Instant, place: u32, transport: &mut dyn Transport) {
        self.end_all_data(now, place, transport);
        if let Some(connection) = self.connections.get_mut(place) {
            connection.finish(now, transport);
            self.arm(place, now + CLOSE_TIMEOUT);
        }
    }

    pub(super) fn session_at(&self, place: u32) -> Option<SessionId> {
        match self.connections.get(place)?.phase {
            Phase::Serving(session) => Some(session),
            Phase::New | Phase::Closing => None,
        }
    }

    /// Detaches a session from its connection, and notifies the storage.
    pub(super) fn part(
        &mut self,
        now: Instant,
        id: SessionId,
        why: Parting,
        transport: &mut dyn Transport,
    ) {
        if let (Some(keeper), Some(session)) = (&mut self.keeper, self.sessions.get(id)) {
            let client = Client {
                identity: session.state.identity,
                client_id: session.client_id(),
            };
            keeper.parted(client, why);
        }
        self.detach(now, id, transport);
    }

    /// Starts the will delay and the expiry of a session without a connection.
    pub(super) fn detach(&mut self, now: Instant, id: SessionId, transport: &mut dyn Transport) {
        let Some(session) = self.sessions.get_mut(id) else {
            return;
        };
        let connection = session.state.connection;
        let connection = connection.and_then(|place| self.connections.get(place));
        if connection.is_some_and(|it| it.role == Role::Control) {
            let client_id = session.client_id();
            tell(&mut self.outputs, client_id, SessionChange::Released);
        }
        let state = &mut session.state;
        if let Some(place) = state.connection.take()
            && let Some(connection) = self.connections.get_mut(place)
        {
            connection.phase = Phase::Closing;
        }
        let expiry = state.expiry;
        if let Some(will) = &mut state.will
            && will.delay > 0
            && expiry > 0
        {
            // MQTT-3.1.3-9, and the end of the session if that comes first.
            let due = now + Duration::from_secs(u64::from(will.delay));
            will.due = Some(due);
            self.timers.arm(due, Timer::Will(id));
        } else if let Some(will) = state.will.take() {
            self.publish_will(now, &will, transport);
        }
        match expiry {
            0 => self.end_session(now, id, transport),
            expiry => self.park(now, id, expiry),
        }
    }

    /// A session stays for so many seconds without its client, or for ever.
    fn park(&mut self, now: Instant, id: SessionId, expiry: u32) {
        let lasts = Duration::from_secs(u64::from(expiry));
        let ends_at = (expiry != u32::MAX).then(|| now + lasts);
        self.sessions.park(id, ends_at);
        self.set_absent(id, true);
    }

    /// Resumes the session of a client that has reconnected.
    pub(super) fn resume(&mut self, id: SessionId, holder: Holder) {
        self.sessions.resume(id, holder);
        self.set_absent(id, false);
    }

    /// Whether a session is there matters to its groups.
    fn set_absent(&mut self, id: SessionId, is_absent: bool) {
        let Some(session) = self.sessions.get(id) else {
            return;
        };
        let mut filters = session.filters().iter();
        if filters.any(|filter| filter.starts_with("$share/")) {
            self.core.set_absent(id.0.into(), is_absent);
        }
    }

    /// Takes a session out, with its subscriptions.
    fn remove_session(&mut self, id: SessionId) -> Option<Session<SessionState>> {
        let session = self.sessions.end(id)?;
        self.turns.forget(id);
        let filters = session.filters().iter().map(AsRef::as_ref);
        self.core.forget(id.0.into(), filters);
        Some(session)
    }

    /// Ends a session that has no connection.
    pub(super) fn end_session(
        &mut self,
        now: Instant,
        id: SessionId,
        transport: &mut dyn Transport,
    ) {
        let Some(mut session) = self.remove_session(id) else {
            return;
        };
        let in_flight = session.state.in_flight.take_all();
        let waiting = core::iter::from_fn(|| session.queue.pop());
        for queued in in_flight.map(|(queued, _)| queued).chain(waiting) {
            self.give_up(&queued.message.publication(), FailureReason::ConnectionLost);
        }
        if let Some(will) = session.state.will {
            if let Some(due) = will.due {
                self.timers.disarm(due, Timer::Will(id));
            }
            self.publish_will(now, &will, transport);
        }
    }

    pub(super) fn will_due(&mut self, now: Instant, id: SessionId, transport: &mut dyn Transport) {
        let will = self
            .sessions
            .get_mut(id)
            .and_then(|session| session.state.will.take());
        if let Some(will) = will {
            self.publish_will(now, &will, transport);
        }
    }

    fn publish_will(&mut self, now: Instant, will: &OwnedWill, transport: &mut dyn Transport) {
        let expiry = will.message_expiry;
        let publication = Publication {
            expires_at: expiry.map(|seconds| now + Duration::from_secs(u64::from(seconds))),
            ..will.counted.message.publication()
        };
        if let Some(keeper) = &mut self.keeper {
            // Nobody awaits it; why it is not kept, where it is not, is the keeper's to say.
            let client = Client {
                identity: will.identity,
                client_id: &will.client_id,
            };
            let _ = keeper.take(now, client, &publication);
            return;
        }
        self.publish(now, &publication, transport);
    }
}

const fn parting_of(reason: ReasonCode) -> Parting {
    match reason {
        ReasonCode::NOT_AUTHORIZED => Parting::NotAuthorised,
        ReasonCode::KEEP_ALIVE_TIMEOUT => Parting::Silent,
        ReasonCode::SERVER_SHUTTING_DOWN => Parting::Stopping,
        _ => Parting::Misbehaved,
    }
}
