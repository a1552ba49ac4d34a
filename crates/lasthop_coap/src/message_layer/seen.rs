use std::collections::VecDeque;

use lasthop_contract::LookupMap;
use lasthop_units::{Duration, Instant};

use super::Lifetimes;
use crate::codec::Code;

/// The message IDs received from a peer, with the reply to each (RFC 7252 section 4.5).
///
/// A number takes eight bytes, and a bit in a list of ranges that tells at once that a number is new.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    /// In the order of their arrival.
    entries: VecDeque<Entry>,
    ranges: VecDeque<BitRange>,
    /// Replies that cannot be made again from the request.
    replies: LookupMap<u16, Box<[u8]>>,
}

/// The reply of the message layer to a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reply<'a> {
    /// No reply.
    Silence,
    /// A reset.
    Reset,
    /// An acknowledgement that is empty, or that has only a code and the request's token.
    Bare(Code),
    /// The request is processed again when it is repeated, because it is idempotent and the response is large.
    Anew,
    /// This stored datagram.
    Stored(&'a [u8]),
}

/// Time of arrival, answer, number: 39, 9 and 16 bits.
#[derive(Clone, Copy, Debug)]
struct Entry(u64);

/// Which of 64 neighbouring numbers are there.
#[derive(Clone, Copy, Debug)]
struct BitRange {
    start: u16,
    bits: u64,
}

/// At most this many numbers are remembered of a peer; the oldest is forgotten for the next.
const MAX_ENTRIES: usize = 4096;

/// Classes that no message has.
const SILENCE: u8 = 0x60;
const RESET: u8 = 0x61;
const STORED: u8 = 0x62;
const ANEW: u8 = 0x63;

impl Seen {
    /// Records a message ID. Returns whether it is new. Expired IDs are removed.
    #[inline]
    pub(super) fn insert(
        &mut self,
        now: Instant,
        id: u16,
        confirmable: bool,
        lifetimes: Lifetimes,
    ) -> bool {
        self.forget_old(now, lifetimes);
        if !self.mark(id) {
            let is_alive = self
                .find(id)
                .is_some_and(|entry| !entry.is_over(now, lifetimes));
            if is_alive {
                return false;
            }
            self.remove(id);
            self.mark(id);
        }
        if self.entries.len() >= MAX_ENTRIES {
            self.forget_first();
        }
        self.entries.push_back(Entry::new(now, id, confirmable));
        true
    }

    /// Records the reply to the last message with this ID.
    pub(super) fn answer(&mut self, id: u16, reply: Reply<'_>) {
        let code = match reply {
            Reply::Silence => SILENCE,
            Reply::Reset => RESET,
            Reply::Anew => ANEW,
            Reply::Bare(code) => code.0,
            Reply::Stored(datagram) => {
                self.replies.insert(id, datagram.into());
                STORED
            }
        };
        if let Some(entry) = self.entries.iter_mut().rev().find(|entry| entry.id() == id) {
            entry.set_reply(code);
        }
    }

    /// Returns the reply to a message ID.
    pub(super) fn reply(&self, id: u16) -> Reply<'_> {
        match self.find(id).map(Entry::reply) {
            None | Some(SILENCE) => Reply::Silence,
            Some(RESET) => Reply::Reset,
            Some(ANEW) => Reply::Anew,
            Some(STORED) => self
                .replies
                .get(&id)
                .map_or(Reply::Silence, |datagram| Reply::Stored(datagram)),
            Some(code) => Reply::Bare(Code(code)),
        }
    }

    /// Removes expired IDs. Returns whether any are left.
    pub(super) fn forget_old(&mut self, now: Instant, lifetimes: Lifetimes) -> bool {
        while let Some(first) = self.entries.front()
            && first.is_over(now, lifetimes)
        {
            self.forget_first();
        }
        !self.entries.is_empty()
    }

    fn find(&self, id: u16) -> Option<Entry> {
        self.entries.iter().rev().find(|e| e.id() == id).copied()
    }

    fn remove(&mut self, id: u16) {
        if let Some(place) = self.entries.iter().position(|entry| entry.id() == id) {
            self.entries.remove(place);
            self.unmark(id);
        }
    }

    #[inline]
    fn forget_first(&mut self) {
        if let Some(entry) = self.entries.pop_front() {
            self.unmark(entry.id());
        }
    }

    /// Sets the bit of a number; whether it was not set.
    #[inline]
    fn mark(&mut self, id: u16) -> bool {
        let (start, bit) = (BitRange::start_of(id), BitRange::bit(id));
        match self.ranges.iter_mut().rev().find(|r| r.start == start) {
            Some(range) => {
                let is_new = range.bits & bit == 0;
                range.bits |= bit;
                is_new
            }
            None => {
                self.ranges.push_back(BitRange { start, bits: bit });
                true
            }
        }
    }

    #[inline]
    fn unmark(&mut self, id: u16) {
        if !self.replies.is_empty() {
            self.replies.remove(&id);
        }
        let start = BitRange::start_of(id);
        let Some(place) = self.ranges.iter().position(|r| r.start == start) else {
            return;
        };
        self.ranges[place].bits &= !BitRange::bit(id);
        if self.ranges[place].bits == 0 {
            self.ranges.remove(place);
        }
    }
}

