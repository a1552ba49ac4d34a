use lasthop_contract::{Direction, DiscardReason, DropReason, FailureReason};
use lasthop_units::Instant;

use crate::MessageRecord;
use crate::message_record::FirstCopy;

/// What happens to a message after it was due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MessageChange {
    /// It was passed to a transport on a side.
    ///
    /// `last` means that this side will not send it again. `attempt` counts at the sender.
    Transmitted {
        side: Direction,
        last: bool,
        attempt: Option<u16>,
    },
    /// It was delivered.
    Arrived,
    /// A side knows that its peer has a message that was sent at `origin`.
    Acknowledged { side: Direction, origin: Direction },
    /// A side sends it no more.
    Failed {
        side: Direction,
        reason: FailureReason,
    },
    /// A packet with bytes of it is on its way.
    CopyAdded,
    /// A packet with bytes of it is on its way no more.
    CopyEnded,
    /// Its payload entered the path for the first time.
    FirstSent(FirstCopy),
    /// A packet with bytes of it was dropped.
    CopyDropped(DropReason),
    /// A packet with bytes of it was of no use.
    CopyDiscarded(DiscardReason),
}

impl MessageChange {
    /// Whether it may have happened to this copy of a message that is for several devices: nobody says which one he means.
    /// What is passed on again is on its way to those who lack it, and who acknowledges it has it.
    pub(crate) fn concerns(self, copy: &MessageRecord) -> bool {
        match self {
            Self::Transmitted { attempt: None, .. } => copy.delivered.is_none(),
            Self::Acknowledged { side, origin } if side != origin => copy.delivered.is_some(),
            _ => true,
        }
    }

    /// Notes it in the record of the message.
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
