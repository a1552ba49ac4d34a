use lasthop_contract::MessageId;
use lasthop_units::Instant;

/// What happened to one message, in order: the answer to "why did this one take so long?".
#[derive(Clone, Debug)]
pub struct Timeline {
    message: MessageId,
    entries: Vec<TimelineEntry>,
}

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimelineEntry {
    /// When.
    pub at: Instant,
    /// Where: the device, the server, or the path up or down.
    pub place: &'static str,
    /// What.
    pub what: String,
}

impl Timeline {
    /// The time line of a message.
    #[must_use]
    pub fn of(message: MessageId) -> Self {
        Self {
            message,
            entries: Vec::new(),
        }
    }

    /// What happened, in order.
    #[must_use]
    pub fn entries(&self) -> &[TimelineEntry] {
        &self.entries
    }

    pub(crate) fn concerns(&self, mut messages: impl Iterator<Item = MessageId>) -> bool {
        messages.any(|message| message == self.message)
    }

    pub(crate) fn add(&mut self, at: Instant, place: &'static str, what: String) {
        self.entries.push(TimelineEntry { at, place, what });
    }
}
