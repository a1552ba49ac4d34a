mod events;

use core::sync::atomic::AtomicBool;
use std::collections::BTreeMap;

use lasthop_contract::{
    BackgroundTraffic, Clock, DeviceId, Direction, FlowId, Host, InterfaceId, LookupMap,
    RandomStream,
};
use lasthop_engine::{FORESIGHT, HostId, Observer, Outcome, Simulation};
use lasthop_measure::{CapturedHost, Meter, WlanSummary};
use lasthop_transport::Routes;
use lasthop_units::{Duration, Instant};
use smallvec::SmallVec;

use crate::addresses::Outside;
use crate::agenda::Agenda;
use crate::hops::{Ends, FarHost, Hops};
use crate::hosts::{DeviceNumber, GatewayNumber, Hosts};
use crate::network::RadioReport;
use crate::network_hop::{Member, NamedNetwork};
use crate::plan::numbers_of_groups;
use crate::population::{Change, Population, Stay};
use crate::spec::{
    ArrivingSpec, GroupSpec, MessageDetail, RunSpec, ServerLayout, ServerSpec, SpecError, nanos,
};
use crate::stack::Registry;
use crate::translators::OnPath;
use crate::watch::Watch;
use events::Affected;

/// The hosts and paths of a run: devices that stay, those that come and go, and their servers.
///
/// Devices that stay are the hosts with the first numbers; servers follow. A shared server reaches each device by an
/// interface of its own, in the order of devices. Who comes brings a server of its own.
pub(crate) struct World<'a, C> {
    spec: &'a RunSpec,
    simulation: Simulation<C, Watch>,
    hosts: Hosts<'a>,
    hops: Hops<'a>,
    /// The group whose devices come and go, and the number of servers that others have.
    coming: Option<(&'a GroupSpec, u32)>,
    /// By their numbers in the run.
    staying: Vec<Resident>,
    agenda: Agenda<'a>,
    /// Who events happen to, where there are some.
    affected: Affected<'a>,
}

/// What makes the hosts of servers that are real software, by their numbers in the run.
pub type OutsideHosts = BTreeMap<u32, Box<dyn FnOnce(Routes) -> Box<dyn Host>>>;

/// A device that stays, and its place in the network, where it has one.
struct Resident {
    device: DeviceId,
    member: Option<Member>,
}

/// How many addresses there are for servers that come and go, of which only those at a time need to be apart.
const SERVER_ADDRESSES: u32 = 1 << 16;

impl<'a, C: Clock> World<'a, C> {
    /// The world of a spec on a clock, with its networks.
    pub(crate) fn new(
        clock: C,
        spec: &'a RunSpec,
        registry: &'a Registry,
        networks: Vec<NamedNetwork<'a>>,
        meter: Meter,
        outside: OutsideHosts,
    ) -> Result<Self, SpecError> {
        let hosts = Hosts::new(spec, registry)?;
        let watch = Watch {
            meter,
            population: None,
            next_step: Instant::FAR_FUTURE,
            forgets: LookupMap::new(),
        };
        let mut simulation = Simulation::new(clock, watch);
        let hops = Hops::new(spec, registry, networks, &mut simulation);
        let mut world = Self {
            spec,
            simulation,
            hosts,
            hops,
            coming: None,
            staying: Vec::new(),
            agenda: Agenda::new(spec),
            affected: Affected::default(),
        };
        world.settle_down(outside)?;
        world.lay_further_paths()?;
        if let Some((group, arriving)) = spec
            .groups
            .iter()
            .find_map(|group| Some((group, group.arriving()?)))
        {
            world.expect(group, arriving);
        }
        Ok(world)
    }

    /// Lets parts of the world take turns, where nobody looks at the order of what happens in different ones; messages
    /// that are summed are told in the order of time.
    pub(crate) fn order_by_parts(&mut self) {
        let measure = &self.spec.measure;
        let keeps_records = measure.messages == MessageDetail::Each;
        let nothing_happens = self.agenda.next() == Instant::FAR_FUTURE;
        let drain = nanos(measure.drain_ns);
        if self.coming.is_none() && nothing_happens && keeps_records && drain >= FORESIGHT {
            self.simulation.order_by_parts();
        }
    }

