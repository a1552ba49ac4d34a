use core::ops::Bound;
use std::collections::BTreeMap;
use std::sync::Arc;

use lasthop_units::{DataSize, Instant};

use crate::{Message, TopicFilter};

/// The last message of each topic that was published to be retained (MQTT 5 §3.3.1.3).
#[derive(Clone, Debug, Default)]
pub struct RetainedMessages {
    by_topic: BTreeMap<Box<str>, Arc<Message>>,
    /// Bytes of all of them.
    size: usize,
}

/// How much may be retained.
#[derive(Clone, Copy, Debug)]
pub struct RetainedLimits {
    /// Topics with a message.
    pub messages: usize,
    /// Topics and messages together.
    pub size: DataSize,
}

impl RetainedMessages {
    /// Keeps a message in place of the one that its topic had, if it fits; whether it is kept. The one before stays where
    /// it does not.
    pub fn keep(&mut self, message: Arc<Message>, limits: RetainedLimits) -> bool {
        let before = self.by_topic.get(message.topic());
        let is_known = before.is_some() || self.by_topic.len() < limits.messages;
        let size = self.size - before.map_or(0, |it| it.size()) + message.size();
        let has_room = is_known && size as u64 <= limits.size.as_bytes();
        if has_room {
            self.size = size;
            self.by_topic.insert(message.topic().into(), message);
        }
        has_room
    }

    /// Forgets the message of a topic.
    pub fn forget(&mut self, topic: &str) {
        if let Some(message) = self.by_topic.remove(topic) {
            self.size -= message.size();
        }
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
            self.forget(&topic);
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
