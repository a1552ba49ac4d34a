mod events;
mod settling;

use core::sync::atomic::AtomicBool;
use std::collections::BTreeMap;

use lasthop_contract::{
    BackgroundTraffic, Clock, DeviceId, Direction, FlowId, Host, InterfaceId, LookupMap,
    RandomStream,
};
use lasthop_engine::{FORESIGHT, HostId, Observer, Outcome, Simulation};
use lasthop_measure::{CapturedHost, MediumColumn, Meter};
use lasthop_transport::Routes;
use lasthop_units::{Duration, Instant};

use crate::addresses::Outside;
use crate::agenda::Agenda;
use crate::hosts::{DeviceNumber, Hosts};
use crate::medium::Ended;
use crate::medium::nat::OnPath;
use crate::medium::nbiot::{Member, NamedNetwork, RadioReport};
use crate::path::{Ends, FarHost, Hops};
use crate::plan::numbers_of_groups;
use crate::population::{Change, Population, Stay};
use crate::spec::{ArrivingSpec, GroupSpec, MessageDetail, RunSpec, ServerSpec, SpecError, nanos};
use crate::stack::Registry;
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

/// Constructors of hosts for external servers, by the number of the server in the run.
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
                let network = &mut self.hops.media_mut().nbiot.network_of(member).network;
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
    pub(crate) fn report(&self, end: Instant) -> Option<RadioReport> {
        self.hops.media().nbiot.report(end)
    }

    /// The columns of all media.
    pub(crate) fn columns(&self, end: Instant) -> Vec<MediumColumn> {
        let last = self.simulation.now();
        self.hops.media().columns(Ended { last, end })
    }

    /// Ends the world and returns who watched it.
    pub(crate) fn into_meter(self) -> Meter {
        self.simulation.into_observer().meter
    }

    /// Returns until when radios report their time, once the loop has returned for good.
    fn end(&self) -> Instant {
        if self.coming.is_some() {
            return self.simulation.now();
        }
        match self.simulation.observer().horizon() {
            Instant::FAR_FUTURE => self.simulation.now(),
            horizon => horizon.max(self.simulation.now()),
        }
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

    /// Returns the routes of a shared server to each device, by its own address or its NAT's.
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
            let seen = self.hops.media().nat.addresses.seen(OnPath {
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

    /// Schedules arrivals of devices, with `gap` as the mean interval.
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
        let hop = self.hops.media_mut().nbiot.network_of(gone.member);
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

    /// Watches a host for crashes, at which it loses these flows.
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