impl BitRange {
    const fn start_of(id: u16) -> u16 {
        id & !63
    }

    const fn bit(id: u16) -> u64 {
        1 << (id & 63)
    }
}

impl Entry {
    /// One tick is 2^24 ns, about 17 ms.
    const TICK_BITS: u32 = 24;
    const REPLY_SHIFT: u32 = 16;
    const CONFIRMABLE: u64 = 1 << 24;
    const TICKS_SHIFT: u32 = 25;

    fn new(now: Instant, id: u16, confirmable: bool) -> Self {
        let ticks = now.as_nanos() >> Self::TICK_BITS;
        let confirmable = if confirmable { Self::CONFIRMABLE } else { 0 };
        Self(
            ticks << Self::TICKS_SHIFT
                | confirmable
                | u64::from(SILENCE) << Self::REPLY_SHIFT
                | u64::from(id),
        )
    }

    const fn id(self) -> u16 {
        self.0 as u16
    }

    const fn reply(self) -> u8 {
        (self.0 >> Self::REPLY_SHIFT) as u8
    }

    fn set_reply(&mut self, code: u8) {
        self.0 = self.0 & !(0xff << Self::REPLY_SHIFT) | u64::from(code) << Self::REPLY_SHIFT;
    }

    /// Whether its time is over; at most two ticks late.
    fn is_over(self, now: Instant, lifetimes: Lifetimes) -> bool {
        let lifetime = if self.0 & Self::CONFIRMABLE == 0 {
            lifetimes.non_confirmable
        } else {
            lifetimes.confirmable
        };
        let ticks = |span: Duration| span.as_nanos() >> Self::TICK_BITS;
        let age = ticks(now.since_start()) - (self.0 >> Self::TICKS_SHIFT);
        age > ticks(lifetime) + 1
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use lasthop_contract::RandomStream;

    use super::*;

    const LIFETIMES: Lifetimes = Lifetimes {
        confirmable: Duration::from_secs(247),
        non_confirmable: Duration::from_secs(145),
    };

    #[test]
    fn a_number_is_new_once_in_its_lifetime() {
        let mut seen = Seen::default();
        let mut model = BTreeMap::new();
        let mut random = RandomStream::named(1, "seen");
        let mut now = Instant::ZERO;
        for step in 0..20_000_u64 {
            let id = random.below(400) as u16;
            let confirmable = random.below(2) == 0;
            let is_new = seen.insert(now, id, confirmable, LIFETIMES);
            let lifetime = |confirmable| {
                if confirmable {
                    LIFETIMES.confirmable
                } else {
                    LIFETIMES.non_confirmable
                }
            };
            let alive_until = model.get(&id).map(|(at, kind)| *at + lifetime(*kind));
            // The clock of the memory has ticks of 17 ms.
            let tick = Duration::from_millis(40);
            if alive_until.is_none_or(|until| until + tick < now) {
                assert!(is_new, "step {step}");
            } else if alive_until.is_some_and(|until| now <= until) {
                assert!(!is_new, "step {step}");
            }
            if is_new {
                model.insert(id, (now, confirmable));
            }
            now += Duration::from_millis(random.below(3000));
        }
        assert!(!seen.forget_old(now + Duration::from_secs(248), LIFETIMES));
        assert!(seen.ranges.is_empty() && seen.replies.is_empty());
    }

    #[test]
    fn what_it_holds_is_bounded() {
        let mut seen = Seen::default();
        for id in 0..=u16::MAX {
            let id = id.wrapping_mul(40_503);
            assert!(seen.insert(Instant::ZERO, id, true, LIFETIMES));
            seen.answer(id, Reply::Stored(&[1, 2, 3]));
        }
        assert_eq!(seen.entries.len(), MAX_ENTRIES);
        assert_eq!(seen.replies.len(), MAX_ENTRIES);
        assert!(seen.ranges.len() <= 1024);
    }

    #[test]
    fn replies_are_given_back() {
        let mut seen = Seen::default();
        let replies = [
            Reply::Silence,
            Reply::Reset,
            Reply::Bare(Code::CHANGED),
            Reply::Bare(Code::EMPTY),
            Reply::Anew,
            Reply::Stored(b"datagram"),
        ];
        for (id, reply) in (0..).zip(replies) {
            seen.insert(Instant::ZERO, id, true, LIFETIMES);
            seen.answer(id, reply);
            assert_eq!(seen.reply(id), reply);
        }
    }
}
