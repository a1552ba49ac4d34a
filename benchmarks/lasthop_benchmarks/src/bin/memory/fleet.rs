use core::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::rc::Rc;
use std::sync::Arc;

use lasthop_contract::{ChannelSet, DeviceId, Direction, FlowId, Host};
use lasthop_link::delay::{Constant, Delay};
use lasthop_link::loss::{Bernoulli, Loss};
use lasthop_link::rate::{QueueLimit, Rate};
use lasthop_link::{DirectionConfig, DuplexLink, LinkConfig};
use lasthop_mqtt::{MqttClient, MqttClientConfig, Presence};
use lasthop_traffic::{
    Arrivals, FlowKind, Grouping, Origin, Part, PayloadTemplate, PlannedFlows, Reaction,
    TrafficPlan,
};
use lasthop_transport::{Routes, StackHost};
use lasthop_units::{BitRate, DataSize, Duration, Instant, Probability};
use lasthop_world::{
    Above, ClientEnd, ClientFlow, HostEnd, Registry, ServerEnd, SessionSpec, StackBuilder,
};

/// Hosts that speak one protocol, and the links between them.
#[derive(Clone)]
pub(crate) struct Fleet {
    pub(crate) protocol: Protocol,
    stack: Rc<StackBuilder>,
    port: u16,
    plan: Arc<TrafficPlan>,
    /// What devices do that leave when they have said all, and come back to their session.
    parked: Option<Arc<MqttClientConfig>>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Protocol {
    RawUdp,
    RawUdpAcknowledged,
    /// By DTLS with a pre-shared key.
    RawUdpDtls,
    JsonUdp,
    CoapNon,
    RawTcp,
    Mqtt,
    /// The same over TLS 1.3, nothing of which is resumed.
    MqttTls,
    /// The same over QUIC, nothing of which is resumed.
    MqttQuic,
    /// The same whose ends let each other open one stream.
    MqttQuicOneStream,
    /// Whose devices leave when they have said all, and whose sessions stay.
    MqttParked,
}

/// The server that all devices of a fleet may share.
const SERVER: IpAddr = IpAddr::V4(Ipv4Addr::new(198, 18, 0, 1));

impl Fleet {
    /// A fleet whose devices say 409 B four times a second for ten seconds.
    pub(crate) fn new(protocol: Protocol) -> Self {
        let flows = PlannedFlows {
            numbers: 0..FlowId::DEVICES,
            group: "device".into(),
            name: "traffic".into(),
            kind: FlowKind::Report,
            payload: PayloadTemplate::text(DataSize::from_bytes(409))
                .expect("there is room for the id"),
            arrivals: Some(Arrivals::Periodic {
                every: Duration::from_millis(250),
            }),
            grouping: Grouping { burst: 1, batch: 1 },
            part: Part::ALL,
            start: Duration::ZERO,
            not_before: Instant::ZERO,
            spread: Duration::ZERO,
            duration: Duration::from_secs(10),
        };
        let registry = Registry::standard();
        let (layers, options) = protocol.stack();
        let stack = registry
            .stack(layers, options)
            .expect("the stack is in the catalogue");
        let application = registry.application(&stack.application.name);
        let parked = MqttClientConfig {
            subscribes: ChannelSet::of(0),
            keep_alive_seconds: 0,
            presence: Presence::OnDemand,
            ..MqttClientConfig::new(SocketAddr::new(SERVER, lasthop_mqtt::PORT))
        };
        Self {
            protocol,
            parked: (protocol == Protocol::MqttParked).then(|| Arc::new(parked)),
            port: application.expect("it was found").port,
            stack: Rc::new(registry.builder(&stack).expect("it was checked")),
            plan: Arc::new(TrafficPlan {
                seed: 1,
                flows: vec![flows],
            }),
        }
    }

