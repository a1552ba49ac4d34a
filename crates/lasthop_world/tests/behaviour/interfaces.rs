//! One host with two interfaces in a simulation, and a client of another stack on each.

use core::net::{IpAddr, SocketAddr};
use core::sync::atomic::AtomicBool;
use std::sync::Arc;

use lasthop_contract::{
    DeviceId, Direction, DropReason, FlowId, Host, HostEvent, InterfaceId, LookupMap, MessageEvent,
    Packet, PathId, Port, Spans, WakeFlag,
};
use lasthop_engine::{HostId, LinkId, Observer, OutagePlace, Simulation, VirtualClock};
use lasthop_link::delay::{Constant, Delay};
use lasthop_link::{DirectionConfig, DuplexLink, LinkConfig};
use lasthop_traffic::{
    Arrivals, FlowKind, Grouping, Origin, Part, PayloadTemplate, PlannedFlows, Reaction,
    TrafficPlan,
};
use lasthop_transport::{Column, HostNetwork, Routes, Service, StackHost};
use lasthop_units::{DataSize, Duration, Instant};
use lasthop_world::{
    Above, ClientEnd, ClientFlow, HostEnd, Registry, ServerEnd, SessionSpec, StackBuilder,
};

/// A client of the device: what it speaks, its address, its server, and how far that is.
struct Side {
    layers: &'static str,
    own: &'static str,
    server: &'static str,
    delay_ms: u64,
}

const CELLULAR: Side = Side {
    layers: "mqtt/tcp",
    own: "10.0.0.1",
    server: "198.18.0.1",
    delay_ms: 300,
};

const WIRED: Side = Side {
    layers: "coap/udp",
    own: "172.16.0.1",
    server: "198.18.0.2",
    delay_ms: 10,
};

/// When messages of each channel were delivered, after they were due; which interface sent how much.
#[derive(Default)]
struct Journal {
    due: LookupMap<(u8, u32), Instant>,
    latencies: [Vec<Duration>; 2],
    sent: [u32; 2],
    device: Option<HostId>,
}

impl Observer for Journal {
    fn transmitted(&mut self, _: Instant, host: HostId, interface: InterfaceId, packet: &Packet) {
        if Some(host) == self.device {
            self.sent[interface.0 as usize] += 1;
            let ip = lasthop_transport::IpPacket::parse(packet.bytes()).unwrap();
            let server = [CELLULAR, WIRED][interface.0 as usize].server;
            assert_eq!(ip.destination, server.parse::<IpAddr>().unwrap());
        }
    }

    fn received(&mut self, _: Instant, _: HostId, _: InterfaceId, _: &Packet) {}

    fn dropped(&mut self, _: Instant, _: LinkId, _: &Packet, _: DropReason) {}

    fn duplicated(&mut self, _: Instant, _: u64, _: Direction, _: PathId, _: &Spans) {}

    fn host_event(&mut self, now: Instant, _: HostId, _: Direction, event: &HostEvent) {
        match event {
            HostEvent::Message(MessageEvent::Intended { id, .. }) => {
                self.due.insert((id.flow.channel(), id.number.get()), now);
            }
            HostEvent::Message(MessageEvent::Delivered { id, .. }) => {
                let channel = id.flow.channel();
                let due = *self.due.get(&(channel, id.number.get())).unwrap();
                self.latencies[usize::from(channel)].push(now - due);
            }
            _ => {}
        }
    }

    fn horizon(&self) -> Instant {
        Instant::from_nanos(60_000_000_000)
    }
}

/// A message a second for twenty seconds on a channel.
fn plan(channel: u8) -> Arc<TrafficPlan> {
    let first = FlowId::of(DeviceId(0), channel).0;
    let flows = PlannedFlows {
        numbers: first..first + 1,
        group: "device".into(),
        name: format!("flow{channel}").into(),
        kind: FlowKind::Report,
        payload: PayloadTemplate::text(DataSize::from_bytes(40)).unwrap(),
        arrivals: Some(Arrivals::Periodic {
            every: Duration::from_secs(1),
        }),
        grouping: Grouping { burst: 1, batch: 1 },
        part: Part::ALL,
        start: Duration::from_secs(2),
        not_before: Instant::ZERO,
        spread: Duration::ZERO,
        duration: Duration::from_secs(20),
    };
    Arc::new(TrafficPlan {
        seed: 1,
        flows: vec![flows],
    })
}