    /// Runs until nothing is left to do and nobody comes any more, the end of the drain, or an interrupt.
    pub(crate) fn run(&mut self, interrupt: &AtomicBool) -> Result<Outcome, SpecError> {
        loop {
            let outcome = self.simulation.run(interrupt);
            if !matches!(outcome, Outcome::Idle | Outcome::HorizonReached) {
                return Ok(outcome);
            }
            let watch = self.simulation.observer();
            let end = watch.meter.horizon();
            let change = watch.population.as_ref().and_then(|it| it.next_change());
            let step = watch.next_step;
            match change {
                Some((at, change)) if at <= end && at < step => {
                    self.simulation.advance_to(at);
                    self.make(at, change)?;
                }
                _ if step <= end && step < Instant::FAR_FUTURE => {
                    self.simulation.advance_to(step);
                    self.take_step(step);
                }
                _ => return Ok(outcome),
            }
        }
    }

    /// Ends the run: radios tell their time up to the end, which is given, and the network notes whom it served.
    pub(crate) fn finish(&mut self) -> Instant {
        let end = self.end();
        self.simulation.tell_radio_time(end);
        let meter = &self.simulation.observer().meter;
        for resident in &self.staying {
            if let Some(member) = resident.member
                && meter.has_served(resident.device)
            {
                let network = &mut self.hops.network_of(member).network;
                network.note_served(member.radio());
            }
        }
        end
    }

    /// What other traffic the links carried, up and down.
    pub(crate) fn background(&mut self) -> [BackgroundTraffic; 2] {
        self.simulation.background()
    }

    /// The loop.
    pub(crate) fn simulation(&self) -> &Simulation<C, Watch> {
        &self.simulation
    }

    /// What the radio networks tell at the end, as one; `None` where there are none.
    pub(crate) fn told(&self, end: Instant) -> Option<RadioReport> {
        let told = self.hops.networks().iter().map(|hop| hop.network.told(end));
        told.flatten().reduce(RadioReport::with)
    }

    /// What the WLAN cells tell at the end; `None` where there are none.
    pub(crate) fn wlan(&self, end: Instant) -> Option<WlanSummary> {
        self.hops.cells().told(end)
    }

    /// Ends the world and returns who watched it.
    pub(crate) fn into_meter(self) -> Meter {
        self.simulation.into_observer().meter
    }

    /// Until when radios tell their time, when the loop has returned for good.
    fn end(&self) -> Instant {
        if self.coming.is_some() {
            return self.simulation.now();
        }
        match self.simulation.observer().horizon() {
            Instant::FAR_FUTURE => self.simulation.now(),
            horizon => horizon.max(self.simulation.now()),
        }
    }

