mod timers;

use core::cmp::Reverse;
use std::collections::BinaryHeap;

use self::timers::Timers;
use super::random_access::EntryPoint;
use crate::device::DeviceKey;
use crate::phy::Subframe;
use crate::slab::Slab;

/// What is to come in a cell, soonest first.
#[derive(Debug, Default)]
pub(super) struct Events {
    /// What has been decided on and will happen, and the timers that stand in no queue.
    heap: BinaryHeap<Reverse<Rank>>,
    /// What is in the heap.
    planned: Slab<Event>,
    /// Timers, many more, of which most run for long and then mean nothing any more.
    timers: Timers,
    sequence: u32,
    handled: u64,
}

/// The order of events as one number, because comparing is most of what the heap does. From the highest bit on: the
/// subframe, the kind, the sequence in which they were planned, and the place of what is in the heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank(u128);

/// What happens at the start of a subframe. Of one subframe, in this order: what has been sent is received before
/// timers run out, and these before anything new is planned.
#[derive(Clone, Copy, Debug)]
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
    /// The contention resolution timer expires.
    ContentionTimer(DeviceKey),
    /// T300 may have run out.
    SetUpTimer(DeviceKey),
    /// An answer to a poll may be overdue.
    PollTimer(DeviceKey),
    /// A connection may have been idle for long.
    InactivityTimer(DeviceKey),
    /// A packet may have waited too long.
    GiveUp(DeviceKey),
    /// A sleeping device sends a periodic tracking area update.
    PeriodicUpdate(DeviceKey),
    /// A paging occasion of a device for which something waits.
    PagingOccasion(DeviceKey),
    /// The wait for data to send with Msg4 ends.
    EarlyAnswer(DeviceKey),
    /// The core network has answered a request for a device.
    NetworkAnswers(DeviceKey),
    /// A device that was held back may begin a connection.
    AccessAllowed(DeviceKey),
    /// Devices of this queue wait for resources.
    Plan(u8),
}

const KIND_BITS: u32 = 8;

impl Rank {
    const FIRST: Self = Self(0);
    const LAST: Self = Self(u128::MAX);

    fn new(at: Subframe, event: Event, sequence: u32, place: u32) -> Self {
        let when = at.0 << KIND_BITS | u64::from(event.kind());
        let order = u64::from(sequence) << 32 | u64::from(place);
        Self(u128::from(when) << 64 | u128::from(order))
    }

    fn when(self) -> (Subframe, u8) {
        let when = (self.0 >> 64) as u64;
        (Subframe(when >> KIND_BITS), when as u8)
    }

    fn place(self) -> u32 {
        self.0 as u32
    }
}

impl Events {
    pub(super) fn push(&mut self, at: Subframe, event: Event) {
        self.sequence = self.sequence.wrapping_add(1);
        if event.is_timer() {
            let rank = Rank::new(at, event, self.sequence, 0);
            if self.timers.push(rank, event) {
                return;
            }
        }
        let place = self.planned.insert(event);
        let rank = Rank::new(at, event, self.sequence, place);
        self.heap.push(Reverse(rank));
    }

    /// When the next one comes, and its kind.
    pub(super) fn next(&self) -> Option<(Subframe, u8)> {
        let first = self.first_in_heap().min(self.timers.first());
        (first < Rank::LAST).then(|| first.when())
    }

    pub(super) fn pop(&mut self) -> Option<(Subframe, Event)> {
        let (rank, event) = if self.first_in_heap() < self.timers.first() {
            let Reverse(rank) = self.heap.pop()?;
            (rank, self.planned.remove(rank.place()))
        } else {
            self.timers.pop()?
        };
        self.handled += 1;
        Some((rank.when().0, event))
    }

    fn first_in_heap(&self) -> Rank {
        self.heap.peek().map_or(Rank::LAST, |Reverse(rank)| *rank)
    }

    /// How many there have been.
    pub(super) const fn handled(&self) -> u64 {
        self.handled
    }
}

impl Event {
    /// Whether it only looks whether something has come to pass by then.
    const fn is_timer(self) -> bool {
        matches!(
            self,
            Self::ContentionTimer(_)
                | Self::SetUpTimer(_)
                | Self::PollTimer(_)
                | Self::InactivityTimer(_)
                | Self::GiveUp(_)
                | Self::PeriodicUpdate(_)
                | Self::AccessAllowed(_)
        )
    }

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
            Self::NetworkAnswers(_) => 18,
            Self::AccessAllowed(_) => 19,
            Self::Plan(_) => 20,
        }
    }
}

#[cfg(test)]
mod tests {
    use lasthop_contract::RandomStream;

    use super::*;

    #[test]
    fn events_come_in_the_order_of_time_and_kind_and_of_their_planning() {
        let mut stream = RandomStream::named(1, "events");
        let mut events = Events::default();
        let mut planned: Vec<(u64, u8, u32)> = Vec::new();
        let mut now = 0;
        for number in 0..20_000 {
            if stream.below(3) == 0 && !planned.is_empty() {
                let next = *planned.iter().min().expect("something is planned");
                planned.retain(|other| *other != next);
                assert_eq!(events.next(), Some((Subframe(next.0), next.1)));
                let (at, event) = events.pop().expect("something is planned");
                assert_eq!((at.0, event.kind()), (next.0, next.1));
                if let Event::Plan(number) = event {
                    assert_eq!(number, next.2 as u8);
                }
                now = at.0;
            }
            if planned.len() < 60 {
                let at = now + (1 << stream.below(8)) - 1;
                let event = match stream.below(3) {
                    0 => Event::Plan(number as u8),
                    1 => Event::GiveUp(DeviceKey::default()),
                    _ => Event::AccessRetry(DeviceKey::default()),
                };
                planned.push((at, event.kind(), number));
                events.push(Subframe(at), event);
            }
        }
        assert_eq!(
            events.handled() as usize + planned.len(),
            events.sequence as usize
        );
    }
}
