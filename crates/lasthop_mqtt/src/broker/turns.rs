use std::collections::{BTreeMap, VecDeque};

use lasthop_broker::{QueuedMessage, RetainedSearch, SessionId, SubscriptionOptions, TopicFilter};
use lasthop_contract::{ConnectionId, Transport};
use lasthop_units::Instant;

use super::MqttBroker;
use super::subscribe::subscription_ids;

/// Work that is put off so that no client keeps the others waiting.
///
/// In its turn a connection has so many units of work done: each retained topic that is looked at, each subscription
/// that a publication matches and each 16 bytes that are read are one. What is left is done in later turns, one after the other, and nothing more is
/// read from the connection before.
#[derive(Debug, Default)]
pub(super) struct Turns {
    /// Units of the turn that goes on.
    spent: usize,
    put_off: Option<Box<PutOff>>,
}

/// What is there as long as it holds anything.
#[derive(Debug, Default)]
struct PutOff {
    /// In the order of its turns.
    waiting: VecDeque<Work>,
    /// Searches of sessions that are not over.
    searches: BTreeMap<SessionId, VecDeque<Search>>,
    unchecked: Unchecked,
}

/// Connections whose clients are being authenticated.
#[derive(Debug, Default)]
struct Unchecked {
    connections: Vec<(u32, ConnectionId)>,
    /// How many checks were over when the first of them began to wait.
    checks_done: u64,
}

#[derive(Clone, Copy, Debug)]
enum Work {
    /// Retained messages of a session are searched for.
    Search(SessionId),
    /// Packets of a connection are read on. Others may have its place by then.
    Read(u32, ConnectionId),
}

/// The retained messages of a subscription.
#[derive(Debug)]
struct Search {
    retained: RetainedSearch,
    options: SubscriptionOptions,
}

/// Units of a turn.
const TURN: usize = 10_000;

impl Turns {
    /// Another connection has its turn.
    #[inline]
    pub(super) fn begin(&mut self) {
        self.spent = 0;
    }

    /// Work is done in this turn.
    #[inline]
    pub(super) fn spend(&mut self, units: usize) {
        self.spent += units;
    }

    /// Whether something is put off.
    #[inline]
    pub(super) fn are_waiting(&self) -> bool {
        let put_off = self.put_off.as_ref();
        put_off.is_some_and(|it| !it.waiting.is_empty())
    }

    fn are_searching(&self) -> bool {
        let put_off = self.put_off.as_ref();
        put_off.is_some_and(|it| !it.searches.is_empty())
    }

    fn has_search(&self, session: SessionId) -> bool {
        let put_off = self.put_off.as_ref();
        put_off.is_some_and(|it| it.searches.contains_key(&session))
    }

    fn searches_of(&mut self, session: SessionId) -> Option<&mut VecDeque<Search>> {
        self.put_off.as_mut()?.searches.get_mut(&session)
    }

    fn put_off(&mut self, work: Work) {
        self.put_off.get_or_insert_default().waiting.push_back(work);
    }

    fn next_work(&mut self) -> Option<Work> {
        let put_off = self.put_off.as_mut()?;
        let work = put_off.waiting.pop_front();
        self.tidy();
        work
    }

    /// A connection waits until its client is authenticated; so many checks were over before it was asked.
    pub(super) fn wait_for_check(&mut self, place: u32, id: ConnectionId, checks_done: u64) {
        let unchecked = &mut self.put_off.get_or_insert_default().unchecked;
        if unchecked.connections.is_empty() {
            unchecked.checks_done = checks_done;
        }
        unchecked.connections.push((place, id));
    }

    /// Since when those wait that are being authenticated: how many checks were over then.
    #[inline]
    pub(super) fn unchecked_since(&self) -> Option<u64> {
        let unchecked = &self.put_off.as_ref()?.unchecked;
        (!unchecked.connections.is_empty()).then_some(unchecked.checks_done)
    }

    /// Those that are being authenticated; they wait no longer.
    pub(super) fn take_unchecked(&mut self) -> Vec<(u32, ConnectionId)> {
        let put_off = self.put_off.as_mut();
        let taken = put_off.map_or_else(Vec::new, |it| {
            core::mem::take(&mut it.unchecked.connections)
        });
        self.tidy();
        taken
    }

    fn tidy(&mut self) {
        let put_off = self.put_off.take();
        self.put_off = put_off.filter(|it| {
            !it.waiting.is_empty()
                || !it.searches.is_empty()
                || !it.unchecked.connections.is_empty()
        });
    }

