use core::num::NonZeroU32;
use core::ops::Range;

use lasthop_contract::{DeviceId, FlowId, RandomStream};
use lasthop_measure::{Directory, NamedFlows, NamedGroup, NamedStratum};
use lasthop_traffic::{
    Arrivals, FlowKind, Grouping, Part, Pausing, PayloadError, PayloadTemplate, PlannedFlows,
    TrafficPlan,
};
use lasthop_units::{DataSize, Instant};

use crate::spec::{
    ArrivalSpec, ClientSpec, FlowSpec, GroupSpec, PayloadSpec, RunSpec, SpecError, StratumSpec,
    nanos,
};

/// The numbers of the devices of each group, those that stay first: a device has its number in the whole run.
pub(crate) fn numbers_of_groups(spec: &RunSpec) -> Vec<Range<u32>> {
    let mut next = 0;
    let staying: u32 = spec.groups.iter().map(GroupSpec::staying).sum();
    let number = |group: &GroupSpec| {
        if group.arriving().is_some() {
            return staying..FlowId::DEVICES;
        }
        let first = next;
        next += group.staying();
        first..next
    };
    spec.groups.iter().map(number).collect()
}

/// What is said in a run.
pub(crate) fn traffic_plan(spec: &RunSpec) -> Result<TrafficPlan, SpecError> {
    let flows = in_order(spec).map(|(numbers, flow)| planned(spec, flow, numbers));
    Ok(TrafficPlan {
        seed: spec.seed,
        flows: flows.collect::<Result<_, _>>()?,
    })
}

/// The part of it that goes by a stack of a server.
pub(crate) fn plan_of(spec: &RunSpec, plan: &TrafficPlan, client: &ClientSpec) -> TrafficPlan {
    let goes_by_it = |planned: &&PlannedFlows| {
        spec.flows.iter().any(|flow| {
            *planned.group == *flow.group()
                && *planned.name == *flow.name
                && spec.client_of(flow) == Some(client)
        })
    };
    TrafficPlan {
        seed: plan.seed,
        flows: plan.flows.iter().filter(goes_by_it).cloned().collect(),
    }
}

/// What the flows of a run are called.
pub(crate) fn directory(spec: &RunSpec) -> Directory {
    let place = |name: &str| spec.groups.iter().position(|group| group.name == name);
    let named = |(numbers, flow): (Range<u32>, &FlowSpec)| NamedFlows {
        numbers,
        group: place(flow.group()).expect("the check has found it"),
        name: flow.name.as_str().into(),
        origin: flow.kind.origin(),
        devices: devices_with(spec, flow),
        audience: audience(spec, flow),
        within: flow.within_ns.map(nanos),
    };
    let groups = spec.groups.iter().map(named_group).collect();
    let paths = spec.paths.keys().map(|name| name.as_str().into());
    Directory::new(groups, in_order(spec).map(named).collect()).with_paths(paths.collect())
}

/// Returns the number of devices that each message of a flow is for.
fn audience(spec: &RunSpec, flow: &FlowSpec) -> NonZeroU32 {
    let all = (flow.kind == FlowKind::RelayToAll).then(|| spec.group(&flow.to));
    let devices = all.flatten().map(GroupSpec::staying);
    devices.and_then(NonZeroU32::new).unwrap_or(NonZeroU32::MIN)
}

fn named_group(group: &GroupSpec) -> NamedGroup {
    let part = |stratum: &StratumSpec| NamedStratum {
        name: Some(stratum.name.as_str().into()),
        devices: stratum.devices,
        weight: stratum.weight,
    };
    let whole = NamedStratum {
        name: None,
        devices: group.staying(),
        weight: group.weight,
    };
    NamedGroup {
        name: group.name.as_str().into(),
        strata: if group.strata.is_empty() {
            vec![whole]
        } else {
            group.strata.iter().map(part).collect()
        },
    }
}

