use core::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use lasthop_coap::{
    Carrier, CoapClient, CoapClientConfig, CoapParameters, CoapServer, CoapServerConfig,
    MessageType, Push,
};
use lasthop_contract::{Application, FlowId, Host, RandomStream};
use lasthop_link::delay::{Constant, Delay};
use lasthop_link::loss::{Bernoulli, Loss};
use lasthop_link::rate::{QueueLimit, Rate, RateKind, SerialLine};
use lasthop_link::{DirectionConfig, DuplexLink, LinkConfig, LinkRate};
use lasthop_mqtt::{MqttBroker, MqttBrokerConfig, MqttClient, MqttClientConfig, Presence};
use lasthop_traffic::json_udp::{self, JsonUdpBroker, JsonUdpClient, JsonUdpClientConfig};
use lasthop_traffic::raw_tcp::{self, RawTcpClient, RawTcpServer};
use lasthop_traffic::raw_udp::{self, RawUdpClient, RawUdpServer, RetransmissionPolicy};
use lasthop_traffic::{Arrivals, PayloadTemplate, Reaction, Traffic, TrafficPlan};
use lasthop_transport::{Routes, StackHost, Tcp, TcpProfile, Udp};
use lasthop_units::{BitRate, DataSize, Duration, Probability};

/// Hosts that speak one protocol, and the links between them.
#[derive(Clone)]
pub(crate) struct Fleet {
    pub(crate) protocol: Protocol,
    /// What devices say.
    pub(crate) plan: Arc<TrafficPlan>,
    // Hosts share what they are tuned by.
    tcp: Arc<TcpProfile>,
    mqtt: Arc<MqttClientConfig>,
    coap: Arc<CoapParameters>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Protocol {
    RawUdp,
    RawUdpAcknowledged,
    JsonUdp,
    CoapNon,
    RawTcp,
    Mqtt,
    /// Whose devices leave when they have said all, and whose sessions stay.
    MqttParked,
}

/// The server that all devices of a fleet may share.
const SERVER: IpAddr = IpAddr::V4(Ipv4Addr::new(198, 18, 0, 1));

impl Fleet {
    /// A fleet whose devices say 409 B four times a second for ten seconds.
    pub(crate) fn new(protocol: Protocol) -> Self {
        let plan = TrafficPlan {
            payload: PayloadTemplate::text(DataSize::from_bytes(409))
                .expect("there is room for the id"),
            arrivals: Arrivals::Periodic {
                every: Duration::from_millis(250),
            },
            burst: 1,
            start: Duration::ZERO,
            spread: Duration::ZERO,
            duration: Duration::from_secs(10),
            seed: 1,
        };
        Self {
            protocol,
            plan: Arc::new(plan),
            tcp: Arc::new(TcpProfile::linux()),
            mqtt: Arc::new(MqttClientConfig {
                subscribes: true,
                // A world that only keeps itself alive would never come to an end.
                keep_alive_seconds: 0,
                presence: if protocol == Protocol::MqttParked {
                    Presence::OnDemand
                } else {
                    Presence::Lasting
                },
                ..MqttClientConfig::new(SocketAddr::new(SERVER, lasthop_mqtt::PORT))
            }),
            coap: Arc::new(CoapParameters::default()),
        }
    }

    pub(crate) fn device(&self, index: u32) -> Box<dyn Host> {
        let address = Ipv4Addr::from_bits(Ipv4Addr::new(10, 0, 0, 0).to_bits() + index + 1);
        let flow = FlowId(index);
        match self.protocol {
            Protocol::RawUdp | Protocol::RawUdpAcknowledged => {
                let server = SocketAddr::new(SERVER, raw_udp::PORT);
                let client = RawUdpClient::new(server, flow, self.policy(), false, stream());
                self.host(address.into(), client, Some(&self.plan))
            }
            Protocol::JsonUdp => {
                let client = JsonUdpClient::new(JsonUdpClientConfig {
                    broker: SocketAddr::new(SERVER, json_udp::PORT),
                    flow,
                    subscribes: true,
                    subscribe_timeout: Duration::from_secs(1),
                });
                self.host(address.into(), client, Some(&self.plan))
            }
            Protocol::CoapNon => {
                let client = CoapClient::new(
                    CoapClientConfig {
                        server: SocketAddr::new(SERVER, lasthop_coap::PORT),
                        flow,
                        kind: MessageType::NonConfirmable,
                        push: Push::Post,
                        receives: false,
                        carrier: Carrier::Datagrams,
                        parameters: Arc::clone(&self.coap),
                    },
                    stream(),
                );
                self.host(address.into(), client, Some(&self.plan))
            }
            Protocol::RawTcp => {
                let server = SocketAddr::new(SERVER, raw_tcp::PORT);
                let client = RawTcpClient::new(server, flow, false);
                self.tcp_host(address.into(), client, Some(&self.plan))
            }
            Protocol::Mqtt | Protocol::MqttParked => {
                let client = MqttClient::new(Arc::clone(&self.mqtt), flow, stream());
                self.tcp_host(address.into(), client, Some(&self.plan))
            }
        }
    }

