mod at_work;
mod gateways;
mod guests;
mod telling;

use core::net::SocketAddr;
use std::collections::BTreeMap;
use std::sync::Arc;

use lasthop_broker::{BrokerCore, BrokerLimits};
use lasthop_cache::ResourceIds;
use lasthop_contract::{Application, DeviceId, Direction, FlowId, Host, WakeFlag};
use lasthop_device::Constraints;
use lasthop_traffic::{FlowKind, Origin, Planned, Reaction, TrafficPlan};
use lasthop_transport::{Column, HostNetwork, ReleaseAssistance, Routes, Service, StackHost};
use smallvec::SmallVec;

use crate::addresses::Addresses;
use crate::plan::{numbers_of_groups, plan_of, traffic_plan};
use crate::spec::{
    ArrivalSpec, ClientSpec, DeviceSpec, FlowSpec, GroupSpec, RunSpec, ServerLayout, ServerSpec,
    ServiceSpec, SessionSpec, SpecError, UserCredentials, check_stacks,
};
use crate::stack::{
    Above, ClientEnd, ClientFlow, DeviceEnd, Guest, HostEnd, Registry, ServerEnd, Shared,
    StackBuilder, token_authority,
};

use at_work::AtWork;
pub(crate) use gateways::GatewayNumber;
pub use guests::{SocketClient, SocketEnd, SocketHost, SocketKind};
use telling::Telling;

