//! The MQTT client of one device.

mod config;
mod data_streams;
mod datagrams;
mod keep_alive;
mod link;
mod pipelining;
mod receive;
mod received_topics;
mod send;
mod session;
mod set_up;
mod standing;
mod stream;
mod topics;

use core::mem;
use std::sync::Arc;

use lasthop_broker::Qos;
use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, Awaited, Cause, ChannelSet, CloseReason,
    ConnectionId, DeviceId, FailureReason, FlowId, MessageEvent, MessageId, RandomStream, Refusal,
    ResetReason, SessionChange, SessionEvent, ShortQueue, Survives, Transport, TransportEvent,
};
use lasthop_jwt::TokenSource;
use lasthop_units::{Duration, Instant};

pub use config::{MqttClientConfig, Presence, Reconnect, Silence, Streams, User, WillMessage};
use link::Link;
use received_topics::ReceivedTopics;
use session::{Exchanges, Session};
use standing::Standing;
use stream::DataStream;
use topics::Topics;

use crate::codec::{Connect, Disconnect, ReasonCode, Version, Will};
use crate::ledger::chunk;
use crate::topic::client_id_of;

/// An MQTT client that publishes to its topics, subscribes to topics, and reconnects after a lost connection.
#[derive(Debug)]
pub struct MqttClient {
    config: Arc<MqttClientConfig>,
    device: DeviceId,
    topics: Topics,
    /// Who the client says it is; `None` for the name of its device.
    client_id: Option<Box<str>>,
    /// What it shows in the place of a password.
    tokens: Option<Box<TokenSource>>,
    random: RandomStream,
    phase: Phase,
    standing: Standing,
    /// Connections that failed in a row.
    failures: u32,
    /// Whether it was told to end, and comes back no more.
    is_stopped: bool,
    /// Why the broker did not take a subscription or a message, the last time that it did not.
    refusal: Option<ReasonCode>,
    /// Why the broker did not let it in, the last time that it did not.
    turned_away: Option<ReasonCode>,
    /// Boxed, so that a client without a connection takes little.
    link: Option<Box<Link>>,
    session: Session,
    /// Where somebody wants to be told them.
    heard: Option<Box<ReceivedTopics>>,
    outputs: ShortQueue<ApplicationOutput>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Not connected, and no connection is wanted.
    Off,
    /// Waiting to reconnect.
    Waiting { until: Instant },
    /// Waiting for the CONNACK.
    Connecting { until: Instant },
    /// Waiting for the SUBACK.
    Subscribing { until: Instant },
    /// Messages can be sent.
    Ready,
    /// Waiting for further streams with unacknowledged messages to end. New messages wait for the next connection.
    Ending { until: Instant },
    /// Waiting for the other end to close the connection.
    Closing { until: Instant, as_planned: bool },
}

/// How long the other end may take to close. As Linux gives an orphaned FIN-WAIT-2 (`tcp_fin_timeout`).
const CLOSE_TIMEOUT: Duration = Duration::from_secs(60);

/// The name of who shows a token: 3.1.1 has no password without a name (MQTT-3.1.2-22), and Cloud IoT Core read none.
const NOBODY: &str = "unused";

impl MqttClient {
    /// Creates the client of a device. `flow` is the device's flow with the lowest channel. The random stream is used
    /// for reconnection delays.
    #[must_use]
    pub fn new(config: Arc<MqttClientConfig>, flow: FlowId, random: RandomStream) -> Self {
        Self {
            topics: Topics::of_device(&config.prefix, flow),
            config,
            device: flow.device(),
            client_id: None,
            tokens: None,
            random,
            phase: Phase::Off,
            standing: Standing::default(),
            failures: 0,
            is_stopped: false,
            refusal: None,
            turned_away: None,
            link: None,
            session: Session::new(),
            heard: None,
            outputs: ShortQueue::new(),
        }
    }

    /// Creates a client with this client ID, which publishes to one topic or subscribes to one filter.
    #[must_use]
    pub fn named(
        config: Arc<MqttClientConfig>,
        client_id: &str,
        topic: &str,
        random: RandomStream,
    ) -> Self {
        Self::new(config, FlowId(0), random).known_as(client_id, topic)
    }