    pub(crate) fn server(&self) -> Box<dyn Host> {
        match self.protocol {
            Protocol::RawUdp | Protocol::RawUdpAcknowledged => {
                self.host(SERVER, RawUdpServer::new(self.policy(), stream()), None)
            }
            Protocol::JsonUdp => self.host(SERVER, JsonUdpBroker::new(true), None),
            Protocol::CoapNon => {
                let config = CoapServerConfig {
                    kind: MessageType::NonConfirmable,
                    push: Push::Post,
                    carrier: Carrier::Datagrams,
                    parameters: Arc::clone(&self.coap),
                };
                self.host(SERVER, CoapServer::new(config, stream()), None)
            }
            Protocol::RawTcp => self.tcp_host(SERVER, RawTcpServer::new(), None),
            Protocol::Mqtt | Protocol::MqttParked => {
                let config = MqttBrokerConfig {
                    is_destination: true,
                    ..MqttBrokerConfig::default()
                };
                self.tcp_host(SERVER, MqttBroker::new(config, stream()), None)
            }
        }
    }

    fn host<P: Application + 'static>(
        &self,
        address: IpAddr,
        protocol: P,
        plan: Option<&Arc<TrafficPlan>>,
    ) -> Box<dyn Host> {
        let traffic = Traffic::new(protocol, plan.cloned(), Reaction::Deliver);
        Box::new(StackHost::new(
            Udp::new(address),
            traffic,
            Routes::OneInterface,
        ))
    }

    fn tcp_host<P: Application + 'static>(
        &self,
        address: IpAddr,
        protocol: P,
        plan: Option<&Arc<TrafficPlan>>,
    ) -> Box<dyn Host> {
        let traffic = Traffic::new(protocol, plan.cloned(), Reaction::Deliver);
        let tcp = Tcp::new(address, Arc::clone(&self.tcp), stream());
        Box::new(StackHost::new(tcp, traffic, Routes::OneInterface))
    }

    fn policy(&self) -> Option<RetransmissionPolicy> {
        (self.protocol == Protocol::RawUdpAcknowledged).then_some(RetransmissionPolicy {
            timeout: Duration::from_secs(2),
            random_factor: 1.5,
            max_retransmit: 4,
        })
    }
}

fn stream() -> RandomStream {
    RandomStream::named(1, "ack_timeout")
}

/// A line of 50 kbit/s and 100 ms with 10 % packet loss each way.
pub(crate) fn line(index: u32) -> DuplexLink {
    let direction = || DirectionConfig {
        loss: Some(Loss::from(Bernoulli {
            probability: Probability::new(0.1).expect("below 1"),
        })),
        delay: Some(Delay::from(Constant {
            delay: Duration::from_millis(100),
        })),
        ..DirectionConfig::default()
    };
    let rate = Rate {
        kind: RateKind::SerialLine(SerialLine {
            rate: BitRate::from_bits_per_second(50_000).expect("above 0"),
        }),
        queue: QueueLimit::Packets(100),
    };
    let config = LinkConfig {
        up: direction(),
        down: direction(),
        rate: LinkRate::Separate {
            up: Some(rate),
            down: Some(rate),
        },
        ..LinkConfig::default()
    };
    DuplexLink::new(&config, 1, &format!("path/{index}"))
}