/// Returns the flows in order with their device numbers.
fn in_order(spec: &RunSpec) -> impl Iterator<Item = (Range<u32>, &FlowSpec)> {
    let mut flows: Vec<(Range<u32>, &FlowSpec)> = numbers_of_groups(spec)
        .into_iter()
        .zip(&spec.groups)
        .flat_map(|(devices, group)| {
            let flows = spec.flows_of(group).zip(0..);
            flows.map(move |(flow, channel)| (numbers_on(channel, &devices), flow))
        })
        .collect();
    flows.sort_by_key(|(numbers, _)| numbers.start);
    flows.into_iter()
}

/// The numbers of the flows of devices on a channel.
fn numbers_on(channel: u8, devices: &Range<u32>) -> Range<u32> {
    let first = FlowId::of(DeviceId(devices.start), channel).0;
    first..devices.end.saturating_add(first - devices.start)
}

fn planned(
    spec: &RunSpec,
    flow: &FlowSpec,
    numbers: Range<u32>,
) -> Result<PlannedFlows, SpecError> {
    let payload = payload(&flow.payload, flow.batch.into())
        .map_err(|error| SpecError::value("traffic.payload", error))?;
    Ok(PlannedFlows {
        numbers,
        group: flow.group().into(),
        name: flow.name.as_str().into(),
        kind: flow.kind,
        payload,
        arrivals: match flow.arrivals {
            ArrivalSpec::Once => None,
            ArrivalSpec::Periodic { every_ns } => Some(Arrivals::Periodic {
                every: nanos(every_ns),
            }),
            ArrivalSpec::Poisson { mean_ns } => Some(Arrivals::Poisson {
                mean: nanos(mean_ns),
            }),
            ArrivalSpec::Paused {
                pause_ns,
                give_up_ns,
                messages,
            } => Some(Arrivals::Paused(Pausing {
                pause: nanos(pause_ns),
                give_up: nanos(give_up_ns),
                messages: messages.unwrap_or(u32::MAX),
            })),
        },
        grouping: Grouping {
            burst: flow.burst as u16,
            batch: flow.batch as u16,
        },
        part: part_of(spec, flow),
        start: nanos(flow.start_ns),
        not_before: spec.established_at().unwrap_or(Instant::ZERO),
        spread: nanos(flow.spread_ns),
        duration: nanos(flow.duration_ns),
    })
}

/// Returns the devices that have a flow, which are drawn in each run.
fn part_of(spec: &RunSpec, flow: &FlowSpec) -> Part {
    let drawn = drawn_part(spec, flow);
    let group = spec.group(flow.group());
    match group.and_then(|it| Some((it.only?, it.staying()))) {
        None => drawn,
        Some((number, devices)) if drawn.contains(number) => Part::of_one(number, devices),
        Some(_) => Part::NONE,
    }
}

fn drawn_part(spec: &RunSpec, flow: &FlowSpec) -> Part {
    if flow.share >= 1.0 {
        return Part::ALL;
    }
    let name = format_args!("{}/{}/share", flow.group(), flow.name);
    Part {
        share: flow.share,
        phase: RandomStream::named(spec.seed, name).unit(),
    }
}

/// Returns the number of devices with a flow in each stratum of its group.
fn devices_with(spec: &RunSpec, flow: &FlowSpec) -> Box<[u32]> {
    let Some(group) = spec.groups.iter().find(|it| it.name == flow.group()) else {
        return Box::default();
    };
    let part = part_of(spec, flow);
    let mut first = 0;
    let strata = named_group(group).strata;
    let devices = strata.iter().map(|stratum| {
        let next = first + stratum.devices;
        let taking_part = part.count(next) - part.count(first);
        first = next;
        taking_part
    });
    devices.collect()
}

/// Returns the payload template of messages with `batch` readings.
fn payload(spec: &PayloadSpec, batch: u64) -> Result<PayloadTemplate, PayloadError> {
    match spec {
        PayloadSpec::Text { bytes } => PayloadTemplate::text(DataSize::from_bytes(bytes * batch)),
        PayloadSpec::Json { fields, bytes } => {
            let size = bytes.map(|bytes| DataSize::from_bytes(bytes * batch));
            PayloadTemplate::json(fields, batch, size)
        }
        PayloadSpec::Encoded {
            fields,
            encoding,
            deflate,
            ..
        } => PayloadTemplate::encoded(fields, batch, *encoding, *deflate),
    }
}
