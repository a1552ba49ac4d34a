use lasthop_units::Instant;

use super::words::ByteOrder;
use super::{LONGEST_BLOCK, Place, Step};
use crate::Sight;

/// A pcapng file: sections of blocks.
#[derive(Debug)]
pub(super) struct Pcapng {
    order: ByteOrder,
    /// Those of the section.
    interfaces: Vec<Interface>,
}

#[derive(Clone, Copy, Debug)]
struct Interface {
    link_type: u32,
    /// How much of a packet is kept at most; 0 for all.
    snap_length: u32,
    /// The unit of time stamps: 10^-n s, or 2^-n s with the highest bit set.
    resolution: u8,
    offset_seconds: i64,
}

/// Kinds of blocks.
const SECTION: u32 = 0x0a0d_0d0a;
const INTERFACE: u32 = 1;
const OLD_PACKET: u32 = 2;
const SIMPLE_PACKET: u32 = 3;
const ENHANCED_PACKET: u32 = 6;

/// Options.
const END_OF_OPTIONS: u16 = 0;
const PACKET_FLAGS: u16 = 2;
const TIME_RESOLUTION: u16 = 9;
const TIME_OFFSET: u16 = 14;

/// The length at the end of a block.
const TRAILER: usize = 4;

impl Pcapng {
    pub(super) const fn new() -> Self {
        Self {
            order: ByteOrder::Little,
            interfaces: Vec::new(),
        }
    }

    pub(super) fn step(&mut self, bytes: &[u8]) -> Result<Step, &'static str> {
        let Some(head) = bytes.first_chunk::<12>() else {
            return Ok(Step::Incomplete);
        };
        let is_section = head[..4] == SECTION.to_be_bytes();
        if is_section {
            self.order = match head[8..] {
                [0x1a, 0x2b, 0x3c, 0x4d] => ByteOrder::Big,
                [0x4d, 0x3c, 0x2b, 0x1a] => ByteOrder::Little,
                _ => return Err("a section without a byte order"),
            };
            self.interfaces.clear();
        }
        let word = |at| self.order.u32_at(head, at);
        let (kind, length) = (word(0).unwrap_or(0), word(4).unwrap_or(0) as usize);
        if length < 12 || length % 4 != 0 || length > LONGEST_BLOCK {
            return Err("a block of a length that cannot be");
        }
        let Some(block) = bytes.get(..length) else {
            return Ok(Step::Incomplete);
        };
        if self.order.u32_at(block, length - TRAILER) != Some(length as u32) {
            return Err("a block whose two lengths differ");
        }
        let block = &block[..length - TRAILER];
        let place = match kind {
            INTERFACE => {
                let interface = self
                    .interface(block)
                    .ok_or("an interface that ends early")?;
                self.interfaces.push(interface);
                None
            }
            ENHANCED_PACKET => Some(self.enhanced(block, 0)),
            // As the enhanced one, with a count of drops in the upper half of the interface's number.
            OLD_PACKET => Some(self.enhanced(block, 16)),
            SIMPLE_PACKET => Some(self.simple(block)),
            _ => None,
        };
        match place {
            None => Ok(Step::Other { length }),
            Some(place) => {
                let place = place.and_then(|place| place.within(block.len()));
                let place = place.ok_or("a packet that its block or its section does not hold")?;
                Ok(Step::Frame { length, place })
            }
        }
    }

    fn interface(&self, block: &[u8]) -> Option<Interface> {
        let mut interface = Interface {
            link_type: self.order.u16_at(block, 8)?.into(),
            snap_length: self.order.u32_at(block, 12)?,
            resolution: 6,
            offset_seconds: 0,
        };
        let options = block.get(16..)?;
        visit_options(self.order, options, |code, value| match code {
            TIME_RESOLUTION => interface.resolution = value.first().copied().unwrap_or(6),
            TIME_OFFSET => {
                if let Some(&seconds) = value.first_chunk::<8>() {
                    interface.offset_seconds = match self.order {
                        ByteOrder::Little => i64::from_le_bytes(seconds),
                        ByteOrder::Big => i64::from_be_bytes(seconds),
                    };
                }
            }
            _ => {}
        });
        Some(interface)
    }

    /// A packet with a time stamp, of an interface whose number lies in the lower bits.
    fn enhanced(&self, block: &[u8], drop_bits: u32) -> Option<Place> {
        let word = |at| self.order.u32_at(block, at);
        let number = match drop_bits {
            0 => word(8)?,
            _ => self.order.u16_at(block, 8)?.into(),
        };
        let interface = self.interfaces.get(number as usize)?;
        let ticks = u64::from(word(12)?) << 32 | u64::from(word(16)?);
        let (kept, length) = (word(20)? as usize, word(24)? as usize);
        let mut sight = Sight::Unknown;
        let options = 28 + kept.checked_next_multiple_of(4)?;
        let listed = block.get(options..).unwrap_or_default();
        visit_options(self.order, listed, |code, value| {
            if code == PACKET_FLAGS {
                sight = match self.order.u32_at(value, 0).unwrap_or(0) & 3 {
                    1 => Sight::Received,
                    2 => Sight::Sent,
                    _ => Sight::Unknown,
                };
            }
        });
        Some(Place {
            at: interface.instant(ticks),
            link_type: interface.link_type,
            sight,
            start: 28,
            kept,
            length,
            options: (self.order, options.min(block.len())..block.len()),
        })
    }

    /// A packet of the first interface, without a time.
    fn simple(&self, block: &[u8]) -> Option<Place> {
        let interface = self.interfaces.first()?;
        let length = self.order.u32_at(block, 8)? as usize;
        let limit = match interface.snap_length {
            0 => usize::MAX,
            limit => limit as usize,
        };
        Some(Place {
            at: Instant::ZERO,
            link_type: interface.link_type,
            sight: Sight::Unknown,
            start: 12,
            kept: length.min(limit),
            length,
            options: (self.order, 0..0),
        })
    }
}

/// Calls a function for each option, with its code and value.
pub(super) fn visit_options<'a>(
    order: ByteOrder,
    bytes: &'a [u8],
    mut visit: impl FnMut(u16, &'a [u8]),
) {
    let mut at = 0_usize;
    while let (Some(code), Some(length)) = (
        order.u16_at(bytes, at),
        order.u16_at(bytes, at.saturating_add(2)),
    ) {
        let end = at + 4 + usize::from(length);
        let Some(value) = bytes.get(at + 4..end) else {
            return;
        };
        if code == END_OF_OPTIONS {
            return;
        }
        visit(code, value);
        at = end.next_multiple_of(4);
    }
}

impl Interface {
    fn instant(&self, ticks: u64) -> Instant {
        let ticks = u128::from(ticks);
        let exponent = u32::from(self.resolution & 0x7f);
        let nanos = match self.resolution & 0x80 {
            0 if exponent <= 9 => ticks * 10_u128.pow(9 - exponent),
            0 => ticks / 10_u128.checked_pow(exponent - 9).unwrap_or(u128::MAX),
            _ => (ticks * 1_000_000_000) >> exponent,
        };
        let offset = i128::from(self.offset_seconds) * 1_000_000_000;
        let nanos = i128::try_from(nanos)
            .unwrap_or(i128::MAX)
            .saturating_add(offset);
        Instant::from_nanos(u64::try_from(nanos.max(0)).unwrap_or(u64::MAX))
    }
}
