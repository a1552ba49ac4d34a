//! The hosts of a run: what they speak, and what they say.

mod coap;
mod json_udp;
mod mqtt;
mod raw_tcp;
mod raw_udp;
mod tcp;

use core::net::IpAddr;
use std::sync::Arc;

use lasthop_contract::{Application, FlowId, Host, RandomStream, Transport};
use lasthop_traffic::{Reaction, Traffic};
use lasthop_transport::{Routes, StackHost};

use crate::spec::{RunSpec, SpecError, StackSpec, TrafficKind};
use crate::traffic::Messages;

/// Makes the hosts of a run.
pub(crate) struct HostFactory {
    said: Said,
    stack: Box<dyn Stack>,
}

/// A protocol stack with its settings, from which both ends are made.
trait Stack {
    /// A device.
    fn device(&self, device: Device, said: &Said) -> Box<dyn Host>;

    /// A server.
    fn server(&self, server: Server, said: &Said) -> Box<dyn Host>;
}

/// What the hosts say to each other, whatever they speak.
struct Said {
    kind: TrafficKind,
    messages: Messages,
    seed: u64,
}

/// A device that is to be made.
#[derive(Clone, Copy)]
struct Device {
    index: u32,
    address: IpAddr,
    server: IpAddr,
}

/// A server that is to be made.
struct Server {
    index: u32,
    address: IpAddr,
    routes: Routes,
}

impl HostFactory {
    /// The hosts of a spec.
    pub(crate) fn of(spec: &RunSpec) -> Result<Self, SpecError> {
        let said = Said {
            kind: spec.traffic.kind,
            messages: Messages::of(spec)?,
            seed: spec.seed,
        };
        Ok(Self {
            said,
            stack: stack_of(&spec.stack),
        })
    }

    /// A device with this address, whose server is at the other.
    pub(crate) fn device(&self, index: u32, address: IpAddr, server: IpAddr) -> Box<dyn Host> {
        let device = Device {
            index,
            address,
            server,
        };
        self.stack.device(device, &self.said)
    }

    /// A server with this address.
    pub(crate) fn server(&self, index: u32, address: IpAddr, routes: Routes) -> Box<dyn Host> {
        let server = Server {
            index,
            address,
            routes,
        };
        self.stack.server(server, &self.said)
    }
}

fn stack_of(spec: &StackSpec) -> Box<dyn Stack> {
    match spec {
        StackSpec::RawUdp {
            acknowledgement, ..
        } => Box::new(raw_udp::RawUdp::new(acknowledgement.as_ref())),
        StackSpec::JsonUdp {
            subscribe_timeout_ns,
            ..
        } => Box::new(json_udp::JsonUdp::new(*subscribe_timeout_ns)),
        StackSpec::RawTcp { tcp, .. } => Box::new(raw_tcp::RawTcp::new(*tcp)),
        StackSpec::Mqtt { tcp, mqtt, .. } => Box::new(mqtt::Mqtt::new(*tcp, mqtt)),
        StackSpec::Coap {
            kind, echo, coap, ..
        } => Box::new(coap::OverUdp::new(kind, *echo, coap)),
        StackSpec::CoapTcp { tcp, coap, .. } => Box::new(coap::OverTcp::new(*tcp, coap)),
    }
}

impl Said {
    /// A device's end of a protocol over a transport.
    fn device<T, P>(&self, device: Device, transport: T, protocol: P) -> Box<dyn Host>
    where
        T: Transport + 'static,
        P: Application + 'static,
    {
        let traffic = match &self.messages {
            Messages::Reports(payload) => {
                Traffic::of_one_report(protocol, payload.clone(), device.flow())
            }
            Messages::Scheduled(plan) => {
                let plan = (self.kind != TrafficKind::Command).then(|| Arc::clone(plan));
                Traffic::new(protocol, plan, Reaction::Deliver)
            }
        };
        Box::new(StackHost::new(transport, traffic, Routes::OneInterface))
    }

    /// A server's end. A server sends a round trip back itself, a broker forwards it.
    fn server<T, P>(&self, transport: T, protocol: P, routes: Routes) -> Box<dyn Host>
    where
        T: Transport + 'static,
        P: Application + 'static,
    {
        let reaction = match self.kind {
            TrafficKind::RoundTrip => Reaction::Echo,
            TrafficKind::Report | TrafficKind::Command => Reaction::Deliver,
        };
        self.server_reacting(transport, protocol, reaction, routes)
    }

    /// A broker's end.
    fn broker<T, P>(&self, transport: T, protocol: P, routes: Routes) -> Box<dyn Host>
    where
        T: Transport + 'static,
        P: Application + 'static,
    {
        self.server_reacting(transport, protocol, Reaction::Deliver, routes)
    }

    fn server_reacting<T, P>(
        &self,
        transport: T,
        protocol: P,
        reaction: Reaction,
        routes: Routes,
    ) -> Box<dyn Host>
    where
        T: Transport + 'static,
        P: Application + 'static,
    {
        let plan = match &self.messages {
            Messages::Scheduled(plan) if self.kind == TrafficKind::Command => {
                Some(Arc::clone(plan))
            }
            _ => None,
        };
        let traffic = Traffic::new(protocol, plan, reaction);
        Box::new(StackHost::new(transport, traffic, routes))
    }

    /// Whether messages come to the devices.
    fn devices_receive(&self) -> bool {
        self.kind != TrafficKind::Report
    }

    /// A stream of random numbers of a host, for a purpose.
    fn stream(&self, host: &str, purpose: &str) -> RandomStream {
        RandomStream::named(self.seed, format_args!("{host}/{purpose}"))
    }
}

impl Device {
    const fn flow(self) -> FlowId {
        FlowId(self.index)
    }

    fn name(self) -> String {
        format!("device/{}", self.index)
    }
}

impl Server {
    fn name(&self) -> String {
        format!("server/{}", self.index)
    }
}
