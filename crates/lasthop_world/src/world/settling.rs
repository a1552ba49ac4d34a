//! Creates the hosts and paths of devices that are present from start to end, and of their servers.

use lasthop_contract::{Clock, DeviceId, Direction, FlowId};
use lasthop_engine::HostId;
use lasthop_measure::CapturedHost;
use lasthop_transport::Routes;
use smallvec::SmallVec;

use super::{OutsideHosts, Resident, World};
use crate::hosts::{DeviceNumber, GatewayNumber};
use crate::path::{Ends, FarHost};
use crate::plan::numbers_of_groups;
use crate::spec::{ForwardsSpec, GroupSpec, RunSpec, ServerLayout, ServerSpec, SpecError};

/// A device that stays, before its path is laid.
struct Settled<'a> {
    group: &'a GroupSpec,
    number: DeviceNumber,
    host: HostId,
    /// The numbers of its servers.
    servers: SmallVec<[u32; 1]>,
}

/// A gateway: a server that is a device, too.
struct Gateway<'a> {
    server: &'a ServerSpec,
    forwards: &'a ForwardsSpec,
    /// Among the servers.
    number: u32,
}

impl<'a, C: Clock> World<'a, C> {
    /// Adds the devices that stay, their servers, and the paths between them.
    pub(super) fn settle_down(&mut self, outside: OutsideHosts) -> Result<(), SpecError> {
        let first_servers = first_servers(self.spec);
        let (settled, gateways) = self.add_devices(&first_servers);
        let servers = self.add_servers(&settled, &gateways, outside)?;
        for device in settled {
            self.lay_path(device, &servers)?;
        }
        Ok(())
    }

    /// Adds the devices as the first hosts and returns the gateways among them with their server numbers.
    fn add_devices(&mut self, first_servers: &[u32]) -> (Vec<Settled<'a>>, Vec<(u32, HostId)>) {
        let mut users = vec![0; self.spec.servers.len()];
        let mut settled = Vec::new();
        let mut gateways = Vec::new();
        for (group, number) in residents(self.spec) {
            let of_group = self.hosts.servers_of(group);
            let numbers = of_group.iter().map(|&(server, layout)| {
                first_servers[server]
                    + match layout {
                        ServerLayout::Shared => 0,
                        ServerLayout::PerDevice => users[server],
                    }
            });
            let servers: SmallVec<[u32; 1]> = numbers.collect();
            for server in self.hosts.servers_once(group) {
                users[server] += 1;
            }
            if !group.present().contains(&number.in_group) {
                continue;
            }
            let gateway = gateway_of(self.spec, first_servers, group);
            let host = match &gateway {
                Some(gateway) => self.add_gateway(gateway, group, number, servers[0]),
                None => {
                    let host = self.hosts.device(group, number, &servers);
                    self.simulation.add_host(host, Direction::Up)
                }
            };
            gateways.extend(gateway.map(|gateway| (gateway.number, host)));
            self.capture(host, CapturedHost::Device(number.in_run));
            settled.push(Settled {
                group,
                number,
                host,
                servers,
            });
        }
        (settled, gateways)
    }

    /// Adds a gateway, which handles messages like a server.
    fn add_gateway(
        &mut self,
        gateway: &Gateway<'a>,
        group: &'a GroupSpec,
        device: DeviceNumber,
        next: u32,
    ) -> HostId {
        let number = GatewayNumber {
            device,
            server: gateway.number,
            next,
        };
        let routes = self.routes_of(gateway.server);
        let made = (gateway.server, gateway.forwards);
        let host = self.hosts.gateway(made, group, &number, routes);
        let host = self.simulation.add_host(host, Direction::Down);
        let meter = &mut self.simulation.observer_mut().meter;
        meter.note_gateway(host);
        if gateway.server.is_proxy() {
            meter.note_proxy();
        }
        host
    }

