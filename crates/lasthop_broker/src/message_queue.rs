use std::sync::Arc;

use lasthop_contract::ShortQueue;
use smallvec::SmallVec;

use crate::{Charge, Message, Qos};

/// The queue of a subscriber, limited in messages and bytes.
#[derive(Debug, Default)]
pub struct MessageQueue {
    messages: ShortQueue<QueuedMessage>,
    size: usize,
    at_most_once: u32,
}

/// The identifiers of the subscriptions that a message matched.
pub type SubscriptionIds = SmallVec<[u32; 2]>;

/// A queued message with the delivery options of its subscriber.
#[derive(Debug)]
pub struct QueuedMessage {
    /// The message.
    pub message: Arc<Message>,
    /// The QoS for this subscriber.
    pub qos: Qos,
    /// Whether the message is sent as a retained message.
    pub retain: bool,
    /// The matching subscription identifiers.
    pub ids: SubscriptionIds,
    /// The message's charge, if bytes are limited.
    pub charge: Option<Box<Charge>>,
}

impl MessageQueue {
    /// Creates an empty queue.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            messages: ShortQueue::new(),
            size: 0,
            at_most_once: 0,
        }
    }

    /// Appends a message if the limits allow it; returns whether it was added.
    pub fn push(&mut self, queued: QueuedMessage, max_messages: usize, max_size: usize) -> bool {
        let size = self.size + queued.message.size();
        let fits = self.messages.len() < max_messages && size <= max_size;
        if fits {
            self.size = size;
            self.at_most_once += u32::from(queued.qos == Qos::AtMostOnce);
            self.messages.push(queued);
        }
        fits
    }

    /// Returns the first message and leaves it in the queue.
    #[must_use]
    pub fn first(&self) -> Option<&QueuedMessage> {
        self.messages.first()
    }

    /// Removes and returns the first message.
    pub fn pop(&mut self) -> Option<QueuedMessage> {
        let queued = self.messages.pop()?;
        self.size -= queued.message.size();
        self.at_most_once -= u32::from(queued.qos == Qos::AtMostOnce);
        Some(queued)
    }

    /// Whether the queue has a message of QoS 0.
    #[must_use]
    pub const fn has_at_most_once(&self) -> bool {
        self.at_most_once > 0
    }

    /// Returns the number of messages.
    #[must_use]
    pub fn len(&self) -> usize {
        self.messages.len()
    }

    /// Whether the queue is empty.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }
}
