use lasthop_contract::{Direction, InterfaceId, LookupMap, Port};
use lasthop_engine::{HostId, LinkId, Simulation, VirtualClock};
use lasthop_link::{DuplexLink, Nat};
use lasthop_measure::Meter;
use lasthop_transport::Routes;

use crate::addresses::Addresses;
use crate::path::{link_config, nat_config};
use crate::spec::{NatSpec, PathSpec, RunSpec, ServerLayout, SpecError};
use crate::stack::HostFactory;

const DEVICE_SIDE: Port = Port(0);
const SERVER_SIDE: Port = Port(1);

/// Puts hosts and paths together, each device with a link of its own: device, link, translator where there is one,
/// server.
///
/// Devices are the hosts with the first numbers; servers follow. The shared server reaches each device by an
/// interface of its own, in the order of devices.
pub(crate) fn assemble(
    spec: &RunSpec,
    devices: u32,
    meter: Meter,
) -> Result<Simulation<VirtualClock, Meter>, SpecError> {
    let addresses = Addresses {
        version: spec.stack.ip_version(),
    };
    let hosts = HostFactory::of(spec)?;
    let PathSpec::Link(link) = &spec.path else {
        return Err(SpecError::value("path.nbiot", "nothing simulates it yet"));
    };
    let config = link_config(link)?;
    let shared = spec.server == ServerLayout::Shared;
    let server_of = |device: u32| if shared { 0 } else { device };

    let mut simulation = Simulation::new(VirtualClock, meter);
    for device in 0..devices {
        let server = addresses.server(server_of(device));
        let host = hosts.device(device, addresses.device(device), server);
        simulation.add_host(host, Direction::Up);
    }
    for server in 0..if shared { 1 } else { devices } {
        let routes = if shared && devices > 1 {
            routes_to_devices(devices, link.nat.is_some(), addresses)
        } else {
            Routes::OneInterface
        };
        let host = hosts.server(server, addresses.server(server), routes);
        simulation.add_host(host, Direction::Down);
    }
    for device in 0..devices {
        let own_link = DuplexLink::new(&config, spec.seed, &format!("path/{device}"));
        let own_link = simulation.add_link(Box::new(own_link));
        simulation.attach(HostId(device), own_link, DEVICE_SIDE);
        let server = HostId(devices + server_of(device));
        let last = translator(link.nat.as_ref(), device, own_link, &mut simulation)?;
        simulation.attach(server, last.unwrap_or(own_link), SERVER_SIDE);
    }
    Ok(simulation)
}

/// Joins a translator to the server's side of a link, where the path has one.
fn translator(
    nat: Option<&NatSpec>,
    device: u32,
    link: LinkId,
    simulation: &mut Simulation<VirtualClock, Meter>,
) -> Result<Option<LinkId>, SpecError> {
    let Some(nat) = nat else {
        return Ok(None);
    };
    let nat = simulation.add_link(Box::new(Nat::new(nat_config(nat, device)?)));
    simulation.join((link, SERVER_SIDE), (nat, DEVICE_SIDE));
    Ok(Some(nat))
}

/// By which interface the shared server reaches each device: at its own address or at its translator's.
fn routes_to_devices(devices: u32, are_translated: bool, addresses: Addresses) -> Routes {
    let mut table = LookupMap::new();
    for device in 0..devices {
        let interface = InterfaceId(device);
        table.insert(addresses.device(device), interface);
        if are_translated {
            table.insert(Addresses::outside_v4(device).into(), interface);
            table.insert(Addresses::outside_v6(device).into(), interface);
        }
    }
    Routes::ByDestination(Box::new(table))
}
