use core::net::SocketAddr;
use core::sync::atomic::AtomicBool;
use std::io;
use std::os::fd::AsFd;
use std::rc::Rc;
use std::sync::Arc;

use lasthop_coap::{
    Carrier, CoapParameters, CoapServer, CoapServerConfig, Example, MessageType, Push,
};
use lasthop_contract::{Application, Direction, Host, HostInput, RandomStream, Transport};
use lasthop_engine::HostId;
use lasthop_mqtt::{BrokerLimits, MqttBroker, MqttBrokerConfig};
use lasthop_traffic::json_udp::JsonUdpBroker;
use lasthop_transport::{PeerLimit, Routes, StackHost};
use lasthop_units::{DataSize, Duration, Instant};

use super::Limits;
use crate::{
    ConnectionLimits, KernelTcp, KernelUdp, Listener, ListenerError, LiveRun, Poller, WallTime,
    Watch, live_run,
};

/// A server that listens already, and serves when it is run.
#[derive(Debug)]
pub struct Server {
    served: Served,
    listeners: Vec<Listener>,
    limits: Limits,
    example: Option<Example>,
    seed: u64,
}

/// What is served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Served {
    /// The broker for MQTT 3.1.1 and 5, over TCP.
    Mqtt,
    /// The CoAP server, over UDP.
    Coap,
    /// The broker for JSON messages, over UDP.
    JsonUdp,
}

/// How long clients are given to hear that the server ends.
const GRACE: Duration = Duration::from_secs(1);

/// How often the server looks whether all clients have gone.
const GRACE_STEP: Duration = Duration::from_millis(10);

/// How long a peer that says nothing keeps its place where its protocol does not say.
const REST: Duration = Duration::from_secs(60);

impl Server {
    /// A server that listens at each of the addresses; port 0 is any that is free. `seed` is what its random numbers
    /// are drawn from.
    ///
    /// # Errors
    /// When an address cannot be listened at.
    pub fn bind(
        served: Served,
        addresses: &[SocketAddr],
        limits: Limits,
        example: Option<Example>,
        seed: u64,
    ) -> Result<Self, ListenerError> {
        let listen = match served {
            Served::Mqtt => Listener::stream,
            Served::Coap | Served::JsonUdp => Listener::datagram,
        };
        let listeners = addresses.iter().map(|address| listen(*address));
        Ok(Self {
            served,
            listeners: listeners.collect::<Result<_, _>>()?,
            limits,
            example,
            seed,
        })
    }

    /// Where it listens.
    pub fn addresses(&self) -> impl Iterator<Item = SocketAddr> + '_ {
        self.listeners.iter().map(Listener::address)
    }

    /// Serves until `stop` can be read or its other end is gone; then clients are told, and have a second to go.
    ///
    /// # Errors
    /// When the kernel refuses what a server needs.
    pub fn run(self, stop: impl AsFd) -> io::Result<()> {
        let poller = Poller::new()?;
        poller.stop_by(stop)?;
        match self.served {
            Served::Mqtt => self.run_mqtt(&poller),
            Served::Coap => self.run_coap(&poller),
            Served::JsonUdp => self.run_json_udp(&poller),
        }
    }

    fn run_mqtt(self, poller: &Rc<Poller>) -> io::Result<()> {
        let limits = &self.limits;
        let in_flight = limits.of("in_flight").try_into().unwrap_or(u16::MAX);
        let config = MqttBrokerConfig {
            max_in_flight: in_flight,
            max_unreleased: in_flight,
            topic_alias_maximum: limits.of("topic_aliases").try_into().unwrap_or(u16::MAX),
            maximum_packet_size: limits.of("packet_size").try_into().ok(),
            connect_timeout: Duration::from_secs(limits.of("connect_time")),
            limits: BrokerLimits {
                sessions: limits.count_of("sessions"),
                subscriptions_per_session: limits.count_of("subscriptions"),
                retained_messages: limits.count_of("retained_messages"),
                queued_messages: limits.count_of("queued_messages"),
                queued_size: DataSize::from_bytes(limits.of("queued_bytes")),
            },
            ..MqttBrokerConfig::default()
        };
        let broker = MqttBroker::new(config, RandomStream::named(self.seed, "broker"));
        let connections = ConnectionLimits {
            connections: limits.count_of("connections"),
            connections_per_address: limits.count_of("connections_per_address"),
        };
        let tcp = KernelTcp::server(poller, self.listeners, connections)?;
        let tally = tcp.tally();
        serve(poller, tcp, broker, || tally.open.get() == 0)
    }

    fn run_coap(self, poller: &Rc<Poller>) -> io::Result<()> {
        let is_local = self.addresses().all(|address| address.ip().is_loopback());
        let parameters = CoapParameters {
            max_body_size: self.limits.count_of("body_size"),
            max_waiting: self.limits.count_of("waiting"),
            // Nobody beyond this machine can be flooded by who claims to be another.
            asks_for_proof: !is_local,
            ..CoapParameters::default()
        };
        let rest = parameters.exchange_lifetime();
        let config = CoapServerConfig {
            kind: MessageType::Confirmable,
            push: Push::Observe,
            carrier: Carrier::Datagrams,
            parameters: Arc::new(parameters),
        };
        let stream = RandomStream::named(self.seed, "server");
        let server = match self.example {
            Some(example) => CoapServer::with_example(config, stream, example),
            None => CoapServer::new(config, stream),
        };
        let limit = PeerLimit {
            peers: self.limits.count_of("peers"),
            rest,
        };
        let udp = KernelUdp::server(poller, self.listeners, limit)?;
        serve(poller, udp, server, || true)
    }

    fn run_json_udp(self, poller: &Rc<Poller>) -> io::Result<()> {
        let broker = JsonUdpBroker::bounded(self.limits.count_of("topics"));
        let limit = PeerLimit {
            peers: self.limits.count_of("peers"),
            rest: REST,
        };
        let udp = KernelUdp::server(poller, self.listeners, limit)?;
        serve(poller, udp, broker, || true)
    }
}

impl Served {
    /// All that can be served.
    pub const ALL: [Self; 3] = [Self::Mqtt, Self::Coap, Self::JsonUdp];

    /// Its name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mqtt => "mqtt",
            Self::Coap => "coap",
            Self::JsonUdp => "json_udp",
        }
    }
}

/// Runs an application on sockets until it is stopped and, after that, until `is_over` or the time of grace ends.
fn serve(
    poller: &Rc<Poller>,
    transport: impl Transport + 'static,
    application: impl Application + 'static,
    is_over: impl Fn() -> bool,
) -> io::Result<()> {
    let time = WallTime::starting_now();
    let watch = Watch::until(Instant::FAR_FUTURE, Rc::default());
    let mut run = live_run(time, poller, watch);
    let host = StackHost::new(Box::new(transport), application, Routes::OneInterface);
    let host = add_open_host(&mut run, Box::new(host));
    let never = AtomicBool::new(false);
    run.run(&never);
    if let Some(error) = poller.take_failure() {
        return Err(error);
    }
    run.tell(host, HostInput::Stop);
    let end = time.now() + GRACE;
    while !is_over() && time.now() < end {
        run.observer_mut().end = time.now() + GRACE_STEP;
        run.run(&never);
    }
    Ok(())
}

/// Adds a host that has sockets of its own.
fn add_open_host(run: &mut LiveRun<Watch>, host: Box<dyn Host>) -> HostId {
    let host = run.add_host(host, Direction::Down);
    run.open_to_outside(host);
    host
}
