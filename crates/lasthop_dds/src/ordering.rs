//! Reordering of samples and fragments that arrive after a loss.
//!
//! A reliable reader of `dust_dds` drops them, and asks for them again with what was lost (go-back-N), which other makes
//! do not: RTPS asks for what is missing (DDSI-RTPS 2.5 §8.4.10.5, §8.4.15). So they are held here until what was lost has
//! come, and of samples of which fragments are held only the others are asked for.

use std::collections::BTreeMap;

use lasthop_units::Instant;

use crate::early::{Early, InParts};
use crate::peers::LEASE;
use crate::soundness::MOST_OF_A_SET;
use crate::submessage::{
    Guid, GuidPrefix, Numbers, Submessage, Wanted, alone, count_wanted_fragments, guid, is_builtin,
    sender, submessages, wanted, wanted_fragments,
};

/// The expected and the stored samples of a reader, by writer.
#[derive(Debug, Default)]
pub(crate) struct Ordering {
    writers: BTreeMap<Guid, Awaited>,
}

#[derive(Debug)]
struct Awaited {
    next: i64,
    /// From where on what is held was read, since the reader asked last.
    skipped_to: Option<i64>,
    /// By their numbers. Of the next one `dust_dds` has all fragments that are noted.
    early: BTreeMap<i64, Early>,
    /// How often fragments were asked for.
    asked_for_fragments: i32,
    told: Instant,
}

/// How far behind the next one a sample may be: as many as a reader can ask for at once.
const FARTHEST: i64 = MOST_OF_A_SET as i64;

/// As long as a message gets at most by what it asks for of fragments: it is to fit one packet. The next one asks for the rest.
const LONGEST_REQUEST: usize = 1_000;

impl Ordering {
    /// Returns the messages to read before a received message: its samples, and the stored samples that follow.
    pub(crate) fn before(&mut self, message: &[u8]) -> Vec<Vec<u8>> {
        let mut before = Vec::new();
        for part in submessages(message).filter(is_of_a_user) {
            let writer = writer_of(message, &part);
            let awaited = writer.and_then(|writer| self.writers.get_mut(&writer));
            if let Some((awaited, numbers)) = awaited.zip(part.numbers()) {
                awaited.take(numbers, || alone(message, &part), &mut before);
            }
        }
        before
    }

    /// Returns the messages to read after a received message: stored samples whose lost predecessors the writer
    /// declared irrelevant.
    pub(crate) fn behind(&mut self, message: &[u8]) -> Vec<Vec<u8>> {
        let mut behind = Vec::new();
        for part in submessages(message) {
            let writer = writer_of(message, &part);
            let awaited = writer.and_then(|writer| self.writers.get_mut(&writer));
            match awaited.zip(part.numbers()) {
                Some((awaited, Numbers::Available { first, .. })) => {
                    awaited.skip_to(first, &mut behind);
                }
                Some((awaited, Numbers::Skipped { first, base, .. })) if first <= awaited.next => {
                    awaited.skip_to(base, &mut behind);
                }
                _ => {}
            }
        }
        behind
    }

    /// Removes a participant that has ended.
    pub(crate) fn forget(&mut self, participant: GuidPrefix) {
        self.writers
            .retain(|writer, _| !writer.starts_with(&participant));
    }

    /// Removes stored samples from an outgoing request, and adds requests for the missing fragments.
    pub(crate) fn ask(&mut self, now: Instant, message: &mut Vec<u8>) {
        let Some((writer, wanted)) = wanted(message) else {
            return;
        };
        let awaited = self.awaited(now, writer);
        if awaited.skipped_to.take() == Some(wanted.base) {
            // It was asked before what is held was read.
            for number in wanted.base..awaited.next {
                wanted.clear(message, number);
            }
        } else {
            awaited.next = wanted.base;
            // Where it asks for what is held, it is to get that once more.
            let from = wanted.base + i64::from(wanted.contains(message, wanted.base));
            awaited.early = awaited.early.split_off(&from);
        }
        for number in awaited.early.keys() {
            wanted.clear(message, *number);
        }
        awaited.ask_for_fragments(message, &wanted);
    }