    /// Adds the devices that stay, their servers, and the paths between them.
    fn settle_down(&mut self, mut outside: OutsideHosts) -> Result<(), SpecError> {
        let spec = self.spec;
        let numbers = numbers_of_groups(spec);
        let mut residents = Vec::new();
        for (place, (group, numbers)) in spec.groups.iter().zip(&numbers).enumerate() {
            for in_group in 0..group.staying() {
                residents.push((place, numbers.start + in_group, in_group));
            }
        }
        // The first server of each name, by its number in the run.
        let mut first_servers = Vec::new();
        let mut servers = 0;
        for server in &spec.servers {
            first_servers.push(servers);
            servers += spec.how_many(server);
        }
        let mut users = vec![0; spec.servers.len()];
        let mut served = Vec::new();
        // With their numbers among the servers.
        let mut gateways = Vec::new();
        for (place, in_run, in_group) in residents {
            let group = &spec.groups[place];
            let of_group = self.hosts.servers_of(group);
            let number = |&(server, layout): &(usize, ServerLayout)| {
                first_servers[server]
                    + match layout {
                        ServerLayout::Shared => 0,
                        ServerLayout::PerDevice => users[server],
                    }
            };
            let numbers: SmallVec<[u32; 1]> = of_group.iter().map(number).collect();
            for server in self.hosts.servers_once(group) {
                users[server] += 1;
            }
            if !group.present().contains(&in_group) {
                continue;
            }
            let device = DeviceNumber { in_run, in_group };
            let gateway = spec
                .servers
                .iter()
                .zip(&first_servers)
                .find_map(|(server, number)| {
                    let forwards = server.forwards.as_ref()?;
                    (forwards.by == group.name).then_some((server, forwards, *number))
                });
            let host = if let Some((server, forwards, number)) = gateway {
                let number = GatewayNumber {
                    device,
                    server: number,
                    next: numbers[0],
                };
                let routes = self.routes_of(server);
                let host = self
                    .hosts
                    .gateway((server, forwards), group, &number, routes);
                // Of messages it speaks as a server does.
                let host = self.simulation.add_host(host, Direction::Down);
                let meter = &mut self.simulation.observer_mut().meter;
                meter.note_gateway(host);
                if server.is_proxy() {
                    meter.note_proxy();
                }
                gateways.push((number.server, host));
                host
            } else {
                let host = self.hosts.device(group, device, &numbers);
                self.simulation.add_host(host, Direction::Up)
            };
            self.capture(host, CapturedHost::Device(in_run));
            served.push((group, device, host, numbers));
        }
        let mut server_hosts = Vec::new();
        for server in &spec.servers {
            for number in 0..spec.how_many(server) {
                let in_run = server_hosts.len() as u32;
                if let Some((_, host)) = gateways.iter().find(|(number, _)| *number == in_run)
                    && server.forwards.is_some()
                {
                    server_hosts.push(*host);
                    continue;
                }
                let routes = match server.layout {
                    ServerLayout::Shared => self.routes_of(server),
                    ServerLayout::PerDevice => Routes::OneInterface,
                };
                let software = spec.software_of(server);
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
                server_hosts.push(host);
                if server.device.is_some() {
                    let users = served
                        .iter()
                        .filter(|(.., numbers)| numbers.contains(&in_run));
                    let flows = users.flat_map(|(_, number, ..)| {
                        let flows = FlowId::all_of(DeviceId(number.in_run));
                        flows.map(|flow| (flow, Direction::Down))
                    });
                    let flows = flows.collect();
                    self.watch_device(host, flows);
                }
            }
        }
        for (group, number, device, numbers) in served {
            let addresses = self.hosts.addresses_of(group);
            let far = |server: &u32| FarHost {
                host: server_hosts[*server as usize],
                address: addresses.server(*server),
            };
            let servers: SmallVec<[FarHost; 1]> = numbers.iter().map(far).collect();
            let ends = Ends {
                device: Some(device),
                servers: &servers,
                paths_before: 0,
                radios_before: 0,
            };
            let path = group.path.as_str();
            let laid = self
                .hops
                .lay(group, path, number, ends, &mut self.simulation)?;
            let (in_run, member) = (DeviceId(number.in_run), laid.member);
            if group.device.is_some() {
                let flows = FlowId::all_of(in_run).map(|flow| (flow, Direction::Up));
                self.watch_device(device, flows.collect());
            }
            self.staying.push(Resident {
                device: in_run,
                member,
            });
            if !spec.events.is_empty() {
                self.affected.settle(group, number, device, servers, laid);
            }
        }
        Ok(())
    }

    /// The devices that stay and use a server, with their group.
    fn users_of(&self, server: &'a ServerSpec) -> impl Iterator<Item = (&'a GroupSpec, u32)> {
        let groups = self.spec.groups.iter().zip(numbers_of_groups(self.spec));
        groups
            .filter(|(group, _)| group.talks_to(&server.name))
            .flat_map(|(group, numbers)| {
                let present = group.present();
                present.map(move |number| (group, numbers.start + number))
            })
    }

    /// By which interface a shared server reaches each device: at its own address or at its translator's.
    fn routes_of(&self, server: &'a ServerSpec) -> Routes {
        // Those of a gateway stand behind its own.
        let first = u32::from(server.forwards.is_some());
        if first == 0 && self.users_of(server).count() <= 1 {
            return Routes::OneInterface;
        }
        let mut table = LookupMap::new();
        for ((group, device), interface) in self.users_of(server).zip(first..) {
            let interface = InterfaceId(interface);
            let addresses = self.hosts.addresses_of(group);
            table.insert(addresses.device(device), interface);
            let seen = self.hops.translators().seen(OnPath {
                group,
                path: group.path.as_str(),
                device,
                paths_before: 0,
            });
            // By whichever of its interfaces a server answers to a translator that devices share, it comes there.
            for outside in seen.into_iter().flat_map(Outside::addresses) {
                table.insert(outside, interface);
            }
        }
        Routes::ByDestination(Box::new(table))
    }

