/// The number of tones of an NPUSCH. The code is the same for 3, 6 and 12 tones, which differ in time and power only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tones {
    /// One tone of 3.75 or 15 kHz: pi/2-BPSK for I_TBS 0 and 2, otherwise pi/4-QPSK (TS 36.213 table 16.5.1.2-1).
    Single,
    /// 3, 6 or 12 tones: QPSK.
    Multi,
}

/// The redundancy versions of the combined NPUSCH repetitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Combining {
    /// Redundancy version 0 each time (Chase combining), or a single repetition.
    Chase,
    /// Redundancy versions 0 and 2 in equal numbers. Repetitions alternate between them (TS 36.213 section 16.5.1.2).
    RedundancyVersions0And2,
}

/// The operation mode of a downlink carrier, which determines the resource elements for data in a subframe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Carrier {
    /// Standalone or in the guard band: 152 resource elements in a subframe.
    Standalone,
    /// In-band, inside an LTE carrier with three control symbols and two ports: 104 resource elements in a subframe.
    InBand,
}

/// The content of an NPDCCH, and its number of control channel elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ControlMessage {
    /// DCI format N0 or N1 at aggregation level 1.
    N0OrN1OnOne,
    /// DCI format N0 or N1 at aggregation level 2.
    N0OrN1OnTwo,
    /// DCI format N2 at aggregation level 2.
    N2OnTwo,
}

/// A transport format as a number: where to look for its curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot(usize);

const I_TBS: usize = 14;
const SIZES: usize = 8;
const NPDSCH: usize = 2 * I_TBS * SIZES * 2;
const NPDCCH: usize = NPDSCH + 2 * I_TBS * SIZES;
const NPUSCH_FORMAT_2: usize = NPDCCH + 2 * 3;

impl Slot {
    pub(super) const NPUSCH_FORMAT_2: Self = Self(NPUSCH_FORMAT_2);
    pub(super) const COUNT: usize = NPUSCH_FORMAT_2 + 1;

    pub(super) fn npusch(tones: Tones, i_tbs: u8, i_ru: u8, combining: Combining) -> Option<Self> {
        let block = block(tones as usize, i_tbs, i_ru)?;
        Some(Self(block * 2 + combining as usize))
    }

    pub(super) fn npdsch(carrier: Carrier, i_tbs: u8, i_sf: u8) -> Option<Self> {
        Some(Self(NPDSCH + block(carrier as usize, i_tbs, i_sf)?))
    }

    pub(super) fn npdcch(carrier: Carrier, message: ControlMessage) -> Self {
        Self(NPDCCH + carrier as usize * 3 + message as usize)
    }

    pub(super) fn number(self) -> usize {
        self.0
    }
}

fn block(variant: usize, i_tbs: u8, i_size: u8) -> Option<usize> {
    let (i_tbs, i_size) = (usize::from(i_tbs), usize::from(i_size));
    (i_tbs < I_TBS && i_size < SIZES).then_some((variant * I_TBS + i_tbs) * SIZES + i_size)
}
