use lasthop_device::{Battery, PowerProfile};
use lasthop_measure::EnergyConfig;
use lasthop_units::Energy;

use crate::spec::{PowerProfileSpec, RunSpec, SpecError, nanos};

/// What the devices of a run live on, where their energy is asked for.
pub(crate) fn energy_config(run: &RunSpec) -> Result<Option<EnergyConfig>, SpecError> {
    let asked = run.groups.iter().find(|group| group.energy.is_some());
    let Some((group, spec)) = asked.and_then(|group| Some((group, group.energy.as_ref()?))) else {
        return Ok(None);
    };
    let profile = match spec.profile {
        PowerProfileSpec::Tr45820 => PowerProfile::TR_45_820,
        PowerProfileSpec::Bg96 => PowerProfile::BG96,
    };
    let capacity = Energy::from_watt_hours(spec.battery_wh);
    let battery = Battery::new(capacity, spec.self_discharge_per_year)
        .map_err(|error| SpecError::value("energy", error))?;
    let (start, duration) = run.flows_of(group).fold((0, 0), |(start, duration), flow| {
        (flow.start_ns.max(start), flow.duration_ns.max(duration))
    });
    Ok(Some(EnergyConfig {
        profile,
        battery,
        from: nanos(start.max(run.measure.warm_up_ns)),
        until: nanos(start) + nanos(duration),
    }))
}