    /// Expects devices that come once after each gap, on average.
    fn expect(&mut self, group: &'a GroupSpec, arriving: &ArrivingSpec) {
        let cells = f64::from(self.spec.path_of(group).cells());
        let mean_gap = Duration::from_nanos_f64(1e9 / (arriving.per_second_per_cell * cells));
        let acknowledges = self.hosts.stack_of(group).application().acknowledges();
        let stay = Stay {
            linger: nanos(arriving.linger_ns),
            give_up: nanos(arriving.give_up_ns),
            until_acknowledged: acknowledges,
        };
        let end = Instant::ZERO + nanos(arriving.until_ns);
        let stream = RandomStream::named(self.spec.seed, "population/arrivals");
        let first = self.staying.len() as u32;
        let population = Population::new(first, mean_gap, end, stay, stream);
        self.simulation.observer_mut().population = Some(Box::new(population));
        let servers = self.simulation.host_slots() as u32 - first;
        self.coming = Some((group, servers));
    }

    fn make(&mut self, now: Instant, change: Change) -> Result<(), SpecError> {
        match change {
            Change::Arrival => return self.arrive(now),
            Change::Departure(flow) => self.leave(now, flow),
            Change::GivingUp(flow) => {
                self.simulation.observer_mut().meter.give_up(now, flow);
                self.leave(now, flow);
            }
        }
        Ok(())
    }

    fn arrive(&mut self, now: Instant) -> Result<(), SpecError> {
        let (group, servers) = self.coming.expect("who comes is of a group");
        let population = &self.simulation.observer().population;
        let FlowId(in_run) = population.as_ref().expect("it was expected").next_flow();
        let number = DeviceNumber {
            in_run,
            in_group: in_run - self.staying.len() as u32,
        };
        let server_address = servers + number.in_group % SERVER_ADDRESSES;
        let (place, _) = self.hosts.servers_of(group)[0];
        let server = &self.spec.servers[place];
        let device = self.hosts.device(group, number, &[server_address]);
        let server = self.hosts.server(
            server,
            number.in_group,
            server_address,
            Routes::OneInterface,
        );
        let device = self.simulation.add_host(device, Direction::Up);
        let server = self.simulation.add_host(server, Direction::Down);
        self.capture(device, CapturedHost::Device(in_run));
        self.capture(server, CapturedHost::Server(in_run));
        let address = self.hosts.addresses_of(group).server(server_address);
        let far = FarHost {
            host: server,
            address,
        };
        let ends = Ends {
            device: Some(device),
            servers: &[far],
            paths_before: 0,
            radios_before: 0,
        };
        let path = group.path.as_str();
        let member = self
            .hops
            .lay(group, path, number, ends, &mut self.simulation)?
            .member
            .expect("who comes has a place in a network");
        if let Some(population) = &mut self.simulation.observer_mut().population {
            population.admit(now, device, server, member);
        }
        Ok(())
    }

    fn leave(&mut self, now: Instant, flow: FlowId) {
        let watch = self.simulation.observer_mut();
        let is_served = watch.meter.has_served(flow.device());
        let Some(gone) = watch.population.as_mut().and_then(|it| it.dismiss(flow)) else {
            return;
        };
        let hop = self.hops.network_of(gone.member);
        let radio = gone.member.radio();
        let within_reach = hop.network.reaches(radio);
        if is_served {
            hop.network.note_served(radio);
        }
        hop.leave(gone.member.place);
        // The server first: the number that is freed last is the next one's.
        self.simulation.remove_host(gone.server);
        self.simulation.remove_host(gone.device);
        let watch = self.simulation.observer_mut();
        watch.meter.leave(now, flow, within_reach);
    }

    /// Expects a host to crash by itself, which forgets what it has of these flows.
    fn watch_device(&mut self, host: HostId, flows: Vec<(FlowId, Direction)>) {
        let watch = self.simulation.observer_mut();
        watch.meter.watch_device();
        watch.forgets.insert(host, flows.into());
    }

    fn capture(&mut self, host: HostId, as_: CapturedHost) {
        self.simulation.observer_mut().meter.capture(host, as_);
    }
}

#[cfg(test)]
mod tests;
