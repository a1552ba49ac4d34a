use std::cell::RefCell;
use std::rc::Rc;

use lasthop_broker::Ticket;
use lasthop_contract::ShortQueue;

use crate::{Change, LoggedMessage, Record, Store, StoreError};

/// A store in memory that settles messages at once, for simulated runs. Its copies share one store.
#[derive(Clone, Debug, Default)]
pub struct MemoryStore {
    inner: Rc<RefCell<Inner>>,
}

#[derive(Debug, Default)]
struct Inner {
    log: Vec<LoggedMessage>,
    changes: ShortQueue<Change>,
    settled: ShortQueue<(Ticket, Result<(), StoreError>)>,
    tickets: u64,
    capacity: Option<usize>,
}

impl MemoryStore {
    /// Creates a store that is full after this number of messages.
    #[must_use]
    pub fn with_capacity(messages: usize) -> Self {
        let store = Self::default();
        store.inner.borrow_mut().capacity = Some(messages);
        store
    }

    /// Adds a change by another process.
    pub fn change(&self, change: Change) {
        self.inner.borrow_mut().changes.push(change);
    }

    /// Returns the messages from this position on.
    #[must_use]
    pub fn messages_from(&self, offset: u64) -> Vec<LoggedMessage> {
        let inner = self.inner.borrow();
        let from = inner.log.iter().filter(|message| message.offset >= offset);
        from.cloned().collect()
    }
}

impl Store for MemoryStore {
    fn keep(&mut self, record: Record<'_>) -> Result<Ticket, StoreError> {
        let inner = &mut *self.inner.borrow_mut();
        inner.tickets += 1;
        let ticket = Ticket(inner.tickets);
        let has_room = inner.capacity.is_none_or(|most| inner.log.len() < most);
        if has_room {
            inner.log.push(LoggedMessage {
                offset: inner.log.len() as u64 + 1,
                device: record.device.text().into(),
                at: record.at,
                kind: record.kind,
                folder: record.folder.into(),
                payload: record.payload.into(),
            });
        }
        let outcome = has_room.then_some(()).ok_or(StoreError::Failed);
        inner.settled.push((ticket, outcome));
        Ok(ticket)
    }

    fn next_settled(&mut self) -> Option<(Ticket, Result<(), StoreError>)> {
        self.inner.borrow_mut().settled.pop()
    }

    fn next_change(&mut self) -> Option<Change> {
        self.inner.borrow_mut().changes.pop()
    }
}
