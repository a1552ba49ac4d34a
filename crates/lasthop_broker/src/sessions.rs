use std::sync::Arc;

use lasthop_contract::{LookupMap, TimerQueue};
use lasthop_units::{DataSize, Instant};

use crate::shares::{Shares, Short};
use crate::{
    BrokerLimits, Budget, Charge, Full, Holder, Message, MessageQueue, QueuedMessage, Session,
    SessionId, Slots, TopicFilter,
};

/// The fixed cost of a filter in bytes, in addition to its text.
pub const FILTER_COST: u64 = 128;

/// The sessions of a protocol: clients, queues and expiry.
///
/// A session is connected or parked. A parked one ends at the instant that it was parked with. `S` is what the protocol
/// keeps of each.
#[derive(Debug)]
pub struct Sessions<S> {
    limits: BrokerLimits,
    slots: Slots<Session<S>>,
    by_client_id: LookupMap<Arc<str>, SessionId>,
    endings: TimerQueue<SessionId>,
    /// The parked ones by their holders.
    parked: Shares<SessionId>,
    budget: Budget,
    /// What all filters cost.
    filters_size: DataSize,
}

impl<S> Sessions<S> {
    /// Creates an empty table.
    #[must_use]
    pub fn new(limits: BrokerLimits) -> Self {
        Self {
            limits,
            slots: Slots::new(),
            by_client_id: LookupMap::new(),
            endings: TimerQueue::new(),
            parked: Shares::new(),
            budget: Budget::new(limits.kept_size, limits.kept_size_of_one),
            filters_size: DataSize::ZERO,
        }
    }

    /// Returns the first session of a client.
    #[must_use]
    pub fn of(&self, client_id: &str) -> Option<SessionId> {
        self.by_client_id.get(client_id).copied()
    }

    /// Creates a connected session for a client without one.
    ///
    /// # Errors
    /// When there are as many sessions as there may be: then the caller may [`end`](Self::end) the
    /// [first to go](Self::first_to_go).
    pub fn open(&mut self, client_id: &str, holder: Holder, state: S) -> Result<SessionId, Full> {
        let client_id: Arc<str> = client_id.into();
        let id = self.add(Arc::clone(&client_id), holder, state)?;
        self.by_client_id.insert(client_id, id);
        Ok(id)
    }

    /// Creates another session for the client of session `first`, with its own subscriptions and queue. A lookup by the
    /// client ID still finds the first session.
    ///
    /// # Errors
    /// When the first one is gone, or there are as many as there may be.
    pub fn open_beside(&mut self, first: SessionId, state: S) -> Result<SessionId, Full> {
        let first = self.get(first).ok_or(Full)?;
        let (client_id, holder) = (Arc::clone(&first.client_id), first.holder);
        self.add(client_id, holder, state)
    }

    fn add(&mut self, client_id: Arc<str>, holder: Holder, state: S) -> Result<SessionId, Full> {
        if self.slots.len() >= self.limits.sessions {
            return Err(Full);
        }
        Ok(SessionId(self.slots.add(Session {
            state,
            queue: MessageQueue::new(),
            client_id,
            filters: Vec::new(),
            is_connected: true,
            holder,
            parked: None,
            ends_at: None,
        })))
    }

    /// Returns a session.
    #[inline]
    #[must_use]
    pub fn get(&self, id: SessionId) -> Option<&Session<S>> {
        self.slots.get(id.0)
    }

    /// Returns a session for modification.
    #[inline]
    pub fn get_mut(&mut self, id: SessionId) -> Option<&mut Session<S>> {
        self.slots.get_mut(id.0)
    }

    /// Returns the number of clients with a session.
    #[must_use]
    pub fn count(&self) -> usize {
        self.by_client_id.len()
    }

    /// Parks the session of a client that has left. It ends at `ends_at`, or never.
    pub fn park(&mut self, id: SessionId, ends_at: Option<Instant>) {
        self.set_ending(id, ends_at);
        if let Some(session) = self.slots.get_mut(id.0) {
            session.is_connected = false;
            if session.parked.is_none() {
                session.parked = Some(self.parked.add(session.holder, id, 1));
            }
        }
    }

    /// Marks a session as connected again, and charges it to this holder from now on.
    pub fn resume(&mut self, id: SessionId, holder: Holder) {
        self.set_ending(id, None);
        if let Some(session) = self.slots.get_mut(id.0) {
            session.is_connected = true;
            session.holder = holder;
            if let Some(place) = session.parked.take() {
                self.parked.remove(place);
            }
        }
    }

