use core::net::{IpAddr, Ipv4Addr};
use std::cell::Cell;
use std::io;
use std::rc::Rc;
use std::sync::Arc;

use lasthop_broker::{BrokerCore, BrokerService};
use lasthop_coap::{Carrier, CoapParameters, CoapServer, CoapServerConfig, MessageType, Push};
use lasthop_contract::{RandomStream, Transport, WakeFlag};
use lasthop_dtls::Dtls;
use lasthop_gateway::{Calendar, Gateway, GatewayConfig, GatewayPort, UnixTime};
use lasthop_http::ServerLimits;
use lasthop_mqtt::{MqttBroker, MqttBrokerConfig, Qos};
use lasthop_quic::{Quic, QuicLimits};
use lasthop_tls::{ServerProfile, Tls};
use lasthop_traffic::json_udp::{JsonUdpBroker, SubscriptionLimits};
use lasthop_transport::{Column, HostNetwork, PeerLimit, Routes, Service, StackHost};
use lasthop_units::{DataSize, Duration};
use lasthop_websocket::{WebSocket, WebSocketConfig};

use super::access::Hashing;
use super::doorbell::{Doorbell, Nobody};
use super::parts::{Parts, Stack};
use super::{Offer, Served};
use crate::containment::{Failures, Peers};
use crate::gateway::{
    Connections, Counted, HttpBridge, LogForm, LogLines, Metrics, StoreMeasures, TrafficBooks,
};
use crate::{
    ConnectionLimits, KernelTcp, KernelUdp, Listener, Poller, Tally, WallCalendar, WallTime,
};

/// The services of a server, from what is offered and where it listens.
pub(super) struct Services {
    poller: Rc<Poller>,
    offer: Offer,
    seed: u64,
    /// What they share, where there is something to share.
    core: Option<BrokerCore>,
    gateway: Option<GatewayPort>,
    wake: WakeFlag,
    parts: Vec<Parts>,
    tallies: Vec<Rc<Tally>>,
    failures: Rc<Failures>,
    /// What the store of the gateway measures.
    store: Option<Arc<StoreMeasures>>,
    traffic: Rc<TrafficBooks>,
}

/// How long a peer that says nothing keeps its place where its protocol does not say.
const REST: Duration = Duration::from_secs(60);

impl Services {
    /// None yet of so many.
    pub(super) fn new(
        poller: &Rc<Poller>,
        mut offer: Offer,
        seed: u64,
        count: usize,
    ) -> io::Result<Self> {
        let wake = WakeFlag::new();
        let failures = Failures::new(poller, offer.gateway_log.unwrap_or(LogForm::Text));
        let mut access = core::mem::take(&mut offer.access);
        let limits = offer.limits.of_the_broker();
        let mut parts = Vec::new();
        let (mut gateway, mut measures) = (None, None);
        let core = if let Some(store) = offer.gateway.take() {
            let doorbell = Doorbell::new(poller, store.bell(), wake.clone())?;
            parts.push(Parts::of(Stack::bare(Box::new(doorbell)), Box::new(Nobody)));
            let calendar = offer.gateway_calendar.take();
            let calendar: Box<dyn Calendar> = match calendar {
                Some(calendar) => calendar,
                None => Box::new(WallCalendar),
            };
            let config = GatewayConfig {
                starts: UnixTime(WallTime::calendar_now().as_nanos() / 1_000_000_000),
                limits: offer.limits.of_a_device(),
            };
            let log = offer.gateway_log;
            let log = log.map(|form| LogLines::new(form).about(store.name()));
            measures = Some(store.measures());
            let mut served = Gateway::new(config, Box::new(store)).by_calendar(calendar);
            if let Some(log) = log {
                served = served.written_down_by(Box::new(log));
            }
            let port = GatewayPort::new(served);
            gateway = Some(port.clone());
            Some(BrokerCore::new(limits, Box::new(port), wake.clone()))
        } else {
            if access.is_costly() {
                let hashing = Hashing::start()?;
                let doorbell = Doorbell::new(poller, hashing.bell(), wake.clone())?;
                parts.push(Parts::of(Stack::bare(Box::new(doorbell)), Box::new(Nobody)));
                access.check_beside(hashing);
            }
            let is_needed = count > 1 || !access.is_open();
            is_needed.then(|| BrokerCore::new(limits, Box::new(access), wake.clone()))
        };
        Ok(Self {
            poller: Rc::clone(poller),
            offer,
            seed,
            core,
            gateway,
            wake,
            parts,
            tallies: Vec::new(),
            failures,
            store: measures,
            traffic: Rc::default(),
        })
    }

