use std::sync::Arc;

use lasthop_contract::ShortQueue;
use smallvec::SmallVec;

use crate::{Message, Subscriber, SubscriptionMatch};

/// A message that another service of the host has published, with the subscriptions of this one that it matches.
#[derive(Clone, Debug)]
pub struct Delivery {
    /// The message.
    pub message: Arc<Message>,
    /// The matching subscriptions, grouped by subscriber.
    pub matches: SmallVec<[SubscriptionMatch<Subscriber>; 1]>,
}

/// What other services have for one, until it is asked.
#[derive(Debug, Default)]
pub(crate) struct Inbox {
    waiting: ShortQueue<Delivery>,
    size: usize,
}

/// How many bytes may wait. A service is asked in the same instant, so that only a burst comes near.
const MAX_SIZE: usize = 64 << 20;

impl Inbox {
    /// Adds a message for these; whether there was room.
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

    /// Takes the first message.
    pub(crate) fn take(&mut self) -> Option<Delivery> {
        let delivery = self.waiting.pop()?;
        self.size -= delivery.message.size() + size_of_val(&delivery.matches[..]);
        Some(delivery)
    }

    /// Forgets all that waits.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }
}
