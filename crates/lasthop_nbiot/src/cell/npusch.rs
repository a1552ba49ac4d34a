use lasthop_units::DecibelMilliwatts;

use crate::channel::{BurstKind, Tones, UplinkBurst};
use crate::config::{NetworkConfig, SubcarrierSpacing};
use crate::link_tables::{self, BlockErrorRate, Combining};
use crate::phy::{NpuschFormat, ResourceUnit, UplinkAllocation, npusch_delays};

/// The curve of a format.
pub(super) fn npusch_error_rate(format: &NpuschFormat, combining: Combining) -> BlockErrorRate {
    let tones = if format.unit.tones == 1 {
        link_tables::Tones::Single
    } else {
        link_tables::Tones::Multi
    };
    let (row, column) = (format.block.i_tbs, format.block.column);
    BlockErrorRate::npusch(tones, row, column, combining)
        .or_else(|| BlockErrorRate::npusch(tones, row, column, Combining::Chase))
        .expect("a block of the table has a curve")
}

/// The delays that a grant may have.
pub(super) fn grant_delays(minimum_k0_only: bool) -> &'static [u16] {
    let delays = npusch_delays();
    if minimum_k0_only {
        &delays[..1]
    } else {
        delays
    }
}

/// The power of an NPUSCH (TS 36.213 section 16.2.1.1).
pub(super) fn npusch_power_dbm(
    config: &NetworkConfig,
    path_loss_db: f64,
    unit: ResourceUnit,
    repetitions: u16,
) -> f64 {
    let power = &config.device_power;
    if repetitions > 2 {
        return power.maximum_dbm;
    }
    // 10 log10(M): a quarter for a tone of 3.75 kHz.
    let bandwidth_db = match (unit.spacing, unit.tones) {
        (SubcarrierSpacing::Khz3_75, _) => -6.020_6,
        (SubcarrierSpacing::Khz15, 1) => 0.0,
        (SubcarrierSpacing::Khz15, 3) => 4.771_2,
        (SubcarrierSpacing::Khz15, 6) => 7.781_5,
        (SubcarrierSpacing::Khz15, _) => 10.791_8,
    };
    (bandwidth_db + power.p0_nominal_npusch_dbm + power.alpha * path_loss_db).min(power.maximum_dbm)
}

/// What the channel is told of an NPUSCH.
pub(super) fn npusch_burst(
    allocation: &UplinkAllocation,
    spacing: SubcarrierSpacing,
    power_dbm: f64,
    kind: BurstKind,
    repetitions: u16,
) -> UplinkBurst {
    UplinkBurst {
        from: allocation.span.start.start(),
        until: allocation.span.end.start(),
        tones: Tones::new(spacing, allocation.first_tone, allocation.tones),
        power: DecibelMilliwatts::new(power_dbm),
        kind,
        repetitions,
    }
}
