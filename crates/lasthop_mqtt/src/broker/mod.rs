//! The broker: many clients behind one port.

mod config;
mod connect;
mod connection;
mod data_streams;
mod datagrams;
mod deliver;
mod end;
mod kept;
mod publish;
mod pump;
mod receive;
mod sending;
mod session;
mod subscribe;
mod turns;

use std::collections::BTreeMap;

use lasthop_broker::{
    BrokerCore, BrokerService, Keeper, Matches, SessionId, Sessions, Slots, Subscriber, Ticket,
};
use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, CloseReason, ConnectionId, HeldBytes,
    LookupMap, MessageEvent, RandomStream, SessionChange, SessionEvent, ShortQueue, StreamId,
    TimerQueue, Transport, TransportEvent,
};
use lasthop_units::{DataSize, Duration, Instant};

pub use config::{BrokerCounters, MqttBrokerConfig};
use connection::{Connection, Phase, Role};
use kept::Awaiting;
pub use sending::Sending;
use session::SessionState;
use turns::Turns;

use crate::PORT;
use crate::topic::device_of;

/// A broker that listens on [`PORT`](crate::PORT), and may itself be the destination or a publisher.
///
/// What it does for a packet does not depend on how many connections there are, and a silent connection costs nothing.
#[derive(Debug)]
pub struct MqttBroker {
    config: MqttBrokerConfig,
    random: RandomStream,
    core: BrokerService,
    keeper: Option<Box<dyn Keeper>>,
    /// What is not kept yet, with who awaits an acknowledgement.
    unkept: BTreeMap<Ticket, Awaiting>,
    sessions: Sessions<SessionState>,
    connections: Slots<Connection>,
    /// The places of first streams.
    by_id: LookupMap<ConnectionId, u32>,
    /// The places of further streams.
    data_streams: BTreeMap<(ConnectionId, StreamId), u32>,
    timers: TimerQueue<Timer>,
    turns: Turns,
    /// Where that is limited: what of connections is unfinished.
    pending: Option<Box<HeldBytes<u32>>>,
    counters: BrokerCounters,
    outputs: ShortQueue<ApplicationOutput>,
    /// Those who want the publication at hand.
    matches: Matches<Subscriber>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Timer {
    /// A connection at this place may be silent too long, or not be closed by its client.
    Connection(u32),
    /// The will of a session is due.
    Will(SessionId),
}

/// How much may wait for a client that does not read, until we do not read from it either.
const OUTBOX_LIMIT: usize = 256 << 10;

fn pending_of(most: DataSize) -> Box<HeldBytes<u32>> {
    Box::new(HeldBytes::new(
        usize::try_from(most.as_bytes()).unwrap_or(usize::MAX),
    ))
}

/// Says something of the session of a client, where it is a device of ours.
fn tell(outputs: &mut ShortQueue<ApplicationOutput>, client_id: &str, change: SessionChange) {
    if let Some(device) = device_of(client_id) {
        let event = MessageEvent::Session(SessionEvent { device, change });
        outputs.push(ApplicationOutput::Event(event));
    }
}

/// How long a client may take to close. As Linux gives an orphaned FIN-WAIT-2 (`tcp_fin_timeout`).
const CLOSE_TIMEOUT: Duration = Duration::from_secs(60);

impl MqttBroker {
    /// A broker with a core of its own. Its stream of random numbers is for the identifiers that it gives clients.
    #[must_use]
    pub fn new(config: MqttBrokerConfig, random: RandomStream) -> Self {
        Self::at(BrokerCore::of_one_service(config.limits), config, random)
    }

    /// Creates it as one of the services that share a core.
    #[must_use]
    pub fn at(core: BrokerService, config: MqttBrokerConfig, random: RandomStream) -> Self {
        Self {
            config,
            random,
            core,
            keeper: None,
            unkept: BTreeMap::new(),
            sessions: Sessions::new(config.limits),
            connections: Slots::new(),
            by_id: LookupMap::new(),
            data_streams: BTreeMap::new(),
            timers: TimerQueue::new(),
            turns: Turns::default(),
            pending: config.limits.pending_size.map(pending_of),
            counters: BrokerCounters::default(),
            outputs: ShortQueue::new(),
            matches: Matches::new(),
        }
    }

    /// Acknowledges publications only after the keeper has stored them.
    #[must_use]
    pub fn kept_by(mut self, keeper: Box<dyn Keeper>) -> Self {
        self.keeper = Some(keeper);
        self
    }

    /// Returns the counters.
    #[must_use]
    pub const fn counters(&self) -> BrokerCounters {
        self.counters
    }

    /// Whether it holds no connection, no stream of one and no session.
    #[must_use]
    pub fn is_free(&self) -> bool {
        let streams = self.connections.len() + self.data_streams.len();
        streams + self.sessions.count() == 0
    }

    /// Returns the number of sessions, connected and parked.
    #[must_use]
    pub fn session_count(&self) -> usize {
        self.sessions.count()
    }