    /// Sets another client ID and a single topic, for servers that register clients.
    #[must_use]
    pub fn known_as(self, client_id: &str, topic: &str) -> Self {
        Self {
            client_id: Some(client_id.into()),
            topics: Topics::only(topic),
            ..self
        }
    }

    /// Makes the client send a token in each CONNECT.
    #[must_use]
    pub fn with_tokens(self, tokens: TokenSource) -> Self {
        Self {
            tokens: Some(Box::new(tokens)),
            ..self
        }
    }

    /// Makes the client record the topic of each delivered message.
    #[must_use]
    pub fn telling_topics(self) -> Self {
        Self {
            heard: Some(Box::default()),
            ..self
        }
    }

    /// Returns the topic of the next delivered message, if topics are recorded.
    pub fn take_topic(&mut self) -> Option<Box<str>> {
        self.heard.as_mut()?.take()
    }

    /// Returns the reason code of the last rejected subscription or publication.
    #[must_use]
    pub const fn refusal(&self) -> Option<ReasonCode> {
        self.refusal
    }

    /// Opens a connection; CONNECT is its early data, which leaves as soon as the transport can send it.
    fn connect(&mut self, now: Instant, transport: &mut dyn Transport) {
        let of_device;
        let client_id = match &self.client_id {
            Some(client_id) => client_id,
            None => {
                of_device = client_id_of(&self.config.prefix, self.device);
                of_device.as_str()
            }
        };
        let token = self.tokens.as_mut().map(|tokens| tokens.token(now));
        let bytes = self.connect_packet(client_id, token.as_deref()).write();
        // The password is the last that CONNECT holds.
        let shown = token.map_or(0, |token| token.len());
        let (session, token) = bytes.split_at(bytes.len() - shown);
        let connect = [
            chunk(session, Cause::SessionSetUp),
            chunk(token, Cause::Authorisation),
        ];
        let connect = &connect[..if shown == 0 { 1 } else { 2 }];
        let broker = self.config.broker;
        let opened = transport.open(now, broker, connect).or_else(|_| {
            let connection = transport.open(now, broker, &[])?;
            if let Ok(stream) = transport.own_stream(now, connection) {
                let _ = transport.write(now, connection, stream, connect);
            }
            Ok::<_, lasthop_contract::OpenError>(connection)
        });
        let opened = opened.ok().and_then(|connection| {
            let stream = transport.own_stream(now, connection).ok()?;
            Some(Link::new(connection, stream, self.config.version, now))
        });
        match opened {
            Some(link) => {
                let tried = self.standing.open(now);
                self.tell(tried);
                self.link = Some(Box::new(link));
                let until = now + self.config.connect_timeout;
                self.phase = Phase::Connecting { until };
                self.pipeline(now, transport);
            }
            None => self.wait(now),
        }
    }

