use core::net::SocketAddr;
use std::collections::BTreeMap;
use std::sync::Arc;

use lasthop_contract::{Application, DeviceId, Direction, Host, WakeFlag};
use lasthop_traffic::{FlowKind, Origin, Planned, Reaction, TrafficPlan};
use lasthop_transport::{Column, HostNetwork, Routes, Service, StackHost};
use smallvec::SmallVec;

use crate::addresses::Addresses;
use crate::plan::traffic_plan;
use crate::spec::{
    ArrivalSpec, FlowSpec, GroupSpec, RunSpec, ServerLayout, ServerSpec, ServiceSpec, SessionSpec,
    SpecError,
};
use crate::stack::{Above, ClientEnd, ClientFlow, HostEnd, Registry, ServerEnd, StackBuilder};

/// Makes the hosts of a run.
pub(crate) struct Hosts<'a> {
    spec: &'a RunSpec,
    plan: Arc<TrafficPlan>,
    stacks: BTreeMap<&'a str, StackBuilder>,
}

/// A device of a group that is to be made.
#[derive(Clone, Copy)]
pub(crate) struct DeviceNumber {
    /// In the whole run.
    pub(crate) in_run: u32,
    /// In its group.
    pub(crate) in_group: u32,
}

impl<'a> Hosts<'a> {
    /// The hosts of a spec.
    pub(crate) fn new(spec: &'a RunSpec, registry: &Registry) -> Result<Self, SpecError> {
        let stacks = spec.stacks.iter().map(|(name, stack)| {
            let builder = registry.builder(stack)?;
            Ok((name.as_str(), builder))
        });
        Ok(Self {
            spec,
            plan: Arc::new(traffic_plan(spec)?),
            stacks: stacks.collect::<Result<_, SpecError>>()?,
        })
    }

    /// How a group's devices talk.
    pub(crate) fn stack_of(&self, group: &GroupSpec) -> &StackBuilder {
        &self.stacks[group.clients[0].stack.as_str()]
    }

    /// The addresses of devices and their servers.
    pub(crate) fn addresses_of(&self, group: &GroupSpec) -> Addresses {
        Addresses {
            version: self.stack_of(group).ip_version(),
        }
    }

    /// A device of a group, whose server has this number among all servers.
    pub(crate) fn device(
        &self,
        group: &GroupSpec,
        number: DeviceNumber,
        server: u32,
    ) -> Box<dyn Host> {
        let client = &group.clients[0];
        let stack = &self.stacks[client.stack.as_str()];
        let addresses = self.addresses_of(group);
        let host = HostEnd {
            seed: self.spec.seed,
            name: &group.name,
            number: number.in_group,
            address: addresses.device(number.in_run),
        };
        let device = DeviceId(number.in_run);
        let flows: SmallVec<[_; 1]> = self.spec.flows_of(group).collect();
        let taking_part = self.plan.flows_of(device).map(|flow| ClientFlow {
            channel: flow.channel(),
            kind: flows[usize::from(flow.channel())].kind,
        });
        let taking_part: SmallVec<[_; 1]> = taking_part.collect();
        let end = ClientEnd {
            host,
            server: SocketAddr::new(addresses.server(server), self.port_of(group)),
            device,
            flows: &taking_part,
            session: flows.first().map_or(SessionSpec::Keep, |flow| flow.session),
        };
        let above = if let [only] = &flows[..]
            && only.arrivals == ArrivalSpec::Once
        {
            let flow = end.main_flow();
            let payload = &self.plan.of(flow).expect("it is planned").payload;
            Above::OneReport(payload.clone(), flow)
        } else {
            let speaks = taking_part
                .iter()
                .any(|flow| flow.kind.origin() == Direction::Up);
            let origin = speaks.then(|| self.origin(Direction::Up));
            let planned = self.planned(Direction::Up, stack);
            Above::Schedules(origin, Reaction::of_device(planned, device))
        };
        let application = stack.client(&end, above);
        let transport = stack.client_transport(&host);
        Box::new(StackHost::of(transport, application, Routes::OneInterface))
    }

