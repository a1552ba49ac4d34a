use smallvec::SmallVec;

use crate::phy::TransportBlock;

/// The blocks of a row of the transport block sizes that may be used.
#[derive(Debug)]
pub(super) struct Row {
    /// Their sizes, which ascend; the largest number where there is no more.
    bits: [u16; 8],
    blocks: SmallVec<[Choosable; 8]>,
}

/// What a bit costs at least in each row or one further up, for a way to send.
#[derive(Debug)]
pub(super) struct Floors(Box<[f32]>);

/// A block, and the Es/N0 that it needs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choosable {
    pub(super) block: TransportBlock,
    /// Sent once, and with both redundancy versions.
    pub(super) required_db: [f32; 2],
}

impl Row {
    /// The rows of a set of I_TBS that have a block: that for so many bits, and the Es/N0 that it needs.
    pub(super) fn all_of(
        set: &[u8],
        block_for: impl Fn(u8, u32) -> Option<TransportBlock>,
        required_db: impl Fn(&TransportBlock) -> [f32; 2],
    ) -> Box<[Self]> {
        let row = |i_tbs: u8| {
            let mut row = Self {
                bits: [u16::MAX; 8],
                blocks: SmallVec::new(),
            };
            let mut payload_bits = 1;
            while let Some(block) = block_for(i_tbs, payload_bits) {
                row.bits[row.blocks.len()] = block.bits;
                row.blocks.push(Choosable {
                    block,
                    required_db: required_db(&block),
                });
                payload_bits = u32::from(block.bits) + 1;
            }
            row
        };
        let rows = set.iter().map(|i_tbs| row(*i_tbs));
        rows.filter(|row| !row.blocks.is_empty()).collect()
    }

    /// The smallest block that holds so many bits, or the largest.
    #[inline]
    pub(super) fn block_for(&self, payload_bits: u32) -> &Choosable {
        let payload_bits = payload_bits.min(u32::from(u16::MAX)) as u16;
        let too_small = self.bits.iter().filter(|bits| **bits < payload_bits);
        &self.blocks[too_small.count().min(self.blocks.len() - 1)]
    }
}

impl Floors {
    /// By what a block costs that is sent as seldom as may be.
    pub(super) fn new(rows: &[Row], cost: impl Fn(&TransportBlock) -> f32) -> Self {
        let mut least = f32::INFINITY;
        let floors = rows.iter().map(|row| {
            let of_blocks = row.blocks.iter().map(|choosable| &choosable.block);
            least = of_blocks.fold(least, |least, block| {
                least.min(cost(block) / f32::from(block.bits))
            });
            least
        });
        Self(floors.collect())
    }

    /// The rows with their floors, the last first.
    pub(super) fn of<'a>(&'a self, rows: &'a [Row]) -> impl Iterator<Item = (f32, &'a Row)> {
        self.0.iter().copied().zip(rows).rev()
    }
}

/// Whether a block holds a payload. Then no row further up costs less a bit: its sizes are smaller, so that it takes as
/// many units at least, or all ten and does not hold the payload.
pub(super) fn holds(block: &TransportBlock, payload_bits: u32) -> bool {
    u32::from(block.bits) >= payload_bits
}

/// The bits of a payload that a block carries, at least one.
pub(super) fn carried_bits(block: &TransportBlock, payload_bits: u32) -> f32 {
    payload_bits.min(u32::from(block.bits)).max(1) as f32
}
