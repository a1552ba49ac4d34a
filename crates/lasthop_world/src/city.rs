use core::sync::atomic::AtomicBool;

use lasthop_contract::{Direction, FlowId, Link, Port, RandomStream};
use lasthop_engine::{HostId, LinkId, Observer, Outcome, Simulation, VirtualClock};
use lasthop_measure::Meter;
use lasthop_transport::Routes;
use lasthop_units::{Duration, Instant};

use crate::addresses::Addresses;
use crate::spec::{ArrivingSpec, RunSpec, SpecError, nanos};
use crate::stack::HostFactory;
use crate::visits::{Change, Stay, Visits};

/// A network that devices come to with one message each, and leave when it is delivered. Each device has a server of
/// its own, which comes and goes with it.
///
/// A device has an even number as a host and its server the next one; these are their ports at the network, too.
pub(crate) struct City<R> {
    pub(crate) simulation: Simulation<VirtualClock, Visits>,
    pub(crate) reach: R,
    network: LinkId,
    hosts: HostFactory,
    addresses: Addresses,
}

/// What a city asks of its network, beside what a link does.
pub(crate) trait Reach {
    /// Whether the device at this port could be served, had the network nothing else to do.
    fn reaches(&self, device: Port) -> bool;

    /// A device whose message was served is about to go.
    fn note_served(&mut self, device: Port);
}

impl<R: Reach> City<R> {
    /// A city without devices. They come once after each gap, on average.
    pub(crate) fn new(
        spec: &RunSpec,
        arriving: &ArrivingSpec,
        network: Box<dyn Link>,
        reach: R,
        meter: Meter,
    ) -> Result<Self, SpecError> {
        let per_second = arriving.per_second_per_cell * f64::from(spec.path.cells());
        let mean_gap = Duration::from_nanos_f64(1e9 / per_second);
        let stay = Stay {
            linger: nanos(arriving.linger_ns),
            give_up: nanos(arriving.give_up_ns),
            until_acknowledged: spec.stack.acknowledges(),
        };
        let end = Instant::ZERO + nanos(spec.traffic.duration_ns);
        let stream = RandomStream::named(spec.seed, "population/arrivals");
        let visits = Visits::new(meter, mean_gap, end, stay, stream);
        let mut simulation = Simulation::new(VirtualClock, visits);
        Ok(Self {
            network: simulation.add_link(network),
            simulation,
            reach,
            hosts: HostFactory::of(spec)?,
            addresses: Addresses {
                version: spec.stack.ip_version(),
            },
        })
    }

    /// Runs until all have gone and no more come, the end of the drain, or an interrupt.
    pub(crate) fn run(&mut self, interrupt: &AtomicBool) -> Outcome {
        loop {
            let outcome = self.simulation.run(interrupt);
            if !matches!(outcome, Outcome::Idle | Outcome::HorizonReached) {
                return outcome;
            }
            let end = self.simulation.observer().meter.horizon();
            match self.simulation.observer_mut().next_change() {
                Some((at, change)) if at <= end => {
                    self.simulation.advance_to(at);
                    self.make(at, change);
                }
                _ => return outcome,
            }
        }
    }

    fn make(&mut self, now: Instant, change: Change) {
        match change {
            Change::Arrival => self.arrive(now),
            Change::Departure(flow) => self.leave(now, flow),
            Change::GivingUp(flow) => {
                self.simulation.observer_mut().meter.give_up(now, flow);
                self.leave(now, flow);
            }
        }
    }

    fn arrive(&mut self, now: Instant) {
        let simulation = &mut self.simulation;
        let FlowId(number) = simulation.observer().next_flow();
        let (address, server_address) = (
            self.addresses.device(number),
            self.addresses.server(number % SERVER_ADDRESSES),
        );
        let device = self.hosts.device(number, address, server_address);
        let server = self
            .hosts
            .server(number, server_address, Routes::OneInterface);
        let device = simulation.add_host(device, Direction::Up);
        let server = simulation.add_host(server, Direction::Down);
        debug_assert!(device.0.is_multiple_of(2) && server.0 == device.0 + 1);
        for host in [device, server] {
            simulation.attach(host, self.network, port_of(host));
        }
        simulation.observer_mut().admit(now, device, server);
    }

    fn leave(&mut self, now: Instant, flow: FlowId) {
        let simulation = &mut self.simulation;
        let is_served = simulation.observer().meter.has_served(flow);
        let Some(gone) = simulation.observer_mut().dismiss(flow) else {
            return;
        };
        let port = port_of(gone.device);
        let within_reach = self.reach.reaches(port);
        if is_served {
            self.reach.note_served(port);
        }
        // The server first: the number that is freed last is the next one's.
        simulation.remove_host(gone.server);
        simulation.remove_host(gone.device);
        simulation
            .observer_mut()
            .meter
            .leave(now, flow, within_reach);
    }
}

/// How many addresses there are for servers, of which only those at a time need to be apart.
const SERVER_ADDRESSES: u32 = 1 << 16;

fn port_of(host: HostId) -> Port {
    Port(host.0)
}

#[cfg(test)]
mod tests;
