use lasthop_contract::{MessageId, Payload, ShortQueue};

use crate::in_flight::InFlight;
use crate::unreleased::Unreleased;

/// The state that a client keeps across connections (MQTT 5 §4.1).
#[derive(Debug)]
pub(super) struct Session {
    pub(super) exchanges: Exchanges,
    /// Whether the broker and the client share a session.
    pub(super) exists: bool,
    /// Whether the broker has a session that the client has no state of.
    pub(super) must_restart: bool,
    /// Whether the session has the subscription.
    pub(super) is_subscribed: bool,
}

/// The messages of one stream, which has its own packet identifiers.
#[derive(Debug)]
pub(super) struct Exchanges {
    pub(super) in_flight: InFlight<OwnMessage>,
    pub(super) unreleased: Unreleased<Payload>,
    /// Messages that wait for the transport or for the in-flight window.
    pub(super) queue: ShortQueue<OwnMessage>,
}

/// A message that the client publishes.
#[derive(Debug)]
pub(super) struct OwnMessage {
    pub(super) id: MessageId,
    pub(super) payload: Box<[u8]>,
    /// The number of transmissions.
    pub(super) attempts: u16,
}

impl OwnMessage {
    /// Creates a message that was not sent yet.
    pub(super) fn new(id: MessageId, payload: impl Into<Box<[u8]>>) -> Self {
        Self {
            id,
            payload: payload.into(),
            attempts: 0,
        }
    }
}

impl Session {
    pub(super) fn new() -> Self {
        Self {
            exchanges: Exchanges::new(),
            exists: false,
            must_restart: false,
            is_subscribed: false,
        }
    }

    /// Starts over without packet identifiers. In-flight messages are queued again as new messages, before the others.
    pub(super) fn restart(&mut self) {
        let before = core::mem::replace(&mut self.exchanges, Exchanges::new());
        self.exchanges.queue = before.into_queue();
        self.is_subscribed = false;
        self.must_restart = false;
    }

    /// Starts over on a connection that has in-flight messages already; those stay in flight.
    pub(super) fn restart_behind(&mut self) {
        self.exchanges.unreleased = Unreleased::new();
        self.is_subscribed = false;
        self.must_restart = false;
    }

    /// Queues the unfinished messages of ended streams again as new messages, before the others.
    pub(super) fn take_back(&mut self, ended: impl Iterator<Item = Exchanges>) {
        let mut queue = ShortQueue::new();
        for exchanges in ended {
            let mut of_one = exchanges.into_queue();
            while let Some(message) = of_one.pop() {
                queue.push(message);
            }
        }
        if queue.is_empty() {
            return;
        }
        while let Some(message) = self.exchanges.queue.pop() {
            queue.push(message);
        }
        self.exchanges.queue = queue;
    }
}

impl Exchanges {
    /// Whether no exchange is unfinished in either direction and no message is queued.
    pub(super) fn is_done(&self) -> bool {
        self.in_flight.is_empty() && self.unreleased.len() == 0 && self.queue.is_empty()
    }

    pub(super) fn new() -> Self {
        Self {
            in_flight: InFlight::new(),
            unreleased: Unreleased::new(),
            queue: ShortQueue::new(),
        }
    }

    /// Whether no exchange is unfinished.
    pub(super) fn is_idle(&self) -> bool {
        self.in_flight.is_empty() && self.queue.is_empty()
    }

    /// All messages of the client's own, those in flight first.
    fn into_queue(mut self) -> ShortQueue<OwnMessage> {
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
        queue
    }
}
