use core::ops::Bound;
use std::collections::BTreeMap;
use std::sync::Arc;

use lasthop_units::Instant;

use crate::{Message, TopicFilter};

/// The last message of each topic that was published to be retained (MQTT 5 §3.3.1.3).
#[derive(Clone, Debug, Default)]
pub struct RetainedMessages {
    by_topic: BTreeMap<Box<str>, Arc<Message>>,
}

impl RetainedMessages {
    /// Keeps a message in place of the one that its topic had, unless the topic is new and `limit` topics have one;
    /// whether it is kept.
    pub fn keep(&mut self, message: Arc<Message>, limit: usize) -> bool {
        let has_room = self.by_topic.len() < limit || self.by_topic.contains_key(message.topic());
        if has_room {
            self.by_topic.insert(message.topic().into(), message);
        }
        has_room
    }

    /// Forgets the message of a topic.
    pub fn forget(&mut self, topic: &str) {
        self.by_topic.remove(topic);
    }

    /// The message of a topic.
    #[must_use]
    pub fn of(&self, now: Instant, topic: &str) -> Option<Arc<Message>> {
        let message = self.by_topic.get(topic)?;
        (!message.is_expired(now)).then(|| Arc::clone(message))
    }

    /// The messages of all topics that match, in the order of the topics. What has expired is forgotten.
    pub fn matching(&mut self, now: Instant, filter: &TopicFilter<'_>) -> Vec<Arc<Message>> {
        let prefix = filter.literal_prefix();
        let (mut found, mut expired) = (Vec::new(), Vec::new());
        let from = (Bound::Included(prefix), Bound::Unbounded);
        for (topic, message) in self.by_topic.range::<str, _>(from) {
            if !topic.starts_with(prefix) {
                break;
            }
            if message.is_expired(now) {
                expired.push(topic.clone());
            } else if filter.matches(topic) {
                found.push(Arc::clone(message));
            }
        }
        for topic in expired {
            self.by_topic.remove(&topic);
        }
        found
    }

    /// How many topics have a message.
    #[must_use]
    pub fn len(&self) -> usize {
        self.by_topic.len()
    }

    /// Whether no topic has a message.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.by_topic.is_empty()
    }
}