    /// Adds what is served at these listeners.
    pub(super) fn add(&mut self, served: Served, listeners: Vec<Listener>) -> io::Result<()> {
        let parts = match served {
            Served::Mqtt | Served::MqttWs => return self.mqtt(served, listeners),
            Served::MqttQuic => return self.mqtt_quic(listeners),
            Served::Http => return self.http(listeners),
            Served::HttpQuic => return self.http_quic(listeners),
            Served::Metrics => return self.metrics(listeners),
            Served::Coap => self.coap(listeners, Carrier::Datagrams)?,
            Served::CoapTcp => self.coap(listeners, Carrier::Streams)?,
            Served::JsonUdp => self.json_udp(listeners)?,
        };
        self.parts.push(parts);
        Ok(())
    }

    /// What counts the connections whose clients are told of the end.
    pub(super) fn tallies(&self) -> Vec<Rc<Tally>> {
        self.tallies.clone()
    }

    pub(super) fn into_host(mut self) -> StackHost {
        let routes = Routes::OneInterface;
        if let [only] = &self.parts[..]
            && only.stacks.len() == 1
            && let Some((application, mut transports)) = self.parts.pop().map(Parts::contained)
            && let Some(transport) = transports.pop()
        {
            return StackHost::of(transport, application, routes);
        }
        // Addresses and ports are the kernel's.
        let mut network = HostNetwork::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED));
        let parts = self.parts.into_iter();
        let services = parts.map(|parts| {
            let (application, transports) = parts.contained();
            let columns = transports.into_iter().map(|transport| {
                let (place, _) = network.place();
                Column::new(place, transport).open_to_outside()
            });
            Service::new(application, columns.collect())
        });
        let services = services.collect();
        StackHost::with_services(&network, services, routes, self.wake)
    }

    /// One broker, whatever its clients come by.
    fn mqtt(&mut self, served: Served, listeners: Vec<Listener>) -> io::Result<()> {
        let tcp = self.tcp(listeners)?;
        self.tallies.push(tcp.tally());
        let mut stack = self.secured("mqtt", served, tcp, self.profile());
        if served == Served::MqttWs {
            let config = WebSocketConfig {
                patience: self.connect_timeout(),
                ..WebSocketConfig::new("mqtt")
            };
            let config = Arc::new(config);
            stack = stack.under("websocket", |lower| WebSocket::new(lower, config, None));
        }
        self.add_to_broker(stack);
        Ok(())
    }

    /// The same broker for clients that come by QUIC.
    fn mqtt_quic(&mut self, listeners: Vec<Listener>) -> io::Result<()> {
        let quic = self.quic(listeners, "mqtt", Served::MqttQuic)?;
        self.add_to_broker(quic);
        Ok(())
    }

    /// A protocol over QUIC.
    fn quic(
        &self,
        listeners: Vec<Listener>,
        protocol: &'static str,
        served: Served,
    ) -> io::Result<Stack> {
        let ports: Vec<u16> = listeners.iter().map(|it| it.address().port()).collect();
        let is_local = are_local(&listeners);
        let limits = self.quic_limits();
        let server = self.offer.quic.as_ref();
        let server = server.map(|it| it.server(protocol, self.connect_timeout(), limits, is_local));
        // Each is of a connection, and these are limited.
        let limit = PeerLimit {
            peers: usize::MAX,
            rest: REST,
        };
        let udp = KernelUdp::server(&self.poller, listeners, limit)?.never_in_fragments();
        let stack = self.stack(protocol, served, udp);
        let open = Rc::<Cell<usize>>::default();
        self.traffic.count_by(Connections::Own(Rc::clone(&open)));
        let stack = stack.under("quic", |udp| {
            let mut quic = Quic::new(udp, None, server, None).counting_into(open);
            for port in ports {
                let listens = quic.listen(port);
                debug_assert!(listens.is_ok(), "its sockets are open");
            }
            quic
        });
        Ok(stack)
    }

    /// The bridge of a gateway; without one nothing is served.
    fn http(&mut self, listeners: Vec<Listener>) -> io::Result<()> {
        let Some(gateway) = self.gateway.clone() else {
            return Ok(());
        };
        let tcp = self.tcp(listeners)?;
        self.tallies.push(tcp.tally());
        let profile = self.profile().map(|it| it.speaking(&["h2", "http/1.1"]));
        let stack = self.secured("http", Served::Http, tcp, profile);
        self.add_to_bridge(gateway, stack);
        Ok(())
    }

    /// The same bridge for clients that come by QUIC.
    fn http_quic(&mut self, listeners: Vec<Listener>) -> io::Result<()> {
        let Some(gateway) = self.gateway.clone() else {
            return Ok(());
        };
        let quic = self.quic(listeners, "h3", Served::HttpQuic)?;
        self.add_to_bridge(gateway, quic);
        Ok(())
    }

    fn add_to_bridge(&mut self, gateway: GatewayPort, stack: Stack) {
        match self.parts.iter_mut().find(|it| it.is_bridge) {
            Some(parts) => parts.stacks.push(stack),
            None => {
                let bridge = Box::new(HttpBridge::of(gateway, self.http_limits()));
                self.parts.push(Parts {
                    is_bridge: true,
                    ..Parts::of(stack, bridge)
                });
            }
        }
    }

    /// What a gateway has counted, in the clear; without one nothing is served.
    fn metrics(&mut self, listeners: Vec<Listener>) -> io::Result<()> {
        let (Some(gateway), Some(store)) = (self.gateway.clone(), self.store.clone()) else {
            return Ok(());
        };
        let tcp = self.tcp(listeners)?;
        self.tallies.push(tcp.tally());
        let counted = Counted {
            gateway,
            store,
            traffic: Rc::clone(&self.traffic),
            failures: Rc::clone(&self.failures),
        };
        let metrics = Box::new(Metrics::of(counted, self.http_limits()));
        let stack = self.secured("metrics", Served::Metrics, tcp, None);
        self.parts.push(Parts::of(stack, metrics));
        Ok(())
    }

    fn http_limits(&self) -> ServerLimits {
        ServerLimits {
            head: self.connect_timeout(),
            body: Duration::from_secs(self.offer.limits.of("message_time")),
            most_pending: self.offer.limits.count_of("pending_bytes"),
            calendar: Some(WallTime::calendar_now().as_nanos() / 1_000_000_000),
            ..ServerLimits::default()
        }
    }

    fn quic_limits(&self) -> QuicLimits {
        let limits = &self.offer.limits;
        QuicLimits {
            connections: limits.count_of("connections"),
            connections_per_address: limits.count_of("connections_per_address"),
            handshakes_per_address: self.handshakes_per_address(),
        }
    }

    fn add_to_broker(&mut self, stack: Stack) {
        match self.parts.iter_mut().find(|it| it.is_mqtt) {
            Some(parts) => parts.stacks.push(stack),
            None => {
                let application = Box::new(self.broker());
                self.parts.push(Parts {
                    is_mqtt: true,
                    ..Parts::of(stack, application)
                });
            }
        }
    }

    fn broker(&self) -> MqttBroker {
        let limits = &self.offer.limits;
        let in_flight = limits.of("in_flight").try_into().unwrap_or(u16::MAX);
        let config = MqttBrokerConfig {
            max_in_flight: in_flight,
            max_unreleased: in_flight,
            topic_alias_maximum: limits.of("topic_aliases").try_into().unwrap_or(u16::MAX),
            maximum_packet_size: limits.of("packet_size").try_into().ok(),
            connect_timeout: self.connect_timeout(),
            limits: limits.of_the_broker(),
            ..MqttBrokerConfig::default()
        };
        let random = RandomStream::named(self.seed, "broker");
        let Some(gateway) = self.gateway.clone() else {
            return MqttBroker::at(self.service(), config, random);
        };
        let config = MqttBrokerConfig {
            maximum_qos: Qos::AtLeastOnce,
            maximum_keep_alive: Some(Duration::from_secs(limits.of("device_silence"))),
            ..config
        };
        MqttBroker::at(self.service(), config, random).kept_by(Box::new(gateway))
    }

    /// How long a client may take to say who it is, and so each layer below for its handshake.
    fn connect_timeout(&self) -> Duration {
        Duration::from_secs(self.offer.limits.of("connect_time"))
    }

    fn coap(&self, listeners: Vec<Listener>, carrier: Carrier) -> io::Result<Parts> {
        let dtls = self.offer.dtls.clone();
        let dtls = dtls.map(|it| it.bounded(self.handshakes_per_address()));
        let is_local = are_local(&listeners);
        let parameters = CoapParameters {
            max_body_size: self.offer.limits.count_of("body_size"),
            max_waiting: self.offer.limits.count_of("waiting"),
            max_observations: self.offer.limits.count_of("observations"),
            connect_timeout: Some(self.connect_timeout()),
            message_timeout: Some(Duration::from_secs(self.offer.limits.of("message_time"))),
            // Nobody beyond this machine can be flooded by who claims to be another; a cookie of DTLS shows who is who.
            asks_for_proof: !is_local && dtls.is_none(),
            ..CoapParameters::default()
        };
        let rest = parameters.exchange_lifetime();
        let config = CoapServerConfig {
            answers: false,
            kind: MessageType::Confirmable,
            push: Push::Observe,
            carrier,
            parameters: Arc::new(parameters),
        };
        let stream = RandomStream::named(self.seed, "server");
        let server = match self.offer.example {
            Some(example) => CoapServer::with_example(config, stream, example),
            None => CoapServer::new(config, stream),
        };
        let core = self.service();
        let stack = match carrier {
            Carrier::Datagrams => {
                let stack = self.stack("coap", Served::Coap, self.udp(listeners, rest)?);
                match dtls {
                    Some(profile) => {
                        stack.under("dtls", |udp| Dtls::new(udp, None, Some(profile), None))
                    }
                    None => stack,
                }
            }
            Carrier::Streams => {
                let profile = self.profile().map(|it| it.speaking(&["coap"]));
                self.secured("coap", Served::CoapTcp, self.tcp(listeners)?, profile)
            }
        };
        Ok(Parts::of(stack, Box::new(server.at(core))))
    }

    fn json_udp(&self, listeners: Vec<Listener>) -> io::Result<Parts> {
        let limits = &self.offer.limits;
        let patience = Duration::from_secs(limits.of("subscription_time"));
        let mut broker = JsonUdpBroker::bounded(SubscriptionLimits {
            subscriptions: limits.count_of("topics"),
            size: DataSize::from_bytes(limits.of("topic_bytes")),
            patience,
        });
        if !are_local(&listeners) {
            broker = broker.asking_for_proof(RandomStream::named(self.seed, "json_udp"));
        }
        let core = self.service();
        let stack = self.stack("json_udp", Served::JsonUdp, self.udp(listeners, REST)?);
        Ok(Parts::of(stack, Box::new(broker.at(core))))
    }

    fn tcp(&self, listeners: Vec<Listener>) -> io::Result<KernelTcp> {
        let limits = &self.offer.limits;
        let limits = ConnectionLimits {
            connections: limits.count_of("connections"),
            connections_per_address: limits.count_of("connections_per_address"),
        };
        KernelTcp::server(&self.poller, listeners, limits)
    }

    fn profile(&self) -> Option<ServerProfile> {
        let profile = self.offer.secured.clone();
        profile.map(|it| it.bounded(self.handshakes_per_address()))
    }

    fn handshakes_per_address(&self) -> usize {
        self.offer.limits.count_of("handshakes_per_address")
    }

    fn udp(&self, listeners: Vec<Listener>, rest: Duration) -> io::Result<KernelUdp> {
        let peers = self.offer.limits.count_of("peers");
        let limit = PeerLimit { peers, rest };
        KernelUdp::server(&self.poller, listeners, limit)
    }

    /// Sockets below a service of this name.
    fn stack(&self, name: &'static str, served: Served, sockets: impl Peers + 'static) -> Stack {
        let traffic = self.traffic.open(served.name());
        Stack::of(name, sockets, &self.failures, &traffic)
    }

    /// TCP below a service of this name, and TLS between them where there is a profile of it.
    fn secured(
        &self,
        name: &'static str,
        served: Served,
        tcp: KernelTcp,
        profile: Option<ServerProfile>,
    ) -> Stack {
        let tally = tcp.tally();
        let stack = self.stack(name, served, tcp);
        self.traffic.count_by(Connections::Kernel(tally));
        match profile {
            Some(profile) => stack.under("tls", |tcp| Tls::new(tcp, None, Some(profile), None)),
            None => stack,
        }
    }

    /// The access of one more service to what they share, or to a core of its own.
    fn service(&self) -> BrokerService {
        self.core.as_ref().map_or_else(
            || BrokerCore::of_one_service(self.offer.limits.of_the_broker()),
            BrokerCore::service,
        )
    }
}

/// Whether only this machine can come by them.
fn are_local(listeners: &[Listener]) -> bool {
    let mut addresses = listeners.iter().map(Listener::address);
    addresses.all(|address| address.ip().is_loopback())
}
