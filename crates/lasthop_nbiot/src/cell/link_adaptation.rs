mod best;
mod rows;

use self::best::Best;
use self::rows::{Choosable, Floors, Row, carried_bits, holds};
use super::settings::normal_deviate;
use crate::config::{
    AcknowledgementEstimation, AdaptationSets, CarrierMode, DedicatedFormats, DeviceCategory,
    LinkAdaptation, NetworkConfig, RandomAccessFormats, SubcarrierSpacing,
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
    /// Numbers of tones, and what their rows cost at least.
    tones: Box<[(ResourceUnit, Floors)]>,
    dci_db: f32,
    ack_db: f32,
    npdsch_rows: Box<[Row]>,
    npdsch_floors: Floors,
    /// On a single tone, and on several.
    npusch_rows: [Box<[Row]>; 2],
}

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
        let set = &adaptive.sets.npdsch_repetitions;
        for (floor, row) in adaptive.npdsch_floors.of(&adaptive.npdsch_rows) {
            if best.costs_less_than(floor) {
                break;
            }
            let Choosable { block, required_db } = *row.block_for(payload_bits);
            let format = |repetitions| NpdschFormat { block, repetitions };
            let cost_per_bit = |format| npdsch_cost(format) / carried_bits(&block, payload_bits);
            if best.costs_less_than(cost_per_bit(format(set[0]))) {
                if holds(&block, payload_bits) {
                    break;
                }
                continue;
            }
            let (repetitions, lacking_db) = repetitions(set, required_db[0] - snr_db);
            let format = format(repetitions);
            best.consider(format, cost_per_bit(format), lacking_db);
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
        let set = &adaptive.sets.npusch_repetitions;
        for (unit, floors) in adaptive.tones.iter().rev() {
            let snr_db = expected.uplink_db[tones_index(unit.tones)] - expected.margin_db[1];
            for (floor, row) in floors.of(adaptive.npusch_rows(unit.tones)) {
                if best.costs_less_than(floor) {
                    break;
                }
                let Choosable { block, required_db } = *row.block_for(payload_bits);
                let format = |repetitions| NpuschFormat {
                    unit: *unit,
                    block,
                    repetitions,
                };
                let cost_per_bit =
                    |format| npusch_cost(format) / carried_bits(&block, payload_bits);
                if best.costs_less_than(cost_per_bit(format(set[0]))) {
                    if holds(&block, payload_bits) {
                        break;
                    }
                    continue;
                }
                let mut chosen = repetitions(set, required_db[0] - snr_db);
                if chosen.0 > 1 {
                    chosen = repetitions(set, required_db[1] - snr_db);
                }
                let format = format(chosen.0);
                best.consider(format, cost_per_bit(format), chosen.1);
            }
        }
        best.format.expect("a set has a row")
    }
}

impl Adaptive {
    fn npusch_rows(&self, tones: u8) -> &[Row] {
        &self.npusch_rows[usize::from(tones > 1)]
    }

    fn new(config: &NetworkConfig, sets: &AdaptationSets) -> Self {
        let sets = AdaptationSets {
            target_block_error: sets.target_block_error,
            dci_repetitions: ascending(&sets.dci_repetitions),
            npdsch_i_tbs: ascending(&sets.npdsch_i_tbs),
            npdsch_repetitions: ascending(&sets.npdsch_repetitions),
            npusch_i_tbs: ascending(&sets.npusch_i_tbs),
            npusch_repetitions: ascending(&sets.npusch_repetitions),
            ack_repetitions: ascending(&sets.ack_repetitions),
        };
        let carrier = match config.carrier.mode {
            CarrierMode::InBand { .. } => link_tables::Carrier::InBand,
            CarrierMode::Standalone | CarrierMode::GuardBand => link_tables::Carrier::Standalone,
        };
        let needs = |rate: Option<BlockErrorRate>| {
            rate.map_or(f32::INFINITY, |rate| {
                rate.es_n0_db(sets.target_block_error) as f32
            })
        };
        let category = config.connection.category;
        let npdsch_rows = Row::all_of(
            &sets.npdsch_i_tbs,
            |i_tbs, bits| npdsch_block(i_tbs, bits, category, config.carrier.mode),
            |block| [needs(BlockErrorRate::npdsch(carrier, block.i_tbs, block.column)); 2],
        );
        let npusch_rows = [
            (1, link_tables::Tones::Single),
            (3, link_tables::Tones::Multi),
        ];
        let npusch_rows = npusch_rows.map(|(count, tones)| {
            let rate = |block: &TransportBlock, combining| {
                BlockErrorRate::npusch(tones, block.i_tbs, block.column, combining)
            };
            Row::all_of(
                &sets.npusch_i_tbs,
                |i_tbs, bits| npusch_block(i_tbs, bits, category, count),
                |block| {
                    let once = rate(block, Combining::Chase);
                    let both = rate(block, Combining::RedundancyVersions0And2);
                    [needs(once), needs(both.or(once))]
                },
            )
        });
        let floors_of = |tones: u8| {
            let unit = ResourceUnit {
                spacing: config.uplink.subcarrier_spacing,
                tones,
            };
            let rows = &npusch_rows[usize::from(tones > 1)];
            let floors = Floors::new(rows, |block| {
                npusch_cost(NpuschFormat {
                    unit,
                    block: *block,
                    repetitions: sets.npusch_repetitions[0],
                })
            });
            (unit, floors)
        };
        Self {
            tones: ascending(&config.uplink.tones)
                .into_iter()
                .map(floors_of)
                .collect(),
            npdsch_floors: Floors::new(&npdsch_rows, |block| {
                npdsch_cost(NpdschFormat {
                    block: *block,
                    repetitions: sets.npdsch_repetitions[0],
                })
            }),
            npdsch_rows,
            npusch_rows,
            sets,
            dci_db: BlockErrorRate::npdcch(carrier, ControlMessage::N0OrN1OnTwo)
                .es_n0_db(CONTROL_ERROR) as f32,
            ack_db: ack_db(config),
        }
    }
}

/// The Es/N0 at which an acknowledgement is not understood in the share of control information. A receiver that estimates in each
/// slot is known to its scheduler with its threshold; of the other the scheduler learns it from what is not understood.
fn ack_db(config: &NetworkConfig) -> f32 {
    let channel = &config.channel;
    let by_sign_db = BlockErrorRate::npusch_format_2().es_n0_db(CONTROL_ERROR);
    let above_threshold_db = match channel.acknowledgement_estimation {
        AcknowledgementEstimation::Window => 0.0,
        AcknowledgementEstimation::Slot => {
            let least = normal_deviate(CONTROL_ERROR);
            let threshold = channel
                .silence_as_acknowledgement
                .map_or(0.0, normal_deviate);
            20.0 * libm::log10((least + threshold) / least)
        }
    };
    (by_sign_db + above_threshold_db) as f32
}

/// What an NPDSCH costs, in subframes.
fn npdsch_cost(format: NpdschFormat) -> f32 {
    format.subframes() as f32 + ASSIGNMENT_SUBFRAMES
}

/// What an NPUSCH costs, in milliseconds of a tone.
fn npusch_cost(format: NpuschFormat) -> f32 {
    let held_tones = f32::from(format.unit.tones) + HASTE_TONES;
    format.duration_ms() as f32 * held_tones + GRANT_TONE_MS
}

fn ascending<T: Ord + Copy>(set: &[T]) -> Vec<T> {
    let mut set = set.to_vec();
    set.sort_unstable();
    set.dedup();
    set
}

/// Returns the smallest number of repetitions that closes an SNR gap, and the gap that remains.
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

#[cfg(test)]
mod tests;
