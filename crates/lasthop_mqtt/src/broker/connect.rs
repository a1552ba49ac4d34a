use core::net::IpAddr;
use std::sync::Arc;

use lasthop_broker::{
    Admission, Budget, Client, Credentials, Full, Holder, Identity, Message, Origin, Parting,
    Publication, Readiness, Refusal, SessionId,
};
use lasthop_contract::message_text::message_id;
use lasthop_contract::{Cause, SessionChange, Transport};
use lasthop_units::{Duration, Instant};

use super::connection::{Aliases, Phase};
use super::session::{Counted, OwnedWill, SessionState};
use super::{MqttBroker, Timer, tell};
use crate::codec::{Connack, Connect, ConnectError, Disconnect, ReasonCode, Version, Will};
use crate::ledger::chunk;
use crate::packets::Flow;

impl MqttBroker {
    /// A client says who it is. Where it takes long to find out whether that is true, its packets wait.
    pub(super) fn asked_to_connect(
        &mut self,
        now: Instant,
        place: u32,
        connect: &Connect<'_>,
        transport: &mut dyn Transport,
    ) -> Flow {
        if self.objection(connect).is_none() {
            let credentials = self.credentials(place, connect, transport);
            // Read first: what is over after this is news.
            let checks_done = self.core.checks_done();
            match self.core.readiness(now, &credentials) {
                Readiness::Ready => {}
                Readiness::Later => {
                    if let Some(connection) = self.connections.get_mut(place) {
                        connection.is_paused = true;
                        let id = connection.id;
                        self.turns.wait_for_check(place, id, checks_done);
                    }
                    return Flow::Keep;
                }
                Readiness::Busy => {
                    let error = ConnectError {
                        version: Some(connect.version),
                        reason: ReasonCode::SERVER_UNAVAILABLE,
                    };
                    self.refuse_connect(now, place, error, transport);
                    return Flow::Continue;
                }
            }
        }
        self.connect(now, place, connect, transport);
        Flow::Continue
    }

    /// Reads on from those who may be authenticated by now.
    #[inline]
    pub(super) fn hear_authority(&mut self, now: Instant, transport: &mut dyn Transport) {
        if let Some(since) = self.turns.unchecked_since()
            && self.core.checks_done() != since
        {
            for (place, id) in self.turns.take_unchecked() {
                let connection = self.connections.get(place);
                if connection.is_some_and(|connection| connection.id == id) {
                    self.read_on(now, place, transport);
                }
            }
        }
    }

    fn connect(
        &mut self,
        now: Instant,
        place: u32,
        connect: &Connect<'_>,
        transport: &mut dyn Transport,
    ) {
        let version = connect.version;
        let refusal = self.objection(connect);
        let assigned =
            (connect.client_id.is_empty() && refusal.is_none()).then(|| self.assign_client_id());
        let client_id = assigned.as_deref().unwrap_or(connect.client_id);
        let opened = match refusal {
            Some(reason) => Err(reason),
            None => self
                .identify(now, place, connect, transport)
                .and_then(|admission| {
                    let identity = admission.identity;
                    let address = self.address_of(place, transport);
                    let who = (identity, Holder::of(identity, address));
                    let will = self.will_of(connect, client_id, who)?;
                    let opened =
                        self.open_session(now, client_id, who, connect.clean_start, transport)?;
                    Ok((opened, will, admission.ends_at))
                }),
        };
        let ((session, is_present), will, ends_at) = match opened {
            Ok(opened) => opened,
            Err(reason) => {
                let version = Some(version);
                self.refuse_connect(now, place, ConnectError { version, reason }, transport);
                return;
            }
        };
        self.attach(now, place, session, connect, will);
        self.announce(session);
        self.end_by(place, ends_at);
        let server_keep_alive = self.server_keep_alive(connect.keep_alive);
        let connack = Connack {
            receive_maximum: self.config.max_in_flight.max(1),
            maximum_qos: self.config.maximum_qos as u8,
            maximum_packet_size: self.config.maximum_packet_size,
            assigned_client_id: assigned.as_deref().filter(|_| version == Version::V5),
            topic_alias_maximum: self.config.topic_alias_maximum,
            server_keep_alive,
            ..Connack::new(is_present, ReasonCode::SUCCESS)
        };
        let bytes = connack.write(version);
        if let Some(connection) = self.connections.get_mut(place) {
            connection.write(now, transport, &[chunk(&bytes, Cause::SessionSetUp)]);
        }
        self.pump(now, session, transport);
        self.serve_all_data(now, place, transport);
    }

    /// Tells who keeps what clients say that one has come.
    fn announce(&mut self, id: SessionId) {
        if let (Some(keeper), Some(session)) = (&mut self.keeper, self.sessions.get(id)) {
            let client = Client {
                identity: session.state.identity,
                client_id: session.client_id(),
            };
            keeper.came(client);
        }
    }

