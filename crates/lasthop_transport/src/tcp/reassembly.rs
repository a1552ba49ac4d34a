use std::collections::VecDeque;

use super::sequence::Seq;

/// What arrived beyond a gap: ranges in order, none touching the next.
#[derive(Debug, Default)]
pub(crate) struct Reassembly {
    ranges: Vec<Range>,
    /// The starts of the ranges that grew last, the latest first (RFC 2018 section 4).
    recent: Vec<Seq>,
    /// Where the stream ends: a number of its own, which counts with the range that it follows.
    fin: Option<Seq>,
    /// Blocks that are still to be told though nothing is held any more.
    told: Vec<(Seq, Seq)>,
}

/// What followed on from what had arrived.
#[derive(Debug, PartialEq)]
pub(crate) struct Taken {
    /// The number after it, the end of the stream left out.
    pub(crate) next: Seq,
    /// Whether the stream ends there.
    pub(crate) ends: bool,
    /// What of it had arrived twice, as a duplicate to report.
    pub(crate) duplicate: Option<(Seq, Seq)>,
}

/// Bytes in a row; none where the stream ends beyond a gap.
#[derive(Debug)]
struct Range {
    start: Seq,
    bytes: VecDeque<u8>,
}

/// How many gaps are kept: a peer that makes more loses what is beyond them.
const MAX_RANGES: usize = 128;

/// How many blocks fit a header.
const MAX_BLOCKS: usize = 4;

impl Range {
    fn end(&self) -> Seq {
        self.start + self.bytes.len() as u32
    }
}

impl Reassembly {
    /// Nothing, with blocks to tell all the same.
    pub(crate) fn of_blocks(blocks: Vec<(Seq, Seq)>) -> Self {
        Self {
            told: blocks,
            ..Self::default()
        }
    }

    /// How many bytes it holds.
    pub(crate) fn held(&self) -> u32 {
        self.ranges.iter().map(|r| r.bytes.len() as u32).sum()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ranges.is_empty() && self.fin.is_none()
    }

    /// How many blocks there are to report.
    pub(crate) fn block_count(&self) -> u32 {
        self.recent.len() as u32
    }

    /// The blocks to report, the one that grew last first.
    pub(crate) fn all_blocks(&self) -> Vec<(Seq, Seq)> {
        let mut blocks = Vec::new();
        self.blocks(&mut blocks);
        blocks
    }

    /// Adds them to others.
    pub(crate) fn blocks(&self, into: &mut Vec<(Seq, Seq)>) {
        into.extend_from_slice(&self.told);
        for start in &self.recent {
            if let Some(range) = self.ranges.iter().find(|range| range.start == *start) {
                let end = self.reported_end(range);
                // A peer that ends twice leaves an empty one.
                if range.start != end {
                    into.push((range.start, end));
                }
            }
        }
    }

    /// Keeps bytes, and the end of the stream if it follows them; returns the part that was here before, as a
    /// duplicate to report.
    pub(crate) fn insert(&mut self, start: Seq, bytes: &[u8], has_fin: bool) -> Option<(Seq, Seq)> {
        let end = start + bytes.len() as u32;
        let known_fin = self.fin;
        if has_fin {
            self.fin = Some(end);
        }
        let first = self
            .ranges
            .partition_point(|range| range.end().is_before(start));
        let behind = self
            .ranges
            .partition_point(|range| !range.start.is_after(end));
        if first == behind {
            if self.ranges.len() < MAX_RANGES {
                let bytes = bytes.iter().copied().collect();
                self.ranges.insert(first, Range { start, bytes });
                self.note(start);
            }
            return None;
        }
        let new_end = end + u32::from(has_fin);
        let mut duplicate = None;
        let mut joined = Range {
            start,
            bytes: VecDeque::new(),
        };
        let touched = self.ranges.drain(first..behind);
        let mut taken = Vec::new();
        for mut range in touched {
            let known_end = range.end() + u32::from(known_fin == Some(range.end()));
            let (from, to) = (range.start.later(start), known_end.earlier(new_end));
            if from.is_before(to) && duplicate.is_none() {
                duplicate = Some((from, to));
            }
            taken.push(range.start);
            if joined.bytes.is_empty() && !range.start.is_after(start) {
                joined = range;
                continue;
            }
            let at = joined.end();
            joined.bytes.extend(part(bytes, start, at, range.start));
            let known = joined.end().later(range.start) - range.start;
            range.bytes.drain(..(known as usize).min(range.bytes.len()));
            joined.bytes.append(&mut range.bytes);
        }
        let at = joined.end();
        joined.bytes.extend(part(bytes, start, at, end));
        self.recent.retain(|start| !taken.contains(start));
        let start = joined.start;
        self.ranges.insert(first, joined);
        self.note(start);
        duplicate
    }

    /// Hands over what follows on from `received`.
    pub(crate) fn take(&mut self, received: Seq, into: &mut VecDeque<u8>) -> Taken {
        let mut next = received;
        let mut duplicate = None;
        while let Some(first) = self.ranges.first_mut()
            && !first.start.is_after(next)
        {
            let known = (next - first.start) as usize;
            let (start, end) = (first.start, first.end());
            let twice = (start, end.earlier(received));
            if duplicate.is_none() && twice.0.is_before(twice.1) {
                duplicate = Some(twice);
            }
            if known < first.bytes.len() {
                first.bytes.drain(..known);
                into.append(&mut first.bytes);
                next = end;
            }
            self.ranges.remove(0);
            self.recent.retain(|recent| *recent != start);
        }
        let ends = self.fin == Some(next);
        self.fin.take_if(|fin| !fin.is_after(next));
        Taken {
            next,
            ends,
            duplicate,
        }
    }

