use core::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use lasthop_contract::{Application, FlowId, Host, RandomStream};
use lasthop_traffic::json_udp::{self, JsonUdpBroker, JsonUdpClient, JsonUdpClientConfig};
use lasthop_traffic::raw_udp::{self, RawUdpClient, RawUdpServer, RetransmissionPolicy};
use lasthop_traffic::{Reaction, Traffic, TrafficPlan};
use lasthop_transport::{Routes, StackHost, Udp};

use crate::spec::{AcknowledgementSpec, StackSpec, TrafficKind, nanos};

/// Makes the hosts of a run: what they speak, and what they say.
pub(crate) struct HostFactory<'a> {
    pub(crate) stack: &'a StackSpec,
    pub(crate) kind: TrafficKind,
    pub(crate) plan: Arc<TrafficPlan>,
    pub(crate) seed: u64,
}

impl HostFactory<'_> {
    /// A device with this address, whose server is at the other.
    pub(crate) fn device(&self, index: u32, address: IpAddr, server: IpAddr) -> Box<dyn Host> {
        let flow = FlowId(index);
        let plan = (self.kind != TrafficKind::Command).then(|| Arc::clone(&self.plan));
        match self.stack {
            StackSpec::RawUdp {
                acknowledgement, ..
            } => {
                let client = RawUdpClient::new(
                    SocketAddr::new(server, raw_udp::PORT),
                    flow,
                    acknowledgement.as_ref().map(policy),
                    self.kind == TrafficKind::Command,
                    self.stream(&format!("device/{index}")),
                );
                over_udp(
                    client,
                    plan,
                    Reaction::Deliver,
                    address,
                    Routes::OneInterface,
                )
            }
            StackSpec::JsonUdp {
                subscribe_timeout_ns,
                ..
            } => {
                let client = JsonUdpClient::new(JsonUdpClientConfig {
                    broker: SocketAddr::new(server, json_udp::PORT),
                    flow,
                    subscribes: self.kind != TrafficKind::Report,
                    subscribe_timeout: nanos(*subscribe_timeout_ns),
                });
                over_udp(
                    client,
                    plan,
                    Reaction::Deliver,
                    address,
                    Routes::OneInterface,
                )
            }
        }
    }

    /// A server with this address.
    pub(crate) fn server(&self, index: u32, address: IpAddr, routes: Routes) -> Box<dyn Host> {
        let plan = (self.kind == TrafficKind::Command).then(|| Arc::clone(&self.plan));
        match self.stack {
            StackSpec::RawUdp {
                acknowledgement, ..
            } => {
                let server = RawUdpServer::new(
                    acknowledgement.as_ref().map(policy),
                    self.stream(&format!("server/{index}")),
                );
                let reaction = match self.kind {
                    TrafficKind::RoundTrip => Reaction::Echo,
                    TrafficKind::Report | TrafficKind::Command => Reaction::Deliver,
                };
                over_udp(server, plan, reaction, address, routes)
            }
            StackSpec::JsonUdp { .. } => {
                let broker = JsonUdpBroker::new(self.kind == TrafficKind::Report);
                over_udp(broker, plan, Reaction::Deliver, address, routes)
            }
        }
    }

    fn stream(&self, host: &str) -> RandomStream {
        RandomStream::named(self.seed, &format!("{host}/raw_udp/ack_timeout"))
    }
}

fn over_udp<P: Application + 'static>(
    protocol: P,
    plan: Option<Arc<TrafficPlan>>,
    reaction: Reaction,
    address: IpAddr,
    routes: Routes,
) -> Box<dyn Host> {
    let traffic = Traffic::new(protocol, plan, reaction);
    Box::new(StackHost::new(Udp::new(address), traffic, routes))
}

fn policy(spec: &AcknowledgementSpec) -> RetransmissionPolicy {
    RetransmissionPolicy {
        timeout: nanos(spec.timeout_ns),
        random_factor: spec.random_factor,
        max_retransmit: spec.max_retransmit,
    }
}
