use std::collections::VecDeque;

use lasthop_contract::MessageId;
use lasthop_units::Instant;

use crate::exchange::ExchangeId;

/// What waits for a device that asks for its messages, and the request that waits for them.
#[derive(Debug, Default)]
pub(super) struct Inbox {
    /// Those that were given stay until the device says that it has them.
    messages: VecDeque<(MessageId, Vec<u8>)>,
    /// How many of the first were given, and how often.
    given: (usize, u16),
    /// Who waits, and until when.
    waiting: Option<(ExchangeId, Instant)>,
}

/// Messages that are given together.
#[derive(Debug)]
pub(super) struct Given {
    /// Who waited for them, and until when.
    pub(super) to: (ExchangeId, Instant),
    pub(super) messages: Vec<(MessageId, Vec<u8>)>,
    /// How often they were given, this time included.
    pub(super) attempt: u16,
}

impl Inbox {
    /// Adds a message for the device.
    pub(super) fn push(&mut self, id: MessageId, payload: &[u8]) {
        self.messages.push_back((id, payload.to_vec()));
    }

    /// The device says which message came last: it has all that were given before, too. Gives them.
    pub(super) fn acknowledge(&mut self, last: MessageId) -> Vec<MessageId> {
        let mut given = self.messages.iter().take(self.given.0);
        let Some(place) = given.position(|(id, _)| *id == last) else {
            return Vec::new();
        };
        self.given = (0, 0);
        self.messages.drain(..=place).map(|(id, _)| id).collect()
    }

    /// A request waits for the next message until then; gives the one that waited before.
    pub(super) fn wait(
        &mut self,
        exchange: ExchangeId,
        until: Instant,
    ) -> Option<(ExchangeId, Instant)> {
        self.waiting.replace((exchange, until))
    }

    /// Whoever waits until now or longer ago.
    pub(super) fn take_expired(&mut self, now: Instant) -> Option<ExchangeId> {
        let (exchange, _) = self.waiting.filter(|(_, until)| *until <= now)?;
        self.waiting = None;
        Some(exchange)
    }

    /// Nobody awaits an exchange any more.
    pub(super) fn forget(&mut self, exchange: ExchangeId) {
        if self.waiting.is_some_and(|(waiting, _)| waiting == exchange) {
            self.waiting = None;
        }
    }

    /// What is to be given, where somebody waits for it: what was given before and may have been lost, or all that waits.
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

    /// The messages that wait, which nobody will get.
    pub(super) fn messages(&self) -> impl Iterator<Item = MessageId> {
        self.messages.iter().map(|(id, _)| *id)
    }
}
