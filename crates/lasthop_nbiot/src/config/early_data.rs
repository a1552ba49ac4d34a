use serde::{Deserialize, Serialize};

use super::allowed::{UPLINK_REPETITIONS, one_of};
use super::coverage_level::CONTENTION_RESOLUTION_PP;
use super::{ConfigError, CoverageLevel, NetworkConfig, Nprach};
use crate::link_tables::{BlockErrorRate, Combining, Tones};
use crate::phy::{Msg3Format, NpuschFormat, ResourceUnit, npusch_block};

/// Early data (Release 15) in a coverage level. It is used if [`Connection::early_data_bits`](super::Connection) is
/// set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EarlyData {
    /// `edt-TBS` of this level, in bits; `None` for the value of all levels.
    pub bits: Option<u16>,
    /// The NPRACH preambles that announce early data (`nprach-ParametersListEDT`), in separate resources.
    pub nprach: Nprach,
    /// `mac-ContentionResolutionTimer-r15`: the wait for Msg4 after a Msg3 with data, in periods of the random access
    /// search space.
    pub contention_resolution_pp: u8,
}

/// `edt-TBS`.
const TRANSPORT_BLOCKS: [u16; 8] = [328, 408, 504, 584, 680, 808, 936, 1000];
const TRANSPORT_BLOCK_NAME: &str = "TS 36.331 edt-TBS";
/// The block error rate at which formats are compared.
const COMPARED_ERROR: f64 = 0.1;

/// `edt-TBS` is one of its values.
pub(super) fn check_bits(field: &str, bits: u16) -> Result<(), ConfigError> {
    one_of(field, bits, &TRANSPORT_BLOCKS, TRANSPORT_BLOCK_NAME, "bit")
}

impl EarlyData {
    pub(super) fn check(&self, network: &NetworkConfig) -> Result<(), ConfigError> {
        if let Some(bits) = self.bits {
            check_bits("bits", bits)?;
        }
        self.nprach.check(network).map_err(|e| e.under("nprach"))?;
        one_of(
            "contention_resolution_pp",
            self.contention_resolution_pp,
            &CONTENTION_RESOLUTION_PP,
            "TS 36.331 mac-ContentionResolutionTimer-r15",
            "NPDCCH periods",
        )
    }
}

/// Early data can be sent as robustly in every level as the usual Msg3.
pub(super) fn check_reach(network: &NetworkConfig) -> Result<(), ConfigError> {
    for (number, level) in network.levels.iter().enumerate() {
        let Some(bits) = network.early_data_bits(level) else {
            continue;
        };
        if early_msg3(level, network, bits).is_none() {
            let is_own = level
                .early_data
                .as_ref()
                .is_some_and(|early| early.bits.is_some());
            let field = if is_own {
                format!("levels[{number}].early_data.bits")
            } else {
                "connection.early_data_bits".to_owned()
            };
            return Err(ConfigError::new(
                &field,
                format!(
                    "is {bits} bit, for which the {} repetitions of TS 36.213 table 16.5.1.1-3 are too few in level \
                     {number}: no row of table 16.5.1.2-2 is as robust as its Msg3; choose a smaller edt-TBS or fewer \
                     msg3_repetitions there, or no early data",
                    UPLINK_REPETITIONS[7]
                ),
            ));
        }
    }
    Ok(())
}

/// How Msg3 is sent with data in a transport block of so many bits: in the format of TS 36.213 table 16.5.1.2-2 that is
/// the shortest of those which need no more Es/N0 than the level's usual Msg3, by QPSK (16.3.3); `None` where there is
/// none.
pub(crate) fn early_msg3(
    level: &CoverageLevel,
    network: &NetworkConfig,
    bits: u16,
) -> Option<NpuschFormat> {
    let formats = &level.random_access_formats;
    let unit = ResourceUnit {
        spacing: network.uplink.subcarrier_spacing,
        tones: formats.msg3_tones,
    };
    let usual = NpuschFormat {
        unit,
        block: Msg3Format::of_mcs(formats.msg3_mcs)?.block,
        repetitions: formats.msg3_repetitions,
    };
    let offered_db = needed_db(&usual)?;
    let rows = if unit.tones == 1 { 10 } else { 12 };
    (0..=rows)
        .filter(|i_tbs| unit.tones > 1 || !matches!(i_tbs, 0 | 2))
        .filter_map(|i_tbs| {
            npusch_block(i_tbs, bits.into(), network.connection.category, unit.tones)
        })
        .filter(|block| block.bits == bits)
        .filter_map(|block| {
            let with = |repetitions| NpuschFormat {
                unit,
                block,
                repetitions,
            };
            let mut formats = UPLINK_REPETITIONS.into_iter().map(with);
            formats.find(|format| needed_db(format).is_some_and(|db| db <= offered_db))
        })
        .min_by_key(NpuschFormat::duration_ms)
}

/// The Es/N0 of one pass that a format needs.
fn needed_db(format: &NpuschFormat) -> Option<f64> {
    const DB_PER_DOUBLING: f64 = 3.010_3;
    let tones = if format.unit.tones == 1 {
        Tones::Single
    } else {
        Tones::Multi
    };
    let rate = |combining| {
        BlockErrorRate::npusch(tones, format.block.i_tbs, format.block.column, combining)
    };
    let both = format
        .has_both_redundancy_versions()
        .then(|| rate(Combining::RedundancyVersions0And2))
        .flatten();
    let rate = both.or_else(|| rate(Combining::Chase))?;
    let gain_db = DB_PER_DOUBLING * f64::from(format.repetitions.ilog2());
    Some(rate.es_n0_db(COMPARED_ERROR) - gain_db)
}
