use std::collections::VecDeque;

use lasthop_contract::MessageId;
use lasthop_units::Instant;

use crate::exchange::ExchangeId;

/// The queued messages for a device that polls, and its waiting request.
#[derive(Debug, Default)]
pub(super) struct Inbox {
    /// Those that were given stay until the device says that it has them.
    messages: VecDeque<(MessageId, Vec<u8>)>,
    /// How many of the first were given, and how often.
    given: (usize, u16),
    /// Who waits, and until when.
    waiting: Option<(ExchangeId, Instant)>,
}

/// Messages that are sent in one response.
#[derive(Debug)]
pub(super) struct Given {
    /// The exchange that waited for the messages, and its deadline.
    pub(super) to: (ExchangeId, Instant),
    pub(super) messages: Vec<(MessageId, Vec<u8>)>,
    /// The number of transmissions, including this one.
    pub(super) attempt: u16,
}

impl Inbox {
    /// Adds a message for the device.
    pub(super) fn push(&mut self, id: MessageId, payload: &[u8]) {
        self.messages.push_back((id, payload.to_vec()));
    }

    /// Processes the number of the last message that the device received. Returns all messages that are acknowledged by
    /// it.
    pub(super) fn acknowledge(&mut self, last: MessageId) -> Vec<MessageId> {
        let mut given = self.messages.iter().take(self.given.0);
        let Some(place) = given.position(|(id, _)| *id == last) else {
            return Vec::new();
        };
        self.given = (0, 0);
        self.messages.drain(..=place).map(|(id, _)| id).collect()
    }

    /// Lets a request wait for the next message until a deadline. Returns the request that it replaces.
    pub(super) fn wait(
        &mut self,
        exchange: ExchangeId,
        until: Instant,
    ) -> Option<(ExchangeId, Instant)> {
        self.waiting.replace((exchange, until))
    }

    /// Returns the waiting request if its deadline has passed.
    pub(super) fn take_expired(&mut self, now: Instant) -> Option<ExchangeId> {
        let (exchange, _) = self.waiting.filter(|(_, until)| *until <= now)?;
        self.waiting = None;
        Some(exchange)
    }

    /// Removes an exchange whose client no longer waits.
    pub(super) fn forget(&mut self, exchange: ExchangeId) {
        if self.waiting.is_some_and(|(waiting, _)| waiting == exchange) {
            self.waiting = None;
        }
    }

    /// Returns messages for the waiting request: those sent before without acknowledgement, or else all queued ones.
    pub(super) fn give(&mut self) -> Option<Given> {
        if self.messages.is_empty() {
            return None;
        }
        let to = self.waiting.take()?;
        let count = match self.given {
            (0, _) => self.messages.len(),
            (count, _) => count,
        };
        self.given = (count, self.given.1.saturating_add(1));
        Some(Given {
            to,
            messages: self.messages.iter().take(count).cloned().collect(),
            attempt: self.given.1,
        })
    }

    /// Iterates over the queued messages, which will not be delivered.
    pub(super) fn messages(&self) -> impl Iterator<Item = MessageId> {
        self.messages.iter().map(|(id, _)| *id)
    }
}