    pub(crate) fn device(&self, index: u32) -> Box<dyn Host> {
        let address = Ipv4Addr::from_bits(Ipv4Addr::new(10, 0, 0, 0).to_bits() + index + 1);
        let host = host("device", index, address.into());
        let device = DeviceId(index);
        let origin = Origin {
            plan: Arc::clone(&self.plan),
            side: Direction::Up,
        };
        let above = Above::Schedules(Some(origin), Reaction::Deliver);
        let application = match &self.parked {
            Some(config) => {
                let stream = host.stream("mqtt");
                above.over(MqttClient::new(
                    Arc::clone(config),
                    FlowId::of(device, 0),
                    stream,
                ))
            }
            None => {
                let end = ClientEnd {
                    host,
                    server: SocketAddr::new(SERVER, self.port),
                    device,
                    flows: &[ClientFlow {
                        channel: 0,
                        kind: self.protocol.kind(),
                    }],
                    session: SessionSpec::Keep,
                    hears: &[],
                    guest: None,
                    resource_ids: None,
                };
                self.stack.client(&end, above)
            }
        };
        let transport = self.stack.client_transport(&host, host.address);
        Box::new(StackHost::of(transport, application, Routes::OneInterface))
    }

    pub(crate) fn server(&self) -> Box<dyn Host> {
        let host = host("server", 0, SERVER);
        let end = ServerEnd {
            answers: false,
            host,
            port: self.port,
            is_destination: true,
            core: None,
            cache: None,
        };
        let above = Above::Schedules(None, Reaction::Deliver);
        let application = self.stack.server(&end, above);
        let transport = self.stack.server_transport(&host, SERVER);
        Box::new(StackHost::of(transport, application, Routes::OneInterface))
    }
}

impl Protocol {
    fn stack(self) -> (&'static str, &'static [(&'static str, &'static str)]) {
        match self {
            Self::RawUdp => ("raw_udp/udp", &[]),
            Self::RawUdpAcknowledged => ("raw_udp/udp", &[("ack", "on")]),
            Self::JsonUdp => ("json_udp/udp", &[]),
            Self::RawUdpDtls => ("raw_udp/dtls/udp", &[]),
            Self::CoapNon => ("coap/udp", &[("type", "non")]),
            Self::RawTcp => ("raw_tcp/tcp", &[]),
            // A world that only keeps itself alive would never come to an end.
            Self::Mqtt | Self::MqttParked => ("mqtt/tcp", &[("keep_alive", "0s")]),
            Self::MqttTls => ("mqtt/tls/tcp", &[("keep_alive", "0s")]),
            Self::MqttQuic => ("mqtt/quic/udp", &[("keep_alive", "0s")]),
            Self::MqttQuicOneStream => (
                "mqtt/quic/udp",
                &[("keep_alive", "0s"), ("quic.streams", "1")],
            ),
        }
    }

    /// Those that can are subscribed.
    fn kind(self) -> FlowKind {
        match self {
            Self::CoapNon | Self::RawTcp => FlowKind::Report,
            _ => FlowKind::RoundTrip,
        }
    }
}

fn host(name: &'static str, number: u32, address: IpAddr) -> HostEnd<'static> {
    HostEnd {
        seed: 1,
        name,
        number,
        address,
        device: None,
    }
}

/// A line of 50 kbit/s and 100 ms with 10 % packet loss each way.
pub(crate) fn line(index: u32) -> DuplexLink {
    let rate = BitRate::from_bits_per_second(50_000).expect("above 0");
    let direction = || DirectionConfig {
        loss: Some(Loss::from(Bernoulli {
            probability: Probability::new(0.1).expect("below 1"),
        })),
        delay: Some(Delay::from(Constant {
            delay: Duration::from_millis(100),
        })),
        rate: Some(Rate::serial(rate, QueueLimit::Packets(100))),
        ..DirectionConfig::default()
    };
    let config = LinkConfig {
        up: direction(),
        down: direction(),
        ..LinkConfig::default()
    };
    DuplexLink::new(&config, 1, &format!("path/{index}"))
}
