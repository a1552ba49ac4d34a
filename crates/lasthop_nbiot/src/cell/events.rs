use core::cmp::Reverse;
use std::collections::BinaryHeap;

use super::random_access::EntryPoint;
use crate::device::DeviceKey;
use crate::phy::Subframe;

/// What is to come in a cell, soonest first.
#[derive(Debug, Default)]
pub(super) struct Events {
    heap: BinaryHeap<Reverse<Entry>>,
    sequence: u32,
    handled: u64,
}

/// What happens at the start of a subframe. Of one subframe, in this order: what has been sent is received before
/// timers run out, and these before anything new is planned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Event {
    /// An opportunity for these preambles has ended.
    OpportunityEnds(EntryPoint),
    /// The NPDSCH of a random access response has ended.
    ResponseEnds(u32),
    /// Msg3 on a grant has ended.
    Msg3Ends(u32),
    /// The NPDCCH that asks for another Msg3 has ended.
    Msg3GrantEnds(u32),
    /// The NPDSCH for a device has ended.
    DownlinkEnds(DeviceKey),
    /// The acknowledgement of a device has ended.
    AcknowledgementEnds(DeviceKey),
    /// The NPDCCH with a grant has ended.
    GrantEnds(DeviceKey),
    /// The NPUSCH of a device has ended.
    UplinkEnds(DeviceKey),
    /// The NPDSCH that pages a device has ended.
    PagingEnds(DeviceKey),
    /// A device tries the random access again, or gives it up.
    AccessRetry(DeviceKey),
    /// Contention may have gone unresolved.
    ContentionTimer(DeviceKey),
    /// T300 may have run out.
    SetUpTimer(DeviceKey),
    /// An answer to a poll may be overdue.
    PollTimer(DeviceKey),
    /// A connection may have been idle for long.
    InactivityTimer(DeviceKey),
    /// A packet may have waited too long.
    GiveUp(DeviceKey),
    /// A device that sleeps tells the network that it is still there.
    PeriodicUpdate(DeviceKey),
    /// A paging occasion of a device for which something waits.
    PagingOccasion(DeviceKey),
    /// Nothing more is waited for to go with Msg4.
    EarlyAnswer(DeviceKey),
    /// Devices of this level wait for resources.
    Plan(u8),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Entry {
    at: Subframe,
    /// Of the event's kind, before the sequence: the order of events is total.
    kind: u8,
    sequence: u32,
    event: Event,
}

impl Events {
    pub(super) fn push(&mut self, at: Subframe, event: Event) {
        self.sequence = self.sequence.wrapping_add(1);
        self.heap.push(Reverse(Entry {
            at,
            kind: event.kind(),
            sequence: self.sequence,
            event,
        }));
    }

    /// When the next one comes, and its kind.
    pub(super) fn next(&self) -> Option<(Subframe, u8)> {
        self.heap
            .peek()
            .map(|Reverse(entry)| (entry.at, entry.kind))
    }

    pub(super) fn pop(&mut self) -> Option<(Subframe, Event)> {
        let Reverse(entry) = self.heap.pop()?;
        self.handled += 1;
        Some((entry.at, entry.event))
    }

    /// How many there have been.
    pub(super) const fn handled(&self) -> u64 {
        self.handled
    }
}

impl Event {
    const fn kind(self) -> u8 {
        match self {
            Self::OpportunityEnds(_) => 0,
            Self::ResponseEnds(_) => 1,
            Self::Msg3Ends(_) => 2,
            Self::Msg3GrantEnds(_) => 3,
            Self::DownlinkEnds(_) => 4,
            Self::AcknowledgementEnds(_) => 5,
            Self::GrantEnds(_) => 6,
            Self::UplinkEnds(_) => 7,
            Self::PagingEnds(_) => 8,
            Self::AccessRetry(_) => 9,
            Self::ContentionTimer(_) => 10,
            Self::SetUpTimer(_) => 11,
            Self::PollTimer(_) => 12,
            Self::InactivityTimer(_) => 13,
            Self::GiveUp(_) => 14,
            Self::PeriodicUpdate(_) => 15,
            Self::PagingOccasion(_) => 16,
            Self::EarlyAnswer(_) => 17,
            Self::Plan(_) => 18,
        }
    }
}
