//! Devices that have little of everything.

use core::num::{NonZeroU32, NonZeroU64};

use lasthop_contract::DiscardReason;
use lasthop_measure::Fate;
use lasthop_units::Duration;
use lasthop_world::{
    ArrivalSpec, DeviceSpec, DeviceTcpSpec, FlowKind, PopulationSpec, ReadingSpec, RunSpec,
    SessionSpec, StackSpec, SurvivesSpec, TcpLikeSpec,
};

use crate::events::ten;
use crate::relays;
use crate::specs::{assert_accounted, assert_never_set_up, both_ways, every_combination, run};
use crate::stacks::stack;

const MILLISECOND_NS: u64 = 1_000_000;

fn some(count: u32) -> NonZeroU32 {
    NonZeroU32::new(count).unwrap()
}

/// An ESP8266 with the reader of 2019, which prints what it reads at 7,488 B/s.
pub(crate) fn esp8266() -> DeviceSpec {
    DeviceSpec {
        tcp: DeviceTcpSpec {
            like: TcpLikeSpec::Lwip,
            max_segment_bytes: 1440,
            window_bytes: 5744,
            send_buffer_bytes: 2920,
            keeps_out_of_order: false,
            time_wait_ns: 120_000 * MILLISECOND_NS,
        },
        frames: some(5),
        frame_ns: MILLISECOND_NS / 5,
        mailbox: some(6),
        connections: some(5),
        heap_bytes: 43_848,
        connection_bytes: 3_400,
        secured_bytes: 13_321,
        segment_bytes: 90,
        reading: ReadingSpec::FirstMessageOnly,
        read_bytes: NonZeroU64::new(1024).unwrap(),
        reads_segments: true,
        message_ns: 23 * MILLISECOND_NS,
        byte_ns: 133_500,
        connection_ns: 0,
        handshake_ns: 3_000 * MILLISECOND_NS,
        resumption_ns: 600 * MILLISECOND_NS,
        answers_first: true,
        tick_ns: 10 * MILLISECOND_NS,
        watchdog_ns: Some(26_214_400_000),
        boot_ns: 5_000 * MILLISECOND_NS,
        survives: SurvivesSpec::Nothing,
    }
}

/// So many clients say something each second to a display, through a broker that puts messages together.
fn commanded(clients: u32, qos: &str, device: Option<DeviceSpec>) -> RunSpec {
    let options = [("qos", qos), ("tcp.nodelay", "off"), ("max_in_flight", "1")];
    let options = &options[..if qos == "0" { 2 } else { 3 }];
    let stack = stack("mqtt/tcp", options);
    let mut spec = relays::spec(stack.clone(), stack);
    for direction in both_ways(&mut spec) {
        (direction.loss, direction.rate, direction.delay) = (None, None, None);
    }
    spec.groups[0].population = PopulationSpec::Staying { devices: clients };
    spec.groups[1].population = PopulationSpec::Staying { devices: 1 };
    spec.groups[1].device = device;
    spec.flows[0].kind = FlowKind::RelayToAll;
    spec
}

fn lost_percent(spec: &RunSpec) -> f64 {
    let summary = run(spec).summary();
    100.0 * (1.0 - summary.delivery_ratio().unwrap())
}

/// The same with a reader that takes every message.
fn correct() -> DeviceSpec {
    DeviceSpec {
        reading: ReadingSpec::All,
        ..esp8266()
    }
}

#[test]
fn a_reader_of_first_messages_loses_those_that_a_broker_puts_behind() {
    let lost = |clients| lost_percent(&commanded(clients, "0", Some(esp8266())));
    // Of ten, one comes by itself and nine behind each other; of a hundred, ninety-nine in 1024 B at a time, of which
    // the first read alone begins with a message.
    assert_eq!((lost(1), lost(10), lost(100)), (0.0, 80.0, 98.0));
}

#[test]
fn a_reader_of_every_message_loses_none_for_which_it_has_time() {
    let lost = |clients| lost_percent(&commanded(clients, "0", Some(correct())));
    assert_eq!((lost(1), lost(10)), (0.0, 0.0));
}

#[test]
fn no_constraint_is_no_device() {
    let plain = run(&commanded(10, "0", None)).summary();
    assert_eq!(plain.devices, None);
    assert_eq!(plain.delivery_ratio(), Some(1.0));
}

