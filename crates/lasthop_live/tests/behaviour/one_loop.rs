//! The same hosts, link and meter on the virtual clock and on the wall clock.

use core::net::{IpAddr, Ipv4Addr, SocketAddr};
use core::sync::atomic::AtomicBool;
use std::sync::Arc;

use lasthop_coap::{
    Carrier, CoapClient, CoapClientConfig, CoapParameters, CoapServer, CoapServerConfig,
    MessageType, Push,
};
use lasthop_contract::{
    Application, Clock, Direction, DropReason, FlowId, Port, RandomStream, Transport,
};
use lasthop_engine::{Simulation, VirtualClock};
use lasthop_link::delay::{Constant, Delay};
use lasthop_link::{DirectionConfig, DuplexLink, LinkConfig, Outage, OutageSchedule};
use lasthop_live::{Poller, WallClock, WallTime};
use lasthop_measure::{Directory, Fate, LedgerRow, Meter, MeterConfig, PacketRow, RunStatus};
use lasthop_mqtt::{MqttBroker, MqttBrokerConfig, MqttClient, MqttClientConfig};
use lasthop_traffic::{
    Arrivals, FlowKind, Grouping, Origin, Part, PayloadTemplate, PlannedFlows, Reaction, Traffic,
    TrafficPlan,
};
use lasthop_transport::{Routes, StackHost, Tcp, TcpProfile, Udp};
use lasthop_units::{DataSize, Duration, Instant};

const DEVICE: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1));
const SERVER: IpAddr = IpAddr::V4(Ipv4Addr::new(10, 0, 0, 2));
const FLOW: FlowId = FlowId(0);

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn traffic<P: Application>(protocol: P) -> Traffic<P> {
    let flows = PlannedFlows {
        numbers: 0..1,
        group: "device".into(),
        name: "traffic".into(),
        kind: FlowKind::Report,
        payload: PayloadTemplate::text(DataSize::from_bytes(100)).unwrap(),
        arrivals: Some(Arrivals::Periodic { every: ms(100) }),
        grouping: Grouping { burst: 1, batch: 1 },
        part: Part::ALL,
        start: Duration::ZERO,
        not_before: Instant::ZERO,
        spread: Duration::ZERO,
        duration: ms(1000),
    };
    let origin = Origin {
        plan: Arc::new(TrafficPlan {
            seed: 1,
            flows: vec![flows],
        }),
        side: Direction::Up,
    };
    Traffic::new(protocol, Some(origin), Reaction::Deliver)
}

/// A link of 5 ms, with an outage or none.
fn link(outage: Option<Outage>) -> DuplexLink {
    let direction = DirectionConfig {
        delay: Some(Delay::from(Constant { delay: ms(5) })),
        outages: OutageSchedule::new(outage),
        ..DirectionConfig::default()
    };
    let config = LinkConfig {
        up: direction.clone(),
        down: direction,
        ..LinkConfig::default()
    };
    DuplexLink::new(&config, 1, "path/0")
}

fn meter() -> Meter {
    let config = MeterConfig {
        billing: Vec::new(),
        counts_from: None,
        directory: Directory::default(),
        radios: 0,
        flows: 1,
        arriving: None,
        disturbed: Instant::FAR_FUTURE,
        keeps_records: true,
        cells: None,
        warm_up: Duration::ZERO,
        drain: ms(500),
        set_up: Duration::from_secs(10),
        energy: Vec::new(),
    };
    Meter::new(config, None, None)
}

/// Two hosts, a link and a meter on a clock.
fn run<C: Clock>(
    clock: C,
    link: DuplexLink,
    device: (impl Transport + 'static, impl Application + 'static),
    server: (impl Transport + 'static, impl Application + 'static),
) -> Meter {
    let mut simulation = Simulation::new(clock, meter());
    let host = Box::new(StackHost::new(
        Box::new(device.0),
        device.1,
        Routes::OneInterface,
    ));
    let device = simulation.add_host(host, Direction::Up);
    let host = Box::new(StackHost::new(
        Box::new(server.0),
        server.1,
        Routes::OneInterface,
    ));
    let server = simulation.add_host(host, Direction::Down);
    let link = simulation.add_link(Box::new(link));
    simulation.attach(device, link, Port(0));
    simulation.attach(server, link, Port(1));
    let outcome = simulation.run(&AtomicBool::new(false));
    let meter = simulation.into_observer();
    assert_eq!(meter.status(outcome), RunStatus::Completed);
    meter
}

