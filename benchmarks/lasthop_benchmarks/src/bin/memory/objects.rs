use core::net::{Ipv4Addr, Ipv6Addr};
use core::sync::atomic::AtomicBool;

use lasthop_contract::{
    Direction, DropReason, Host, HostEvent, HostInput, HostOutput, InterfaceId, Link, LinkInput,
    LinkOutput, Packet, PathId, Port, Spans,
};
use lasthop_engine::{HostId, LinkId, Observer, Outcome, Simulation, VirtualClock};
use lasthop_link::delay::{Constant, Delay};
use lasthop_link::{DirectionConfig, DuplexLink, LinkConfig, Nat, NatConfig};
use lasthop_measure::MessageRecord;
use lasthop_units::{Duration, Instant};

use crate::fleet::{Fleet, Protocol, line};
use crate::table::Row;

/// How many objects of a kind are measured together.
const COUNT: u32 = 1000;

/// What a parked host may take, and a parked session.
const HOST_LIMIT: u64 = 1024;
/// What two hosts and the link between them may take.
const PAIR_LIMIT: u64 = 2048;
/// The same with MQTT over TCP.
const MQTT_PAIR_LIMIT: u64 = 6144;

/// Every row of the table.
pub(crate) fn measure_all() -> Vec<Row> {
    // The packets come first, while no buffers wait for reuse. Then as many wait as ever do, so that none is
    // made or given up while objects are measured.
    let packet = packets_in_flight();
    let buffers = [vec_of(|_| Packet::new()), vec_of(|_| Packet::new())];
    drop(buffers);
    let row = |object, bytes, limit| Row {
        object,
        bytes,
        limit,
    };
    let parked = |object, protocol| row(object, parked_device(protocol), Some(HOST_LIMIT));
    let idle = |object, protocol| row(object, idle_pair(protocol), Some(PAIR_LIMIT));
    let share = |object, protocol| row(object, share_of_server(protocol), None);
    let mut rows = vec![
        parked("parked device, `raw_udp`", Protocol::RawUdp),
        parked(
            "parked device, `raw_udp ack=on`",
            Protocol::RawUdpAcknowledged,
        ),
        parked("parked device, `json_udp`", Protocol::JsonUdp),
        parked(
            "parked device, `mqtt`, subscribed, its session kept",
            Protocol::MqttParked,
        ),
        share("its part of a shared server, `raw_udp`", Protocol::RawUdp),
        share(
            "its part of a shared server, `raw_udp ack=on`",
            Protocol::RawUdpAcknowledged,
        ),
        share("its part of a shared server, `json_udp`", Protocol::JsonUdp),
        row(
            "its part of a shared server, `mqtt`, subscribed, its session kept",
            share_of_server(Protocol::MqttParked),
            Some(HOST_LIMIT),
        ),
        idle(
            "idle pair of device, server and link, `raw_udp`",
            Protocol::RawUdp,
        ),
        row(
            "idle pair of device, server and link, `raw_udp/dtls`, its session established",
            idle_pair(Protocol::RawUdpDtls),
            None,
        ),
        idle(
            "idle pair of device, server and link, `json_udp`",
            Protocol::JsonUdp,
        ),
        row(
            "idle pair of device, server and link, `coap type=non`",
            idle_pair(Protocol::CoapNon),
            None,
        ),
        row(
            "idle pair of device, server and link, `raw_tcp`",
            idle_pair(Protocol::RawTcp),
            None,
        ),
        row(
            "idle pair of device, server and link, `mqtt`, subscribed",
            idle_pair(Protocol::Mqtt),
            Some(MQTT_PAIR_LIMIT),
        ),
        row(
            "idle pair of device, server and link, `mqtt/tls`, subscribed",
            idle_pair(Protocol::MqttTls),
            None,
        ),
        row(
            "idle pair of device, server and link, `mqtt/quic`, subscribed",
            idle_pair(Protocol::MqttQuic),
            None,
        ),
        row(
            "idle link with loss, rate and delay both ways",
            idle_links(),
            None,
        ),
        row("translator with one mapping", translators(), None),
        row("packet of 437 B in flight", packet, None),
        row(
            "record of a message",
            size_of::<MessageRecord>() as u64,
            None,
        ),
    ];
    let quic_one_stream = idle_pair(Protocol::MqttQuicOneStream);
    let taken = |object: &str| {
        let pair = format!("idle pair of device, server and link, {object}");
        let mut rows = rows.iter();
        rows.find(|it| it.object == pair).map_or(0, |it| it.bytes)
    };
    // Half of what both ends take more.
    let end = |secured: u64, plain: &str| (secured - taken(plain)) / 2;
    let (plain_udp, plain_mqtt) = ("`raw_udp`", "`mqtt`, subscribed");
    let dtls = taken("`raw_udp/dtls`, its session established");
    let (tls, quic) = (
        taken("`mqtt/tls`, subscribed"),
        taken("`mqtt/quic`, subscribed"),
    );
    let ends = [
        (
            "idle end of a session of DTLS, beyond the plain one",
            end(dtls, plain_udp),
            2048,
        ),
        (
            "idle end of a session of TLS, beyond the plain one",
            end(tls, plain_mqtt),
            4096,
        ),
        (
            "idle end of a session of QUIC, beyond that of TCP",
            end(quic, plain_mqtt),
            16384,
        ),
        (
            "the same with `quic.streams=1`",
            end(quic_one_stream, plain_mqtt),
            16384,
        ),
    ];
    rows.extend(ends.map(|(object, bytes, limit)| row(object, bytes, Some(limit))));
    rows
}

