use lasthop_measure::BillingConfig;

use crate::spec::{FlowSpec, GroupSpec, RunSpec, SpecError, TariffSpec, nanos};

/// What the devices of each group pay, where they have a tariff.
pub(crate) fn billing_configs(run: &RunSpec) -> Result<Vec<Option<BillingConfig>>, SpecError> {
    let of_group = |group: &GroupSpec| {
        let tariff = group.tariff.as_ref();
        tariff.map(|it| billing_config(run, group, it)).transpose()
    };
    run.groups.iter().map(of_group).collect()
}

fn billing_config(
    run: &RunSpec,
    group: &GroupSpec,
    spec: &TariffSpec,
) -> Result<BillingConfig, SpecError> {
    if group.arriving().is_some() {
        return Err(SpecError::value(
            "groups",
            "devices that come and go have no tariff",
        ));
    }
    let ends = |flow: &&FlowSpec| flow.from == group.name || flow.to == group.name;
    let flows = run.flows.iter().filter(ends);
    let (start, duration) = flows.fold((0, 0), |(start, duration), flow| {
        (flow.start_ns.max(start), flow.duration_ns.max(duration))
    });
    let from = start.max(run.measure.warm_up_ns);
    Ok(BillingConfig {
        tariff: spec.tariff()?,
        from: nanos(from),
        until: nanos(from.max(start + duration)),
    })
}