    fn reported_end(&self, range: &Range) -> Seq {
        range.end() + u32::from(self.fin == Some(range.end()))
    }

    fn note(&mut self, start: Seq) {
        self.recent.retain(|recent| *recent != start);
        self.recent.insert(0, start);
        self.recent.truncate(MAX_BLOCKS);
    }
}

/// Returns the part of `bytes` between two sequence numbers, or an empty slice if they are reversed.
fn part(bytes: &[u8], start: Seq, from: Seq, to: Seq) -> &[u8] {
    let from = from.later(start);
    if !from.is_before(to) {
        return &[];
    }
    let last = bytes.len();
    bytes
        .get((from - start) as usize..((to - start) as usize).min(last))
        .unwrap_or(&[])
}

#[cfg(test)]
mod tests {
    use lasthop_contract::RandomStream;

    use super::*;

    #[test]
    fn puts_any_order_of_pieces_back_together() {
        let mut random = RandomStream::named(1, "reassembly");
        for _ in 0..2000 {
            let base = Seq(random.next_u64() as u32);
            let stream: Vec<u8> = (0..200).map(|_| random.next_u64() as u8).collect();
            let mut pieces = Reassembly::default();
            let mut seen = [false; 200];
            let mut out = VecDeque::new();
            let mut next = base;
            while out.len() < stream.len() {
                let from = random.below(200) as usize;
                let to = (from + 1 + random.below(40) as usize).min(200);
                let from = from.max((next - base) as usize);
                if from >= to {
                    continue;
                }
                let known = (from..to).any(|place| seen[place]);
                seen[from..to].fill(true);
                let has_fin = to == 200;
                let duplicate = pieces.insert(base + from as u32, &stream[from..to], has_fin);
                assert_eq!(duplicate.is_some(), known);
                if let Some((start, end)) = duplicate {
                    let to = to + usize::from(has_fin);
                    assert!((start - base) as usize >= from && (end - base) as usize <= to);
                }
                let taken = pieces.take(next, &mut out);
                next = taken.next;
                assert_eq!((next - base) as usize, out.len());
                assert_eq!(taken.ends, out.len() == 200);
                assert_eq!(taken.duplicate, None, "nothing came but through here");
                let gaps = (out.len()..200).filter(|p| seen[*p] && (*p == 0 || !seen[p - 1]));
                assert_eq!(pieces.ranges.len(), gaps.count());
                let held = seen[out.len()..].iter().filter(|seen| **seen).count();
                assert_eq!(pieces.held() as usize, held);
                let mut blocks = Vec::new();
                pieces.blocks(&mut blocks);
                assert!(blocks.len() <= pieces.ranges.len().min(MAX_BLOCKS));
                let latest = base + from as u32;
                let reports_latest =
                    |(start, end): &(Seq, Seq)| !start.is_after(latest) && latest.is_before(*end);
                assert!(latest.is_before(next) || blocks.first().is_some_and(reports_latest));
            }
            assert!(out.iter().eq(&stream));
            assert!(pieces.is_empty());
        }
    }

    #[test]
    fn the_number_of_gaps_is_bounded() {
        let mut pieces = Reassembly::default();
        for number in 0..10_000 {
            pieces.insert(Seq(number * 2), b"x", false);
        }
        assert_eq!(pieces.held() as usize, MAX_RANGES);
    }

    #[test]
    fn the_end_is_reported_with_the_range_that_it_follows() {
        let mut pieces = Reassembly::default();
        let blocks = |pieces: &Reassembly| {
            let mut blocks = Vec::new();
            pieces.blocks(&mut blocks);
            blocks
        };
        assert_eq!(pieces.insert(Seq(20), b"", true), None);
        assert_eq!(blocks(&pieces), [(Seq(20), Seq(21))]);
        assert_eq!(pieces.insert(Seq(20), b"", true), Some((Seq(20), Seq(21))));
        assert_eq!(pieces.insert(Seq(15), b"fghij", false), None);
        assert_eq!(blocks(&pieces), [(Seq(15), Seq(21))]);
        assert_eq!(
            pieces.insert(Seq(18), b"ij", true),
            Some((Seq(18), Seq(21)))
        );
        assert_eq!(pieces.insert(Seq(40), b"", true), None);
        assert_eq!(
            blocks(&pieces),
            [(Seq(40), Seq(41)), (Seq(15), Seq(20))],
            "the last end counts"
        );
        assert_eq!(
            pieces.insert(Seq(18), b"ij", true),
            Some((Seq(18), Seq(20)))
        );
        let mut out = VecDeque::new();
        let taken = Taken {
            next: Seq(20),
            ends: true,
            duplicate: Some((Seq(15), Seq(17))),
        };
        assert_eq!(pieces.take(Seq(17), &mut out), taken);
        assert!(out.iter().eq(b"hij") && blocks(&pieces).is_empty());
    }
}