    /// Answers a CONNECT that is refused, where there are words for it, and ends the connection.
    pub(super) fn refuse_connect(
        &mut self,
        now: Instant,
        place: u32,
        error: ConnectError,
        transport: &mut dyn Transport,
    ) {
        self.counters.refused += 1;
        let Some(connection) = self.connections.get_mut(place) else {
            return;
        };
        let has_words = error.version.filter(|version| {
            *version == Version::V5 || error.reason.connack_return_code().is_some()
        });
        if let Some(version) = has_words {
            let bytes = Connack::new(false, error.reason).write(version);
            connection.write(now, transport, &[chunk(&bytes, Cause::SessionSetUp)]);
        }
        self.close(now, place, transport);
    }

    /// Why a well-formed CONNECT is refused.
    fn objection(&self, connect: &Connect<'_>) -> Option<ReasonCode> {
        let will_qos = connect.will.as_ref().map(|will| will.qos);
        let asks_for_too_much = self.server_keep_alive(connect.keep_alive).is_some();
        match connect.version {
            // §4.12: no method of authentication is known.
            Version::V5 if connect.has_authentication_method => {
                Some(ReasonCode::BAD_AUTHENTICATION_METHOD)
            }
            // MQTT-3.2.2-12.
            Version::V5 if will_qos > Some(self.config.maximum_qos) => {
                Some(ReasonCode::QOS_NOT_SUPPORTED)
            }
            // MQTT 3.1.1, MQTT-3.1.3-8. It has no way to set the keep alive, so mosquitto refuses the client.
            Version::V3_1_1
                if connect.client_id.is_empty() && !connect.clean_start || asks_for_too_much =>
            {
                Some(ReasonCode::CLIENT_IDENTIFIER_NOT_VALID)
            }
            _ => None,
        }
    }

    /// Who the client is, by what it shows.
    fn identify(
        &self,
        now: Instant,
        place: u32,
        connect: &Connect<'_>,
        transport: &dyn Transport,
    ) -> Result<Admission, ReasonCode> {
        let credentials = self.credentials(place, connect, transport);
        let identified = self.core.identify(now, &credentials);
        identified.map_err(|refusal| match refusal {
            Refusal::BadCredentials => ReasonCode::BAD_USER_NAME_OR_PASSWORD,
            Refusal::NoCredentials => ReasonCode::NOT_AUTHORIZED,
        })
    }

