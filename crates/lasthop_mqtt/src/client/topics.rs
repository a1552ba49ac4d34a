use std::borrow::Cow;

use lasthop_contract::message_text::{device_topic_of, topic_of};
use lasthop_contract::{ChannelSet, FlowId};

/// The topics of a client: one for each flow of its device, or a single configured one.
#[derive(Debug)]
pub(super) struct Topics {
    /// That of the only flow or of the one with the lowest channel: the one that most messages have.
    main: Box<str>,
    /// Which flow has it; `None` where all have.
    main_flow: Option<FlowId>,
}

/// The topic aliases in use on a connection (MQTT 5 §3.3.2.3.4).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TopicAliases {
    /// The highest alias that the broker accepts; 0 for none.
    pub(super) maximum: u16,
    set: ChannelSet,
}

impl Topics {
    /// Creates the topics of a device. `flow` is its flow with the lowest channel.
    pub(super) fn of_device(prefix: &str, flow: FlowId) -> Self {
        Self {
            main: (prefix.to_owned() + &topic_of(flow)).into(),
            main_flow: Some(flow),
        }
    }

    /// Creates a single topic for all flows.
    pub(super) fn only(topic: &str) -> Self {
        Self {
            main: topic.into(),
            main_flow: None,
        }
    }

    /// Returns the topic of a flow. Flows in `asks` have separate topics for requests and responses.
    #[inline]
    pub(super) fn of(&self, prefix: &str, flow: FlowId, asks: ChannelSet) -> Cow<'_, str> {
        if asks.contains(flow.channel()) {
            Cow::Owned(prefix.to_owned() + &device_topic_of(flow))
        } else if self.main_flow.is_none_or(|main| main == flow) {
            Cow::Borrowed(&self.main)
        } else {
            Cow::Owned(prefix.to_owned() + &topic_of(flow))
        }
    }
}

impl TopicAliases {
    /// Returns the alias of a flow's topic, and whether the broker already knows it. The alias is 0 if there is none.
    pub(super) fn of(&self, flow: FlowId) -> (u16, bool) {
        let number = u16::from(flow.channel()) + 1;
        if number > self.maximum {
            return (0, false);
        }
        (number, self.set.contains(flow.channel()))
    }

    /// Records that the broker knows the alias of a flow's topic, if the topic has one.
    pub(super) fn note(&mut self, flow: FlowId) {
        self.set = self.set.with(flow.channel());
    }
}
