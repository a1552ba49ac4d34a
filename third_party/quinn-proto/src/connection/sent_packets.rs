use std::{
    collections::VecDeque,
    ops::{Bound, RangeBounds},
};

use super::spaces::SentPacket;

/// Packets by their numbers, in their order
///
/// Numbers grow as packets are sent, and mostly the oldest go first, so that a queue does what a
/// tree would; at rest it takes no more room than the packets in it.
#[derive(Debug, Default)]
pub(super) struct SentPackets(VecDeque<(u64, SentPacket)>);

impl SentPackets {
    pub(super) fn insert(&mut self, number: u64, packet: SentPacket) {
        match self.0.back() {
            Some(&(last, _)) if last >= number => match self.place(number) {
                Ok(place) => self.0[place].1 = packet,
                Err(place) => self.0.insert(place, (number, packet)),
            },
            _ => self.0.push_back((number, packet)),
        }
    }

    pub(super) fn remove(&mut self, number: u64) -> Option<SentPacket> {
        let place = self.place(number).ok()?;
        self.0.remove(place).map(|(_, packet)| packet)
    }

    pub(super) fn get(&self, number: u64) -> Option<&SentPacket> {
        self.place(number).ok().map(|place| &self.0[place].1)
    }

    /// Packets whose numbers are in the range, the lowest first
    pub(super) fn range(
        &self,
        range: impl RangeBounds<u64>,
    ) -> impl Iterator<Item = (u64, &SentPacket)> {
        let start = match range.start_bound() {
            Bound::Included(&first) => self.0.partition_point(|&(number, _)| number < first),
            Bound::Excluded(&before) => self.0.partition_point(|&(number, _)| number <= before),
            Bound::Unbounded => 0,
        };
        let numbers = self.0.range(start..);
        numbers
            .map(|(number, packet)| (*number, packet))
            .take_while(move |(number, _)| match range.end_bound() {
                Bound::Included(last) => number <= last,
                Bound::Excluded(end) => number < end,
                Bound::Unbounded => true,
            })
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &SentPacket> {
        self.0.iter().map(|(_, packet)| packet)
    }

    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut SentPacket> {
        self.0.iter_mut().map(|(_, packet)| packet)
    }

    pub(super) fn into_values(self) -> impl Iterator<Item = SentPacket> {
        self.0.into_iter().map(|(_, packet)| packet)
    }

    /// Give back the room of packets that are gone
    pub(super) fn settle(&mut self) {
        self.0.shrink_to_fit();
    }

    /// Where a packet is, or would be
    fn place(&self, number: u64) -> Result<usize, usize> {
        self.0.binary_search_by_key(&number, |&(it, _)| it)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Instant, connection::spaces::ThinRetransmits, frame::StreamMetaVec};

    fn packet(size: u16) -> SentPacket {
        SentPacket {
            path_generation: 0,
            time_sent: Instant::now(),
            size,
            ack_eliciting: true,
            largest_acked: None,
            retransmits: ThinRetransmits::default(),
            stream_frames: StreamMetaVec::new(),
        }
    }

    /// A tree of the standard library says what is right.
    #[test]
    fn does_what_a_tree_does() {
        let (mut ours, mut tree) = (SentPackets::default(), std::collections::BTreeMap::new());
        let mut seed = 1u64;
        let mut draw = |below: u64| {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (seed >> 33) % below
        };
        let mut next = 0;
        for step in 0..20_000u64 {
            match draw(3) {
                0 => {
                    next += 1 + draw(3);
                    ours.insert(next, packet(step as u16));
                    tree.insert(next, step as u16);
                }
                1 => {
                    let number = next.saturating_sub(draw(40));
                    assert_eq!(ours.remove(number).map(|it| it.size), tree.remove(&number));
                }
                _ => {
                    let start = next.saturating_sub(draw(40));
                    let range = start..=start + draw(20);
                    let found: Vec<_> = ours
                        .range(range.clone())
                        .map(|(n, p)| (n, p.size))
                        .collect();
                    let right: Vec<_> = tree.range(range).map(|(n, s)| (*n, *s)).collect();
                    assert_eq!(found, right);
                    let after = (Bound::Excluded(start), Bound::Unbounded);
                    let first = ours.range(after).next().map(|(n, _)| n);
                    assert_eq!(first, tree.range(after).next().map(|(n, _)| *n));
                    assert_eq!(ours.get(start).map(|it| it.size), tree.get(&start).copied());
                }
            }
            if step % 500 == 0 {
                ours.settle();
                let sizes: Vec<_> = ours.values().map(|it| it.size).collect();
                assert_eq!(sizes, tree.values().copied().collect::<Vec<_>>());
            }
        }
    }
}
