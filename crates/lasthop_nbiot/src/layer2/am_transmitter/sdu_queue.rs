use smallvec::SmallVec;

use crate::layer2::am_pdu::length_indicator_bytes;
use crate::layer2::pdcp::SduSize;

/// The SDUs of an entity as one stream of bytes: those that wait, and those that may be needed again.
#[derive(Clone, Debug)]
pub(super) struct SduQueue<T> {
    sdus: SmallVec<[Sdu<T>; 1]>,
    /// One past the last byte of the stream.
    end: u32,
}

#[derive(Clone, Debug)]
struct Sdu<T> {
    /// `None` once it has been delivered.
    content: Option<T>,
    /// One past its last byte in the stream.
    end: u32,
    size: SduSize,
}

impl<T> Sdu<T> {
    fn start(&self) -> u32 {
        self.end - self.size.bytes()
    }
}

impl<T> SduQueue<T> {
    pub(super) fn new() -> Self {
        Self {
            sdus: SmallVec::new(),
            end: 0,
        }
    }

    pub(super) fn push(&mut self, content: T, size: SduSize) {
        debug_assert!(size.bytes() > 0, "an SDU has a byte at least");
        self.end += size.bytes();
        self.sdus.push(Sdu {
            content: Some(content),
            end: self.end,
            size,
        });
    }

    /// One past the last byte of the stream.
    pub(super) const fn end(&self) -> u32 {
        self.end
    }

    /// The oldest SDU not yet taken, if it ends at `limit` or before.
    pub(super) fn take_until(&mut self, limit: u32) -> Option<T> {
        let oldest = self.sdus.iter_mut().find(|sdu| sdu.content.is_some())?;
        if oldest.end > limit {
            return None;
        }
        oldest.content.take()
    }

    /// Forgets the SDUs that have been taken and end at `limit` or before: their bytes are never sent again.
    pub(super) fn forget_before(&mut self, limit: u32) {
        let over = |sdu: &Sdu<T>| sdu.content.is_none() && sdu.end <= limit;
        let count = self.sdus.iter().take_while(|sdu| over(sdu)).count();
        self.sdus.drain(..count);
    }

    pub(super) fn into_contents(self) -> impl Iterator<Item = T> {
        self.sdus.into_iter().filter_map(|sdu| sdu.content)
    }

    /// The length of the SDU whose first byte is `position`.
    pub(super) fn length_of_sdu_at(&self, position: u32) -> Option<u32> {
        let sdu = &self.sdus[self.index_at(position)?];
        (sdu.start() == position).then(|| sdu.size.bytes())
    }

    /// How many bytes from `start` on, `limit` at most, fit into `size_bytes`, and the header that they take: the fixed
    /// part and a length indicator for each SDU that ends before the last byte.
    pub(super) fn fit(
        &self,
        start: u32,
        limit: u32,
        size_bytes: u16,
        fixed_bytes: u16,
    ) -> Option<(u16, u16)> {
        let end = start + limit;
        let mut fitting = None;
        let mut position = start;
        for (indicators, sdu) in (0..).zip(&self.sdus[self.index_at(start)?..]) {
            let header = u32::from(fixed_bytes) + length_indicator_bytes(indicators);
            let room = u32::from(size_bytes).saturating_sub(header + position - start);
            if room == 0 {
                break;
            }
            position = sdu.end.min(end).min(position + room);
            fitting = Some(((position - start) as u16, header as u16));
            if position < sdu.end || position == end {
                break;
            }
        }
        fitting
    }

    /// What the length indicators of a PDU with these bytes take.
    pub(super) fn length_indicator_bytes(&self, start: u32, end: u32) -> u32 {
        let first = self.index_at(start).unwrap_or(self.sdus.len());
        let within = self.sdus[first..].iter().take_while(|sdu| sdu.end < end);
        length_indicator_bytes(within.count() as u32)
    }

    /// How many of these bytes are headers of PDCP, and how many are bytes of packets. Within an SDU, PDCP comes first
    /// (a MAC-I is counted as if it did) and the packet last.
    pub(super) fn shares(&self, start: u32, end: u32) -> (u16, u16) {
        let first = self.index_at(start).unwrap_or(self.sdus.len());
        let overlap = |from: u32, to: u32| to.min(end).saturating_sub(from.max(start)) as u16;
        let (mut pdcp_bytes, mut packet_bytes) = (0, 0);
        for sdu in self.sdus[first..]
            .iter()
            .take_while(|sdu| sdu.start() < end)
        {
            let pdcp_end = sdu.start() + u32::from(sdu.size.pdcp_bytes);
            pdcp_bytes += overlap(sdu.start(), pdcp_end);
            packet_bytes += overlap(sdu.end - u32::from(sdu.size.packet_bytes), sdu.end);
        }
        (pdcp_bytes, packet_bytes)
    }

    /// The place of the SDU that has this byte of the stream.
    fn index_at(&self, position: u32) -> Option<usize> {
        self.sdus.iter().position(|sdu| position < sdu.end)
    }
}