    /// What a client shows.
    fn credentials<'a>(
        &self,
        place: u32,
        connect: &Connect<'a>,
        transport: &dyn Transport,
    ) -> Credentials<'a> {
        Credentials {
            client_id: connect.client_id.as_bytes(),
            user_name: connect.user_name.map(str::as_bytes),
            password: connect.password,
            address: self.address_of(place, transport),
        }
    }

    /// Has a connection end when what its client showed is worth nothing any more.
    fn end_by(&mut self, place: u32, ends_at: Option<Instant>) {
        let (Some(connection), Some(at)) = (self.connections.get_mut(place), ends_at) else {
            return;
        };
        connection.ends_at = Some(at);
        self.arm(place, at);
    }

    /// The keep alive to be used in place of the client's (MQTT-3.2.2-21).
    fn server_keep_alive(&self, asked: u16) -> Option<u16> {
        let maximum = self.config.maximum_keep_alive?;
        let seconds = (maximum.as_nanos() / 1_000_000_000).clamp(1, u64::from(u16::MAX)) as u16;
        (asked == 0 || asked > seconds).then_some(seconds)
    }

    /// An identifier that nobody has (MQTT-3.1.3-6), in the form of mosquitto's.
    fn assign_client_id(&mut self) -> String {
        loop {
            let (high, low) = (self.random.next_u64(), self.random.next_u64());
            let id = format!("auto-{high:016X}{low:016X}");
            if self.sessions.of(&id).is_none() {
                return id;
            }
        }
    }

    /// The session of a client, and whether it was there (MQTT-3.1.2-4 to -6).
    fn open_session(
        &mut self,
        now: Instant,
        client_id: &str,
        (identity, holder): (Identity, Holder),
        clean_start: bool,
        transport: &mut dyn Transport,
    ) -> Result<(SessionId, bool), ReasonCode> {
        let known = self.sessions.of(client_id);
        let owner = known.and_then(|known| self.sessions.get(known));
        let owner = owner.map(|owner| owner.state.identity);
        let is_of_another = owner.is_some_and(|owner| owner != identity);
        if is_of_another && owner != Some(Identity::ANONYMOUS) {
            // Nobody takes the session, the subscriptions and the messages of somebody else.
            return Err(ReasonCode::CLIENT_IDENTIFIER_NOT_VALID);
        }
        if let Some(known) = known {
            self.take_over(now, known, transport);
            // A user has its name, whoever came by it without one before, and nothing of what that one left.
            if clean_start || is_of_another {
                self.end_session(now, known, transport);
            }
        }
        // Taking over may have ended it: a session that expires with its connection.
        if let Some(known) = self.sessions.of(client_id) {
            self.resume(known, holder);
            return Ok((known, true));
        }
        loop {
            match self
                .sessions
                .open(client_id, holder, SessionState::new(identity))
            {
                Ok(session) => return Ok((session, false)),
                Err(Full) => {
                    let first = self.sessions.first_to_go();
                    let first = first.ok_or(ReasonCode::QUOTA_EXCEEDED)?;
                    self.end_session(now, first, transport);
                }
            }
        }
    }

    /// The will of a client. One that may not be published is as none, as with mosquitto.
    fn will_of(
        &self,
        connect: &Connect<'_>,
        client_id: &str,
        (identity, holder): (Identity, Holder),
    ) -> Result<Option<Box<OwnedWill>>, ReasonCode> {
        let client = Client {
            identity,
            client_id,
        };
        let will = connect.will.as_ref();
        let will = will.filter(|will| self.core.may_publish(client, will.topic));
        let budget = self.sessions.budget();
        let own = will.map(|will| own(will, client, holder, budget).map(Box::new));
        own.transpose().map_err(|_| ReasonCode::QUOTA_EXCEEDED)
    }

    /// Where the client of a connection is.
    fn address_of(&self, place: u32, transport: &dyn Transport) -> Option<IpAddr> {
        let connection = self.connections.get(place)?;
        Some(transport.peer(connection.id)?.ip())
    }

    /// The client comes by another connection: the old one ends (MQTT-3.1.4-3).
    fn take_over(&mut self, now: Instant, session: SessionId, transport: &mut dyn Transport) {
        let Some(place) = self
            .sessions
            .get(session)
            .and_then(|session| session.state.connection)
        else {
            return;
        };
        if let Some(connection) = self.connections.get_mut(place)
            && connection.version == Version::V5
        {
            let bytes = Disconnect::new(ReasonCode::SESSION_TAKEN_OVER).write(Version::V5);
            connection.write(now, transport, &[chunk(&bytes, Cause::SessionTearDown)]);
        }
        self.part(now, session, Parting::TakenOver, transport);
        self.close(now, place, transport);
    }

    /// Joins a connection and a session.
    fn attach(
        &mut self,
        now: Instant,
        place: u32,
        id: SessionId,
        connect: &Connect<'_>,
        will: Option<Box<OwnedWill>>,
    ) {
        let server_keep_alive = self.server_keep_alive(connect.keep_alive);
        let keep_alive = server_keep_alive.unwrap_or(connect.keep_alive);
        let silence = Duration::from_millis(1500 * u64::from(keep_alive));
        if let Some(connection) = self.connections.get_mut(place) {
            connection.phase = Phase::Serving(id);
            connection.version = connect.version;
            connection.window = self
                .config
                .max_in_flight
                .max(1)
                .min(connect.receive_maximum);
            connection.longest_silence = silence;
            connection.maximum_packet_size = connect.maximum_packet_size.unwrap_or(u32::MAX);
            if connect.topic_alias_maximum > 0 {
                connection.aliases = Some(Box::new(Aliases {
                    maximum_to_send: connect.topic_alias_maximum,
                    ..Aliases::default()
                }));
            }
        }
        if silence > Duration::ZERO {
            self.arm(place, now + silence);
        }
        if let Some(session) = self.sessions.get_mut(id) {
            tell(&mut self.outputs, session.client_id(), SessionChange::Held);
            let state = &mut session.state;
            state.connection = Some(place);
            state.expiry = connect.session_expiry;
            state.in_flight.repeat_all();
            // MQTT-3.1.3-9: the old will of a session that goes on is not published.
            let old = core::mem::replace(&mut state.will, will);
            if let Some(due) = old.and_then(|will| will.due) {
                self.timers.disarm(due, Timer::Will(id));
            }
        }
    }
}

fn own(
    will: &Will<'_>,
    client: Client<'_>,
    holder: Holder,
    budget: &Budget,
) -> Result<OwnedWill, Full> {
    let publication = Publication {
        topic: will.topic,
        payload: will.payload,
        properties: &will.properties,
        qos: will.qos,
        retain: will.retain,
        expires_at: None,
        id: message_id(will.payload),
        origin: Origin::Gone,
    };
    let message = Arc::new(Message::from(&publication));
    let counted = Counted {
        _charge: budget.take(holder, &message)?,
        message,
    };
    Ok(OwnedWill {
        client_id: client.client_id.into(),
        identity: client.identity,
        counted,
        delay: will.delay,
        message_expiry: will.message_expiry,
        due: None,
    })
}
