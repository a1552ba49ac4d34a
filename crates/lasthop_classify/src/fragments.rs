use core::net::IpAddr;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

use lasthop_contract::LookupMap;
use lasthop_units::{Duration, Instant};

use crate::datagram::digest;

/// The fragments of incomplete packets, and records of complete ones. Old entries expire, and the oldest are evicted
/// when there are many.
#[derive(Debug, Default)]
pub(crate) struct Fragments {
    sets: LookupMap<FragmentKey, FragmentSet>,
    /// In the order of their first fragment, each with its number.
    order: VecDeque<(Instant, FragmentKey, u64)>,
    begun: u64,
}

/// The packet to which a fragment belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FragmentKey {
    pub(crate) source: IpAddr,
    pub(crate) destination: IpAddr,
    pub(crate) protocol: u8,
    pub(crate) identification: u32,
}

/// The place of a fragment in its packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FragmentPlace {
    pub(crate) identification: u32,
    /// The offset in the packet.
    pub(crate) offset: usize,
    pub(crate) has_more: bool,
}

/// A captured fragment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fragment<'a> {
    pub(crate) place: FragmentPlace,
    /// The length of its headers.
    pub(crate) header: usize,
    /// The captured bytes after the headers.
    pub(crate) kept: &'a [u8],
    /// The original length of the bytes after the headers.
    pub(crate) length: usize,
}

/// The result of adding a fragment.
#[derive(Debug)]
pub(crate) enum Added {
    /// Further fragments are missing.
    Waits,
    /// The packet is complete.
    Whole(FragmentSet),
    /// The fragment is a duplicate from a complete packet, which had these ports.
    Copy((u16, u16)),
    /// The fragment belongs to a new packet with a reused identification. The old set is returned, and the fragment
    /// must be added again.
    OfAnother(FragmentSet),
}

/// The fragments of one packet.
#[derive(Debug, Default)]
pub(crate) struct FragmentSet {
    /// The total length of the fragments' headers.
    pub(crate) header_bytes: usize,
    pub(crate) packets: u32,
    /// The number of duplicated bytes.
    pub(crate) again: usize,
    number: u64,
    /// By their offsets, without overlap.
    parts: BTreeMap<usize, Part>,
    /// How many bytes the parts have.
    covered: usize,
    end: Option<usize>,
    /// Offset, length and digest of each.
    seen: BTreeSet<(usize, usize, u64)>,
    /// Its ports, from when it was whole on.
    ports: Option<(u16, u16)>,
}

#[derive(Debug)]
struct Part {
    length: usize,
    kept: Vec<u8>,
}

/// As long as Linux waits (`ipfrag_time`).
const LIFETIME: Duration = Duration::from_secs(30);
const MOST: usize = 1024;

impl Fragments {
    /// Adds a fragment.
    pub(crate) fn add(&mut self, now: Instant, key: FragmentKey, fragment: Fragment<'_>) -> Added {
        let (order, begun) = (&mut self.order, &mut self.begun);
        let set = self.sets.get_or_insert_with(key, || {
            *begun += 1;
            order.push_back((now, key, *begun));
            FragmentSet {
                number: *begun,
                ..FragmentSet::default()
            }
        });
        if let Some(ports) = set.ports
            && set.seen.contains(&fragment.name())
        {
            return Added::Copy(ports);
        }
        if set.ports.is_some() || set.contradicts(&fragment) {
            return Added::OfAnother(self.sets.remove(&key).unwrap_or_default());
        }
        set.add(&fragment);
        if set.end == Some(set.covered) {
            return Added::Whole(set.whole());
        }
        Added::Waits
    }

    /// Removes and returns an expired set.
    pub(crate) fn expired(&mut self, now: Instant) -> Option<(FragmentKey, FragmentSet)> {
        while let Some(&(since, ..)) = self.order.front() {
            let is_old = now.as_nanos() >= since.as_nanos() + LIFETIME.as_nanos();
            if !is_old && self.order.len() <= MOST {
                return None;
            }
            if let Some(found) = self.take_first() {
                return Some(found);
            }
        }
        None
    }

    /// Removes and returns any set.
    pub(crate) fn take_any(&mut self) -> Option<(FragmentKey, FragmentSet)> {
        while !self.order.is_empty() {
            if let Some(found) = self.take_first() {
                return Some(found);
            }
        }
        None
    }