    fn connect_packet<'a>(&'a self, client_id: &'a str, token: Option<&'a str>) -> Connect<'a> {
        let config = &*self.config;
        let will = config.will.as_ref().map(|will| Will {
            topic: &will.topic,
            payload: &will.payload,
            qos: will.qos,
            retain: will.retain,
            delay: config::whole_seconds(will.delay),
            message_expiry: None,
            properties: Vec::new(),
        });
        let user = config.user.as_ref();
        let password = user.and_then(|user| user.password.as_deref());
        Connect {
            clean_start: config.clean_start || self.session.must_restart,
            keep_alive: config.keep_alive_seconds,
            will,
            session_expiry: config.session_expiry_seconds(),
            receive_maximum: config.receive_maximum.max(1),
            maximum_packet_size: config.maximum_packet_size,
            topic_alias_maximum: if config.topic_alias { TOPIC_ALIASES } else { 0 },
            user_name: user.map(|user| &*user.name).or(token.map(|_| NOBODY)),
            password: token.map(str::as_bytes).or(password),
            ..Connect::new(config.version, client_id)
        }
    }

    /// Waits for the time of the next connection.
    fn wait(&mut self, now: Instant) {
        let Reconnect { first, longest } = self.config.reconnect;
        let doubled = first.as_nanos().saturating_mul(1 << self.failures.min(32));
        let longest = Duration::from_nanos(doubled.min(longest.as_nanos()));
        let half = Duration::from_nanos(longest.as_nanos() / 2);
        self.failures = self.failures.saturating_add(1);
        let until = now + self.random.uniform(half, longest);
        self.phase = Phase::Waiting { until };
    }

    /// The connection broke: of what went by it unacknowledged nobody knows whether it arrived.
    fn broken(&mut self, now: Instant) {
        let link = self.link.as_mut();
        let unconfirmed = link.map(|link| mem::take(&mut link.unconfirmed));
        for id in unconfirmed.unwrap_or_default().messages() {
            self.fail(id, FailureReason::ConnectionLost);
        }
        self.lost(now);
    }

    /// The connection is gone.
    fn lost(&mut self, now: Instant) {
        self.take_back_data();
        self.link = None;
        let is_lasting = self.config.presence == Presence::Lasting;
        if is_lasting && self.config.qos == Qos::AtMostOnce {
            while let Some(message) = self.session.exchanges.queue.pop() {
                self.fail(message.id, FailureReason::ConnectionLost);
            }
        }
        match self.phase {
            _ if self.is_stopped => self.phase = Phase::Off,
            _ if self.may_sleep() => self.phase = Phase::Off,
            // Messages came while the connection ended as it should.
            Phase::Closing {
                as_planned: true, ..
            } => self.phase = Phase::Waiting { until: now },
            _ => self.wait(now),
        }
        let lost = self.standing.lose(self.phase == Phase::Off);
        self.tell(lost);
    }

    /// Whether there is nothing to be connected for.
    fn may_sleep(&self) -> bool {
        let is_known = match self.config.presence {
            Presence::Lasting => false,
            Presence::OnDemand => true,
            Presence::Recurring => self.session.is_subscribed,
        };
        let mut data = self.link.iter().flat_map(|link| &link.data);
        is_known && self.session.exchanges.is_idle() && data.all(DataStream::is_idle)
    }

    const fn is_closing(&self) -> bool {
        matches!(self.phase, Phase::Closing { .. })
    }

    /// Ends the connection at once.
    fn reset(&mut self, now: Instant, reason: ResetReason, transport: &mut dyn Transport) {
        if let Some(link) = &self.link {
            transport.reset(now, link.connection, reason);
        }
        self.broken(now);
    }

    /// Says why, if the version has words for it, and that no more will come.
    fn close(
        &mut self,
        now: Instant,
        reason: ReasonCode,
        as_planned: bool,
        transport: &mut dyn Transport,
    ) {
        let version = self.config.version;
        // MQTT 3.1.1 has a DISCONNECT for the case that all is well, and none for errors.
        if version == Version::V5 || reason == ReasonCode::SUCCESS {
            let bytes = Disconnect::new(reason).write(version);
            self.say(now, &[chunk(&bytes, Cause::SessionTearDown)], transport);
        }
        if let Some(link) = &mut self.link {
            let connection = link.connection;
            link.control.outbox.finish(now, transport, connection);
        }
        let until = now + CLOSE_TIMEOUT;
        self.phase = Phase::Closing { until, as_planned };
    }

    /// Says good-bye, and does not come back.
    fn stop(&mut self, now: Instant, transport: &mut dyn Transport) {
        self.is_stopped = true;
        if self.link.is_some() {
            self.close(now, ReasonCode::SUCCESS, true, transport);
        } else {
            self.standing = Standing::Away;
            self.phase = Phase::Off;
        }
    }

    /// The power failed. What was in flight and what waited is gone, unless it is kept on flash.
    fn crash(&mut self, survives: Survives) {
        self.take_back_data();
        if self.link.take().is_some() {
            let lost = self.standing.lose(true);
            self.tell(lost);
        }
        self.standing = Standing::Away;
        self.phase = Phase::Off;
        self.failures = 0;
        if !survives.sessions.is_durable() {
            self.session = Session::new();
        }
    }

    /// The host is on, for the first time or again.
    fn start(&mut self, now: Instant, transport: &mut dyn Transport) {
        self.is_stopped = false;
        match self.config.presence {
            Presence::Lasting | Presence::Recurring => self.connect(now, transport),
            Presence::OnDemand => self
                .outputs
                .push(ApplicationOutput::Ready(self.device, ChannelSet::ALL)),
        }
    }

    fn timeout(&mut self, now: Instant, transport: &mut dyn Transport) {
        match self.phase {
            Phase::Waiting { until } if until <= now => self.connect(now, transport),
            Phase::Connecting { until }
            | Phase::Subscribing { until }
            | Phase::Ending { until }
            | Phase::Closing { until, .. }
                if until <= now =>
            {
                self.reset(now, ResetReason::NotNeeded, transport);
            }
            Phase::Ready if self.is_worn_out(now) => {
                self.close(now, ReasonCode::SUCCESS, true, transport);
            }
            Phase::Ready => self.keep_alive(now, transport),
            _ => {}
        }
    }

    /// Whether another connection is to take the place of this one.
    fn is_worn_out(&self, now: Instant) -> bool {
        let ends_at = self.link.as_ref().and_then(|link| link.ends_at);
        ends_at.is_some_and(|at| at <= now)
    }

    fn deadline(&self) -> Option<Instant> {
        match self.phase {
            Phase::Off => None,
            Phase::Waiting { until }
            | Phase::Connecting { until }
            | Phase::Subscribing { until }
            | Phase::Ending { until }
            | Phase::Closing { until, .. } => Some(until),
            Phase::Ready => {
                let link = self.link.as_ref()?;
                let deadlines = [link.keep_alive.deadline(), link.ends_at];
                deadlines.into_iter().flatten().min()
            }
        }
    }

    fn on_transport(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        event: TransportEvent,
        transport: &mut dyn Transport,
    ) {
        // What is said of an earlier connection does not matter any more.
        if self.link.as_ref().map(|link| link.connection) != Some(connection) {
            return;
        }
        match event {
            TransportEvent::Readable(stream) => self.receive(now, connection, stream, transport),
            TransportEvent::Writable(stream) => self.pump(now, stream, transport),
            TransportEvent::StreamsAllowed => self.pump_control(now, transport),
            TransportEvent::StreamReset(stream, _) => self.data_ended(now, stream, transport),
            TransportEvent::Closed(CloseReason::Finished) => self.lost(now),
            TransportEvent::Closed(_) => self.broken(now),
            TransportEvent::Established(how) => {
                if let Some(link) = &mut self.link {
                    link.established = how;
                }
            }
            TransportEvent::DatagramReadable => self.receive_datagrams(now, connection, transport),
            TransportEvent::StreamOpened(..) | TransportEvent::Rebound | TransportEvent::Moved => {}
        }
    }

    fn emit(&mut self, event: MessageEvent) {
        self.outputs.push(ApplicationOutput::Event(event));
    }

    fn tell(&mut self, change: SessionChange) {
        let device = self.device;
        self.emit(MessageEvent::Session(SessionEvent { device, change }));
    }

    fn fail(&mut self, id: MessageId, reason: FailureReason) {
        self.emit(MessageEvent::Failed { id, reason });
    }
}

