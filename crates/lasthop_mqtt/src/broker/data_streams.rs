//! Several streams in one connection, as in EMQX 5. Each further stream has its own packet identifiers, in-flight
//! messages and subscriptions, which end with the stream.

use core::mem;

use lasthop_broker::SessionId;
use lasthop_contract::{ConnectionId, FailureReason, StreamId, Transport};
use lasthop_units::Instant;

use super::MqttBroker;
use super::connection::{Aliases, Connection, Phase, Role};
use super::session::SessionState;
use crate::codec::ReasonCode;

impl MqttBroker {
    /// Accepts a further stream from the client. The stream is not read before the client has connected.
    pub(super) fn accept_data(
        &mut self,
        now: Instant,
        id: ConnectionId,
        control: u32,
        stream: StreamId,
        transport: &mut dyn Transport,
    ) {
        let is_known = self.place_of(control, stream).is_some();
        let first = self.connections.get(control);
        let Some(first) = first.filter(|it| !is_known && it.phase != Phase::Closing) else {
            return;
        };
        let is_served = matches!(first.phase, Phase::Serving(_));
        let place = self
            .connections
            .add(Connection::new(id, Role::Data(control), stream, now));
        self.data_streams.insert((id, stream), place);
        if is_served {
            self.serve_data(now, place, transport);
        }
    }

    /// Starts to serve the further streams of a client that has connected.
    pub(super) fn serve_all_data(
        &mut self,
        now: Instant,
        control: u32,
        transport: &mut dyn Transport,
    ) {
        for place in self.data_of(control) {
            self.serve_data(now, place, transport);
        }
    }

    fn serve_data(&mut self, now: Instant, place: u32, transport: &mut dyn Transport) {
        let Some(Role::Data(control)) = self.connections.get(place).map(|it| it.role) else {
            return;
        };
        let Some(first) = self.connections.get(control) else {
            return;
        };
        let Phase::Serving(session) = first.phase else {
            return;
        };
        let (version, window, maximum_packet_size) =
            (first.version, first.window, first.maximum_packet_size);
        let aliases = first.aliases.as_ref().map(|it| {
            Box::new(Aliases {
                maximum_to_send: it.maximum_to_send,
                ..Aliases::default()
            })
        });
        let Some(identity) = self.sessions.get(session).map(|it| it.state.identity) else {
            return;
        };
        let state = SessionState {
            connection: Some(place),
            ..SessionState::new(identity)
        };
        let Ok(own) = self.sessions.open_beside(session, state) else {
            self.give_up_data(now, place, ReasonCode::QUOTA_EXCEEDED, transport);
            return;
        };
        if let Some(connection) = self.connections.get_mut(place) {
            connection.phase = Phase::Serving(own);
            connection.version = version;
            connection.window = window;
            connection.maximum_packet_size = maximum_packet_size;
            connection.aliases = aliases;
        }
        self.receive(now, place, transport);
    }

    /// Returns the place of a stream by the place of its connection's first stream.
    pub(super) fn place_of(&self, control: u32, stream: StreamId) -> Option<u32> {
        let first = self.connections.get(control)?;
        if first.outbox.stream() == stream {
            return Some(control);
        }
        self.data_streams.get(&(first.id, stream)).copied()
    }

    /// The places of all further streams of a connection, in the order of their numbers.
    fn data_of(&self, control: u32) -> Vec<u32> {
        let Some(id) = self.connections.get(control).map(|it| it.id) else {
            return Vec::new();
        };
        let all = (id, StreamId(0))..=(id, StreamId(u64::MAX));
        self.data_streams
            .range(all)
            .map(|(_, place)| *place)
            .collect()
    }

    /// Returns the sessions of the other streams of a connection, given one of its further streams.
    pub(super) fn sessions_beside(&self, place: u32) -> Vec<SessionId> {
        let Some(Role::Data(control)) = self.connections.get(place).map(|it| it.role) else {
            return Vec::new();
        };
        let data = self.data_of(control).into_iter();
        let all = core::iter::once(control).chain(data);
        let others = all.filter(|other| *other != place);
        others.filter_map(|other| self.session_at(other)).collect()
    }

    /// Handles the end of the client's side of a stream. The broker's side ends after the queued bytes.
    pub(super) fn data_finished(
        &mut self,
        now: Instant,
        place: u32,
        transport: &mut dyn Transport,
    ) {
        if let Some(session) = self.session_at(place) {
            self.detach(now, session, transport);
        }
        if let Some(connection) = self.connections.get_mut(place) {
            connection.finish(now, transport);
        }
        self.forget_if_said(place);
    }

    /// Ends a stream because of invalid input, with a reason code of MQTT. The connection stays open.
    pub(super) fn give_up_data(
        &mut self,
        now: Instant,
        place: u32,
        reason: ReasonCode,
        transport: &mut dyn Transport,
    ) {
        if let Some(connection) = self.connections.get(place) {
            let (id, stream) = (connection.id, connection.outbox.stream());
            let _ = transport.reset_stream(now, id, stream, reason.0.into());
        }
        self.data_broken(now, place, transport);
    }

    /// Handles a stream reset by the client. If the first stream is reset, the connection ends too.
    pub(super) fn reset_by_peer(
        &mut self,
        now: Instant,
        place: u32,
        transport: &mut dyn Transport,
    ) {
        let role = self.connections.get(place).map(|it| it.role);
        if matches!(role, Some(Role::Data(_))) {
            self.data_broken(now, place, transport);
        }
    }

    /// Ends all further streams of a connection that is closed.
    pub(super) fn end_all_data(
        &mut self,
        now: Instant,
        control: u32,
        transport: &mut dyn Transport,
    ) {
        for place in self.data_of(control) {
            self.data_finished(now, place, transport);
            self.forget_data(place);
        }
    }

    /// Ends all further streams of a connection that broke.
    pub(super) fn break_all_data(
        &mut self,
        now: Instant,
        control: u32,
        transport: &mut dyn Transport,
    ) {
        for place in self.data_of(control) {
            self.data_broken(now, place, transport);
        }
    }

    fn data_broken(&mut self, now: Instant, place: u32, transport: &mut dyn Transport) {
        let connection = self.connections.get_mut(place);
        let unconfirmed = connection.map(|it| mem::take(&mut it.unconfirmed));
        for id in unconfirmed.unwrap_or_default().messages() {
            self.fail(id, FailureReason::ConnectionLost);
        }
        if let Some(session) = self.session_at(place) {
            self.detach(now, session, transport);
        }
        self.forget_data(place);
    }

    /// Removes an ended stream once all its bytes were written.
    pub(super) fn forget_if_said(&mut self, place: u32) {
        let said = |it: &Connection| it.outbox.is_empty();
        if self.connections.get(place).is_some_and(said) {
            self.forget_data(place);
        }
    }

    fn forget_data(&mut self, place: u32) {
        if let Some(pending) = &mut self.pending {
            pending.remove(place);
        }
        if let Some(connection) = self.connections.remove(place) {
            let stream = connection.outbox.stream();
            self.data_streams.remove(&(connection.id, stream));
        }
    }
}
