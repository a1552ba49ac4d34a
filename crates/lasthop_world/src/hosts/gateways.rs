//! Gateways: hosts that are a server for devices and a client of another server.

use core::net::SocketAddr;

use lasthop_cache::{Cache, ResourceIds};
use lasthop_contract::{DeviceId, Host, InterfaceId, WakeFlag};
use lasthop_traffic::{FlowKind, Gateway, PassingOn};
use lasthop_transport::{Column, HostNetwork, Routes, Service, StackHost};

use super::{AtWork, DeviceNumber, Hosts};
use crate::addresses::Addresses;
use crate::spec::{ForwardsSpec, GroupSpec, ServerSpec, SessionSpec, nanos};
use crate::stack::{Above, ClientEnd, ClientFlow, HostEnd, ServerEnd, StackBuilder};

/// The interface that leads to the server behind a gateway; those to devices follow.
pub(crate) const UPLINK: InterfaceId = InterfaceId(0);

/// A gateway that is to be made.
pub(crate) struct GatewayNumber {
    /// Among all devices, and in its group.
    pub(crate) device: DeviceNumber,
    /// Among all servers.
    pub(crate) server: u32,
    /// The server behind it, among all servers.
    pub(crate) next: u32,
}

/// What the client of a gateway sends, and what it asks for where it is that of a proxy.
const fn flows_of(is_proxy: bool) -> &'static [ClientFlow] {
    const REPORTS: &[ClientFlow] = &[ClientFlow {
        channel: 0,
        kind: FlowKind::Report,
    }];
    const BOTH: &[ClientFlow] = &[
        REPORTS[0],
        ClientFlow {
            channel: 1,
            kind: FlowKind::Download,
        },
    ];
    if is_proxy { BOTH } else { REPORTS }
}

impl Hosts<'_> {
    /// A gateway: the services of a server, and the one client of a group, which share an address each.
    pub(crate) fn gateway(
        &self,
        (server, forwards): (&ServerSpec, &ForwardsSpec),
        group: &GroupSpec,
        number: &GatewayNumber,
        routes: Routes,
    ) -> Box<dyn Host> {
        let own = self.addresses_of(group).device(number.device.in_run);
        let stacks = server
            .services
            .iter()
            .map(|it| &self.stacks[it.stack.as_str()]);
        let version = stacks.map(StackBuilder::ip_version).next();
        let address = version.map_or(own, |version| Addresses { version }.server(number.server));
        let wake = WakeFlag::default();
        let passing_on = PassingOn {
            batch: forwards.batch,
            wait: nanos(forwards.wait_ns),
            room: forwards.room,
        };
        let kept = forwards
            .cache
            .map(|cache| Cache::new(cache.into(), wake.clone()));
        let gateway = Gateway::new(passing_on, wake.clone());
        let work = AtWork::of(server);
        let mut network = HostNetwork::new(address).with_address(UPLINK, own);
        let mut services = Vec::new();
        for (number, service) in server.services.iter().enumerate() {
            let name = format!("{}.{}", server.name, service.stack);
            let host = HostEnd {
                seed: self.spec.seed,
                name: &name,
                number: 0,
                address,
                device: None,
            };
            let stack = &self.stacks[service.stack.as_str()];
            let end = ServerEnd {
                host,
                port: service.port,
                is_destination: true,
                answers: false,
                core: None,
                cache: kept.as_ref(),
            };
            let (column, local) = network.place();
            let transport = stack.server_transport(&host, local);
            let column = self.listening(service, Column::new(column, transport));
            let above = match &kept {
                Some(cache) => Above::ReadThrough(cache.clone(), number),
                None => Above::TakenBy(gateway.clone()),
            };
            let application = work.service(stack.server(&end, above));
            services.push(Service::new(application, vec![column]));
        }
        let client = &group.clients[0];
        let stack = &self.stacks[client.stack.as_str()];
        let host = HostEnd {
            seed: self.spec.seed,
            name: &group.name,
            number: number.device.in_group,
            address: own,
            device: None,
        };
        let device = DeviceId(number.device.in_run);
        let next = self.addresses_of(group).server(number.next);
        let resource_ids = kept.clone().map(ResourceIds::Cached);
        let end = ClientEnd {
            host,
            server: SocketAddr::new(next, self.service_of(client).port),
            device,
            flows: flows_of(kept.is_some()),
            session: SessionSpec::Keep,
            hears: &[],
            guest: None,
            resource_ids: resource_ids.as_ref(),
        };
        let (column, local) = network.place();
        let transport = stack.client_transport(&host, local);
        let above = match kept {
            Some(cache) => Above::FetchedBy(cache),
            None => Above::PassedOnBy(gateway, device),
        };
        let (transport, application) = (self.telling()).of(transport, stack.client(&end, above));
        let column = Column::new(column, transport).leaving_by(UPLINK);
        services.push(Service::new(application, vec![column]));
        work.host(StackHost::with_services(&network, services, routes, wake))
    }
}
