//! Events at servers, hops and devices during a run.

use core::net::IpAddr;

use lasthop_contract::{
    Clock, DeviceId, Direction, FlowId, HostInput, InterfaceId, Keeping, LinkInput, LookupMap,
    Survives,
};
use lasthop_engine::{HostId, OutagePlace};
use lasthop_units::Instant;
use smallvec::SmallVec;

use super::World;
use crate::addresses::Addresses;
use crate::agenda::{Step, WayOff, Whose};
use crate::hosts::DeviceNumber;
use crate::medium::nat::OnPath;
use crate::medium::place::HopEnd;
use crate::path::{ETHERNET, Ends, FarHost, LaidPath, mtu_of};
use crate::spec::{GroupSpec, NotifySpec, OutageOfSpec, RunSpec, SpecError, SurvivesSpec};

/// Who events may happen to.
#[derive(Default)]
pub(super) struct Affected<'a> {
    /// By their numbers in the run.
    devices: Vec<Device<'a>>,
    /// Hosts that are off, or were.
    lives: LookupMap<HostId, Life>,
    /// How many addresses were given out anew.
    new_addresses: u32,
    /// The outages that go on.
    outages: Vec<Outage<'a>>,
}

/// An outage that goes on.
struct Outage<'a> {
    of: &'a OutageOfSpec,
    began: Instant,
    /// The devices that it affects, by their numbers in the run.
    devices: Vec<u32>,
}

/// A device that stays.
struct Device<'a> {
    group: &'a GroupSpec,
    number: DeviceNumber,
    host: HostId,
    /// The server of each client.
    servers: SmallVec<[FarHost; 1]>,
    /// The paths that it has, or will have, by name.
    paths: Vec<(&'a str, LaidPath)>,
    /// On which of them it is.
    on: usize,
    /// How many handovers keep it out of reach, and since when.
    gaps: u32,
    out_of_reach_since: Instant,
}

/// Whether a host is on.
#[derive(Clone, Copy, Default)]
struct Life {
    /// How many things keep it off, and since when.
    off: u32,
    since: Instant,
    /// It said good-bye, and will have this when it starts again. Without it, its power has failed.
    stopped: Option<SurvivesSpec>,
}

impl<'a> Affected<'a> {
    /// Notes a device and its first path.
    pub(super) fn settle(
        &mut self,
        group: &'a GroupSpec,
        number: DeviceNumber,
        host: HostId,
        servers: SmallVec<[FarHost; 1]>,
        laid: LaidPath,
    ) {
        self.devices.push(Device {
            group,
            number,
            host,
            servers,
            paths: vec![(group.path.as_str(), laid)],
            on: 0,
            gaps: 0,
            out_of_reach_since: Instant::ZERO,
        });
    }
}

impl Device<'_> {
    /// The hosts of the server of this name that it talks to.
    fn hosts_of(&self, server: &str) -> impl Iterator<Item = HostId> {
        let clients = self.group.clients.iter().zip(&self.servers);
        let its = clients.filter(move |(client, _)| client.server == server);
        its.map(|(_, far)| far.host)
    }

    /// Returns the flows of a device to a server.
    fn flows_by(&self, server: HostId, spec: &RunSpec) -> Vec<FlowId> {
        let flows = spec.flows_of(self.group).zip(0..);
        let its = flows.filter(|(flow, _)| self.servers[flow.client].host == server);
        let device = DeviceId(self.number.in_run);
        its.map(|(_, channel)| FlowId::of(device, channel))
            .collect()
    }
}

