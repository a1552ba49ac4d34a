use std::sync::Arc;

use lasthop_contract::{LookupMap, TimerQueue};
use lasthop_units::{DataSize, Instant};
use thiserror::Error;

use crate::{
    Message, MessageQueue, QueuedMessage, RetainedMessages, Session, SessionId, Slots,
    SubscriptionMatch, SubscriptionOptions, SubscriptionTree, TopicFilter,
};

/// Identities, subscriptions, retained messages, and sessions with what waits for them.
///
/// A session is connected or parked. A parked one ends at the instant that it was parked with.
#[derive(Debug)]
pub struct BrokerCore<S> {
    limits: BrokerLimits,
    sessions: Slots<Session<S>>,
    by_client_id: LookupMap<Arc<str>, SessionId>,
    tree: SubscriptionTree<SessionId>,
    retained: RetainedMessages,
    endings: TimerQueue<SessionId>,
}

/// What a broker holds at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BrokerLimits {
    /// Sessions, connected and parked.
    pub sessions: usize,
    /// Filters of one session.
    pub subscriptions_per_session: usize,
    /// Topics with a retained message.
    pub retained_messages: usize,
    /// Messages that wait for one session, beyond those in flight (mosquitto: `max_queued_messages`).
    pub queued_messages: usize,
    /// Bytes that wait for one session (mosquitto: `max_queued_bytes`).
    pub queued_size: DataSize,
}

impl Default for BrokerLimits {
    /// mosquitto 2.0 queues 1,000 messages a session; it bounds nothing else.
    fn default() -> Self {
        Self {
            sessions: 1_000_000,
            subscriptions_per_session: 1000,
            retained_messages: 100_000,
            queued_messages: 1000,
            queued_size: DataSize::from_bytes(64 << 20),
        }
    }
}

/// A limit of the broker is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a limit of the broker is reached")]
pub struct Full;

impl<S> BrokerCore<S> {
    /// A broker that knows nobody.
    #[must_use]
    pub fn new(limits: BrokerLimits) -> Self {
        Self {
            limits,
            sessions: Slots::new(),
            by_client_id: LookupMap::new(),
            tree: SubscriptionTree::new(),
            retained: RetainedMessages::default(),
            endings: TimerQueue::new(),
        }
    }

    /// The session of a client.
    #[must_use]
    pub fn session_of(&self, client_id: &str) -> Option<SessionId> {
        self.by_client_id.get(client_id).copied()
    }

    /// Makes a session for a client that has none; it is connected.
    ///
    /// # Errors
    /// When there are as many sessions as there may be.
    pub fn open(&mut self, client_id: &str, state: S) -> Result<SessionId, Full> {
        if self.sessions.len() >= self.limits.sessions {
            return Err(Full);
        }
        let client_id: Arc<str> = client_id.into();
        let id = SessionId(self.sessions.add(Session {
            state,
            queue: MessageQueue::new(),
            client_id: Arc::clone(&client_id),
            filters: Vec::new(),
            is_connected: true,
            ends_at: None,
        }));
        self.by_client_id.insert(client_id, id);
        Ok(id)
    }

    /// A session.
    #[inline]
    #[must_use]
    pub fn session(&self, id: SessionId) -> Option<&Session<S>> {
        self.sessions.get(id.0)
    }

    /// A session, to be changed.
    #[inline]
    pub fn session_mut(&mut self, id: SessionId) -> Option<&mut Session<S>> {
        self.sessions.get_mut(id.0)
    }

    /// How many sessions there are.
    #[must_use]
    pub fn session_count(&self) -> usize {
        self.sessions.len()
    }

    /// The client has gone; its session ends at `ends_at`, or never.
    pub fn park(&mut self, id: SessionId, ends_at: Option<Instant>) {
        self.set_ending(id, ends_at);
        if let Some(session) = self.sessions.get_mut(id.0) {
            session.is_connected = false;
        }
    }

    /// The client is back.
    pub fn resume(&mut self, id: SessionId) {
        self.set_ending(id, None);
        if let Some(session) = self.sessions.get_mut(id.0) {
            session.is_connected = true;
        }
    }

