use lasthop_contract::{
    Application, ApplicationInput, DiscardReason, Host, HostEvent, HostInput, HostOutput,
    InterfaceId, Packet, ShortQueue, Survives, Transport, TransportInput, WakeFlag,
};
use lasthop_units::Instant;

use crate::Routes;
use crate::host_network::{HostNetwork, PortOwners};
use crate::service::{Running, Service, wait_until};

/// A host: services and clients, each with its own transports. They share addresses and ports.
///
/// The host wakes only services with a due timer, and keeps no state for a connection: idle connections cost nothing. A
/// device has one application over one transport, which receives every packet without a lookup.
pub struct StackHost {
    first: Running,
    others: Option<Box<Others>>,
    routes: Routes,
}

/// What hosts have that have more than one service, or have been off.
struct Others {
    running: Vec<Running>,
    /// Where there are several services: which of them has which transport.
    demultiplexer: Option<Demultiplexer>,
    wake: WakeFlag,
    is_off: bool,
    /// Packets that are for nobody.
    discarded: ShortQueue<(Packet, DiscardReason)>,
}

struct Demultiplexer {
    ports: PortOwners,
    /// The service of each transport, by its place in the network.
    services: Vec<usize>,
}

impl StackHost {
    /// Creates a host with one application over one transport.
    pub fn new(
        transport: Box<dyn Transport>,
        application: impl Application + 'static,
        routes: Routes,
    ) -> Self {
        Self::of(transport, Box::new(application), routes)
    }

    /// Creates a host with one boxed application over one boxed transport.
    #[must_use]
    pub fn of(
        transport: Box<dyn Transport>,
        application: Box<dyn Application>,
        routes: Routes,
    ) -> Self {
        Self {
            first: Running::new(transport, application),
            others: None,
            routes,
        }
    }

    /// Creates a host with several services. Their transports belong to this network.
    ///
    /// Applications that share a core raise the flag when it has something for another one.
    ///
    /// # Panics
    /// When there is no service, or the place of a transport is of another network.
    #[must_use]
    pub fn with_services(
        network: &HostNetwork,
        services: Vec<Service>,
        routes: Routes,
        wake: WakeFlag,
    ) -> Self {
        let mut owners = vec![usize::MAX; network.places()];
        for (number, service) in services.iter().enumerate() {
            for column in service.columns() {
                owners[usize::from(column.id.0)] = number;
            }
        }
        let mut running = services.into_iter().map(|service| service.start(network));
        let first = running.next().expect("a host has a service");
        let running: Vec<Running> = running.collect();
        let demultiplexer = (!running.is_empty()).then(|| Demultiplexer {
            ports: network.ports(),
            services: owners,
        });
        let others = Others {
            running,
            demultiplexer,
            wake,
            ..Others::new()
        };
        Self {
            first,
            others: Some(Box::new(others)),
            routes,
        }
    }

    fn receive(&mut self, now: Instant, interface: InterfaceId, mut packet: Packet) {
        packet.set_interface(interface);
        let Some(others) = &mut self.others else {
            return self.first.hand(now, TransportInput::Packet(packet));
        };
        match others.service_of(&packet) {
            Ok(0) => self.first.hand(now, TransportInput::Packet(packet)),
            Ok(service) => others.running[service - 1].hand(now, TransportInput::Packet(packet)),
            Err(reason) => others.discarded.push((packet, reason)),
        }
    }

    fn all(&mut self) -> impl Iterator<Item = &mut Running> {
        let others = self
            .others
            .iter_mut()
            .flat_map(|others| &mut others.running);
        core::iter::once(&mut self.first).chain(others)
    }

    fn start(&mut self, now: Instant) {
        if let Some(others) = &mut self.others {
            others.is_off = false;
        }
        for running in self.all() {
            running.inform(now, ApplicationInput::Start);
        }
    }

