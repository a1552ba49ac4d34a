use smallvec::SmallVec;

use crate::config::{
    AdaptationSets, CarrierMode, DedicatedFormats, DeviceCategory, LinkAdaptation, NetworkConfig,
    RandomAccessFormats, SubcarrierSpacing,
};
use crate::device::{CONTROL_ERROR, Expected};
use crate::link_tables::{self, BlockErrorRate, Combining, ControlMessage};
use crate::phy::{
    Msg3Format, NpdschFormat, NpuschFormat, ResourceUnit, TransportBlock, npdsch_block,
    npusch_block,
};

/// How random access is spoken at a coverage level, whoever it is.
#[derive(Debug)]
pub(crate) struct AccessFormats {
    pub(crate) dci_repetitions: u16,
    pub(crate) npdsch_i_tbs: u8,
    pub(crate) npdsch_repetitions: u16,
    pub(crate) msg3: NpuschFormat,
    pub(crate) ack_repetitions: u16,
}

/// How a device of a coverage level is spoken to and speaks, once the base station knows who it is.
#[derive(Debug)]
pub(crate) struct LinkFormats {
    category: DeviceCategory,
    mode: CarrierMode,
    spacing: SubcarrierSpacing,
    choice: Choice,
}

#[derive(Debug)]
enum Choice {
    Fixed(DedicatedFormats),
    Adaptive(Box<Adaptive>),
}

/// The sets to choose from, and what each format needs.
#[derive(Debug)]
struct Adaptive {
    sets: AdaptationSets,
    tones: Box<[u8]>,
    dci_db: f32,
    ack_db: f32,
    /// Es/N0 that a block needs, by row and column; infinite where there is none.
    npdsch_db: Requirements,
    /// The same by kind of tones and combining.
    npusch_db: [[Requirements; 2]; 2],
    npdsch_rows: Box<[Row]>,
    /// On a single tone, and on several.
    npusch_rows: [Box<[Row]>; 2],
}

/// The blocks of a row of the transport block sizes that may be used, from the smallest on.
type Row = SmallVec<[TransportBlock; 8]>;

type Requirements = [[f32; 8]; 14];

/// What a downlink assignment costs beside its NPDSCH, in subframes: NPDCCH, gaps and the acknowledgement.
const ASSIGNMENT_SUBFRAMES: f32 = 16.0;
/// What a grant costs beside its NPUSCH, in milliseconds of a tone.
const GRANT_TONE_MS: f32 = 48.0;
/// The haste with which several tones are preferred: as if a transmission held so many tones more.
const HASTE_TONES: f32 = 4.0;

impl AccessFormats {
    pub(super) fn new(config: &NetworkConfig, formats: &RandomAccessFormats) -> Self {
        let msg3 = Msg3Format::of_mcs(formats.msg3_mcs).expect("the configuration was checked");
        Self {
            dci_repetitions: formats.dci_repetitions,
            npdsch_i_tbs: formats.npdsch_i_tbs,
            npdsch_repetitions: formats.npdsch_repetitions,
            msg3: NpuschFormat {
                unit: ResourceUnit {
                    spacing: config.uplink.subcarrier_spacing,
                    tones: formats.msg3_tones,
                },
                block: msg3.block,
                repetitions: formats.msg3_repetitions,
            },
            ack_repetitions: formats.ack_repetitions,
        }
    }

    /// The NPDSCH for a message of these bits; the largest there is for more.
    pub(super) fn npdsch(&self, payload_bits: u32, mode: CarrierMode) -> NpdschFormat {
        NpdschFormat {
            block: downlink_block(self.npdsch_i_tbs, payload_bits, DeviceCategory::Nb1, mode),
            repetitions: self.npdsch_repetitions,
        }
    }
}

impl LinkFormats {
    pub(super) fn new(config: &NetworkConfig, adaptation: &LinkAdaptation) -> Self {
        let choice = match adaptation {
            LinkAdaptation::Fixed(formats) => Choice::Fixed(formats.clone()),
            LinkAdaptation::Adaptive(sets) => {
                Choice::Adaptive(Box::new(Adaptive::new(config, sets)))
            }
        };
        Self {
            category: config.connection.category,
            mode: config.carrier.mode,
            spacing: config.uplink.subcarrier_spacing,
            choice,
        }
    }

    /// Repetitions of a DCI.
    pub(super) fn dci_repetitions(&self, expected: &Expected) -> u16 {
        match &self.choice {
            Choice::Fixed(formats) => formats.dci_repetitions,
            Choice::Adaptive(adaptive) => {
                repetitions(
                    &adaptive.sets.dci_repetitions,
                    adaptive.dci_db - (expected.downlink_db - expected.control_margin_db),
                )
                .0
            }
        }
    }

