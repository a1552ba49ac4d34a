use lasthop_units::Instant;

use super::words::ByteOrder;
use super::{LONGEST_BLOCK, Place, Step};
use crate::Sight;

/// A pcap file: one header, then records.
#[derive(Debug)]
pub(super) struct Pcap {
    order: ByteOrder,
    /// How many nanoseconds the second word of a time stamp counts.
    fraction_nanos: u64,
    /// `None` before the header.
    link_type: Option<u32>,
}

const FILE_HEADER: usize = 24;
const RECORD_HEADER: usize = 16;

impl Pcap {
    /// Recognises pcap by the first bytes of a file. Returns `None` for other formats.
    pub(super) fn of(magic: [u8; 4]) -> Option<Self> {
        let (order, fraction_nanos) = match u32::from_be_bytes(magic) {
            0xa1b2_c3d4 => (ByteOrder::Big, 1000),
            0xd4c3_b2a1 => (ByteOrder::Little, 1000),
            0xa1b2_3c4d => (ByteOrder::Big, 1),
            0x4d3c_b2a1 => (ByteOrder::Little, 1),
            _ => return None,
        };
        Some(Self {
            order,
            fraction_nanos,
            link_type: None,
        })
    }

    pub(super) fn step(&mut self, bytes: &[u8]) -> Result<Step, &'static str> {
        let word = |at| self.order.u32_at(bytes, at);
        let Some(link_type) = self.link_type else {
            let Some(network) = word(FILE_HEADER - 4) else {
                return Ok(Step::Incomplete);
            };
            // The upper bits tell of a frame check sequence.
            self.link_type = Some(network & 0xffff);
            return Ok(Step::Other {
                length: FILE_HEADER,
            });
        };
        let (Some(seconds), Some(fraction), Some(kept), Some(length)) =
            (word(0), word(4), word(8), word(12))
        else {
            return Ok(Step::Incomplete);
        };
        let kept = kept as usize;
        if kept > LONGEST_BLOCK {
            return Err("a packet longer than any");
        }
        if bytes.len() < RECORD_HEADER + kept {
            return Ok(Step::Incomplete);
        }
        let nanos = u64::from(seconds) * 1_000_000_000 + u64::from(fraction) * self.fraction_nanos;
        let place = Place {
            at: Instant::from_nanos(nanos),
            link_type,
            sight: Sight::Unknown,
            start: RECORD_HEADER,
            kept,
            length: length as usize,
            options: (self.order, 0..0),
        };
        let length = RECORD_HEADER + kept;
        let place = place.within(length).ok_or("a packet longer than any")?;
        Ok(Step::Frame { length, place })
    }
}