    fn awaited(&mut self, now: Instant, writer: Guid) -> &mut Awaited {
        if !self.writers.contains_key(&writer) {
            self.writers.retain(|_, awaited| now - awaited.told < LEASE);
        }
        let awaited = self.writers.entry(writer).or_insert_with(|| Awaited {
            next: 1,
            skipped_to: None,
            early: BTreeMap::new(),
            asked_for_fragments: 0,
            told: now,
        });
        awaited.told = now;
        awaited
    }
}

impl Awaited {
    fn take(&mut self, numbers: Numbers, piece: impl Fn() -> Vec<u8>, before: &mut Vec<Vec<u8>>) {
        let (Numbers::Sample(number) | Numbers::Fragments { sample: number, .. }) = numbers else {
            return;
        };
        if !(self.next..=self.next + FARTHEST).contains(&number) {
            return;
        }
        // What is next is read at once, so that it need not be held.
        let is_next = number == self.next;
        let held = || if is_next { Vec::new() } else { piece() };
        let is_whole = match numbers {
            Numbers::Fragments {
                first,
                count,
                size,
                of,
                ..
            } => {
                let all = of.div_ceil(u32::from(size.max(1)));
                let early = self.early.entry(number);
                let early = early.or_insert_with(|| Early::InParts(InParts::new(all)));
                early.add((first, count), held);
                early.is_whole()
            }
            _ if is_next => true,
            _ => {
                let early = self.early.entry(number);
                early.or_insert_with(|| Early::Whole(held()));
                false
            }
        };
        if is_next && is_whole {
            self.early.remove(&number);
            self.next += 1;
            if self.early.contains_key(&self.next) {
                before.push(piece());
                self.read_on(before);
            }
        }
    }

    /// Skips samples below a number, which will not arrive.
    fn skip_to(&mut self, first: i64, behind: &mut Vec<Vec<u8>>) {
        if first <= self.next {
            return;
        }
        (self.next, self.skipped_to) = (first, Some(first));
        self.early = self.early.split_off(&first);
        self.read_on(behind);
    }

    /// Gives what is held of the next samples, up to the first that is not whole.
    fn read_on(&mut self, pieces: &mut Vec<Vec<u8>>) {
        while let Some(early) = self.early.get_mut(&self.next) {
            let is_whole = early.is_whole();
            early.read(pieces);
            if !is_whole {
                return;
            }
            self.early.remove(&self.next);
            self.next += 1;
        }
    }

    /// Has a message ask for what is missing of the samples of which fragments are held, but those for which it does already.
    fn ask_for_fragments(&mut self, message: &mut Vec<u8>, wanted: &Wanted) {
        let asked = wanted_fragments(message);
        for (_, place) in &asked {
            self.asked_for_fragments += 1;
            count_wanted_fragments(message, *place, self.asked_for_fragments);
        }
        let is_asked = |number: i64| asked.iter().any(|(it, _)| *it == number);
        for (number, early) in &self.early {
            if let Early::InParts(parts) = early
                && let Some(missing) = parts.missing()
                && wanted.covers(*number)
                && !is_asked(*number)
                && message.len() < LONGEST_REQUEST
            {
                self.asked_for_fragments += 1;
                message.extend(wanted.for_fragments(*number, &missing, self.asked_for_fragments));
            }
        }
    }
}

/// Whether it carries a sample of a user, or fragments of one.
fn is_of_a_user(part: &Submessage<'_>) -> bool {
    let is_of_user = part.writer().is_some_and(|writer| !is_builtin(writer));
    part.is_data() && is_of_user
}