/// A device that has said all it has to say, with its place in the event loop.
fn parked_device(protocol: Protocol) -> u64 {
    let fleet = Fleet::new(protocol);
    let place = held(|| {
        let mut simulation = Simulation::new(VirtualClock, Unobserved);
        for _ in 0..COUNT {
            simulation.add_host(Box::new(Sleeper), Direction::Up);
        }
        simulation
    });
    let devices = held(|| {
        vec_of(|index| {
            let mut device = fleet.device(index);
            let mut server = started(fleet.server());
            let_finish(&mut *device, &mut *server);
            device
        })
    });
    // The pointer to the host is in both.
    place + devices - size_of::<Box<dyn Host>>() as u64
}

/// What a server holds for a device that is parked.
fn share_of_server(protocol: Protocol) -> u64 {
    let fleet = Fleet::new(protocol);
    let mut devices = vec_of(|index| fleet.device(index));
    held(|| {
        let mut server = started(fleet.server());
        for device in &mut devices {
            let_finish(&mut **device, &mut *server);
        }
        server
    })
}

fn idle_pair(protocol: Protocol) -> u64 {
    let fleet = Fleet::new(protocol);
    let make = || {
        let mut simulation = Simulation::new(VirtualClock, Unobserved);
        for index in 0..COUNT {
            let device = simulation.add_host(fleet.device(index), Direction::Up);
            let server = simulation.add_host(fleet.server(), Direction::Down);
            let link = simulation.add_link(Box::new(line(index)));
            simulation.attach(device, link, Port(0));
            simulation.attach(server, link, Port(1));
        }
        simulation.order_by_parts();
        assert_eq!(simulation.run(&AtomicBool::new(false)), Outcome::Idle);
        simulation
    };
    // The first time, the buffers that wait for reuse grow to what these packets need.
    drop(make());
    held(make)
}

fn idle_links() -> u64 {
    held(|| {
        let mut simulation = Simulation::new(VirtualClock, Unobserved);
        for index in 0..COUNT {
            simulation.add_link(Box::new(line(index)));
        }
        simulation
    })
}

fn translators() -> u64 {
    let mut device = Fleet::new(Protocol::RawUdp).device(0);
    let mut packets = first_packets(&mut *device);
    let outside = (Ipv4Addr::new(100, 64, 0, 1), Ipv6Addr::LOCALHOST);
    let config = NatConfig::new(outside.0, outside.1, Duration::from_secs(120), None)
        .expect("it does not rebind");
    held(|| {
        let mut simulation = Simulation::new(VirtualClock, Unobserved);
        for packet in packets.by_ref().take(COUNT as usize) {
            let mut nat = Box::new(Nat::new(config));
            let port = Port(0);
            nat.handle(Instant::ZERO, LinkInput::Offered { port, packet });
            let LinkOutput::Deliver { .. } = nat.poll(Instant::ZERO) else {
                panic!("a translator lets packets out");
            };
            simulation.add_link(nat);
        }
        simulation
    })
}