impl<'a, C: Clock> World<'a, C> {
    /// Lays the paths that devices go over to in the course of the run.
    pub(super) fn lay_further_paths(&mut self) -> Result<(), SpecError> {
        let further: Vec<(u32, &'a str)> = self.agenda.paths().collect();
        for (number, path) in further {
            let device = &mut self.affected.devices[number as usize];
            if device.paths.iter().any(|(name, _)| *name == path) {
                continue;
            }
            let radios = device.paths.iter().filter(|(_, it)| it.member.is_some());
            let ends = Ends {
                device: None,
                servers: &device.servers,
                paths_before: device.paths.len() as u32,
                radios_before: radios.count() as u32,
            };
            let (group, number) = (device.group, device.number);
            let laid = self
                .hops
                .lay(group, path, number, ends, &mut self.simulation)?;
            let radio = laid.radio();
            device.paths.push((path, laid));
            if let Some((link, port)) = radio {
                // It has its place in the network from the start on.
                self.simulation.tell_link(link, LinkInput::Attach { port });
                self.switch_radio(radio, false);
            }
        }
        self.simulation.observer_mut().next_step = self.agenda.next();
        Ok(())
    }

    /// Lets the next thing happen, now.
    pub(super) fn take_step(&mut self, now: Instant) {
        let Some(step) = self.agenda.take() else {
            return;
        };
        match step {
            Step::OutageBegins(of) => {
                for place in self.places_of(of) {
                    self.simulation.begin_outage(place);
                }
                let devices = self.devices_behind(of);
                self.affected.outages.push(Outage {
                    of,
                    began: now,
                    devices,
                });
            }
            Step::OutageEnds(of) => {
                for place in self.places_of(of) {
                    self.simulation.end_outage(place);
                }
                let mut outages = self.affected.outages.iter();
                if let Some(place) = outages.position(|it| core::ptr::eq(it.of, of)) {
                    let over = self.affected.outages.remove(place);
                    self.recover(now, over.began, over.devices);
                }
            }
            Step::GoesOff(whose, way, survives) => {
                for host in self.hosts_of(whose) {
                    self.goes_off(now, (whose, host), way, survives);
                }
            }
            Step::ComesBack(whose) => {
                for host in self.hosts_of(whose) {
                    self.comes_back(now, (whose, host));
                }
            }
            Step::GapBegins(number) => {
                let device = &mut self.affected.devices[number as usize];
                if device.gaps == 0 {
                    device.out_of_reach_since = now;
                }
                device.gaps += 1;
                self.simulation.begin_outage(OutagePlace::Host(device.host));
            }
            Step::GapEnds(number) => {
                let device = &mut self.affected.devices[number as usize];
                device.gaps -= 1;
                self.simulation.end_outage(OutagePlace::Host(device.host));
                if device.gaps == 0 {
                    let began = device.out_of_reach_since;
                    self.recover(now, began, [number]);
                }
            }
            Step::NewAddress(device, notify) => {
                self.give_address(device, notify);
                self.recover(now, now, [device]);
            }
            Step::ChangesPath(device, path, notify) => {
                if self.change_path(device, path, notify) {
                    self.recover(now, now, [device]);
                }
            }
        }
        self.simulation.observer_mut().next_step = self.agenda.next();
    }

    /// Tells the meter that an event is over for these devices.
    fn recover(&mut self, now: Instant, began: Instant, devices: impl IntoIterator<Item = u32>) {
        let meter = &mut self.simulation.observer_mut().meter;
        for number in devices {
            meter.recovers(now, DeviceId(number), began);
        }
    }

    /// Returns the devices that an outage affects: those that talk to the server, or whose path has the hop.
    fn devices_behind(&self, of: &OutageOfSpec) -> Vec<u32> {
        let hops = of.hops(self.spec);
        let is_affected = |device: &&Device<'_>| match of {
            OutageOfSpec::Server(name) => device.hosts_of(name).next().is_some(),
            OutageOfSpec::Path(_) | OutageOfSpec::Hop(_) => {
                let on = device.paths[device.on].0;
                hops.iter().any(|(path, _)| *path == on)
            }
        };
        let devices = self.affected.devices.iter().filter(is_affected);
        devices.map(|device| device.number.in_run).collect()
    }

