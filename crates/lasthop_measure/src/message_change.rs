use lasthop_contract::{Direction, DiscardReason, DropReason, FailureReason};
use lasthop_units::Instant;

use crate::MessageRecord;
use crate::message_record::FirstCopy;

/// An event of a message after it was due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MessageChange {
    /// The message was passed to a transport on a side.
    ///
    /// `last` means that this side will not send it again. `attempt` counts at the sender.
    Transmitted {
        side: Direction,
        last: bool,
        attempt: Option<u16>,
    },
    /// The message was delivered.
    Arrived,
    /// A side knows that its peer has received the message. The message was sent at `origin`.
    Acknowledged { side: Direction, origin: Direction },
    /// A side gave the message up.
    Failed {
        side: Direction,
        reason: FailureReason,
    },
    /// A packet with bytes of the message is in flight.
    CopyAdded,
    /// A packet with bytes of the message is no longer in flight.
    CopyEnded,
    /// Payload bytes entered the path for the first time.
    FirstSent(FirstCopy),
    /// A packet with bytes of the message was dropped.
    CopyDropped(DropReason),
    /// A packet with bytes of the message was discarded.
    CopyDiscarded(DiscardReason),
}

impl MessageChange {
    /// Whether the event can concern this receiver's copy of a message for several devices. Events do not name the
    /// receiver: a transmission concerns receivers without the message, an acknowledgement one with it.
    pub(crate) fn concerns(self, copy: &MessageRecord) -> bool {
        match self {
            Self::Transmitted { attempt: None, .. } => copy.delivered.is_none(),
            Self::Acknowledged { side, origin } if side != origin => copy.delivered.is_some(),
            _ => true,
        }
    }

    /// Applies the event to the record of the message.
    #[inline]
    pub(crate) fn apply(self, now: Instant, record: &mut MessageRecord) {
        match self {
            Self::Transmitted {
                side,
                last,
                attempt,
            } => {
                record.transmit(side, last);
                if let Some(attempt) = attempt {
                    record.leave(now, attempt);
                }
            }
            Self::Arrived => record.arrive(now),
            Self::Acknowledged { side, origin } => record.acknowledge(now, side, origin),
            Self::Failed { side, reason } => record.fail(now, side, reason),
            Self::CopyAdded => record.add_copy(),
            Self::CopyEnded => record.remove_copy(),
            Self::FirstSent(copy) => {
                record.add_first_copy(copy);
            }
            Self::CopyDropped(reason) => record.drop_copy(now, reason),
            Self::CopyDiscarded(reason) => record.discard_copy(now, reason),
        }
    }
}