/// Packets that travel one link, which has nothing but a delay.
fn packets_in_flight() -> u64 {
    let mut device = Fleet::new(Protocol::RawUdp).device(0);
    let mut original = first_packets(&mut *device);
    let up = DirectionConfig {
        delay: Some(Delay::from(Constant {
            delay: Duration::from_millis(100),
        })),
        ..DirectionConfig::default()
    };
    let config = LinkConfig {
        up,
        ..LinkConfig::default()
    };
    held(|| {
        let mut link = DuplexLink::new(&config, 1, "path/0");
        for _ in 0..COUNT {
            let packet = original.next().expect("there are as many as wanted");
            let port = Port(0);
            link.handle(Instant::ZERO, LinkInput::Offered { port, packet });
            while !matches!(link.poll(Instant::ZERO), LinkOutput::WaitUntil(_)) {}
        }
        link
    })
}

/// Bytes a piece of what a function makes and keeps.
fn held<T>(make: impl FnOnce() -> T) -> u64 {
    let mut made = None;
    let information = allocation_counter::measure(|| made = Some(make()));
    drop(made);
    u64::try_from(information.bytes_current).unwrap_or(0) / u64::from(COUNT)
}

fn vec_of<T>(make: impl FnMut(u32) -> T) -> Vec<T> {
    (0..COUNT).map(make).collect()
}

/// The first packet of a device again and again.
fn first_packets(device: &mut dyn Host) -> impl Iterator<Item = Packet> + use<> {
    let mut first = None;
    device.handle(Instant::ZERO, HostInput::Start);
    let mut now = Instant::ZERO;
    while first.is_none() {
        match device.poll(now) {
            HostOutput::Transmit { packet, .. } => first = Some(packet),
            HostOutput::Event(_) | HostOutput::Discard { .. } => {}
            HostOutput::WaitUntil(deadline) => {
                now = deadline.expect("a device has something to say");
                device.handle(now, HostInput::Timeout);
            }
        }
    }
    core::iter::repeat_with(move || first.as_ref().map(Packet::duplicate))
        .map_while(|packet| packet)
}

fn started(mut host: Box<dyn Host>) -> Box<dyn Host> {
    host.handle(Instant::ZERO, HostInput::Start);
    host
}

/// Starts a device and lets it talk to its server over a perfect link until both sleep.
fn let_finish<'a>(device: &'a mut dyn Host, server: &'a mut dyn Host) {
    device.handle(Instant::ZERO, HostInput::Start);
    let mut hosts = [device, server];
    let mut deadlines = [None; 2];
    let mut now = Instant::ZERO;
    loop {
        let mut settled = 0;
        let mut side = 0;
        while settled < 2 {
            match hosts[side].poll(now) {
                HostOutput::Transmit { packet, .. } => {
                    let interface = InterfaceId(0);
                    hosts[1 - side].handle(now, HostInput::Received { interface, packet });
                    settled = 0;
                }
                HostOutput::Event(_) | HostOutput::Discard { .. } => {}
                HostOutput::WaitUntil(deadline) => {
                    deadlines[side] = deadline;
                    settled += 1;
                    side = 1 - side;
                }
            }
        }
        let Some(next) = deadlines.into_iter().flatten().min() else {
            return;
        };
        now = next;
        for host in &mut hosts {
            host.handle(now, HostInput::Timeout);
        }
    }
}

/// A host that does nothing and takes no memory.
struct Sleeper;

impl Host for Sleeper {
    fn handle(&mut self, _now: Instant, _input: HostInput) {}
    fn poll(&mut self, _now: Instant) -> HostOutput {
        HostOutput::WaitUntil(None)
    }
}

/// Watches nothing, so that what is held is the model's.
struct Unobserved;

impl Observer for Unobserved {
    fn transmitted(&mut self, _: Instant, _: HostId, _: InterfaceId, _: &Packet) {}
    fn received(&mut self, _: Instant, _: HostId, _: InterfaceId, _: &Packet) {}
    fn dropped(&mut self, _: Instant, _: LinkId, _: &Packet, _: DropReason) {}
    fn duplicated(&mut self, _: Instant, _: u64, _: Direction, _: PathId, _: &Spans) {}
    fn host_event(&mut self, _: Instant, _: HostId, _: Direction, _: &HostEvent) {}
    fn horizon(&self) -> Instant {
        Instant::FAR_FUTURE
    }
}