    /// Returns the devices that have nobody to talk to while a host is off: itself, or those that it serves.
    fn devices_with(&self, host: HostId) -> Vec<u32> {
        let has_it = |device: &&Device<'_>| {
            device.host == host || device.servers.iter().any(|server| server.host == host)
        };
        let devices = self.affected.devices.iter().filter(has_it);
        devices.map(|device| device.number.in_run).collect()
    }

    fn places_of(&self, of: &OutageOfSpec) -> Vec<OutagePlace> {
        if let OutageOfSpec::Server(name) = of {
            let hosts = self.hosts_of(Whose::Server(name)).into_iter();
            return hosts.map(OutagePlace::Host).collect();
        }
        let hops = of.hops(self.spec).into_iter();
        let links = hops.flat_map(|(path, place)| self.hops.links_of(path, place));
        let mut links: Vec<OutagePlace> = links.map(OutagePlace::Link).collect();
        // A link that several paths share is out once.
        links.sort_unstable();
        links.dedup();
        links
    }

    fn hosts_of(&self, whose: Whose<'_>) -> Vec<HostId> {
        match whose {
            Whose::Device(number) => vec![self.affected.devices[number as usize].host],
            Whose::Server(name) => {
                let devices = self.affected.devices.iter();
                let hosts = devices.flat_map(|device| device.hosts_of(name));
                let mut servers: Vec<HostId> = hosts.collect();
                servers.sort_unstable();
                servers.dedup();
                servers
            }
        }
    }

    fn goes_off(
        &mut self,
        now: Instant,
        (whose, host): (Whose<'_>, HostId),
        way: WayOff,
        survives: SurvivesSpec,
    ) {
        let mut life = self.life_of(host);
        if life.off == 0 {
            life.since = now;
        }
        life.off += 1;
        match way {
            WayOff::Crashes => {
                life.stopped = None;
                self.crash(now, (whose, host), survives);
                self.switch_radio_of(whose, false);
            }
            WayOff::Stops if life.off == 1 => {
                life.stopped = Some(survives);
                self.simulation.tell(host, HostInput::Stop);
            }
            // It is off already.
            WayOff::Stops => {}
        }
        self.affected.lives.insert(host, life);
    }

    fn comes_back(&mut self, now: Instant, (whose, host): (Whose<'_>, HostId)) {
        let mut life = self.life_of(host);
        life.off -= 1;
        if life.off == 0 {
            if let Some(survives) = life.stopped.take() {
                self.crash(now, (whose, host), survives);
            }
            self.switch_radio_of(whose, true);
            self.simulation.tell(host, HostInput::Start);
            self.recover(now, life.since, self.devices_with(host));
        }
        self.affected.lives.insert(host, life);
    }

    fn switch_radio_of(&mut self, whose: Whose<'_>, is_on: bool) {
        if let Whose::Device(number) = whose {
            let device = &self.affected.devices[number as usize];
            let radio = device.paths[device.on].1.radio();
            self.switch_radio(radio, is_on);
        }
    }

    /// Switches the radio of a device on or off, where its path has one. One that is on stays as it is.
    fn switch_radio(&mut self, radio: Option<HopEnd>, is_on: bool) {
        if let Some((link, port)) = radio {
            let input = if is_on {
                LinkInput::SwitchedOn { port }
            } else {
                LinkInput::SwitchedOff { port }
            };
            self.simulation.tell_link(link, input);
        }
    }

    fn life_of(&self, host: HostId) -> Life {
        self.affected.lives.get(&host).copied().unwrap_or_default()
    }

    /// Crashes a host: it keeps only the named state, and the meter is notified.
    fn crash(&mut self, now: Instant, (whose, host): (Whose<'_>, HostId), survives: SurvivesSpec) {
        let keeping = |is_kept| {
            if is_kept {
                Keeping::Flash
            } else {
                Keeping::Memory
            }
        };
        let survives = Survives {
            sessions: keeping(survives == SurvivesSpec::Sessions),
            tickets: keeping(survives != SurvivesSpec::Nothing),
        };
        self.simulation.tell(host, HostInput::Crash(survives));
        let meter = &mut self.simulation.observer_mut().meter;
        let devices = self.affected.devices.iter();
        match whose {
            Whose::Device(number) => {
                for flow in FlowId::all_of(DeviceId(number)) {
                    meter.forget(now, flow, Direction::Up);
                }
            }
            Whose::Server(_) => {}
        }
        // It may be a gateway, too.
        let spec = self.spec;
        for flow in devices.flat_map(|device| device.flows_by(host, spec)) {
            meter.forget(now, flow, Direction::Down);
        }
    }

    fn give_address(&mut self, number: u32, notify: NotifySpec) {
        let device = &self.affected.devices[number as usize];
        let version = self.hosts.stack_of(device.group).ip_version();
        let address = Addresses { version }.changed(self.affected.new_addresses);
        self.affected.new_addresses += 1;
        let (host, interface) = (device.host, InterfaceId(0));
        let changed = HostInput::AddressChanged { interface, address };
        let routes = self.routes_to(device, address);
        self.simulation.tell(host, changed);
        for (server, changed) in routes {
            self.simulation.tell(server, changed);
        }
        if notify == NotifySpec::Application {
            self.simulation.tell(host, HostInput::AddressNoticed);
        }
    }

    /// Returns the servers' routes to a device at this address, or at its NAT's.
    fn routes_to(&self, device: &Device<'_>, address: IpAddr) -> Vec<(HostId, HostInput)> {
        let (path, laid) = &device.paths[device.on];
        let seen = self.hops.media().nat.addresses.seen(OnPath {
            group: device.group,
            path,
            device: device.number.in_run,
            paths_before: device.on as u32,
        });
        let destinations = seen.map_or_else(|| vec![address], |it| it.addresses().to_vec());
        let mut servers: Vec<_> = device.servers.iter().zip(&laid.interfaces).collect();
        servers.sort_by_key(|(server, _)| server.host);
        servers.dedup_by_key(|(server, _)| server.host);
        let changed = |server: &FarHost, destination, interface| {
            let changed = HostInput::RouteChanged {
                destination,
                interface,
            };
            (server.host, changed)
        };
        let each = servers.into_iter().flat_map(|(server, interface)| {
            let changed = move |destination: &IpAddr| changed(server, *destination, *interface);
            destinations.iter().map(changed).collect::<Vec<_>>()
        });
        each.collect()
    }

    /// Moves a device to another path, where it has another address. Returns whether it was not there before.
    fn change_path(&mut self, number: u32, path: &str, notify: NotifySpec) -> bool {
        let device = &mut self.affected.devices[number as usize];
        let named = device.paths.iter().position(|(name, _)| *name == path);
        let Some(to) = named.filter(|to| *to != device.on) else {
            return false;
        };
        let mtu = |of: usize| mtu_of(self.spec.paths[device.paths[of].0].hops.iter());
        let (before, after) = (mtu(device.on), mtu(to));
        device.on = to;
        let (host, laid) = (device.host, &device.paths[to].1);
        let radio = laid.radio();
        self.simulation
            .move_interface(host, InterfaceId(0), laid.near, self.spec.path_id(path));
        let life = self.life_of(host);
        if life.off > 0 && life.stopped.is_none() {
            self.switch_radio(radio, false);
        }
        if before != after {
            let told = HostInput::InterfaceMtu {
                interface: InterfaceId(0),
                mtu: after.unwrap_or(ETHERNET),
            };
            self.simulation.tell(host, told);
        }
        self.give_address(number, notify);
        true
    }
}
