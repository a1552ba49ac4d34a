use lasthop_contract::{Direction, InterfaceId, LookupMap, Port};
use lasthop_engine::{HostId, LinkId, Simulation, VirtualClock};
use lasthop_link::{DuplexLink, Nat};
use lasthop_measure::Meter;
use lasthop_transport::Routes;

use crate::addresses::Addresses;
use crate::network::Network;
use crate::path::{link_config, nat_config};
use crate::spec::{LinkSpec, NatSpec, PathSpec, RunSpec, ServerLayout, SpecError};
use crate::stack::HostFactory;

const DEVICE_SIDE: Port = Port(0);
const SERVER_SIDE: Port = Port(1);

/// Puts hosts and paths together for devices that stay.
///
/// Devices are the hosts with the first numbers; servers follow. The shared server reaches each device by an
/// interface of its own, in the order of devices. Where the path is a network, it is given.
pub(crate) fn assemble(
    spec: &RunSpec,
    devices: u32,
    network: Option<&Network>,
    meter: Meter,
) -> Result<Simulation<VirtualClock, Meter>, SpecError> {
    let addresses = Addresses {
        version: spec.stack.ip_version(),
    };
    let hosts = HostFactory::of(spec)?;
    let shared = spec.server == ServerLayout::Shared;
    let server_of = |device: u32| if shared { 0 } else { device };
    let are_translated = matches!(&spec.path, PathSpec::Link(link) if link.nat.is_some());

    let mut simulation = Simulation::new(VirtualClock, meter);
    for device in 0..devices {
        let server = addresses.server(server_of(device));
        let host = hosts.device(device, addresses.device(device), server);
        simulation.add_host(host, Direction::Up);
    }
    for server in 0..if shared { 1 } else { devices } {
        let routes = if shared && devices > 1 {
            routes_to_devices(devices, are_translated, addresses)
        } else {
            Routes::OneInterface
        };
        let host = hosts.server(server, addresses.server(server), routes);
        simulation.add_host(host, Direction::Down);
    }
    let ends = (0..devices).map(|device| [device, devices + server_of(device)].map(HostId));
    match (&spec.path, network) {
        (PathSpec::Link(link), _) => over_links(spec.seed, link, ends, &mut simulation)?,
        (PathSpec::Nbiot(_), Some(network)) => over_network(network, ends, &mut simulation),
        (PathSpec::Nbiot(_), None) => {}
    }
    Ok(simulation)
}

/// Gives each device a link of its own: device, link, translator where there is one, server.
fn over_links(
    seed: u64,
    link: &LinkSpec,
    ends: impl Iterator<Item = [HostId; 2]>,
    simulation: &mut Simulation<VirtualClock, Meter>,
) -> Result<(), SpecError> {
    let config = link_config(link)?;
    for ([device, server], number) in ends.zip(0..) {
        let own_link = DuplexLink::new(&config, seed, &format!("path/{number}"));
        let own_link = simulation.add_link(Box::new(own_link));
        simulation.attach(device, own_link, DEVICE_SIDE);
        let last = translator(link.nat.as_ref(), number, own_link, simulation)?;
        simulation.attach(server, last.unwrap_or(own_link), SERVER_SIDE);
    }
    Ok(())
}

/// Attaches all to one network.
fn over_network(
    network: &Network,
    ends: impl Iterator<Item = [HostId; 2]>,
    simulation: &mut Simulation<VirtualClock, Meter>,
) {
    let link = simulation.add_link(Box::new(network.clone()));
    for (hosts, number) in ends.zip(0..) {
        for (host, port) in hosts.into_iter().zip(Network::ports(number)) {
            simulation.attach(host, link, port);
        }
    }
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
