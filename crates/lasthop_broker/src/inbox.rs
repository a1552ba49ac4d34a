use std::sync::Arc;

use lasthop_contract::ShortQueue;
use smallvec::SmallVec;

use crate::{Message, Subscriber, SubscriptionMatch};

/// A message from another service of the host, with the matching subscriptions of this service.
#[derive(Clone, Debug)]
pub struct Delivery {
    /// The message.
    pub message: Arc<Message>,
    /// The matching subscriptions, grouped by subscriber.
    pub matches: SmallVec<[SubscriptionMatch<Subscriber>; 1]>,
}

/// Messages from other services that a service has not taken yet.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    waiting: ShortQueue<Delivery>,
    size: usize,
}

/// How many bytes may wait. A service is asked in the same instant, so that only a burst comes near.
const MAX_SIZE: usize = 64 << 20;

impl Inbox {
    /// Adds a message for these subscribers. Returns whether there was room.
    pub(crate) fn put(
        &mut self,
        message: &Arc<Message>,
        matches: &[SubscriptionMatch<Subscriber>],
    ) -> bool {
        let size = self.size + message.size() + size_of_val(matches);
        let has_room = size <= MAX_SIZE;
        if has_room {
            self.size = size;
            self.waiting.push(Delivery {
                message: Arc::clone(message),
                matches: matches.into(),
            });
        }
        has_room
    }

    /// Removes and returns the first message.
    pub(crate) fn take(&mut self) -> Option<Delivery> {
        let delivery = self.waiting.pop()?;
        self.size -= delivery.message.size() + size_of_val(&delivery.matches[..]);
        Some(delivery)
    }

    /// Removes all messages.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }
}