    /// Ends a session: its identity, subscriptions and queue are gone.
    pub fn end(&mut self, id: SessionId) -> Option<Session<S>> {
        self.set_ending(id, None);
        let session = self.sessions.remove(id.0)?;
        self.by_client_id.remove(&*session.client_id);
        for text in &session.filters {
            if let Ok(filter) = TopicFilter::parse(text) {
                self.tree.unsubscribe(&filter, id);
            }
        }
        Some(session)
    }

    /// When the next parked session ends.
    #[must_use]
    pub fn next_ending(&self) -> Option<Instant> {
        self.endings.next_deadline()
    }

    /// A parked session whose time has come; the caller is to [`end`](Self::end) it.
    pub fn pop_ending(&mut self, now: Instant) -> Option<SessionId> {
        let id = self.endings.pop_due(now)?;
        if let Some(session) = self.sessions.get_mut(id.0) {
            session.ends_at = None;
        }
        Some(id)
    }

    /// Adds a subscription or changes its options; whether it is new.
    ///
    /// # Errors
    /// When the session is gone or has as many subscriptions as it may.
    pub fn subscribe(
        &mut self,
        id: SessionId,
        filter: &TopicFilter<'_>,
        options: SubscriptionOptions,
    ) -> Result<bool, Full> {
        let session = self.sessions.get_mut(id.0).ok_or(Full)?;
        let is_known = session
            .filters
            .iter()
            .any(|known| **known == *filter.text());
        if !is_known && session.filters.len() >= self.limits.subscriptions_per_session {
            return Err(Full);
        }
        if !is_known {
            if session.filters.is_empty() {
                session.filters.reserve_exact(1);
            }
            session.filters.push(filter.text().into());
        }
        Ok(self.tree.subscribe(filter, id, options))
    }

    /// Takes a subscription out; whether it was there.
    pub fn unsubscribe(&mut self, id: SessionId, filter: &TopicFilter<'_>) -> bool {
        if let Some(session) = self.sessions.get_mut(id.0) {
            session.filters.retain(|known| **known != *filter.text());
        }
        self.tree.unsubscribe(filter, id)
    }

    /// Adds the subscriptions that a topic name matches, those of one session side by side.
    pub fn recipients(&mut self, topic: &str, into: &mut Vec<SubscriptionMatch<SessionId>>) {
        let sessions = &self.sessions;
        let is_connected = |id: SessionId| sessions.get(id.0).is_some_and(Session::is_connected);
        self.tree.collect(topic, is_connected, into);
        if into.len() > 1 {
            into.sort_by_key(|found| found.subscriber);
        }
    }

    /// Puts a message into the queue of a session; whether there was room.
    pub fn enqueue(&mut self, id: SessionId, queued: QueuedMessage) -> bool {
        let max_size = usize::try_from(self.limits.queued_size.as_bytes()).unwrap_or(usize::MAX);
        self.sessions.get_mut(id.0).is_some_and(|session| {
            session
                .queue
                .push(queued, self.limits.queued_messages, max_size)
        })
    }

    /// Retains a message for its topic; one without payload clears the topic (MQTT-3.3.1-6). Whether there was room.
    pub fn retain(&mut self, message: &Arc<Message>) -> bool {
        if message.publication().payload.is_empty() {
            self.retained.forget(message.topic());
            return true;
        }
        self.retained
            .keep(Arc::clone(message), self.limits.retained_messages)
    }

    /// The retained messages of the topics that match, in the order of the topics.
    pub fn retained(&mut self, now: Instant, filter: &TopicFilter<'_>) -> Vec<Arc<Message>> {
        self.retained.matching(now, filter)
    }

    fn set_ending(&mut self, id: SessionId, ends_at: Option<Instant>) {
        let Some(session) = self.sessions.get_mut(id.0) else {
            return;
        };
        if let Some(armed) = session.ends_at {
            self.endings.disarm(armed, id);
        }
        session.ends_at = ends_at;
        if let Some(at) = ends_at {
            self.endings.arm(at, id);
        }
    }
}
