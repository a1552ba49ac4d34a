use crate::codec::number_of;

/// The size of a block: a power of two from 16 B to 1024 B (RFC 7959 section 2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockSize {
    /// The exponent less four (`SZX`), 0 to 6.
    exponent: u8,
}

impl BlockSize {
    /// The smallest block size, 16 B.
    pub const SMALLEST: Self = Self { exponent: 0 };
    /// The largest block size, 1024 B.
    pub const LARGEST: Self = Self { exponent: 6 };

    /// Returns the block size of this many bytes, or `None` if it is not a valid size.
    #[must_use]
    pub const fn of(bytes: usize) -> Option<Self> {
        match bytes {
            16 | 32 | 64 | 128 | 256 | 512 | 1024 => Some(Self {
                exponent: bytes.trailing_zeros() as u8 - 4,
            }),
            _ => None,
        }
    }

    /// Returns the largest block size of at most this many bytes, or the smallest block size.
    pub(crate) const fn within(bytes: usize) -> Self {
        match bytes {
            0..16 => Self::SMALLEST,
            16..1024 => Self {
                exponent: bytes.ilog2() as u8 - 4,
            },
            _ => Self::LARGEST,
        }
    }

    /// Returns the size in bytes.
    #[must_use]
    pub const fn bytes(self) -> usize {
        16 << self.exponent
    }
}

/// The value of a Block option: the block number, the more flag and the block size (RFC 7959 section 2.2).
///
/// Over a stream a message may hold several blocks of 1024 B at once (BERT, RFC 8323 section 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) number: u32,
    pub(crate) more: bool,
    pub(crate) size: BlockSize,
    /// Whether the message can hold several blocks (BERT). The number is that of the first block.
    pub(crate) is_bert: bool,
}

/// Stands for blocks of 1024 B, several at once, where a size stands else (`SZX`).
const BERT: u8 = 7;

/// A block number has 20 bits.
const MAX_BLOCK_NUMBER: u32 = (1 << 20) - 1;

impl Block {
    /// Creates the option value of a single block.
    pub(crate) const fn single(number: u32, more: bool, size: BlockSize) -> Self {
        Self {
            number,
            more,
            size,
            is_bert: false,
        }
    }

    /// Parses an option value. Returns `None` if it is longer than three bytes.
    pub(crate) fn parse(value: &[u8]) -> Option<Self> {
        let bits = number_of(value).filter(|_| value.len() <= 3)?;
        let exponent = (bits & 7) as u8;
        Some(Self {
            number: bits >> 4,
            more: bits & 8 != 0,
            size: BlockSize { exponent }.min(BlockSize::LARGEST),
            is_bert: exponent == BERT,
        })
    }

    pub(crate) fn to_bits(self) -> u32 {
        let exponent = if self.is_bert {
            BERT
        } else {
            self.size.exponent
        };
        self.number << 4 | u32::from(self.more) << 3 | u32::from(exponent)
    }

    /// Returns the block of a body with this number and size, or `None` if the number is past the end of the body. An
    /// empty body has one empty block.
    pub(crate) fn cut(body: &[u8], number: u32, size: BlockSize) -> Option<(Self, &[u8])> {
        let start = number as usize * size.bytes();
        if number > MAX_BLOCK_NUMBER || start >= body.len() && number > 0 {
            return None;
        }
        let end = body.len().min(start + size.bytes());
        let more = end < body.len();
        Some((Self::single(number, more, size), &body[start..end]))
    }

    /// Whether a payload of this length may be the block, or the blocks.
    fn fits(self, length: usize) -> bool {
        let size = self.size.bytes();
        match (self.is_bert, self.more) {
            (false, true) => length == size,
            (false, false) => length <= size,
            (true, true) => length > 0 && length.is_multiple_of(size),
            (true, false) => true,
        }
    }

    /// Returns the offset of the block in its body.
    pub(crate) fn offset(self) -> usize {
        self.number as usize * self.size.bytes()
    }
}

/// A body that is reassembled from blocks in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Assembly {
    bytes: Vec<u8>,
}

/// The result of adding a block to an assembly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Assembled {
    /// The next block is expected.
    Continue,
    /// The body is complete.
    Whole,
    /// The block was already received.
    Repeated,
    /// An earlier block is missing, or the block has the wrong length.
    Incomplete,
    /// The body exceeds the limit.
    TooLarge,
}

impl Assembly {
    /// Adds a block. At most `bound` bytes are stored.
    pub(crate) fn add(&mut self, block: Block, payload: &[u8], bound: usize) -> Assembled {
        if !block.fits(payload.len()) {
            return Assembled::Incomplete;
        }
        let offset = block.offset();
        let end = offset + payload.len();
        if end > bound || block.more && end == bound {
            return Assembled::TooLarge;
        }
        if offset < self.bytes.len()
            || offset == self.bytes.len() && payload.is_empty() && block.more
        {
            return Assembled::Repeated;
        }
        if offset > self.bytes.len() {
            return Assembled::Incomplete;
        }
        self.bytes.extend_from_slice(payload);
        if block.more {
            Assembled::Continue
        } else {
            Assembled::Whole
        }
    }

    pub(crate) fn length(&self) -> usize {
        self.bytes.len()
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_a_body_make_the_body() {
        for length in [0, 1, 15, 16, 17, 1024, 5000] {
            let body: Vec<u8> = (0..length).map(|at| at as u8).collect();
            for size in [16, 64, 1024].map(|bytes| BlockSize::of(bytes).expect("a block size")) {
                let mut assembly = Assembly::default();
                for number in 0.. {
                    let (block, payload) = Block::cut(&body, number, size).expect("it is there");
                    let added = assembly.add(block, payload, 5000);
                    if !block.more {
                        assert_eq!(added, Assembled::Whole);
                        break;
                    }
                    assert_eq!(added, Assembled::Continue);
                }
                assert_eq!(assembly.into_bytes(), body);
            }
        }
    }

    #[test]
    fn the_largest_block_within_a_room_is_the_next_power_of_two_below() {
        for (room, bytes) in [
            (0, 16),
            (16, 16),
            (31, 16),
            (32, 32),
            (1023, 512),
            (1024, 1024),
            (9999, 1024),
        ] {
            assert_eq!(BlockSize::within(room).bytes(), bytes, "{room} B");
        }
    }

    #[test]
    fn an_option_is_read_as_it_was_written() {
        for bits in [0, 6, 7, 0x08, 0x1e, 0x2f, 0xff_fffe & !7] {
            let block = Block::parse(&u32::to_be_bytes(bits)[1..]).expect("a block");
            assert_eq!(block.to_bits(), bits);
        }
        assert_eq!(Block::parse(&[0; 4]), None);
    }
}
