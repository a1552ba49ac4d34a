//! Devices that have little of everything.

use core::num::{NonZeroU32, NonZeroU64};

use lasthop_contract::DiscardReason;
use lasthop_measure::Fate;
use lasthop_units::Duration;
use lasthop_world::{
    DeviceSpec, DeviceTcpSpec, FlowKind, PopulationSpec, ReadingSpec, RunSpec, SurvivesSpec,
    TcpLikeSpec,
};

use crate::relays;
use crate::specs::{assert_accounted, both_ways, every_combination, run};
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
        segment_bytes: 90,
        reading: ReadingSpec::FirstMessageOnly,
        read_bytes: NonZeroU64::new(1024).unwrap(),
        reads_segments: true,
        message_ns: 23 * MILLISECOND_NS,
        byte_ns: 133_500,
        connection_ns: 0,
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

#[test]
fn whatever_a_device_speaks_its_packets_and_messages_end() {
    for mut spec in every_combination() {
        spec.flows[0].duration_ns /= 20;
        let device = DeviceSpec {
            reading: ReadingSpec::All,
            ..esp8266()
        };
        // As a client of HTTP with one connection a message it stalls: a limit that its page names.
        let options = &spec.stacks["device"].application.options;
        if options.get("connection").and_then(|it| it.as_str()) != Some("per_message") {
            spec.groups[0].device = Some(device.clone());
            assert_accounted(&run(&spec));
            spec.groups[0].device = None;
        }
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