    fn left(&self) -> usize {
        TURN.saturating_sub(self.spent)
    }

    /// A session has ended.
    pub(super) fn forget(&mut self, session: SessionId) {
        if let Some(put_off) = &mut self.put_off {
            put_off.searches.remove(&session);
            self.tidy();
        }
    }

    /// A session has no such subscription any more.
    pub(super) fn forget_filter(&mut self, session: SessionId, filter: &TopicFilter<'_>) {
        if let Some(searches) = self.searches_of(session) {
            searches.retain(|search| search.retained.filter() != filter.text());
        }
    }

    /// Notes that the retained messages of a subscription are to be searched for.
    pub(super) fn search(
        &mut self,
        session: SessionId,
        filter: &TopicFilter<'_>,
        options: SubscriptionOptions,
    ) {
        let retained = RetainedSearch::of(filter);
        let put_off = self.put_off.get_or_insert_default();
        let searches = put_off.searches.entry(session).or_default();
        searches.push_back(Search { retained, options });
    }
}

impl MqttBroker {
    /// Searches for the retained messages of a session, unless others wait for their turns.
    pub(super) fn search_first(&mut self, now: Instant, session: SessionId) {
        let is_known = self.turns.has_search(session);
        if is_known && (self.turns.are_waiting() || !self.search_on(now, session)) {
            self.turns.put_off(Work::Search(session));
        }
    }

    /// Goes on with the searches of a session as far as its turn goes; whether they are over. A search ends where
    /// the queue is full.
    fn search_on(&mut self, now: Instant, session: SessionId) -> bool {
        loop {
            let most_topics = self.turns.left();
            let searches = self.turns.searches_of(session);
            let Some(Search { retained, options }) = searches.and_then(VecDeque::front_mut) else {
                break;
            };
            if most_topics == 0 {
                return false;
            }
            let room = self.sessions.queue_room(session);
            let part =
                self.core
                    .search_retained(now, retained, most_topics, room.saturating_add(1));
            let mut is_over = retained.is_over();
            let options = *options;
            self.turns.spend(part.looked_at.max(1));
            for message in part.messages {
                let queued = QueuedMessage {
                    qos: options.maximum_qos.min(message.qos()),
                    retain: true,
                    ids: subscription_ids(&[options]),
                    message,
                    charge: None,
                };
                if !self.sessions.enqueue(session, queued) {
                    self.counters.dropped += 1;
                    is_over = true;
                    break;
                }
            }
            if is_over && let Some(searches) = self.turns.searches_of(session) {
                searches.pop_front();
            }
        }
        self.turns.forget(session);
        true
    }

    /// Whether the packets behind the one at hand are for a later turn; the turn is noted.
    pub(super) fn put_off(&mut self, place: u32) -> bool {
        if !self.turns.are_searching() && self.turns.left() > 0 {
            return false;
        }
        let Some(id) = self.connections.get(place).map(|connection| connection.id) else {
            return false;
        };
        let session = self.session_at(place);
        let searches = session.is_some_and(|it| self.turns.has_search(it));
        let is_paused = searches || self.turns.left() == 0;
        if is_paused && !searches {
            self.turns.put_off(Work::Read(place, id));
        }
        if is_paused && let Some(connection) = self.connections.get_mut(place) {
            connection.is_paused = true;
        }
        is_paused
    }

    /// Gives what is put off its turn.
    pub(super) fn take_turn(&mut self, now: Instant, transport: &mut dyn Transport) {
        self.turns.begin();
        match self.turns.next_work() {
            None => {}
            Some(Work::Read(place, id)) => {
                let connection = self.connections.get(place);
                if connection.is_some_and(|connection| connection.id == id) {
                    self.read_on(now, place, transport);
                }
            }
            Some(Work::Search(session)) => {
                let is_over = self.search_on(now, session);
                self.pump(now, session, transport);
                if !is_over {
                    self.turns.put_off(Work::Search(session));
                    return;
                }
                let known = self.sessions.get(session);
                if let Some(place) = known.and_then(|it| it.state.connection) {
                    self.read_on(now, place, transport);
                }
            }
        }
    }

    /// Reads on behind the packet at which a connection was paused.
    pub(super) fn read_on(&mut self, now: Instant, place: u32, transport: &mut dyn Transport) {
        let Some(connection) = self.connections.get_mut(place) else {
            return;
        };
        if !core::mem::take(&mut connection.is_paused) {
            return;
        }
        self.feed(now, place, &[], transport);
        self.receive(now, place, transport);
    }
}