    /// Takes the oldest out; `None` where it was told of already.
    fn take_first(&mut self) -> Option<(FragmentKey, FragmentSet)> {
        let (_, key, number) = self.order.pop_front()?;
        if self.sets.get(&key)?.number != number {
            return None;
        }
        let set = self.sets.remove(&key)?;
        (!set.is_told()).then_some((key, set))
    }
}

impl Fragment<'_> {
    fn name(&self) -> (usize, usize, u64) {
        (self.place.offset, self.length, digest(self.kept))
    }

    fn end(&self) -> usize {
        self.place.offset + self.length
    }
}

impl FragmentSet {
    /// Returns the number of payload bytes that were captured.
    pub(crate) const fn payload_bytes(&self) -> usize {
        self.covered
    }

    /// Whether the packet was complete.
    pub(crate) const fn is_told(&self) -> bool {
        self.ports.is_some()
    }

    /// Returns the reassembled packet: its captured beginning and its length.
    pub(crate) fn join(self) -> (Vec<u8>, usize) {
        let mut bytes = Vec::with_capacity(self.covered);
        for (offset, part) in self.parts {
            if bytes.len() == offset {
                bytes.extend_from_slice(&part.kept);
            }
        }
        (bytes, self.covered)
    }

    /// Whether a fragment has other bytes where one of these lies, or another end.
    fn contradicts(&self, fragment: &Fragment<'_>) -> bool {
        let reach = self.parts.last_key_value();
        let reach = reach.map_or(0, |(offset, part)| offset + part.length);
        let ends_elsewhere = match (self.end, fragment.place.has_more) {
            (Some(end), true) => fragment.end() > end,
            (Some(end), false) => fragment.end() != end,
            (None, true) => false,
            (None, false) => fragment.end() < reach,
        };
        let mut overlapping = self.overlapping(fragment);
        ends_elsewhere || overlapping.any(|(offset, part)| !part.agrees(offset, fragment))
    }

    fn overlapping<'a>(
        &'a self,
        fragment: &Fragment<'_>,
    ) -> impl Iterator<Item = (usize, &'a Part)> {
        let (start, end) = (fragment.place.offset, fragment.end());
        let before = self.parts.range(..start).next_back();
        let from = before
            .filter(|(offset, part)| *offset + part.length > start)
            .map_or(start, |(offset, _)| *offset);
        let parts = self.parts.range(from..end.max(from));
        parts.map(|(offset, part)| (*offset, part))
    }

    /// Adds of a fragment what is not there.
    fn add(&mut self, fragment: &Fragment<'_>) {
        self.header_bytes += fragment.header;
        self.packets += 1;
        self.seen.insert(fragment.name());
        if !fragment.place.has_more {
            self.end = Some(fragment.end());
        }
        let mut gaps = Vec::new();
        let mut at = fragment.place.offset;
        for (offset, part) in self.overlapping(fragment) {
            if offset > at {
                gaps.push(at..offset);
            }
            at = offset + part.length;
        }
        if at < fragment.end() {
            gaps.push(at..fragment.end());
        }
        let mut fresh = 0;
        for gap in gaps {
            let start = gap.start - fragment.place.offset;
            let kept = fragment.kept.get(start..).unwrap_or_default();
            let kept = &kept[..kept.len().min(gap.len())];
            fresh += gap.len();
            let part = Part {
                length: gap.len(),
                kept: kept.to_vec(),
            };
            self.parts.insert(gap.start, part);
        }
        self.covered += fresh;
        self.again += fragment.length - fresh;
    }

    /// Takes the packet out; what it was made of stays known.
    fn whole(&mut self) -> Self {
        let first = self.parts.first_key_value();
        let ports = first.and_then(|(_, part)| part.kept.first_chunk::<4>());
        let word = |high, low| u16::from_be_bytes([high, low]);
        self.ports = Some(ports.map_or((0, 0), |&[a, b, c, d]| (word(a, b), word(c, d))));
        Self {
            parts: core::mem::take(&mut self.parts),
            header_bytes: self.header_bytes,
            packets: self.packets,
            again: self.again,
            covered: self.covered,
            ..Self::default()
        }
    }
}

impl Part {
    /// Whether it has the same bytes as a fragment where both were kept.
    fn agrees(&self, offset: usize, fragment: &Fragment<'_>) -> bool {
        let start = offset.max(fragment.place.offset);
        let mine = self.kept.get(start - offset..).unwrap_or_default();
        let its = fragment.kept.get(start - fragment.place.offset..);
        let mut both = mine.iter().zip(its.unwrap_or_default());
        both.all(|(one, other)| one == other)
    }
}
