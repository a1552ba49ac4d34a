//! The core of a message broker, without a protocol: who wants which topic.
//!
//! Every broker of this project stands on it, whatever its clients speak.
//!
//! ```
//! use lasthop_broker::BrokerCore;
//! let mut core = BrokerCore::new();
//! core.subscribe("ward/7", 1);
//! assert_eq!(core.subscribers("ward/7"), [1]);
//! assert!(core.subscribers("ward/8").is_empty());
//! ```

use lasthop_contract::LookupMap;
use smallvec::SmallVec;

/// Subscriptions by exact topic name. `S` tells the subscribers apart.
#[derive(Debug)]
pub struct BrokerCore<S> {
    /// Most topics have one subscriber.
    by_topic: LookupMap<Box<str>, SmallVec<[S; 2]>>,
}

impl<S: Copy + PartialEq> BrokerCore<S> {
    /// A broker without subscribers.
    #[must_use]
    pub fn new() -> Self {
        Self {
            by_topic: LookupMap::new(),
        }
    }

    /// Adds a subscriber to a topic; whether it is new there.
    pub fn subscribe(&mut self, topic: &str, subscriber: S) -> bool {
        let subscribers = self
            .by_topic
            .get_or_insert_with(topic.into(), SmallVec::new);
        let new = !subscribers.contains(&subscriber);
        if new {
            subscribers.push(subscriber);
        }
        new
    }

    /// Who wants a topic, in the order of subscribing.
    #[must_use]
    pub fn subscribers(&self, topic: &str) -> &[S] {
        self.by_topic.get(topic).map_or(&[], SmallVec::as_slice)
    }
}

impl<S: Copy + PartialEq> Default for BrokerCore<S> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_subscription_counts_once() {
        let mut core = BrokerCore::new();
        assert!(core.subscribe("a", 7));
        assert!(!core.subscribe("a", 7));
        assert!(core.subscribe("a", 8));
        assert_eq!(core.subscribers("a"), [7, 8]);
    }
}
