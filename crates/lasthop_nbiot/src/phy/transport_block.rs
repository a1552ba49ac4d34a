use super::npdsch::NPDSCH_SUBFRAMES;
use crate::config::{CarrierMode, DeviceCategory};

/// A transport block: its size and its position in the table of sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransportBlock {
    /// The size in bits, without CRC.
    pub bits: u16,
    /// The row of the table, I_TBS.
    pub i_tbs: u8,
    /// The column of the table: I_SF or I_RU.
    pub column: u8,
    /// The number of subframes (N_SF) or resource units (N_RU).
    pub units: u8,
}

/// N_RU, the same numbers as N_SF (TS 36.213 table 16.5.1.1-2).
const NPUSCH_RESOURCE_UNITS: [u8; 8] = NPDSCH_SUBFRAMES;

/// The transport block sizes of NPDSCH in bits (TS 36.213 table 16.4.1.5.1-1). Rows are I_TBS, columns I_SF.
///
/// Row 13 and blocks above 680 bit need Cat NB2. Rows 11 to 13 are not used in-band. Sources disagree on row 12, column
/// 3 (904 or 1000), which Cat NB1 does not use.
pub const NPDSCH_BLOCK_BITS: [[u16; 8]; 14] = [
    [16, 32, 56, 88, 120, 152, 208, 256],
    [24, 56, 88, 144, 176, 208, 256, 344],
    [32, 72, 144, 176, 208, 256, 328, 424],
    [40, 104, 176, 208, 256, 328, 440, 568],
    [56, 120, 208, 256, 328, 408, 552, 680],
    [72, 144, 224, 328, 424, 504, 680, 872],
    [88, 176, 256, 392, 504, 600, 808, 1032],
    [104, 224, 328, 472, 584, 680, 968, 1224],
    [120, 256, 392, 536, 680, 808, 1096, 1352],
    [136, 296, 456, 616, 776, 936, 1256, 1544],
    [144, 328, 504, 680, 872, 1032, 1384, 1736],
    [176, 376, 584, 776, 1000, 1192, 1608, 2024],
    [208, 440, 680, 904, 1128, 1352, 1800, 2280],
    [224, 488, 744, 1032, 1256, 1544, 2024, 2536],
];

/// The transport block sizes of NPUSCH in bits (TS 36.213 table 16.5.1.2-2). Rows are I_TBS, columns I_RU.
///
/// Row 13 and blocks above 1000 bit need Cat NB2. Rows 11 to 13 need several tones.
pub const NPUSCH_BLOCK_BITS: [[u16; 8]; 14] = [
    [16, 32, 56, 88, 120, 152, 208, 256],
    [24, 56, 88, 144, 176, 208, 256, 344],
    [32, 72, 144, 176, 208, 256, 328, 424],
    [40, 104, 176, 208, 256, 328, 440, 568],
    [56, 120, 208, 256, 328, 408, 552, 680],
    [72, 144, 224, 328, 424, 504, 680, 872],
    [88, 176, 256, 392, 504, 600, 808, 1000],
    [104, 224, 328, 472, 584, 712, 1000, 1224],
    [120, 256, 392, 536, 680, 808, 1096, 1384],
    [136, 296, 456, 616, 776, 936, 1256, 1544],
    [144, 328, 504, 680, 872, 1000, 1384, 1736],
    [176, 376, 584, 776, 1000, 1192, 1608, 2024],
    [208, 440, 680, 1000, 1128, 1352, 1800, 2280],
    [224, 488, 744, 1032, 1256, 1544, 2024, 2536],
];

/// Returns the smallest NPDSCH transport block of an I_TBS that holds a payload (TS 36.213 table 16.4.1.5.1-1).
///
/// `None` if the payload is too large for the row and the device, or the carrier may not use the row.
#[must_use]
pub fn npdsch_block(
    i_tbs: u8,
    payload_bits: u32,
    category: DeviceCategory,
    mode: CarrierMode,
) -> Option<TransportBlock> {
    let last_row = match (mode, category) {
        (CarrierMode::InBand { .. }, _) => 10,
        (_, DeviceCategory::Nb1) => 12,
        (_, DeviceCategory::Nb2) => 13,
    };
    let largest = match category {
        DeviceCategory::Nb1 => 680,
        DeviceCategory::Nb2 => 2536,
    };
    smallest(&NPDSCH_BLOCK_BITS, i_tbs, last_row, largest, payload_bits)
}

/// Returns the smallest NPUSCH transport block of an I_TBS that holds a payload (TS 36.213 table 16.5.1.2-2).
///
/// `None` if the payload is too large for the row and the device, or so many tones may not use the row.
#[must_use]
pub fn npusch_block(
    i_tbs: u8,
    payload_bits: u32,
    category: DeviceCategory,
    tones: u8,
) -> Option<TransportBlock> {
    let last_row = match (tones, category) {
        (1, _) => 10,
        (_, DeviceCategory::Nb1) => 12,
        (_, DeviceCategory::Nb2) => 13,
    };
    let largest = match category {
        DeviceCategory::Nb1 => 1000,
        DeviceCategory::Nb2 => 2536,
    };
    smallest(&NPUSCH_BLOCK_BITS, i_tbs, last_row, largest, payload_bits)
}

impl TransportBlock {
    /// Returns the largest NPDSCH block of an I_TBS.
    #[must_use]
    pub fn largest_npdsch(i_tbs: u8, category: DeviceCategory, mode: CarrierMode) -> Option<Self> {
        largest_of(&NPDSCH_BLOCK_BITS, i_tbs, |bits| {
            npdsch_block(i_tbs, bits, category, mode)
        })
    }

    /// Returns the largest NPUSCH block of an I_TBS.
    #[must_use]
    pub fn largest_npusch(i_tbs: u8, category: DeviceCategory, tones: u8) -> Option<Self> {
        largest_of(&NPUSCH_BLOCK_BITS, i_tbs, |bits| {
            npusch_block(i_tbs, bits, category, tones)
        })
    }
}

fn smallest(
    table: &[[u16; 8]; 14],
    i_tbs: u8,
    last_row: u8,
    largest: u16,
    payload_bits: u32,
) -> Option<TransportBlock> {
    if i_tbs > last_row {
        return None;
    }
    let column = table[usize::from(i_tbs)]
        .iter()
        .position(|bits| u32::from(*bits) >= payload_bits)?;
    let bits = table[usize::from(i_tbs)][column];
    (bits <= largest).then_some(TransportBlock {
        bits,
        i_tbs,
        column: column as u8,
        units: NPUSCH_RESOURCE_UNITS[column],
    })
}

fn largest_of(
    table: &[[u16; 8]; 14],
    i_tbs: u8,
    block: impl Fn(u32) -> Option<TransportBlock>,
) -> Option<TransportBlock> {
    table
        .get(usize::from(i_tbs))?
        .iter()
        .rev()
        .find_map(|bits| block(u32::from(*bits)))
}