    /// Stops the host. Applications stop first, because their last messages need a transport.
    fn stop(&mut self, now: Instant) {
        for running in self.all() {
            running.inform(now, ApplicationInput::Stop);
            running.hand(now, TransportInput::Stop);
        }
    }

    fn crash(&mut self, now: Instant, survives: Survives) {
        self.others
            .get_or_insert_with(|| Box::new(Others::new()))
            .is_off = true;
        for running in self.all() {
            running.hand(now, TransportInput::Crash(survives));
            running.inform(now, ApplicationInput::Crash(survives));
        }
    }

    /// The next thing of a host with several services.
    fn advance_all(&mut self, now: Instant) -> Option<HostOutput> {
        loop {
            let others = self.others.as_mut()?;
            if let Some((packet, reason)) = others.discarded.pop() {
                return Some(HostOutput::Event(HostEvent::Discarded { packet, reason }));
            }
            let mut all = core::iter::once(&mut self.first).chain(&mut others.running);
            let output = all.find_map(|running| {
                let is_due = running.is_due(now);
                is_due
                    .then(|| running.advance_in_turn(now, &self.routes))
                    .flatten()
            });
            if output.is_some() || !others.wake.take() {
                return output;
            }
            self.all().for_each(Running::wake);
        }
    }
}

impl Host for StackHost {
    fn handle(&mut self, now: Instant, input: HostInput) {
        match input {
            HostInput::Start => self.start(now),
            HostInput::Stop => self.stop(now),
            HostInput::Crash(survives) => self.crash(now, survives),
            HostInput::Received { interface, packet } => self.receive(now, interface, packet),
            HostInput::AddressChanged { interface, address } => {
                for running in self.all() {
                    let changed = TransportInput::AddressChanged { interface, address };
                    running.hand(now, changed);
                    running.wake();
                }
            }
            HostInput::AddressNoticed => {
                for running in self.all() {
                    running.hand(now, TransportInput::AddressNoticed);
                    running.wake();
                }
            }
            HostInput::InterfaceMtu { interface, mtu } => {
                for running in self.all() {
                    let told = TransportInput::InterfaceMtu { interface, mtu };
                    running.hand(now, told);
                    running.wake();
                }
            }
            HostInput::RouteChanged {
                destination,
                interface,
            } => self.routes.set(destination, interface),
            HostInput::Timeout if self.others.is_none() => self.first.timeout(now),
            HostInput::Timeout => self.all().for_each(|running| {
                running.timeout(now);
                running.look();
            }),
        }
    }

    fn poll(&mut self, now: Instant) -> HostOutput {
        if self.others.is_none() {
            return self.first.advance(now, &self.routes);
        }
        self.advance_all(now).unwrap_or_else(|| {
            let others = self.others.as_ref().map(|others| others.deadline());
            let deadline = others.unwrap_or(Instant::FAR_FUTURE);
            wait_until(deadline.min(self.first.deadline()))
        })
    }
}

impl Others {
    fn new() -> Self {
        Self {
            running: Vec::new(),
            demultiplexer: None,
            wake: WakeFlag::new(),
            is_off: false,
            discarded: ShortQueue::new(),
        }
    }

    /// The service that a packet is for: the first is 0.
    fn service_of(&self, packet: &Packet) -> Result<usize, DiscardReason> {
        if self.is_off {
            return Err(DiscardReason::HostDown);
        }
        self.demultiplexer
            .as_ref()
            .map_or(Ok(0), |demultiplexer| demultiplexer.service_of(packet))
    }

    fn deadline(&self) -> Instant {
        let deadlines = self.running.iter().map(Running::deadline);
        deadlines.min().unwrap_or(Instant::FAR_FUTURE)
    }
}

impl Demultiplexer {
    fn service_of(&self, packet: &Packet) -> Result<usize, DiscardReason> {
        let column = self.ports.owner_of(packet)?;
        let service = self.services[usize::from(column.0)];
        (service != usize::MAX)
            .then_some(service)
            .ok_or(DiscardReason::PortUnreachable)
    }
}