    fn accept(
        &mut self,
        now: Instant,
        id: ConnectionId,
        stream: StreamId,
        transport: &mut dyn Transport,
    ) {
        if let Some(control) = self.by_id.get(&id).copied() {
            self.accept_data(now, id, control, stream, transport);
            return;
        }
        let connection = Connection::new(id, Role::Control, stream, now);
        let place = self.connections.add(connection);
        self.by_id.insert(id, place);
        self.arm(place, now + self.config.connect_timeout);
    }

    /// Sees to a connection at this instant, or earlier if that is armed already.
    fn arm(&mut self, place: u32, at: Instant) {
        let Some(connection) = self.connections.get_mut(place) else {
            return;
        };
        if let Some(armed) = connection.armed {
            if armed <= at {
                return;
            }
            self.timers.disarm(armed, Timer::Connection(place));
        }
        connection.armed = Some(at);
        self.timers.arm(at, Timer::Connection(place));
    }

    fn on_transport(
        &mut self,
        now: Instant,
        id: ConnectionId,
        event: TransportEvent,
        transport: &mut dyn Transport,
    ) {
        if let TransportEvent::Established(_) | TransportEvent::StreamOpened(..) = event {
            // CONNECT comes by the first stream.
            if let Some(stream) = event.new_stream(id, transport) {
                self.accept(now, id, stream, transport);
            }
            return;
        }
        let Some(control) = self.by_id.get(&id).copied() else {
            return;
        };
        match event {
            TransportEvent::Readable(stream) => {
                if let Some(place) = self.place_of(control, stream) {
                    self.receive(now, place, transport);
                    self.weigh(now, place, transport);
                }
            }
            TransportEvent::Writable(stream) => {
                if let Some(place) = self.place_of(control, stream) {
                    self.writable(now, place, transport);
                    self.weigh(now, place, transport);
                }
            }
            TransportEvent::StreamReset(stream, _) => {
                if let Some(place) = self.place_of(control, stream) {
                    self.reset_by_peer(now, place, transport);
                }
            }
            TransportEvent::Closed(CloseReason::Finished) => self.gone(now, control, transport),
            TransportEvent::Closed(_) => self.broken(now, control, transport),
            TransportEvent::DatagramReadable => self.receive_datagrams(now, control, transport),
            TransportEvent::Established(_)
            | TransportEvent::StreamOpened(..)
            | TransportEvent::StreamsAllowed
            | TransportEvent::Rebound
            | TransportEvent::Moved => {}
        }
    }

    fn writable(&mut self, now: Instant, place: u32, transport: &mut dyn Transport) {
        let Some(connection) = self.connections.get_mut(place) else {
            return;
        };
        let was_paused = connection.outbox.size() > OUTBOX_LIMIT;
        connection.flush(now, transport);
        let is_paused = connection.outbox.size() > OUTBOX_LIMIT;
        match (connection.phase, connection.role) {
            (Phase::Serving(session), _) => self.pump(now, session, transport),
            (Phase::Closing, Role::Data(_)) => self.forget_if_said(place),
            _ => {}
        }
        if was_paused && !is_paused {
            self.receive(now, place, transport);
        }
    }

    fn timeout(&mut self, now: Instant, transport: &mut dyn Transport) {
        while let Some(timer) = self.timers.pop_due(now) {
            match timer {
                Timer::Connection(place) => self.check_connection(now, place, transport),
                Timer::Will(session) => self.will_due(now, session, transport),
            }
        }
        while let Some(session) = self.sessions.pop_ending(now) {
            self.end_session(now, session, transport);
        }
        self.take_turn(now, transport);
    }

    fn deadline(&self, now: Instant) -> Option<Instant> {
        if self.turns.are_waiting() {
            return Some(now);
        }
        [self.timers.next_deadline(), self.sessions.next_ending()]
            .into_iter()
            .flatten()
            .min()
    }
}

impl Application for MqttBroker {
    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport) {
        self.turns.begin();
        match input {
            ApplicationInput::Start => transport
                .listen(PORT)
                .expect("nobody else listens on this host"),
            ApplicationInput::Transport(id, event) => {
                self.on_transport(now, id, event, transport);
            }
            ApplicationInput::Stop => self.stop(now, transport),
            ApplicationInput::Crash(survives) => self.crash(now, survives),
            ApplicationInput::Send(message) => self.send(now, message, transport),
            ApplicationInput::Timeout => self.timeout(now, transport),
        }
    }

    fn poll(&mut self, now: Instant, transport: &mut dyn Transport) -> ApplicationOutput {
        while let Some(delivery) = self.core.next_delivery() {
            self.deliver_from_others(now, &delivery, transport);
        }
        self.hear_keeper(now, transport);
        self.hear_authority(now, transport);
        self.outputs
            .pop()
            .unwrap_or_else(|| ApplicationOutput::WaitUntil(self.deadline(now)))
    }
}
