use lasthop_device::{Battery, Load, PowerProfile, TransmitPower};
use lasthop_measure::EnergyConfig;
use lasthop_units::{Energy, Power};

use crate::spec::{
    EnergySpec, FlowSpec, GroupSpec, PowerProfileSpec, PowerStatesSpec, RunSpec, SpecError, nanos,
};

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
        PowerProfileSpec::Own(states) => own_profile(&states)?,
    };
    let capacity = Energy::from_watt_hours(spec.battery_wh);
    let battery = Battery::new(capacity, spec.self_discharge_per_year)
        .map_err(|error| SpecError::value("energy", error))?;
    let asks_for_years = spec.lifetime_years.is_none_or(|years| years > 0.0);
    if !(is_amount(spec.load_w) && is_amount(spec.load_per_message_j) && asks_for_years) {
        let problem = "a load below zero, or a lifetime of no years";
        return Err(SpecError::value("energy", problem));
    }
    let ends = |flow: &&FlowSpec| flow.from == group.name || flow.to == group.name;
    let flows = run.flows.iter().filter(ends);
    let (start, duration) = flows.fold((0, 0), |(start, duration), flow| {
        (flow.start_ns.max(start), flow.duration_ns.max(duration))
    });
    Ok(EnergyConfig {
        profile,
        battery,
        load: Load {
            constant: Power::from_watts(spec.load_w),
            per_message: Energy::from_joules(spec.load_per_message_j),
        },
        lifetime_years: spec.lifetime_years,
        from: nanos(start.max(run.measure.warm_up_ns)),
        until: nanos(start) + nanos(duration),
    })
}

fn own_profile(states: &PowerStatesSpec) -> Result<PowerProfile, SpecError> {
    let powers = [
        states.deep_sleep_w,
        states.light_sleep_w,
        states.connected_sleep_w,
        states.receive_w,
        states.transmit_floor_w,
    ];
    let are_powers = powers.iter().all(|&power| is_amount(power));
    let sends_for_more = states.transmit_w > states.transmit_floor_w;
    if !(are_powers && sends_for_more && states.transmit_w.is_finite()) {
        let problem = "a state draws no power, or sending with 23 dBm draws less than the floor";
        return Err(SpecError::value("energy.profile", problem));
    }
    Ok(PowerProfile {
        deep_sleep: Power::from_watts(states.deep_sleep_w),
        light_sleep: Power::from_watts(states.light_sleep_w),
        connected_sleep: Power::from_watts(states.connected_sleep_w),
        receive: Power::from_watts(states.receive_w),
        transmit: TransmitPower {
            floor: Power::from_watts(states.transmit_floor_w),
            at_23_dbm: Power::from_watts(states.transmit_w),
        },
    })
}

fn is_amount(value: f64) -> bool {
    value.is_finite() && value >= 0.0
}
