/// A cyclic redundancy check (CRC) of TS 36.212 section 5.1.1: the remainder, without inversion, highest power first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crc {
    length: usize,
    /// The polynomial without its highest power.
    polynomial: u32,
}

impl Crc {
    /// The CRC of transport blocks: D^24 + D^23 + D^18 + D^17 + D^14 + D^11 + D^10 + D^7 + D^6 + D^5 + D^4 + D^3 + D +
    /// 1.
    pub const A24: Self = Self {
        length: 24,
        polynomial: 0x86_4c_fb,
    };
    /// The CRC of downlink control information: D^16 + D^12 + D^5 + 1.
    pub const C16: Self = Self {
        length: 16,
        polynomial: 0x10_21,
    };

    /// Returns the number of bits of the CRC.
    #[must_use]
    pub fn length(self) -> usize {
        self.length
    }

    /// Appends the CRC to the bits.
    pub fn attach(self, bits: &mut Vec<u8>) {
        let remainder = self.remainder(bits);
        let added = (0..self.length).rev();
        bits.extend(added.map(|power| (remainder >> power & 1) as u8));
    }

    /// Whether the last bits are the correct CRC of the bits before them.
    #[must_use]
    pub fn holds(self, bits: &[u8]) -> bool {
        self.remainder(bits) == 0
    }

    fn remainder(self, bits: &[u8]) -> u32 {
        let mask = (1 << self.length) - 1;
        bits.iter().fold(0, |register, bit| {
            let carry = (register >> (self.length - 1) & 1) ^ u32::from(*bit);
            register << 1 & mask ^ (self.polynomial & carry.wrapping_neg())
        })
    }
}