fn writer_of(message: &[u8], part: &Submessage<'_>) -> Option<Guid> {
    Some(guid(sender(message)?, part.writer()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: [u8; 12] = [9; 12];
    const OTHER: [u8; 12] = [7; 12];
    const READER: [u8; 4] = [0, 0, 1, 7];
    const WRITER: [u8; 4] = [0, 0, 1, 2];

    fn message(from: [u8; 12], parts: &[&[u8]]) -> Vec<u8> {
        [b"RTPS\x02\x04\x01\x14", &from[..], &parts.concat()].concat()
    }

    /// A number of a sample, in the upper half and the lower.
    fn number(number: u8) -> [u8; 8] {
        [0, 0, 0, 0, number, 0, 0, 0]
    }

    fn sample(of: u8) -> Vec<u8> {
        let head = [0x15, 5, 28, 0, 0, 0, 16, 0];
        let body = [&READER[..], &WRITER, &number(of), &[of; 8]].concat();
        let time = [0x09, 1, 8, 0, 1, 0, 0, 0, 0, 0, 0, 0];
        message(OTHER, &[&time, &head, &body])
    }

    /// What `dust_dds` asks for: the eight samples from a number on.
    fn asked(base: u8) -> Vec<u8> {
        let to = [&[0x0e, 1, 12, 0][..], &OTHER].concat();
        let head = [0x06, 3, 28, 0];
        let set = [
            &number(base)[..],
            &[8, 0, 0, 0],
            &[0, 0, 0, 0xff],
            &[1, 0, 0, 0],
        ]
        .concat();
        message(US, &[&to, &head, &READER, &WRITER, &set])
    }

    /// The first eight bits of a set, as little endian has them.
    fn set(message: &[u8]) -> u8 {
        message[20 + 16 + 4 + 20 + 3]
    }

    #[test]
    fn what_came_early_is_read_behind_what_was_lost_and_not_asked_for() {
        let mut ordering = Ordering::default();
        ordering.ask(Instant::ZERO, &mut asked(5));
        assert!(ordering.before(&sample(6)).is_empty());
        assert!(ordering.before(&sample(8)).is_empty());
        let mut again = asked(5);
        ordering.ask(Instant::ZERO, &mut again);
        assert_eq!(set(&again), 0b1010_1111);
        assert_eq!(ordering.before(&sample(5)), [sample(5), sample(6)]);
        assert_eq!(ordering.before(&sample(7)), [sample(7), sample(8)]);
        assert!(ordering.before(&sample(9)).is_empty());
    }

    #[test]
    fn what_is_asked_for_though_it_is_held_comes_again() {
        let mut ordering = Ordering::default();
        ordering.ask(Instant::ZERO, &mut asked(5));
        ordering.before(&sample(6));
        let mut again = asked(6);
        ordering.ask(Instant::ZERO, &mut again);
        assert_eq!(set(&again), 0xff);
    }

    #[test]
    fn what_is_held_is_read_when_what_was_lost_will_not_come_and_not_asked_for() {
        let mut ordering = Ordering::default();
        ordering.ask(Instant::ZERO, &mut asked(5));
        for early in [7, 8, 10] {
            assert!(ordering.before(&sample(early)).is_empty());
        }
        // The writer has no sample below 7 any more.
        let head = [0x07, 1, 28, 0];
        let body = [&READER[..], &WRITER, &number(7), &number(10), &[1, 0, 0, 0]].concat();
        let heartbeat = message(OTHER, &[&head, &body]);
        assert_eq!(ordering.behind(&heartbeat), [sample(7), sample(8)]);
        assert!(ordering.behind(&heartbeat).is_empty());
        // From 7 on, of which 7, 8 and 10 are there.
        let mut again = asked(7);
        ordering.ask(Instant::ZERO, &mut again);
        assert_eq!(set(&again), 0b0010_1111);
        assert_eq!(ordering.before(&sample(9)), [sample(9), sample(10)]);
        // A reader that asks once more for what was read to it has not got it.
        let mut again = asked(9);
        ordering.ask(Instant::ZERO, &mut again);
        assert_eq!(set(&again), 0xff);
    }

    #[test]
    fn only_what_can_be_asked_for_is_held_and_of_writers_that_are_known() {
        let mut ordering = Ordering::default();
        assert!(ordering.before(&sample(6)).is_empty());
        assert!(ordering.writers.is_empty());
        ordering.ask(Instant::ZERO, &mut asked(5));
        let far = |number: u64| {
            let mut far = sample(0);
            let [low, high] = [number as u32, (number >> 32) as u32].map(u32::to_le_bytes);
            let at = 20 + 12 + 4 + 4 + 8;
            far[at..at + 8].copy_from_slice(&[high, low].concat());
            far
        };
        ordering.before(&far(5 + 256));
        ordering.before(&far(5 + 257));
        ordering.before(&far(1 << 61));
        let held = ordering.writers.values().flat_map(|it| it.early.keys());
        assert!(held.eq([&261]));
    }
}