fn builder(side: &Side) -> StackBuilder {
    let registry = Registry::standard();
    let stack = registry.stack(side.layers, &[]).unwrap();
    registry.builder(&stack).unwrap()
}

fn end<'a>(name: &'a str, address: &str) -> HostEnd<'a> {
    HostEnd {
        seed: 1,
        name,
        number: 0,
        address: address.parse().unwrap(),
        device: None,
    }
}

/// A device that has a client on each of its interfaces.
fn device() -> Box<dyn Host> {
    let sides = [CELLULAR, WIRED];
    let [first, second] = [0, 1].map(|place: usize| sides[place].own.parse().unwrap());
    let mut network = HostNetwork::new(first).with_address(InterfaceId(1), second);
    let mut routes = LookupMap::new();
    let mut clients = Vec::new();
    for (side, channel) in sides.iter().zip(0..) {
        let stack = builder(side);
        let server: IpAddr = side.server.parse().unwrap();
        routes.insert(server, InterfaceId(channel.into()));
        let host = end("device", side.own);
        let client = ClientEnd {
            host,
            server: SocketAddr::new(server, stack.port()),
            device: DeviceId(0),
            flows: &[ClientFlow {
                channel,
                kind: FlowKind::Report,
            }],
            session: SessionSpec::Keep,
            hears: &[],
            guest: None,
            resource_ids: None,
        };
        let origin = Origin {
            plan: plan(channel),
            side: Direction::Up,
        };
        let above = Above::Schedules(Some(origin), Reaction::Deliver);
        let (column, place) = network.place();
        let columns = vec![Column::new(column, stack.client_transport(&host, place))];
        clients.push(Service::new(stack.client(&client, above), columns));
    }
    let routes = Routes::ByDestination(Box::new(routes));
    Box::new(StackHost::with_services(
        &network,
        clients,
        routes,
        WakeFlag::new(),
    ))
}

fn server(side: &Side) -> Box<dyn Host> {
    let (stack, host) = (builder(side), end("server", side.server));
    let server = ServerEnd {
        host,
        port: stack.port(),
        is_destination: true,
        answers: false,
        core: None,
        cache: None,
    };
    let application = stack.server(&server, Above::Schedules(None, Reaction::Deliver));
    let transport = stack.server_transport(&host, host.address);
    Box::new(StackHost::of(transport, application, Routes::OneInterface))
}

/// Runs it, with an outage of the first link from the start on where that is asked for.
fn journal(is_out: bool) -> Journal {
    let mut simulation = Simulation::new(VirtualClock, Journal::default());
    let device = simulation.add_host(device(), Direction::Up);
    simulation.observer_mut().device = Some(device);
    for (place, side) in [CELLULAR, WIRED].iter().enumerate() {
        let delay = Delay::from(Constant {
            delay: Duration::from_millis(side.delay_ms),
        });
        let direction = DirectionConfig {
            delay: Some(delay),
            ..DirectionConfig::default()
        };
        let config = LinkConfig {
            up: direction.clone(),
            down: direction,
            ..LinkConfig::default()
        };
        let link = DuplexLink::new(&config, 1, "path");
        let link = simulation.add_link(Box::new(link));
        let server = simulation.add_host(server(side), Direction::Down);
        let interface = simulation.attach(device, link, Port(0));
        assert_eq!(interface, InterfaceId(place as u32));
        simulation.attach(server, link, Port(1));
        if is_out && place == 0 {
            simulation.begin_outage(OutagePlace::Link(link));
        }
    }
    simulation.run(&AtomicBool::new(false));
    simulation.into_observer()
}

#[test]
fn each_client_goes_by_the_interface_of_its_server() {
    let journal = journal(false);
    let [by_mqtt, by_coap] = &journal.latencies;
    assert_eq!([by_mqtt.len(), by_coap.len()], [20, 20]);
    let of = |side: &Side| Duration::from_millis(side.delay_ms);
    assert!(by_mqtt.iter().all(|latency| *latency == of(&CELLULAR)));
    assert!(by_coap.iter().all(|latency| *latency == of(&WIRED)));
    assert!(journal.sent.iter().all(|sent| *sent >= 20));
}

#[test]
fn a_way_that_is_out_takes_the_other_client_nothing() {
    let [by_mqtt, by_coap] = journal(true).latencies;
    assert_eq!([by_mqtt.len(), by_coap.len()], [0, 20]);
}
