use lasthop_device::{Battery, PowerProfile};
use lasthop_measure::EnergyConfig;
use lasthop_units::Energy;

use crate::spec::{EnergySpec, FlowSpec, GroupSpec, PowerProfileSpec, RunSpec, SpecError, nanos};

/// What the devices of each group live on, where their energy is asked for.
pub(crate) fn energy_configs(run: &RunSpec) -> Result<Vec<Option<EnergyConfig>>, SpecError> {
    let of_group = |group: &GroupSpec| {
        let spec = group.energy.as_ref();
        spec.map(|spec| energy_config(run, group, spec)).transpose()
    };
    run.groups.iter().map(of_group).collect()
}

fn energy_config(
    run: &RunSpec,
    group: &GroupSpec,
    spec: &EnergySpec,
) -> Result<EnergyConfig, SpecError> {
    let profile = match spec.profile {
        PowerProfileSpec::Tr45820 => PowerProfile::TR_45_820,
        PowerProfileSpec::Bg96 => PowerProfile::BG96,
        PowerProfileSpec::SaraN2 => PowerProfile::SARA_N2,
    };
    let capacity = Energy::from_watt_hours(spec.battery_wh);
    let battery = Battery::new(capacity, spec.self_discharge_per_year)
        .map_err(|error| SpecError::value("energy", error))?;
    let ends = |flow: &&FlowSpec| flow.from == group.name || flow.to == group.name;
    let flows = run.flows.iter().filter(ends);
    let (start, duration) = flows.fold((0, 0), |(start, duration), flow| {
        (flow.start_ns.max(start), flow.duration_ns.max(duration))
    });
    Ok(EnergyConfig {
        profile,
        battery,
        from: nanos(start.max(run.measure.warm_up_ns)),
        until: nanos(start) + nanos(duration),
    })
}