    /// A server with this number among those of its name, and this one among all.
    pub(crate) fn server(
        &self,
        server: &ServerSpec,
        number: u32,
        in_run: u32,
        routes: Routes,
    ) -> Box<dyn Host> {
        let version = self.stacks[server.services[0].stack.as_str()].ip_version();
        let address = Addresses { version }.server(in_run);
        let host = HostEnd {
            seed: self.spec.seed,
            name: &server.name,
            number,
            address,
        };
        let stack = &self.stacks[server.services[0].stack.as_str()];
        if let [service] = &server.services[..]
            && service.port == stack.port()
        {
            let transport = stack.server_transport(&host, address);
            let application = self.service(server, service, host);
            return Box::new(StackHost::of(transport, application, routes));
        }
        let mut network = HostNetwork::new(address);
        let services = server.services.iter().enumerate();
        let services = services.map(|(place, service)| {
            // A service draws from streams of its own; the first one as if it were alone.
            let beside = format!("{}.{}", server.name, service.stack);
            let name = if place == 0 { &server.name } else { &beside };
            let host = HostEnd { name, ..host };
            let (column, local) = network.place();
            let transport = self.stacks[service.stack.as_str()].server_transport(&host, local);
            let column = Column::new(column, transport).listening_at(service.port);
            Service::new(self.service(server, service, host), vec![column])
        });
        let services = services.collect();
        let wake = WakeFlag::default();
        Box::new(StackHost::with_services(&network, services, routes, wake))
    }

    /// What a server says and does by one of its stacks.
    fn service(
        &self,
        server: &ServerSpec,
        service: &ServiceSpec,
        host: HostEnd<'_>,
    ) -> Box<dyn Application> {
        let stack = &self.stacks[service.stack.as_str()];
        let speaks = |flow: &&FlowSpec| {
            let mut groups = self.spec.groups.iter();
            let group = groups.find(|group| group.name == flow.group());
            let client = group.and_then(|group| group.clients.get(flow.client));
            flow.server() == server.name && client.is_some_and(|it| it.stack == service.stack)
        };
        let flows = || self.spec.flows.iter().filter(speaks);
        let end = ServerEnd {
            host,
            port: service.port,
            is_destination: flows().any(|flow| flow.kind.is_for_server()),
            answers: flows().any(|flow| flow.kind == FlowKind::Download),
        };
        let origin = flows()
            .any(|flow| flow.kind.origin() == Direction::Down)
            .then(|| self.origin(Direction::Down));
        let reacts =
            |flow: &FlowSpec| matches!(flow.kind, FlowKind::RoundTrip | FlowKind::Download);
        let reaction = if flows().any(reacts) {
            Reaction::AsPlanned(self.planned(Direction::Down, stack))
        } else {
            Reaction::Deliver
        };
        stack.server(&end, Above::Schedules(origin, reaction))
    }

    /// The server of a group, and whether it is shared.
    pub(crate) fn server_of(&self, group: &GroupSpec) -> (usize, ServerLayout) {
        let name = &group.clients[0].server;
        let place = self.spec.servers.iter().position(|it| it.name == *name);
        let place = place.expect("the check has found it");
        (place, self.spec.servers[place].layout)
    }

    fn port_of(&self, group: &GroupSpec) -> u16 {
        let (server, _) = self.server_of(group);
        let stack = &group.clients[0].stack;
        let mut services = self.spec.servers[server].services.iter();
        let service = services.find(|service| service.stack == *stack);
        service.expect("the check has found it").port
    }

    fn planned(&self, side: Direction, stack: &StackBuilder) -> Planned {
        Planned {
            plan: Arc::clone(&self.plan),
            side,
            is_forwarded: stack.application().forwards(),
            is_in_parts: stack.application().carries_in_parts(),
        }
    }

    fn origin(&self, side: Direction) -> Origin {
        Origin {
            plan: Arc::clone(&self.plan),
            side,
        }
    }
}
