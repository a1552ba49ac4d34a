use std::collections::VecDeque;

use core::net::IpAddr;

use lasthop_contract::LookupMap;
use lasthop_units::{Duration, Instant};

/// Fragments whose packet is not whole yet. It forgets them after a while, and the oldest when there are many.
#[derive(Debug, Default)]
pub(crate) struct Fragments {
    sets: LookupMap<FragmentKey, FragmentSet>,
    /// In the order of their first fragment.
    order: VecDeque<(Instant, FragmentKey)>,
}

/// Which packet a fragment is a part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FragmentKey {
    pub(crate) source: IpAddr,
    pub(crate) destination: IpAddr,
    pub(crate) protocol: u8,
    pub(crate) identification: u32,
}

/// A part of a larger packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FragmentPlace {
    pub(crate) identification: u32,
    /// Where it lies.
    pub(crate) offset: usize,
    pub(crate) has_more: bool,
}

/// The fragments of one packet.
#[derive(Debug, Default)]
pub(crate) struct FragmentSet {
    /// Their headers together.
    pub(crate) header_bytes: usize,
    pub(crate) packets: u32,
    /// Offset, length on the wire, and what was kept.
    parts: Vec<(usize, usize, Vec<u8>)>,
    end: Option<usize>,
}

/// As long as Linux waits (`ipfrag_time`).
const LIFETIME: Duration = Duration::from_secs(30);
const MOST: usize = 1024;

impl Fragments {
    /// Adds a fragment: the set that is whole by it.
    pub(crate) fn add(
        &mut self,
        now: Instant,
        key: FragmentKey,
        place: FragmentPlace,
        header: usize,
        kept: &[u8],
        length: usize,
    ) -> Option<FragmentSet> {
        let order = &mut self.order;
        let set = self.sets.get_or_insert_with(key, || {
            order.push_back((now, key));
            FragmentSet::default()
        });
        set.header_bytes += header;
        set.packets += 1;
        set.parts.push((place.offset, length, kept.to_vec()));
        if !place.has_more {
            set.end = Some(place.offset + length);
        }
        if set.is_whole() {
            return self.sets.remove(&key);
        }
        None
    }

    /// A set that nobody waits for any longer.
    pub(crate) fn expired(&mut self, now: Instant) -> Option<(FragmentKey, FragmentSet)> {
        while let Some(&(since, key)) = self.order.front() {
            let is_old = now.as_nanos() >= since.as_nanos() + LIFETIME.as_nanos();
            if !is_old && self.order.len() <= MOST {
                return None;
            }
            self.order.pop_front();
            if let Some(set) = self.sets.remove(&key) {
                return Some((key, set));
            }
        }
        None
    }

    /// Any set.
    pub(crate) fn take_any(&mut self) -> Option<(FragmentKey, FragmentSet)> {
        while let Some((_, key)) = self.order.pop_front() {
            if let Some(set) = self.sets.remove(&key) {
                return Some((key, set));
            }
        }
        None
    }
}

impl FragmentSet {
    /// How many bytes its parts carry, copies included.
    pub(crate) fn payload_bytes(&self) -> usize {
        self.parts.iter().map(|(_, length, _)| length).sum()
    }

    /// The packet, where the parts join without overlap: what was kept of its beginning, and its length.
    pub(crate) fn join(mut self) -> (Vec<u8>, usize) {
        self.parts.sort_by_key(|(offset, ..)| *offset);
        let total = self.payload_bytes();
        let mut bytes = Vec::with_capacity(total);
        let mut end = 0;
        for (offset, length, kept) in self.parts {
            if bytes.len() == offset {
                bytes.extend_from_slice(&kept);
            }
            end = offset + length;
        }
        (bytes, end)
    }

    fn is_whole(&self) -> bool {
        let Some(end) = self.end else {
            return false;
        };
        if self.payload_bytes() < end {
            return false;
        }
        let mut parts: Vec<_> = self
            .parts
            .iter()
            .map(|(at, length, _)| (*at, *length))
            .collect();
        parts.sort_unstable();
        let mut reached = 0;
        for (offset, length) in parts {
            if offset != reached {
                return false;
            }
            reached = offset + length;
        }
        reached == end
    }
}