#[test]
fn a_task_without_a_pause_is_reset_by_its_watchdog_and_served_again() {
    let mut spec = commanded(100, "1", Some(correct()));
    spec.measure.drain_ns = 1_000_000 * MILLISECOND_NS;
    let simulated = run(&spec);
    let devices = simulated.summary().devices.unwrap();
    assert!(devices.crashes_watchdog >= 2, "{devices:?}");
    assert_eq!(devices.crashes_heap, 0);
    let crashes = simulated.meter().devices().crashes();
    let (first, second) = (&crashes[0], &crashes[1]);
    let booted = first.booted.unwrap();
    assert_eq!(booted - first.at, Duration::from_secs(5));
    // From the first message of the crowd on it has no pause until its watchdog barks.
    assert!(second.at - booted >= Duration::from_nanos(26_214_400_000));
    let delivered = simulated.summary().messages_delivered;
    assert!(delivered > 1_000, "{delivered}");
}

#[test]
fn a_heap_that_ends_crashes_the_device_or_loses_packets() {
    // Room for the connection, and for a few messages beside it.
    let mut device = correct();
    device.tcp.window_bytes = 3_600;
    device.heap_bytes = 6_000;
    let simulated = run(&commanded(100, "0", Some(device)));
    assert_accounted(&simulated);
    let rows = simulated.meter().ledger().packet_rows();
    let refused = rows
        .iter()
        .filter(|row| row.fate == Fate::Discarded(DiscardReason::NoMemory));
    assert!(refused.map(|row| row.packets).sum::<u64>() > 0);
}

/// Ten devices that report over a stack, one message a second each.
fn reporting(stack: StackSpec, device: DeviceSpec) -> RunSpec {
    let mut spec = ten(stack, FlowKind::Report);
    for direction in both_ways(&mut spec) {
        (direction.loss, direction.rate) = (None, None);
    }
    spec.groups[0].device = Some(device);
    spec
}

#[test]
fn what_is_due_while_a_device_is_off_fails_and_the_next_ones_arrive() {
    // Room for a connection and its message; a second one, while the first is about to end, is too much.
    let mut device = correct();
    (device.heap_bytes, device.tcp.window_bytes) = (6_500, 3_600);
    let mut spec = reporting(stack("http/tcp", &[("connection", "per_message")]), device);
    spec.flows[0].arrivals = ArrivalSpec::Periodic {
        every_ns: 300 * MILLISECOND_NS,
    };
    let simulated = run(&spec);
    assert_accounted(&simulated);
    let summary = simulated.summary();
    assert!(summary.devices.unwrap().crashes_heap > 0);
    assert!(summary.messages_failed > 0);
    assert!(summary.messages_delivered > 0);
}

/// How long half the sessions took to come about.
fn took(layers: &str, session: SessionSpec, device: DeviceSpec) -> f64 {
    let mut spec = reporting(stack(layers, &[]), device);
    spec.flows[0].session = session;
    let simulated = run(&spec);
    assert_accounted(&simulated);
    let summary = simulated.summary();
    let devices = summary.devices.unwrap();
    assert_eq!((devices.crashes_heap, devices.crashes_watchdog), (0, 0));
    summary.sessions.unwrap().took(50).unwrap().as_secs_f64()
}

#[test]
fn a_handshake_takes_the_time_of_the_task() {
    let at_once = DeviceSpec {
        handshake_ns: 0,
        resumption_ns: 0,
        ..correct()
    };
    for (layers, session, by_task) in [
        ("mqtt/tcp", SessionSpec::Keep, 0.0),
        ("mqtt/tls/tcp", SessionSpec::Keep, 3.0),
        ("coap/dtls/udp", SessionSpec::PerMessage, 0.6),
    ] {
        let longer = took(layers, session, correct()) - took(layers, session, at_once.clone());
        // What else its task has to do meanwhile it does before or behind.
        assert!((longer - by_task).abs() <= 0.15, "{layers}: {longer} s");
    }
}

#[test]
fn a_datagram_waits_for_the_keys_of_its_session() {
    let mean = |device| {
        let mut spec = reporting(stack("coap/dtls/udp", &[]), device);
        spec.flows[0].session = SessionSpec::PerMessage;
        spec.flows[0].arrivals = ArrivalSpec::Periodic {
            every_ns: 10_000 * MILLISECOND_NS,
        };
        let simulated = run(&spec);
        assert_accounted(&simulated);
        let summary = simulated.summary();
        assert_eq!(summary.delivery_ratio(), Some(1.0));
        summary.latency_mean.unwrap().as_secs_f64()
    };
    let at_once = DeviceSpec {
        resumption_ns: 0,
        ..correct()
    };
    let longer = mean(correct()) - mean(at_once);
    assert!((longer - 0.6).abs() <= 0.05, "{longer} s");
}

