use std::collections::{BTreeMap, VecDeque};

use lasthop_contract::StreamId;

/// The topics of delivered messages, recorded for callers that ask for them. The client of a device does not need them.
#[derive(Debug, Default)]
pub(super) struct ReceivedTopics {
    /// Of messages that were handed up, in their order.
    ready: VecDeque<Box<str>>,
    /// Of messages of QoS 2 that are not released yet, by stream and packet identifier.
    unreleased: BTreeMap<(StreamId, u16), Box<str>>,
}

impl ReceivedTopics {
    /// Records the topic of a message that is delivered now.
    pub(super) fn note(&mut self, topic: &str) {
        self.ready.push_back(topic.into());
    }

    /// Records the topic of a QoS 2 message that is delivered when it is released.
    pub(super) fn hold(&mut self, stream: StreamId, packet_id: u16, topic: &str) {
        self.unreleased.insert((stream, packet_id), topic.into());
    }

    /// Moves the topic of a released message to those of delivered messages.
    pub(super) fn release(&mut self, stream: StreamId, packet_id: u16) {
        let topic = self.unreleased.remove(&(stream, packet_id));
        self.ready.extend(topic);
    }

    pub(super) fn take(&mut self) -> Option<Box<str>> {
        self.ready.pop_front()
    }
}