    /// Repetitions of an acknowledgement.
    pub(super) fn ack_repetitions(&self, expected: &Expected) -> u16 {
        match &self.choice {
            Choice::Fixed(formats) => formats.ack_repetitions,
            Choice::Adaptive(adaptive) => {
                repetitions(
                    &adaptive.sets.ack_repetitions,
                    adaptive.ack_db - (expected.acknowledgement_db - expected.control_margin_db),
                )
                .0
            }
        }
    }

    /// The NPDSCH for so many bits, or for a part of them.
    pub(super) fn npdsch(&self, payload_bits: u32, expected: &Expected) -> NpdschFormat {
        let adaptive = match &self.choice {
            Choice::Fixed(formats) => {
                return NpdschFormat {
                    block: downlink_block(
                        formats.npdsch_i_tbs,
                        payload_bits,
                        self.category,
                        self.mode,
                    ),
                    repetitions: formats.npdsch_repetitions,
                };
            }
            Choice::Adaptive(adaptive) => adaptive,
        };
        let snr_db = expected.downlink_db - expected.margin_db[0];
        let mut best = Best::nothing();
        for row in &adaptive.npdsch_rows {
            let block = block_for(row, payload_bits);
            let i_tbs = block.i_tbs;
            let required = adaptive.npdsch_db[usize::from(i_tbs)][usize::from(block.column)];
            let (repetitions, lacking_db) =
                repetitions(&adaptive.sets.npdsch_repetitions, required - snr_db);
            let format = NpdschFormat { block, repetitions };
            let cost = format.subframes() as f32 + ASSIGNMENT_SUBFRAMES;
            best.consider(format, cost, &block, payload_bits, lacking_db);
        }
        best.format.expect("a set has a row")
    }

    /// The NPUSCH for so many bits, or for a part of them.
    pub(super) fn npusch(&self, payload_bits: u32, expected: &Expected) -> NpuschFormat {
        let unit = |tones| ResourceUnit {
            spacing: self.spacing,
            tones,
        };
        let adaptive = match &self.choice {
            Choice::Fixed(formats) => {
                return NpuschFormat {
                    unit: unit(formats.npusch_tones),
                    block: uplink_block(
                        formats.npusch_i_tbs,
                        payload_bits,
                        self.category,
                        formats.npusch_tones,
                    )
                    .expect("the configuration was checked"),
                    repetitions: formats.npusch_repetitions,
                };
            }
            Choice::Adaptive(adaptive) => adaptive,
        };
        let mut best = Best::nothing();
        for &tones in &adaptive.tones {
            let snr_db = expected.uplink_db[tones_index(tones)] - expected.margin_db[1];
            let requirements = &adaptive.npusch_db[usize::from(tones > 1)];
            for blocks in &adaptive.npusch_rows[usize::from(tones > 1)] {
                let block = block_for(blocks, payload_bits);
                let (row, column) = (usize::from(block.i_tbs), usize::from(block.column));
                let set = &adaptive.sets.npusch_repetitions;
                let mut chosen = repetitions(set, requirements[0][row][column] - snr_db);
                if chosen.0 > 1 {
                    chosen = repetitions(set, requirements[1][row][column] - snr_db);
                }
                let format = NpuschFormat {
                    unit: unit(tones),
                    block,
                    repetitions: chosen.0,
                };
                let cost =
                    format.duration_ms() as f32 * (f32::from(tones) + HASTE_TONES) + GRANT_TONE_MS;
                best.consider(format, cost, &block, payload_bits, chosen.1);
            }
        }
        best.format.expect("a set has a row")
    }
}