/// How many topic aliases a client knows that uses them.
const TOPIC_ALIASES: u16 = 10;

impl Application for MqttClient {
    /// Messages that come have to be acknowledged, by TCP if not by MQTT.
    fn awaits(&self) -> Awaited {
        let is_done = match (self.phase, self.link.as_deref()) {
            (Phase::Off, _) => true,
            (Phase::Ready, Some(link)) => {
                let mut streams = link.data.iter().map(|it| &it.exchanges);
                self.session.exchanges.is_done()
                    && streams.all(Exchanges::is_done)
                    && link.awaited.is_empty()
                    && !link.keep_alive.is_waiting()
            }
            _ => false,
        };
        Awaited::nothing_if(is_done)
    }

    fn refusal(&self) -> Option<Refusal> {
        let reason = self.turned_away?;
        Some(Refusal::Connack(match self.config.version {
            Version::V3_1_1 => reason.connack_return_code().unwrap_or(reason.0),
            Version::V5 => reason.0,
        }))
    }

    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport) {
        match input {
            ApplicationInput::Start => self.start(now, transport),
            ApplicationInput::Stop => self.stop(now, transport),
            ApplicationInput::Crash(survives) => self.crash(survives),
            ApplicationInput::Transport(connection, event) => {
                self.on_transport(now, connection, event, transport);
            }
            ApplicationInput::Send(message) => self.send(now, message, transport),
            ApplicationInput::Timeout => self.timeout(now, transport),
        }
    }

    fn poll(&mut self, _now: Instant, _transport: &mut dyn Transport) -> ApplicationOutput {
        self.outputs
            .pop()
            .unwrap_or_else(|| ApplicationOutput::WaitUntil(self.deadline()))
    }
}
