use super::TransportBlock;
use crate::config::SubcarrierSpacing;

/// N_Rep: the number of repetitions of an NPUSCH of either format (TS 36.213 table 16.5.1.1-3).
pub const NPUSCH_REPETITIONS: [u16; 8] = [1, 2, 4, 8, 16, 32, 64, 128];

/// The number of coded bits of an acknowledgement: one bit, repeated (TS 36.212 section 6.3.3).
pub const ACKNOWLEDGEMENT_CODED_BITS: u16 = 16;

/// A resource unit of NPUSCH format 1 (TS 36.211 table 10.1.2.3-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResourceUnit {
    /// The subcarrier spacing.
    pub spacing: SubcarrierSpacing,
    /// The number of tones: 1, 3, 6 or 12 of 15 kHz, or one of 3.75 kHz.
    pub tones: u8,
}

/// The modulation of an NPUSCH.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modulation {
    /// pi/2-BPSK: one bit for each symbol, on a single tone.
    Pi2Bpsk,
    /// pi/4-QPSK: two bits for each symbol, on a single tone.
    Pi4Qpsk,
    /// QPSK: two bits for each symbol, on several tones.
    Qpsk,
}

/// The format of an uplink transport block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NpuschFormat {
    /// The resource unit.
    pub unit: ResourceUnit,
    /// The transport block, whose units are resource units.
    pub block: TransportBlock,
    /// The number of repetitions.
    pub repetitions: u16,
}

/// The format of Msg3, from the MCS field in a random access response's grant (TS 36.213 table 16.3.3-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Msg3Format {
    /// The transport block of 88 bit.
    pub block: TransportBlock,
    /// The modulation on a single tone. Several tones always use QPSK.
    pub single_tone: Modulation,
}

impl ResourceUnit {
    /// Returns the duration in ms.
    ///
    /// # Panics
    ///
    /// If there is no resource unit with so many tones.
    #[must_use]
    pub const fn duration_ms(self) -> u32 {
        match (self.spacing, self.tones) {
            (SubcarrierSpacing::Khz3_75, 1) => 32,
            (SubcarrierSpacing::Khz15, 1) => 8,
            (SubcarrierSpacing::Khz15, 3) => 4,
            (SubcarrierSpacing::Khz15, 6) => 2,
            (SubcarrierSpacing::Khz15, 12) => 1,
            _ => panic!("TS 36.211 table 10.1.2.3-1 has no such resource unit"),
        }
    }

    /// Returns the number of resource elements that carry data. Six of seven symbols do.
    #[must_use]
    pub const fn data_elements(self) -> u16 {
        if self.tones == 1 { 96 } else { 144 }
    }

    /// Returns the modulation of a transport block size index (TS 36.213 table 16.5.1.2-1). On a single tone, I_MCS 0
    /// and 1 are I_TBS 0 and 2.
    #[must_use]
    pub const fn modulation(self, i_tbs: u8) -> Modulation {
        match (self.tones, i_tbs) {
            (1, 0 | 2) => Modulation::Pi2Bpsk,
            (1, _) => Modulation::Pi4Qpsk,
            _ => Modulation::Qpsk,
        }
    }

    /// Returns the number of coded bits of a resource unit at a transport block size index.
    #[must_use]
    pub const fn coded_bits(self, i_tbs: u8) -> u16 {
        self.data_elements() * self.modulation(i_tbs).bits_per_symbol() as u16
    }
}

impl Modulation {
    /// Returns the number of bits in a symbol.
    #[must_use]
    pub const fn bits_per_symbol(self) -> u8 {
        match self {
            Self::Pi2Bpsk => 1,
            Self::Pi4Qpsk | Self::Qpsk => 2,
        }
    }
}

impl NpuschFormat {
    /// Returns the time on air in ms, without postponements.
    #[must_use]
    pub const fn duration_ms(&self) -> u32 {
        self.unit.duration_ms() * self.block.units as u32 * self.repetitions as u32
    }

    /// Returns the number of times that a pair of slots is repeated before the next pair.
    ///
    /// It is min(ceil(N_Rep / 2), 4) on several tones and 1 on a single tone (TS 36.211 section 10.1.3.6).
    #[must_use]
    pub const fn slot_repetitions_in_a_row(&self) -> u16 {
        if self.unit.tones == 1 {
            return 1;
        }
        let half = self.repetitions.div_ceil(2);
        if half < 4 { half } else { 4 }
    }

    /// Whether redundancy versions 0 and 2 are both sent. They alternate, so this needs two repetitions or more (TS
    /// 36.213 section 16.5.1.2).
    #[must_use]
    pub const fn has_both_redundancy_versions(&self) -> bool {
        self.repetitions >= 2
    }
}

impl Msg3Format {
    /// Returns the format of an MCS field; `None` for a reserved value.
    #[must_use]
    pub const fn of_mcs(mcs: u8) -> Option<Self> {
        let (i_tbs, column, units, single_tone) = match mcs {
            0 => (0, 3, 4, Modulation::Pi2Bpsk),
            1 => (1, 2, 3, Modulation::Pi4Qpsk),
            2 => (6, 0, 1, Modulation::Pi4Qpsk),
            _ => return None,
        };
        Some(Self {
            block: TransportBlock {
                bits: 88,
                i_tbs,
                column,
                units,
            },
            single_tone,
        })
    }
}

/// Returns the time on air of an acknowledgement in ms: four slots for each repetition (TS 36.211 table 10.1.2.3-1).
#[must_use]
pub const fn acknowledgement_duration_ms(spacing: SubcarrierSpacing, repetitions: u16) -> u32 {
    let slots_ms = match spacing {
        SubcarrierSpacing::Khz15 => 2,
        SubcarrierSpacing::Khz3_75 => 8,
    };
    slots_ms * repetitions as u32
}