fn coap<C: Clock>(clock: C, outage: Option<Outage>) -> Meter {
    let parameters = Arc::new(CoapParameters::default());
    let client = CoapClientConfig {
        answers: false,
        server: SocketAddr::new(SERVER, lasthop_coap::PORT),
        device: FLOW.device(),
        kind: MessageType::NonConfirmable,
        push: Push::Post,
        receives: true,
        carrier: Carrier::Datagrams,
        parameters: Arc::clone(&parameters),
    };
    let server = CoapServerConfig {
        answers: false,
        kind: MessageType::NonConfirmable,
        push: Push::Post,
        carrier: Carrier::Datagrams,
        parameters,
    };
    let client = CoapClient::new(client, RandomStream::named(1, "client"));
    let server = CoapServer::new(server, RandomStream::named(1, "server"));
    let server = Traffic::new(server, None, Reaction::Deliver);
    let device = (Udp::new(DEVICE), traffic(client));
    run(clock, link(outage), device, (Udp::new(SERVER), server))
}

fn mqtt<C: Clock>(clock: C) -> Meter {
    let broker = SocketAddr::new(SERVER, lasthop_mqtt::PORT);
    let config = Arc::new(MqttClientConfig::new(broker));
    let client = MqttClient::new(config, FLOW, RandomStream::named(1, "client"));
    let config = MqttBrokerConfig {
        is_destination: true,
        ..MqttBrokerConfig::default()
    };
    let broker = MqttBroker::new(config, RandomStream::named(1, "broker"));
    let profile = TcpProfile {
        nodelay: true,
        ..TcpProfile::linux()
    };
    let profile = Arc::new(profile);
    let tcp = |address, name| Tcp::new(address, Arc::clone(&profile), RandomStream::named(1, name));
    let device = (tcp(DEVICE, "device"), traffic(client));
    let server = Traffic::new(broker, None, Reaction::Deliver);
    run(clock, link(None), device, (tcp(SERVER, "server"), server))
}

fn wall_clock() -> WallClock {
    WallClock::new(WallTime::starting_now(), Poller::new().unwrap())
}

fn offered(meter: &Meter) -> Vec<LedgerRow> {
    let rows = meter.ledger().rows().into_iter();
    rows.filter(|row| row.fate == Fate::Offered).collect()
}

#[test]
fn offers_the_same_bytes_over_datagrams() {
    let (simulated, live) = (coap(VirtualClock, None), coap(wall_clock(), None));
    assert!(!offered(&simulated).is_empty());
    assert_eq!(simulated.ledger().rows(), live.ledger().rows());
}

#[test]
fn offers_the_same_bytes_over_tcp() {
    let (simulated, live) = (mqtt(VirtualClock), mqtt(wall_clock()));
    assert!(!offered(&simulated).is_empty());
    assert_eq!(offered(&simulated), offered(&live));
}

#[test]
fn the_meter_of_a_wall_clock_run_knows_why_packets_were_dropped_and_how_late_it_was() {
    let outage = Outage::new(Instant::ZERO + ms(400), ms(200), None).unwrap();
    let meter = coap(wall_clock(), Some(outage));
    let lost = |row: &PacketRow| row.fate == Fate::Dropped(DropReason::Outage);
    assert!(meter.ledger().packet_rows().iter().any(lost));
    assert!(meter.ledger().is_balanced());
    assert!(meter.lateness().count() > 0);
    assert_eq!(coap(VirtualClock, None).lateness().count(), 0);
}
