use core::num::NonZeroU32;

use lasthop_units::DataSize;

use crate::{SessionEvent, Trigger};

/// The number of a device in the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DeviceId(pub u32);

/// A sender-receiver relation: messages of one kind of one device.
///
/// A device has up to [`FlowId::PER_DEVICE`] flows, told apart by their channel. The flow of channel 0 has the number
/// of its device. The number of another says both: bit 23 is set, bits 20 to 22 are its channel less 1, and the rest
/// is its device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowId(pub u32);

impl FlowId {
    /// The maximum number of flows of a device.
    pub const PER_DEVICE: u8 = 9;
    /// The maximum number of devices in a run.
    pub const DEVICES: u32 = 1 << 23;
    /// The maximum number of devices with more than one flow.
    ///
    /// They are the devices with the lowest numbers.
    pub const DEVICES_WITH_SEVERAL: u32 = 1 << 20;

    /// Returns the flow of a device with this channel, below [`FlowId::PER_DEVICE`].
    #[must_use]
    pub const fn of(device: DeviceId, channel: u8) -> Self {
        debug_assert!(channel < Self::PER_DEVICE);
        match channel.checked_sub(1) {
            None => Self(device.0),
            Some(further) => {
                debug_assert!(device.0 < Self::DEVICES_WITH_SEVERAL);
                Self(Self::DEVICES | (further as u32) << 20 | device.0)
            }
        }
    }

    /// Returns all possible flows of a device, in the order of channels.
    pub fn all_of(device: DeviceId) -> impl Iterator<Item = Self> {
        let has_several = device.0 < Self::DEVICES_WITH_SEVERAL;
        let channels = if has_several { Self::PER_DEVICE } else { 1 };
        (0..channels).map(move |channel| Self::of(device, channel))
    }

    /// Returns the device and the channel of the flow.
    #[inline]
    #[must_use]
    pub const fn parts(self) -> (DeviceId, u8) {
        if self.0 & Self::DEVICES == 0 {
            return (DeviceId(self.0), 0);
        }
        self.further_parts()
    }

    /// The same of one that is not its device's first.
    #[cold]
    const fn further_parts(self) -> (DeviceId, u8) {
        let device = DeviceId(self.0 & (Self::DEVICES_WITH_SEVERAL - 1));
        (device, (self.0 >> 20 & 7) as u8 + 1)
    }

    /// Returns the device of the flow.
    #[inline]
    #[must_use]
    pub const fn device(self) -> DeviceId {
        self.parts().0
    }

    /// Returns the index of the flow among the flows of its device.
    #[inline]
    #[must_use]
    pub const fn channel(self) -> u8 {
        self.parts().1
    }
}

/// The ID of an application message: its flow and its number in that flow, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MessageId {
    /// The flow of the message.
    pub flow: FlowId,
    /// The number in the flow, from 1.
    pub number: NonZeroU32,
}