/// Makes the hosts of a run.
pub(crate) struct Hosts<'a> {
    spec: &'a RunSpec,
    plan: Arc<TrafficPlan>,
    /// What goes by each stack of each server, where devices have several clients.
    plans: BTreeMap<(&'a str, &'a str), Arc<TrafficPlan>>,
    stacks: BTreeMap<&'a str, StackBuilder>,
    guest: Option<&'a Guest>,
    /// Of devices that have little of everything.
    constraints: Shared<Constraints>,
    /// Whether devices tell a network what follows their packets.
    assists_release: bool,
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
            let mut builder = registry.builder(stack)?;
            if let Some(given) = &spec.given {
                builder.show(given);
            }
            Ok((name.as_str(), builder))
        });
        let presented = spec.given.as_ref().map(UserCredentials::identity);
        let named = spec.credentials.as_ref().map(|it| it.identity.as_str());
        if named != presented.as_deref() {
            let problem = "are of files, which no result keeps; run the study that names them";
            return Err(SpecError::value("credentials", problem));
        }
        let plan = Arc::new(traffic_plan(spec)?);
        let hosts = Self {
            assists_release: spec.assists_release(),
            spec,
            plans: plans(spec, &plan),
            plan,
            stacks: stacks.collect::<Result<_, SpecError>>()?,
            guest: None,
            constraints: Shared::default(),
        };
        check_stacks(spec, &hosts.stacks)?;
        Ok(hosts)
    }

    /// Returns a column of a service, listening at the service's port unless its application chooses another.
    fn listening(&self, service: &ServiceSpec, column: Column) -> Column {
        let stack = &self.stacks[service.stack.as_str()];
        if stack.application().has_own_ports() {
            return column;
        }
        column.listening_at(service.port)
    }

    /// How a group's devices talk to their first server.
    pub(crate) fn stack_of(&self, group: &GroupSpec) -> &StackBuilder {
        &self.stacks[group.clients[0].stack.as_str()]
    }

    /// The addresses of devices and their servers.
    pub(crate) fn addresses_of(&self, group: &GroupSpec) -> Addresses {
        Addresses {
            version: self.stack_of(group).ip_version(),
        }
    }

    /// A device of a group, the servers of whose clients have these numbers among all servers.
    pub(crate) fn device(
        &self,
        group: &GroupSpec,
        number: DeviceNumber,
        servers: &[u32],
    ) -> Box<dyn Host> {
        let device = group.device.as_ref().map(|it| self.device_end(it));
        let host = HostEnd {
            seed: self.spec.seed,
            name: &group.name,
            number: number.in_group,
            address: self.addresses_of(group).device(number.in_run),
            device: device.as_ref(),
        };
        if let [server] = servers {
            let application = self.client(group, 0, (host, number.in_run), *server);
            let transport = self.stack_of(group).client_transport(&host, host.address);
            let (transport, application) = self.telling().of(transport, application);
            let host = StackHost::of(transport, application, Routes::OneInterface);
            return living(device, Box::new(host));
        }
        let (mut network, telling) = (HostNetwork::new(host.address), self.telling());
        let clients = group.clients.iter().zip(servers).enumerate();
        let clients = clients.map(|(place, (client, server))| {
            // A client draws from streams of its own; the first one as if it were alone.
            let beside = format!("{}.{}.{}", group.name, client.server, client.stack);
            let name = if place == 0 { &group.name } else { &beside };
            let host = HostEnd { name, ..host };
            let (column, local) = network.place();
            let stack = &self.stacks[client.stack.as_str()];
            let application = self.client(group, place, (host, number.in_run), *server);
            let transport = stack.client_transport(&host, local);
            let (transport, application) = telling.of(transport, application);
            Service::new(application, vec![Column::new(column, transport)])
        });
        let clients = clients.collect();
        let (routes, wake) = (Routes::OneInterface, WakeFlag::default());
        let host = StackHost::with_services(&network, clients, routes, wake);
        living(device, Box::new(host))
    }

    /// Returns what a device reports to its radio, if a network uses it.
    fn telling(&self) -> Telling {
        Telling(self.assists_release.then(ReleaseAssistance::new))
    }

    /// Returns the device end of a resource-constrained host.
    fn device_end(&self, spec: &DeviceSpec) -> DeviceEnd {
        DeviceEnd::new(spec, self.constraints.of(spec.constraints()))
    }

    /// Builds the flows and receivers of one client of a device.
    fn client(
        &self,
        group: &GroupSpec,
        place: usize,
        (host, in_run): (HostEnd<'_>, u32),
        server: u32,
    ) -> Box<dyn Application> {
        let client = &group.clients[place];
        let stack = &self.stacks[client.stack.as_str()];
        let device = DeviceId(in_run);
        let flows: SmallVec<[_; 1]> = self.spec.flows_of(group).collect();
        let of_client = |flow: &FlowId| flows[usize::from(flow.channel())].client == place;
        let taking_part = self.plan.flows_of(device).filter(of_client);
        let taking_part = taking_part.map(|flow| ClientFlow {
            channel: flow.channel(),
            kind: flows[usize::from(flow.channel())].kind,
        });
        let taking_part: SmallVec<[_; 1]> = taking_part.collect();
        let mut of_its = flows.iter().filter(|flow| flow.client == place);
        let hears = self.heard_by(group, place, host.number);
        let resource_ids = self.resource_ids_of(&flows, place);
        let end = ClientEnd {
            host,
            server: self.address_of(group, client, server),
            device,
            flows: &taking_part,
            session: of_its.next().map_or(SessionSpec::Keep, |flow| flow.session),
            hears: &hears,
            guest: self.guest,
            resource_ids: resource_ids.as_ref(),
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
            let origin = speaks.then(|| self.origin(client, Direction::Up));
            let planned = self.planned((Direction::Up, host.number), stack);
            Above::Schedules(origin, Reaction::of_device(planned, device))
        };
        stack.client(&end, above)
    }

    /// The names of the resources that the flows of a client are about, where they have some.
    fn resource_ids_of(&self, flows: &[&FlowSpec], client: usize) -> Option<ResourceIds> {
        let by_it = flows.iter().zip(0..).filter(|(it, _)| it.client == client);
        let named = by_it.filter_map(|(flow, channel)| {
            let resource = self.spec.resource_of(flow)?;
            Some((channel, resource))
        });
        let named: Vec<(u8, u32)> = named.collect();
        (!named.is_empty()).then(|| ResourceIds::Resources(named.into()))
    }

    /// Returns the flows of other devices that a client receives.
    fn heard_by(&self, group: &GroupSpec, client: usize, number: u32) -> Vec<FlowId> {
        let mut heard = Vec::new();
        for flow in &self.spec.flows {
            let hearing = flow.kind.is_relayed().then(|| self.hearing(flow));
            let is_its =
                |(hearers, by): (&GroupSpec, usize)| hearers.name == group.name && by == client;
            if !hearing.flatten().is_some_and(is_its) {
                continue;
            }
            let speakers = self.spec.groups.iter().zip(numbers_of_groups(self.spec));
            let Some((speakers, numbers)) =
                speakers.into_iter().find(|(it, _)| it.name == flow.from)
            else {
                continue;
            };
            let mut flows = self.spec.flows_of(speakers).zip(0..);
            let Some((_, channel)) = flows.find(|(it, _)| it.name == flow.name) else {
                continue;
            };
            let (first, step) = match flow.kind {
                FlowKind::RelayToAll => (0, 1),
                _ => (number as usize, group.staying() as usize),
            };
            let devices = numbers.skip(first).step_by(step);
            let flows = devices.map(|device| FlowId::of(DeviceId(device), channel));
            heard.extend(flows.filter(|flow| self.plan.of(*flow).is_some_and(|it| it.has(*flow))));
        }
        heard
    }

    /// Returns the group and client that receive a relayed flow.
    fn hearing(&self, flow: &FlowSpec) -> Option<(&GroupSpec, usize)> {
        let server = &self.spec.client_of(flow)?.server;
        self.spec.hearing(flow, server)
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
        let device = server.device.as_ref().map(|it| self.device_end(it));
        let host = HostEnd {
            seed: self.spec.seed,
            name: &server.name,
            number,
            address,
            device: device.as_ref(),
        };
        let wake = WakeFlag::default();
        // What one service has for itself is a part of it, unless it has topics only as one of several.
        let relays = |flow: &FlowSpec| flow.kind.is_relayed() && self.goes_by(flow, server);
        let is_shared = server.services.len() > 1 || self.spec.flows.iter().any(relays);
        let core = is_shared
            .then(|| BrokerCore::new(BrokerLimits::default(), token_authority(), wake.clone()));
        let work = AtWork::of(server);
        let stack = &self.stacks[server.services[0].stack.as_str()];
        if let [service] = &server.services[..]
            && service.port == stack.own_port()
        {
            let transport = stack.server_transport(&host, address);
            let application = work.service(self.service(server, service, host, core.as_ref()));
            let host = StackHost::of(transport, application, routes);
            return living(device, work.host(host));
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
            let column = self.listening(service, Column::new(column, transport));
            let application = work.service(self.service(server, service, host, core.as_ref()));
            Service::new(application, vec![column])
        });
        let services = services.collect();
        let host = StackHost::with_services(&network, services, routes, wake);
        living(device, work.host(host))
    }

    /// Builds the traffic of one stack of a server.
    fn service(
        &self,
        server: &ServerSpec,
        service: &ServiceSpec,
        host: HostEnd<'_>,
        core: Option<&BrokerCore>,
    ) -> Box<dyn Application> {
        let stack = &self.stacks[service.stack.as_str()];
        let its = ClientSpec {
            server: server.name.clone(),
            stack: service.stack.clone(),
        };
        let speaks = |flow: &&FlowSpec| self.spec.client_of(flow) == Some(&its);
        let flows = || self.spec.flows.iter().filter(speaks);
        let is_behind = self.spec.is_behind_a_cache(&its);
        let end = ServerEnd {
            host,
            port: service.port,
            is_destination: flows().any(|flow| flow.kind.is_for_server()) || self.ends(&its),
            answers: is_behind || flows().any(|flow| flow.kind == FlowKind::Download),
            core,
            cache: None,
        };
        let origin = flows()
            .any(|flow| flow.kind.origin() == Direction::Down)
            .then(|| self.origin(&its, Direction::Down));
        let reacts = |flow: &FlowSpec| {
            let comes_back = matches!(flow.kind, FlowKind::RoundTrip | FlowKind::Download);
            comes_back || flow.kind.is_relayed()
        };
        let reaction = if is_behind || flows().any(reacts) {
            Reaction::AsPlanned(self.planned((Direction::Down, 0), stack))
        } else {
            Reaction::Deliver
        };
        stack.server(&end, Above::Schedules(origin, reaction))
    }

    /// Whether a gateway's messages end at a stack of a server.
    fn ends(&self, client: &ClientSpec) -> bool {
        let mut groups = self.spec.groups.iter();
        groups.any(|it| it.clients.contains(client) && self.spec.gateway_of(it).is_some())
    }

    /// The server of each client of a group, and whether it is shared.
    pub(crate) fn servers_of(&self, group: &GroupSpec) -> SmallVec<[(usize, ServerLayout); 1]> {
        let place = |client: &ClientSpec| {
            let mut servers = self.spec.servers.iter();
            let place = servers.position(|it| it.name == client.server);
            let place = place.expect("the check has found it");
            (place, self.spec.servers[place].layout)
        };
        group.clients.iter().map(place).collect()
    }

    /// The servers of a group, each once.
    pub(crate) fn servers_once(&self, group: &GroupSpec) -> SmallVec<[usize; 1]> {
        let servers = self.servers_of(group);
        let mut places: SmallVec<[usize; 1]> = servers.iter().map(|(place, _)| *place).collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    fn goes_by(&self, flow: &FlowSpec, server: &ServerSpec) -> bool {
        let client = self.spec.client_of(flow);
        client.is_some_and(|client| client.server == server.name)
    }

    /// Returns the address at which a client reaches the server with this number.
    fn address_of(&self, group: &GroupSpec, client: &ClientSpec, server: u32) -> SocketAddr {
        let service = self.service_of(client);
        let in_run = || SocketAddr::new(self.addresses_of(group).server(server), service.port);
        service.at.unwrap_or_else(in_run)
    }

    fn service_of(&self, client: &ClientSpec) -> &ServiceSpec {
        let mut servers = self.spec.servers.iter();
        let server = servers.find(|server| server.name == client.server);
        let mut services = server.into_iter().flat_map(|server| &server.services);
        let service = services.find(|service| service.stack == client.stack);
        service.expect("the check has found it")
    }

    /// Returns the traffic origin at a side, for the device with this number in its group.
    fn planned(&self, (side, receiver): (Direction, u32), stack: &StackBuilder) -> Planned {
        Planned {
            plan: Arc::clone(&self.plan),
            side,
            receiver,
            is_forwarded: stack.application().forwards(),
            is_passed_on: stack.application().passes_on(),
            is_in_parts: stack.application().carries_in_parts(),
        }
    }

    /// Returns the traffic origin at one end of a server's stack.
    fn origin(&self, by: &ClientSpec, side: Direction) -> Origin {
        let plan = self.plans.get(&(by.server.as_str(), by.stack.as_str()));
        Origin {
            plan: Arc::clone(plan.unwrap_or(&self.plan)),
            side,
        }
    }
}

/// A host with the life of a device, where it is one that has little of everything.
fn living(device: Option<DeviceEnd>, host: Box<dyn Host>) -> Box<dyn Host> {
    match device {
        Some(device) => device.host(host),
        None => host,
    }
}

/// Returns the traffic of each stack of each server.
///
/// A client with several stacks must not send by one what belongs to another.
fn plans<'a>(
    spec: &'a RunSpec,
    plan: &TrafficPlan,
) -> BTreeMap<(&'a str, &'a str), Arc<TrafficPlan>> {
    if spec.groups.iter().all(|group| group.clients.len() == 1) {
        return BTreeMap::new();
    }
    let clients = spec.groups.iter().flat_map(|group| &group.clients);
    let plan = |client: &'a ClientSpec| {
        let key = (client.server.as_str(), client.stack.as_str());
        (key, Arc::new(plan_of(spec, plan, client)))
    };
    clients.map(plan).collect()
}
