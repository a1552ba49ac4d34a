use std::collections::{BTreeMap, VecDeque};

/// The topics of messages, for whoever wants to be told: a client of a device knows them.
#[derive(Debug, Default)]
pub(super) struct HeardTopics {
    /// Of messages that were handed up, in their order.
    ready: VecDeque<Box<str>>,
    /// Of messages of QoS 2 that are not released yet, by packet identifier.
    unreleased: BTreeMap<u16, Box<str>>,
}

impl HeardTopics {
    /// Notes the topic of a message that is handed up now.
    pub(super) fn note(&mut self, topic: &str) {
        self.ready.push_back(topic.into());
    }

    /// Notes the topic of a message that is handed up when it is released.
    pub(super) fn hold(&mut self, packet_id: u16, topic: &str) {
        self.unreleased.insert(packet_id, topic.into());
    }

    /// A message is released, and handed up.
    pub(super) fn release(&mut self, packet_id: u16) {
        self.ready.extend(self.unreleased.remove(&packet_id));
    }

    pub(super) fn take(&mut self) -> Option<Box<str>> {
        self.ready.pop_front()
    }
}