#[test]
fn keys_take_memory_as_long_as_their_connection_lasts() {
    let with_heap = |heap_bytes| {
        let device = DeviceSpec {
            heap_bytes,
            ..correct()
        };
        run(&reporting(stack("mqtt/tls/tcp", &[]), device))
    };
    // 3,400 B for the connection, 13,321 B for its keys, and what is on its way.
    let small = with_heap(15_000);
    assert_never_set_up(&small);
    assert!(small.summary().devices.unwrap().crashes_heap > 10);
    let large = with_heap(43_848);
    assert_accounted(&large);
    assert_eq!(large.summary().devices.unwrap().crashes_heap, 0);
}

/// So many clients ask a device by HTTP once a second for half a minute, a connection for each request, of which each takes its task
/// 120 ms: eight a second are answered.
fn asked(clients: u32, mailbox: u32) -> RunSpec {
    let options = [
        ("connection", "per_message"),
        ("connections", "1"),
        ("timeout", "3600s"),
    ];
    let mut spec = ten(stack("http/tcp", &options), FlowKind::Report);
    for direction in both_ways(&mut spec) {
        (direction.loss, direction.rate) = (None, None);
    }
    spec.groups[0].population = PopulationSpec::Staying { devices: clients };
    spec.flows[0].duration_ns = 30_000 * MILLISECOND_NS;
    spec.measure.drain_ns = 1_000_000 * MILLISECOND_NS;
    spec.servers[0].device = Some(DeviceSpec {
        mailbox: some(mailbox),
        message_ns: 120 * MILLISECOND_NS,
        byte_ns: 0,
        answers_first: false,
        watchdog_ns: None,
        ..correct()
    });
    spec
}

#[test]
fn dropped_openings_fill_the_mailbox_of_connections_that_wait() {
    let lost = |clients, mailbox| {
        let simulated = run(&asked(clients, mailbox));
        assert_accounted(&simulated);
        100.0 * (1.0 - simulated.summary().delivery_ratio().unwrap())
    };
    // Beside the C source of lwIP: `test_lwip_server.py`, studies/yudayev-2019.
    let ten_clients = lost(10, 6);
    assert!((5.0..=50.0).contains(&ten_clients), "{ten_clients} %");
    assert_eq!(lost(10, 1_000), 0.0);
    // Who finds a connection free each time tells nobody of an error, whatever the mailbox.
    assert_eq!((lost(1, 1), lost(4, 6)), (0.0, 0.0));
}

#[test]
fn of_two_that_come_at_once_into_room_for_one_the_other_comes_again() {
    let mut spec = asked(2, 1);
    spec.flows[0].spread_ns = 0;
    spec.flows[0].arrivals = ArrivalSpec::Periodic {
        every_ns: 5_000 * MILLISECOND_NS,
    };
    let device = spec.servers[0].device.as_mut().unwrap();
    device.connections = some(1);
    let simulated = run(&spec);
    assert_accounted(&simulated);
    assert_eq!(simulated.summary().delivery_ratio(), Some(1.0));
    let rows = simulated.meter().ledger().packet_rows();
    let full = Fate::Discarded(DiscardReason::BacklogFull);
    let turned_away = rows.iter().filter(|row| row.fate == full);
    // Six times each, one of both finds the other there.
    assert_eq!(turned_away.map(|row| row.packets).sum::<u64>(), 6);
}

#[test]
fn whatever_a_device_speaks_its_packets_and_messages_end() {
    for mut spec in every_combination() {
        spec.flows[0].duration_ns /= 20;
        let device = DeviceSpec {
            reading: ReadingSpec::All,
            ..esp8266()
        };
        spec.groups[0].device = Some(device.clone());
        assert_accounted(&run(&spec));
        spec.groups[0].device = None;
        spec.servers[0].device = Some(device);
        assert_accounted(&run(&spec));
    }
}

#[test]
fn a_device_that_cannot_be_is_refused() {
    let refusal = |change: fn(&mut DeviceSpec)| {
        let mut device = esp8266();
        change(&mut device);
        let json = serde_json::to_string(&commanded(1, "0", Some(device))).unwrap();
        RunSpec::parse(&json).unwrap_err().to_string()
    };
    assert_eq!(
        refusal(|device| device.heap_bytes = 3_489),
        "groups[1].device.heap_bytes: holds no connection"
    );
    assert_eq!(
        refusal(|device| device.tcp.window_bytes = 43_849),
        "groups[1].device.tcp.window_bytes: is larger than the heap"
    );
    assert_eq!(
        refusal(|device| device.tcp.max_segment_bytes = 5_745),
        "groups[1].device.tcp.max_segment_bytes: is from 64 up to the window"
    );
    assert_eq!(
        refusal(|device| device.watchdog_ns = Some(0)),
        "groups[1].device.watchdog_ns: is above 0"
    );
}