impl Adaptive {
    fn new(config: &NetworkConfig, sets: &AdaptationSets) -> Self {
        let carrier = match config.carrier.mode {
            CarrierMode::InBand { .. } => link_tables::Carrier::InBand,
            CarrierMode::Standalone | CarrierMode::GuardBand => link_tables::Carrier::Standalone,
        };
        let needs = |rate: Option<BlockErrorRate>| {
            rate.map_or(f32::INFINITY, |rate| {
                rate.es_n0_db(sets.target_block_error) as f32
            })
        };
        let requirements = |rate: &dyn Fn(u8, u8) -> Option<BlockErrorRate>| {
            core::array::from_fn(|row| {
                core::array::from_fn(|column| needs(rate(row as u8, column as u8)))
            })
        };
        let npusch = |tones| {
            [Combining::Chase, Combining::RedundancyVersions0And2].map(|combining| {
                requirements(&|row, column| {
                    BlockErrorRate::npusch(tones, row, column, combining)
                        .or_else(|| BlockErrorRate::npusch(tones, row, column, Combining::Chase))
                })
            })
        };
        let category = config.connection.category;
        let columns = |block: &dyn Fn(u32) -> Option<TransportBlock>| -> Row {
            let mut row = Row::new();
            let mut bits = 1;
            while let Some(next) = block(bits) {
                row.push(next);
                bits = u32::from(next.bits) + 1;
            }
            row
        };
        let rows = |set: &[u8], of_row: &dyn Fn(u8, u32) -> Option<TransportBlock>| -> Box<[Row]> {
            let rows = set
                .iter()
                .map(|i_tbs| columns(&|bits| of_row(*i_tbs, bits)));
            rows.filter(|row| !row.is_empty()).collect()
        };
        Self {
            npdsch_rows: rows(&sets.npdsch_i_tbs, &|i_tbs, bits| {
                npdsch_block(i_tbs, bits, category, config.carrier.mode)
            }),
            npusch_rows: [1, 3].map(|tones| {
                rows(&sets.npusch_i_tbs, &|i_tbs, bits| {
                    npusch_block(i_tbs, bits, category, tones)
                })
            }),
            sets: sets.clone(),
            tones: config.uplink.tones.clone().into(),
            dci_db: BlockErrorRate::npdcch(carrier, ControlMessage::N0OrN1OnTwo)
                .es_n0_db(CONTROL_ERROR) as f32,
            ack_db: BlockErrorRate::npusch_format_2().es_n0_db(CONTROL_ERROR) as f32,
            npdsch_db: requirements(&|row, column| BlockErrorRate::npdsch(carrier, row, column)),
            npusch_db: [link_tables::Tones::Single, link_tables::Tones::Multi].map(npusch),
        }
    }
}

/// The format that costs least for each bit that it carries; while none is robust enough, the most robust.
struct Best<F> {
    format: Option<F>,
    cost_per_bit: f32,
    lacking_db: f32,
}

impl<F> Best<F> {
    const fn nothing() -> Self {
        Self {
            format: None,
            cost_per_bit: f32::INFINITY,
            lacking_db: f32::INFINITY,
        }
    }

    fn consider(
        &mut self,
        format: F,
        cost: f32,
        block: &TransportBlock,
        payload_bits: u32,
        lacking_db: f32,
    ) {
        let carried = payload_bits.min(u32::from(block.bits)).max(1);
        let cost_per_bit = cost / carried as f32;
        let is_better = lacking_db < self.lacking_db
            || (lacking_db == self.lacking_db && cost_per_bit < self.cost_per_bit);
        if is_better || self.format.is_none() {
            *self = Self {
                format: Some(format),
                cost_per_bit,
                lacking_db,
            };
        }
    }
}

/// The smallest number of repetitions that makes up for what one lacks, and what is lacking still.
fn repetitions(set: &[u16], lacking_db: f32) -> (u16, f32) {
    const DB_PER_DOUBLING: f32 = 3.010_3;
    let mut most = (0, f32::INFINITY);
    for &repetitions in set {
        // Sets ascend; what is no power of two counts as the one below.
        let left = lacking_db - DB_PER_DOUBLING * repetitions.ilog2() as f32;
        if left <= 0.0 {
            return (repetitions, 0.0);
        }
        most = (repetitions, left);
    }
    most
}

/// The smallest block of a row that holds so many bits, or its largest.
#[inline]
fn block_for(row: &Row, payload_bits: u32) -> TransportBlock {
    let fits = row
        .iter()
        .find(|block| u32::from(block.bits) >= payload_bits);
    *fits.unwrap_or_else(|| row.last().expect("a row has a block"))
}

/// The place of a number of tones in [`Expected::uplink_db`].
pub(crate) const fn tones_index(tones: u8) -> usize {
    match tones {
        1 => 0,
        3 => 1,
        6 => 2,
        _ => 3,
    }
}

fn downlink_block(
    i_tbs: u8,
    payload_bits: u32,
    category: DeviceCategory,
    mode: CarrierMode,
) -> TransportBlock {
    npdsch_block(i_tbs, payload_bits, category, mode)
        .or_else(|| TransportBlock::largest_npdsch(i_tbs, category, mode))
        .expect("the configuration was checked")
}

fn uplink_block(
    i_tbs: u8,
    payload_bits: u32,
    category: DeviceCategory,
    tones: u8,
) -> Option<TransportBlock> {
    npusch_block(i_tbs, payload_bits, category, tones)
        .or_else(|| TransportBlock::largest_npusch(i_tbs, category, tones))
}
