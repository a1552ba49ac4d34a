use lasthop_contract::{Direction, InterfaceId, LookupMap, Port};
use lasthop_engine::{HostId, LinkId, Simulation, VirtualClock};
use lasthop_link::{DuplexLink, Nat};
use lasthop_measure::Meter;
use lasthop_traffic::{Arrivals, PayloadError, PayloadTemplate, TrafficPlan};
use lasthop_transport::Routes;
use lasthop_units::DataSize;

use crate::addresses::Addresses;
use crate::path::{link_config, nat_config};
use crate::spec::{ArrivalSpec, PayloadSpec, RunSpec, ServerLayout, SpecError, nanos};
use crate::stack::HostFactory;

const DEVICE_SIDE: Port = Port(0);
const SERVER_SIDE: Port = Port(1);

/// Puts hosts and paths together: device, link, translator where there is one, server.
///
/// Devices are the hosts with the first numbers; servers follow. The shared server reaches each device by an
/// interface of its own, in the order of devices.
pub(crate) fn assemble(
    spec: &RunSpec,
    meter: Meter,
) -> Result<Simulation<VirtualClock, Meter>, SpecError> {
    let addresses = Addresses {
        version: spec.stack.ip_version(),
    };
    let plan = traffic_plan(spec)?;
    let hosts = HostFactory::new(&spec.stack, spec.traffic.kind, plan, spec.seed);
    let link = link_config(&spec.path)?;
    let shared = spec.server == ServerLayout::Shared;
    let server_of = |device: u32| if shared { 0 } else { device };

    let mut simulation = Simulation::new(VirtualClock, meter);
    for device in 0..spec.devices {
        let server = addresses.server(server_of(device));
        let host = hosts.device(device, addresses.device(device), server);
        simulation.add_host(host, Direction::Up);
    }
    for server in 0..if shared { 1 } else { spec.devices } {
        let routes = if shared && spec.devices > 1 {
            routes_to_devices(spec, addresses)
        } else {
            Routes::OneInterface
        };
        let host = hosts.server(server, addresses.server(server), routes);
        simulation.add_host(host, Direction::Down);
    }
    for device in 0..spec.devices {
        let own_link = DuplexLink::new(&link, spec.seed, &format!("path/{device}"));
        let own_link = simulation.add_link(Box::new(own_link));
        simulation.attach(HostId(device), own_link, DEVICE_SIDE);
        let server = HostId(spec.devices + server_of(device));
        let last = translator(spec, device, own_link, &mut simulation)?.unwrap_or(own_link);
        simulation.attach(server, last, SERVER_SIDE);
    }
    Ok(simulation)
}

/// Joins a translator to the server's side of a link, where the path has one.
fn translator(
    spec: &RunSpec,
    device: u32,
    link: LinkId,
    simulation: &mut Simulation<VirtualClock, Meter>,
) -> Result<Option<LinkId>, SpecError> {
    let Some(nat) = &spec.path.nat else {
        return Ok(None);
    };
    let nat = simulation.add_link(Box::new(Nat::new(nat_config(nat, device)?)));
    simulation.join((link, SERVER_SIDE), (nat, DEVICE_SIDE));
    Ok(Some(nat))
}

/// By which interface the shared server reaches each device: at its own address or at its translator's.
fn routes_to_devices(spec: &RunSpec, addresses: Addresses) -> Routes {
    let mut table = LookupMap::new();
    for device in 0..spec.devices {
        let interface = InterfaceId(device);
        table.insert(addresses.device(device), interface);
        if spec.path.nat.is_some() {
            table.insert(Addresses::outside_v4(device).into(), interface);
            table.insert(Addresses::outside_v6(device).into(), interface);
        }
    }
    Routes::ByDestination(Box::new(table))
}

fn traffic_plan(spec: &RunSpec) -> Result<TrafficPlan, SpecError> {
    let traffic = &spec.traffic;
    Ok(TrafficPlan {
        payload: payload(&traffic.payload)
            .map_err(|error| SpecError::value("traffic.payload", error))?,
        arrivals: match traffic.arrivals {
            ArrivalSpec::Periodic { every_ns } => Arrivals::Periodic {
                every: nanos(every_ns),
            },
            ArrivalSpec::Poisson { mean_ns } => Arrivals::Poisson {
                mean: nanos(mean_ns),
            },
        },
        burst: traffic.burst,
        start: nanos(traffic.start_ns),
        spread: nanos(traffic.spread_ns),
        duration: nanos(traffic.duration_ns),
        seed: spec.seed,
    })
}

fn payload(spec: &PayloadSpec) -> Result<PayloadTemplate, PayloadError> {
    match spec {
        PayloadSpec::Text { bytes } => PayloadTemplate::text(DataSize::from_bytes(*bytes)),
        PayloadSpec::Json { fields, bytes } => {
            PayloadTemplate::json(fields, bytes.map(DataSize::from_bytes))
        }
    }
}