/// An event of a message, or of the traffic that generates messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageEvent {
    /// The session of a flow is established. Its schedule starts now.
    TrafficStarted {
        /// The flow.
        flow: FlowId,
    },
    /// A message is due.
    ///
    /// Latency counts from here, whether or not it can be sent at once.
    Intended {
        /// The message.
        id: MessageId,
        /// The size of its payload.
        payload: DataSize,
    },
    /// An application gave a copy of the message to its transport.
    Transmitted {
        /// The message.
        id: MessageId,
        /// Which try of this application it is, from 1.
        attempt: u16,
        /// No further try will follow, whatever happens.
        last: bool,
        /// What made it leave again.
        trigger: Option<Trigger>,
    },
    /// A forwarding host on the route has received the message.
    Taken {
        /// The message.
        id: MessageId,
    },
    /// A forwarding host on the route has put the message into another message that is sent instead.
    Bundled {
        /// The message.
        id: MessageId,
        /// What it is in; its flow is one of that host's.
        bundle: MessageId,
        /// The size of that, in bytes: narrow, since every host keeps room for an event.
        payload_bytes: u32,
    },
    /// A caching host on the route has answered the request for the message, or has failed to.
    Cached {
        /// The message.
        id: MessageId,
        /// How.
        by: CacheOutcome,
        /// How old what it gave was, in ms, as far as it can know; 0 where it gave nothing.
        age_ms: u32,
    },
    /// The message is delivered. A round trip is delivered when the answer is back at the sender.
    Delivered {
        /// The message.
        id: MessageId,
        /// Which of the devices that it is for has it, from 0.
        receiver: u32,
    },
    /// The sender knows that its peer has received the message.
    Acknowledged {
        /// The message.
        id: MessageId,
    },
    /// An application gave the message up.
    Failed {
        /// The message.
        id: MessageId,
        /// Why.
        reason: FailureReason,
    },
    /// The schedule of a flow ended: its last message is due now, or it had none.
    TrafficEnded {
        /// The flow.
        flow: FlowId,
    },
    /// An event of a session that carries messages.
    Session(SessionEvent),
}

impl MessageEvent {
    /// Returns the message of the event, if there is one.
    #[must_use]
    pub const fn message(&self) -> Option<MessageId> {
        match *self {
            Self::Intended { id, .. }
            | Self::Transmitted { id, .. }
            | Self::Taken { id }
            | Self::Bundled { id, .. }
            | Self::Cached { id, .. }
            | Self::Delivered { id, .. }
            | Self::Acknowledged { id }
            | Self::Failed { id, .. } => Some(id),
            Self::TrafficStarted { .. } | Self::TrafficEnded { .. } | Self::Session(_) => None,
        }
    }
}

/// How a cache answered a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CacheOutcome {
    /// From a fresh cache entry.
    Hit,
    /// With a response that was fetched for this request.
    Miss,
    /// From a cache entry that the server has validated.
    Validated,
    /// With a response that another request fetched or validated.
    Collapsed,
    /// With a stale cache entry, because the server did not answer.
    Stale,
    /// With an error, because the server did not answer.
    Failed,
    /// The request was a write and the server has answered it.
    Written,
}

/// Why an application gave up a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FailureReason {
    /// The last timeout passed without an acknowledgement, or without the answer to a non-confirmable block.
    NoAcknowledgement,
    /// There is no connection.
    NotConnected,
    /// The connection was lost and will not be replaced.
    ConnectionLost,
    /// The message is larger than the protocol can carry.
    TooLarge,
    /// The peer rejected the message.
    Rejected,
    /// The peer never received some parts of the message, or has discarded them.
    Incomplete,
    /// The queue of messages is full.
    QueueFull,
    /// The device gave up before the message was complete.
    GaveUp,
    /// The sending host lost power or restarted, and its state was lost.
    HostDown,
}

impl FailureReason {
    /// The name in result tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoAcknowledgement => "no_acknowledgement",
            Self::NotConnected => "not_connected",
            Self::ConnectionLost => "connection_lost",
            Self::TooLarge => "too_large",
            Self::Rejected => "rejected",
            Self::Incomplete => "incomplete",
            Self::QueueFull => "queue_full",
            Self::GaveUp => "gave_up",
            Self::HostDown => "host_down",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message_text::MAX_PART;

    #[test]
    fn a_flow_knows_its_device_and_channel() {
        for device in [0, 1, FlowId::DEVICES_WITH_SEVERAL - 1] {
            for channel in 0..FlowId::PER_DEVICE {
                let flow = FlowId::of(DeviceId(device), channel);
                assert_eq!((flow.device(), flow.channel()), (DeviceId(device), channel));
                assert!(flow.0 <= MAX_PART);
            }
        }
        let last = DeviceId(FlowId::DEVICES - 1);
        assert_eq!(FlowId::of(last, 0).device(), last);
    }
}
