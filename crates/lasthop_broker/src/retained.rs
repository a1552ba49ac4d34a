use core::ops::Bound;
use std::collections::BTreeMap;
use std::sync::Arc;

use lasthop_units::{DataSize, Instant};

use crate::shares::{Place, Shares, Short};
use crate::{Holder, Message, TopicFilter};

/// The retained message of each topic (MQTT 5 §3.3.1.3).
#[derive(Clone, Debug, Default)]
pub struct RetainedMessages {
    by_topic: BTreeMap<Box<str>, Kept>,
    /// Bytes of all of them.
    size: usize,
    shares: Shares<Arc<Message>>,
}

/// A search for the retained messages that match a filter. It can run in parts.
#[derive(Clone, Debug)]
pub struct RetainedSearch {
    filter: Box<str>,
    /// The topic that was looked at last.
    last: Option<Box<str>>,
    is_over: bool,
}

/// The result of one part of a search.
#[derive(Clone, Debug, Default)]
pub struct RetainedPart {
    /// The messages, in the order of their topics.
    pub messages: Vec<Arc<Message>>,
    /// The number of topics that were checked.
    pub looked_at: usize,
}

/// A message, and its place among those of all who published such.
#[derive(Clone, Debug)]
struct Kept {
    message: Arc<Message>,
    place: Place,
}

/// The limits on retained messages.
#[derive(Clone, Copy, Debug)]
pub struct RetainedLimits {
    /// The number of topics with a retained message.
    pub messages: usize,
    /// The bytes of topics and messages together.
    pub size: DataSize,
}

impl RetainedMessages {
    /// Stores a retained message in place of the one of its topic. Returns whether it was retained.
    ///
    /// Without room, a message of the largest holder is evicted.
    pub fn keep(&mut self, message: Arc<Message>, holder: Holder, limits: RetainedLimits) -> bool {
        let size = message.size();
        if limits.messages == 0 || size as u64 > limits.size.as_bytes() {
            return false;
        }
        self.forget(message.topic());
        while let Some(short) = self.short_of(size, limits) {
            let Some(first) = self.shares.first_to_go(short) else {
                return false;
            };
            self.forget(first.topic());
        }
        self.size += size;
        let place = self.shares.add(holder, Arc::clone(&message), size);
        let topic = message.topic().into();
        self.by_topic.insert(topic, Kept { message, place });
        true
    }

    /// What is missing for one more message of this size.
    fn short_of(&self, size: usize, limits: RetainedLimits) -> Option<Short> {
        if self.by_topic.len() >= limits.messages {
            return Some(Short::Number);
        }
        let size = (self.size + size) as u64;
        (size > limits.size.as_bytes()).then_some(Short::Weight)
    }

    /// Removes the retained message of a topic.
    pub fn forget(&mut self, topic: &str) {
        if let Some(Kept { message, place }) = self.by_topic.remove(topic) {
            self.size -= message.size();
            self.shares.remove(place);
        }
    }

    /// Returns the retained message of a topic.
    #[must_use]
    pub fn of(&self, now: Instant, topic: &str) -> Option<Arc<Message>> {
        let Kept { message, .. } = self.by_topic.get(topic)?;
        (!message.is_expired(now)).then(|| Arc::clone(message))
    }

    /// Returns the retained messages of all topics that match, in the order of the topics. Expired messages are
    /// removed.
    pub fn matching(&mut self, now: Instant, filter: &TopicFilter<'_>) -> Vec<Arc<Message>> {
        let mut search = RetainedSearch::of(filter);
        self.search(now, &mut search, usize::MAX, usize::MAX)
            .messages
    }

    /// Continues a search within limits on topics and messages. Expired messages are removed.
    pub fn search(
        &mut self,
        now: Instant,
        search: &mut RetainedSearch,
        most_topics: usize,
        most_messages: usize,
    ) -> RetainedPart {
        let mut part = RetainedPart::default();
        let Ok(filter) = TopicFilter::parse(&search.filter) else {
            search.is_over = true;
            return part;
        };
        if filter.is_one_topic() {
            search.is_over = true;
            part.looked_at = 1;
            part.messages.extend(self.of(now, filter.filter()));
            return part;
        }
        let prefix = filter.literal_prefix();
        let from = match &search.last {
            Some(last) => Bound::Excluded(&**last),
            None => Bound::Included(prefix),
        };
        let (mut expired, mut last) = (Vec::new(), None);
        search.is_over = true;
        for (topic, Kept { message, .. }) in self.by_topic.range::<str, _>((from, Bound::Unbounded))
        {
            if !topic.starts_with(prefix) {
                break;
            }
            if part.looked_at >= most_topics || part.messages.len() >= most_messages {
                search.is_over = false;
                break;
            }
            part.looked_at += 1;
            last = Some(topic);
            if message.is_expired(now) {
                expired.push(topic.clone());
            } else if filter.matches(topic) {
                part.messages.push(Arc::clone(message));
            }
        }
        if let Some(last) = last.filter(|_| !search.is_over) {
            search.last = Some(last.clone());
        }
        for topic in expired {
            self.forget(&topic);
        }
        part
    }

    /// Returns the number of topics with a message.
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

impl RetainedSearch {
    /// Creates a search for a filter.
    #[must_use]
    pub fn of(filter: &TopicFilter<'_>) -> Self {
        Self {
            filter: filter.text().into(),
            last: None,
            is_over: false,
        }
    }

    /// The filter.
    #[must_use]
    pub fn filter(&self) -> &str {
        &self.filter
    }

    /// Ends the search: it has nothing more to check.
    pub(crate) const fn end(&mut self) {
        self.is_over = true;
    }

    /// Whether the search has checked all topics.
    #[must_use]
    pub const fn is_over(&self) -> bool {
        self.is_over
    }
}
