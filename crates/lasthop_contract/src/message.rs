use core::num::NonZeroU32;

use lasthop_units::DataSize;

use crate::Trigger;

/// One relation of sender and receiver: the messages of one device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FlowId(pub u32);

/// An application message: its flow, and its number there, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MessageId {
    /// The flow that it belongs to.
    pub flow: FlowId,
    /// Its place in the flow, from 1.
    pub number: NonZeroU32,
}

/// What happened to messages and to the traffic that makes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageEvent {
    /// The session of a flow is set up; its schedule starts here.
    TrafficStarted {
        /// The flow.
        flow: FlowId,
    },
    /// A message is due. Latency counts from here, whether or not it can leave at once.
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
    /// The message is where it was meant to go; for a round trip, back at its sender.
    Delivered {
        /// The message.
        id: MessageId,
    },
    /// The sender knows that its peer has the message.
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
    /// The schedule of a flow has no further message: the last one is due now, or there was none.
    TrafficEnded {
        /// The flow.
        flow: FlowId,
    },
}

impl MessageEvent {
    /// The message that it is about, where it is about one.
    #[must_use]
    pub const fn message(&self) -> Option<MessageId> {
        match *self {
            Self::Intended { id, .. }
            | Self::Transmitted { id, .. }
            | Self::Delivered { id }
            | Self::Acknowledged { id }
            | Self::Failed { id, .. } => Some(id),
            Self::TrafficStarted { .. } | Self::TrafficEnded { .. } => None,
        }
    }
}

/// Why an application gave a message up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FailureReason {
    /// The last wait for an acknowledgement, or for the answer to a non-confirmable block, ran out.
    NoAcknowledgement,
    /// There is no connection to send it on.
    NotConnected,
    /// The connection that carried it is gone, and no other will carry it.
    ConnectionLost,
    /// The message is larger than the protocol carries.
    TooLarge,
    /// The peer refused it.
    Rejected,
    /// The peer lacks parts of it that it was sent, or holds them no longer.
    Incomplete,
    /// Too many messages wait already.
    QueueFull,
    /// The device left before the message was there.
    GaveUp,
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
        }
    }
}