    /// Returns the session to evict: the oldest parked session of the holder with the largest number of sessions.
    #[must_use]
    pub fn first_to_go(&self) -> Option<SessionId> {
        self.parked.first_to_go(Short::Number)
    }

    /// Ends a session and removes its queue. Its subscriptions belong to the core.
    pub fn end(&mut self, id: SessionId) -> Option<Session<S>> {
        self.set_ending(id, None);
        let session = self.slots.remove(id.0)?;
        if let Some(place) = session.parked {
            self.parked.remove(place);
        }
        if self.of(&session.client_id) == Some(id) {
            self.by_client_id.remove(&*session.client_id);
        }
        for filter in &session.filters {
            self.filters_size = self.filters_size - cost_of(filter);
        }
        Some(session)
    }

    /// Returns when the next parked session ends.
    #[must_use]
    pub fn next_ending(&self) -> Option<Instant> {
        self.endings.next_deadline()
    }

    /// Returns a parked session that has expired. The caller must [`end`](Self::end) it.
    pub fn pop_ending(&mut self, now: Instant) -> Option<SessionId> {
        let id = self.endings.pop_due(now)?;
        if let Some(session) = self.slots.get_mut(id.0) {
            session.ends_at = None;
        }
        Some(id)
    }

    /// Adds a filter to a session, if the session does not have it yet.
    ///
    /// # Errors
    /// When the session is gone or has as many as it may, or all together have.
    pub fn note_filter(&mut self, id: SessionId, filter: &TopicFilter<'_>) -> Result<(), Full> {
        let session = self.slots.get_mut(id.0).ok_or(Full)?;
        let mut filters = session.filters.iter();
        if filters.any(|known| **known == *filter.text()) {
            return Ok(());
        }
        let filters_size = self.filters_size + cost_of(filter.text());
        if session.filters.len() >= self.limits.subscriptions_per_session
            || filters_size > self.limits.subscriptions_size
        {
            return Err(Full);
        }
        self.filters_size = filters_size;
        if session.filters.is_empty() {
            session.filters.reserve_exact(1);
        }
        session.filters.push(filter.text().into());
        Ok(())
    }

    /// Removes a filter from a session.
    pub fn forget_filter(&mut self, id: SessionId, filter: &TopicFilter<'_>) {
        let Some(session) = self.slots.get_mut(id.0) else {
            return;
        };
        let mut filters = session.filters.iter();
        if let Some(place) = filters.position(|known| **known == *filter.text()) {
            session.filters.remove(place);
            self.filters_size = self.filters_size - cost_of(filter.text());
        }
    }

    /// Returns how many more messages fit the queue of a session.
    #[must_use]
    pub fn queue_room(&self, id: SessionId) -> usize {
        let session = self.slots.get(id.0);
        session.map_or(0, |session| {
            let waiting = session.queue.len();
            self.limits.queued_messages.saturating_sub(waiting)
        })
    }

    /// Returns the budget of all sessions.
    #[must_use]
    pub const fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Charges a message to a session unless it is already charged; returns whether there was room.
    pub fn charge(
        &self,
        id: SessionId,
        message: &Arc<Message>,
        charge: &mut Option<Box<Charge>>,
    ) -> bool {
        if charge.is_some() || !self.budget.is_limited() {
            return true;
        }
        let Some(session) = self.slots.get(id.0) else {
            return false;
        };
        let taken = self.budget.take(session.holder, message);
        taken.map(|taken| *charge = taken).is_ok()
    }

    /// Queues a message for a session; returns whether there was room.
    pub fn enqueue(&mut self, id: SessionId, mut queued: QueuedMessage) -> bool {
        if !self.charge(id, &queued.message, &mut queued.charge) {
            return false;
        }
        let max_size = usize::try_from(self.limits.queued_size.as_bytes()).unwrap_or(usize::MAX);
        self.slots.get_mut(id.0).is_some_and(|session| {
            session
                .queue
                .push(queued, self.limits.queued_messages, max_size)
        })
    }

    fn set_ending(&mut self, id: SessionId, ends_at: Option<Instant>) {
        let Some(session) = self.slots.get_mut(id.0) else {
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

fn cost_of(filter: &str) -> DataSize {
    DataSize::from_bytes(filter.len() as u64 + FILTER_COST)
}
