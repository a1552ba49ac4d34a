use lasthop_device::{Battery, PowerProfile};
use lasthop_measure::EnergyConfig;
use lasthop_units::Energy;

use crate::spec::{EnergySpec, PowerProfileSpec, RunSpec, SpecError, nanos};

/// What the devices of a run live on.
pub(crate) fn energy_config(run: &RunSpec, spec: &EnergySpec) -> Result<EnergyConfig, SpecError> {
    let profile = match spec.profile {
        PowerProfileSpec::Tr45820 => PowerProfile::TR_45_820,
        PowerProfileSpec::Bg96 => PowerProfile::BG96,
    };
    let capacity = Energy::from_watt_hours(spec.battery_wh);
    let battery = Battery::new(capacity, spec.self_discharge_per_year)
        .map_err(|error| SpecError::value("energy", error))?;
    let schedule = &run.traffic;
    Ok(EnergyConfig {
        profile,
        battery,
        from: nanos(schedule.start_ns.max(run.measure.warm_up_ns)),
        until: nanos(schedule.start_ns) + nanos(schedule.duration_ns),
    })
}
