use super::TransportBlock;

/// N_SF: the number of subframes of a transport block (TS 36.213 table 16.4.1.3-1).
pub const NPDSCH_SUBFRAMES: [u8; 8] = [1, 2, 3, 4, 5, 6, 8, 10];

/// N_Rep: the number of repetitions of a transport block (TS 36.213 table 16.4.1.3-2).
pub const NPDSCH_REPETITIONS: [u16; 16] = [
    1, 2, 4, 8, 16, 32, 64, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048,
];

/// The format of a downlink transport block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NpdschFormat {
    /// The transport block, whose units are subframes.
    pub block: TransportBlock,
    /// The number of repetitions.
    pub repetitions: u16,
}

impl NpdschFormat {
    /// Returns the number of usable subframes that the transmission takes.
    #[must_use]
    pub const fn subframes(&self) -> u32 {
        self.block.units as u32 * self.repetitions as u32
    }

    /// Returns the index of the block's subframe that is sent in the n-th subframe of the transmission.
    ///
    /// Each is sent min(N_Rep, 4) times in a row, then the next, and then again from the first (TS 36.211 section
    /// 10.2.3.4).
    #[must_use]
    pub const fn content_of(&self, n: u32) -> u8 {
        let in_a_row = if self.repetitions < 4 {
            self.repetitions as u32
        } else {
            4
        };
        (n % (self.block.units as u32 * in_a_row) / in_a_row) as u8
    }
}
