use lasthop_contract::{MessageId, Payload, ShortQueue};

use crate::in_flight::InFlight;
use crate::unreleased::Unreleased;

/// What a client keeps across connections (MQTT 5 §4.1).
#[derive(Debug)]
pub(super) struct Session {
    pub(super) in_flight: InFlight<OwnMessage>,
    pub(super) unreleased: Unreleased<Payload>,
    /// Messages that wait for room: in the transport, or among those in flight.
    pub(super) queue: ShortQueue<OwnMessage>,
    /// Whether the broker and the client have a session in common.
    pub(super) exists: bool,
    /// The broker has a session that the client knows nothing of.
    pub(super) must_restart: bool,
    /// Whether the session has the subscription.
    pub(super) is_subscribed: bool,
}

/// A message of the client's own.
#[derive(Debug)]
pub(super) struct OwnMessage {
    pub(super) id: MessageId,
    pub(super) payload: Box<[u8]>,
    /// How often it has been sent.
    pub(super) attempts: u16,
}

impl Session {
    pub(super) fn new() -> Self {
        Self {
            in_flight: InFlight::new(),
            unreleased: Unreleased::new(),
            queue: ShortQueue::new(),
            exists: false,
            must_restart: false,
            is_subscribed: false,
        }
    }

    /// Begins anew. What was in flight is not known to have arrived: it goes before what waits, as new messages.
    pub(super) fn restart(&mut self) {
        let mut queue = ShortQueue::new();
        for (message, attempts) in self.in_flight.take_all() {
            queue.push(OwnMessage {
                attempts,
                ..message
            });
        }
        while let Some(message) = self.queue.pop() {
            queue.push(message);
        }
        self.queue = queue;
        self.unreleased = Unreleased::new();
        self.is_subscribed = false;
        self.must_restart = false;
    }

    /// Whether nothing is under way.
    pub(super) fn is_idle(&self) -> bool {
        self.in_flight.is_empty() && self.queue.is_empty()
    }
}