    /// Adds the servers that are not gateways and returns all servers by number.
    fn add_servers(
        &mut self,
        settled: &[Settled<'a>],
        gateways: &[(u32, HostId)],
        mut outside: OutsideHosts,
    ) -> Result<Vec<HostId>, SpecError> {
        let spec = self.spec;
        let mut hosts = Vec::new();
        for server in &spec.servers {
            for number in 0..spec.how_many(server) {
                let in_run = hosts.len() as u32;
                let gateway = gateways.iter().find(|(number, _)| *number == in_run);
                if let Some((_, host)) = gateway.filter(|_| server.forwards.is_some()) {
                    hosts.push(*host);
                    continue;
                }
                let host = self.add_server(server, number, in_run, &mut outside)?;
                hosts.push(host);
                if server.device.is_some() {
                    let users = settled.iter().filter(|it| it.servers.contains(&in_run));
                    let devices = users.map(|it| DeviceId(it.number.in_run));
                    let flows = devices.flat_map(FlowId::all_of);
                    let flows = flows.map(|flow| (flow, Direction::Down)).collect();
                    self.watch_device(host, flows);
                }
            }
        }
        Ok(hosts)
    }

    /// Adds a server: lasthop's own, or an external one.
    fn add_server(
        &mut self,
        server: &'a ServerSpec,
        number: u32,
        in_run: u32,
        outside: &mut OutsideHosts,
    ) -> Result<HostId, SpecError> {
        let routes = match server.layout {
            ServerLayout::Shared => self.routes_of(server),
            ServerLayout::PerDevice => Routes::OneInterface,
        };
        let software = self.spec.software_of(server);
        let host = match (software, outside.remove(&in_run)) {
            (None, _) => self.hosts.server(server, number, in_run, routes),
            (Some(_), Some(make)) => make(routes),
            (Some(software), None) => {
                let problem = format!("{software} is to be started beside the run");
                return Err(SpecError::value("engine", problem));
            }
        };
        let host = self.simulation.add_host(host, Direction::Down);
        if software.is_some() {
            self.simulation.open_to_outside(host);
        }
        self.capture(host, CapturedHost::Server(in_run));
        Ok(host)
    }

    /// Lays the path of a device to its servers, which have these hosts by their numbers.
    fn lay_path(&mut self, device: Settled<'a>, hosts: &[HostId]) -> Result<(), SpecError> {
        let Settled {
            group,
            number,
            host,
            servers,
        } = device;
        let addresses = self.hosts.addresses_of(group);
        let far = |server: &u32| FarHost {
            host: hosts[*server as usize],
            address: addresses.server(*server),
        };
        let servers: SmallVec<[FarHost; 1]> = servers.iter().map(far).collect();
        let ends = Ends {
            device: Some(host),
            servers: &servers,
            paths_before: 0,
            radios_before: 0,
        };
        let path = group.path.as_str();
        let simulation = &mut self.simulation;
        let laid = self.hops.lay(group, path, number, ends, simulation)?;
        let in_run = DeviceId(number.in_run);
        if group.device.is_some() {
            let flows = FlowId::all_of(in_run).map(|flow| (flow, Direction::Up));
            self.watch_device(host, flows.collect());
        }
        self.staying.push(Resident {
            device: in_run,
            member: laid.member,
        });
        if !self.spec.events.is_empty() {
            self.affected.settle(group, number, host, servers, laid);
        }
        Ok(())
    }
}

/// Returns the permanent devices in the order of their numbers, including those that are not simulated.
fn residents(spec: &RunSpec) -> Vec<(&GroupSpec, DeviceNumber)> {
    let groups = spec.groups.iter().zip(numbers_of_groups(spec));
    let of_group = groups.flat_map(|(group, numbers)| {
        let devices = 0..group.staying();
        devices.map(move |in_group| {
            let in_run = numbers.start + in_group;
            (group, DeviceNumber { in_run, in_group })
        })
    });
    of_group.collect()
}

/// The first server of each name, by its number in the run.
fn first_servers(spec: &RunSpec) -> Vec<u32> {
    let mut servers = 0;
    let mut first_of = |server: &ServerSpec| {
        let first = servers;
        servers += spec.how_many(server);
        first
    };
    spec.servers.iter().map(&mut first_of).collect()
}

/// Returns the gateway server that the devices of a group are, if they are one.
fn gateway_of<'a>(
    spec: &'a RunSpec,
    first_servers: &[u32],
    group: &GroupSpec,
) -> Option<Gateway<'a>> {
    let mut servers = spec.servers.iter().zip(first_servers);
    servers.find_map(|(server, number)| {
        let forwards = server.forwards.as_ref()?;
        (forwards.by == group.name).then_some(Gateway {
            server,
            forwards,
            number: *number,
        })
    })
}
