//! Servers whose work takes time.

use core::num::NonZeroU16;

use lasthop_contract::DiscardReason;
use lasthop_measure::Fate;
use lasthop_units::Duration;
use lasthop_world::{
    ArrivalSpec, BackSpec, ChangeSpec, EngineSpec, EventSpec, FlowKind, PopulationSpec,
    RestartOfSpec, RunSpec, ServiceTimeSpec, SurvivesSpec,
};

use crate::specs::{assert_accounted, base, both_ways, every_combination, run, set_kind};
use crate::stacks::{set_stack, stack};

const MILLISECOND_NS: u64 = 1_000_000;

fn no_time() -> ServiceTimeSpec {
    ServiceTimeSpec {
        workers: NonZeroU16::MIN,
        queue_bytes: 1 << 24,
        packet_ns: 0,
        byte_ns: 0,
        connection_ns: 0,
        resumption_ns: 0,
        message_ns: 0,
    }
}

/// Nothing is lost or late on the way but for 100 ms each way.
fn clean() -> RunSpec {
    let mut spec = base();
    for direction in both_ways(&mut spec) {
        (direction.loss, direction.rate) = (None, None);
    }
    spec
}

#[test]
fn a_time_of_zero_changes_nothing() {
    for mut spec in every_combination() {
        spec.flows[0].duration_ns /= 20;
        let without = run(&spec);
        spec.servers[0].service_time = Some(no_time());
        assert_eq!(
            run(&spec).summary().trace,
            without.summary().trace,
            "{:?}",
            spec.stacks
        );
    }
}

#[test]
fn what_is_no_host_of_ours_takes_its_own_time() {
    let mut spec = clean();
    set_stack(&mut spec, stack("mqtt/tcp", &[]));
    spec.servers[0].service_time = Some(no_time());
    let refusal = |spec: &RunSpec| {
        let json = serde_json::to_string(spec).unwrap();
        RunSpec::parse(&json).unwrap_err().to_string()
    };
    let mut real = spec.clone();
    real.engine = EngineSpec::Live;
    real.stacks.get_mut("device").unwrap().software = Some("mosquitto".into());
    assert_eq!(
        refusal(&real),
        "servers[0].service_time: real software takes its own time"
    );
    let mut elsewhere = spec;
    elsewhere.engine = EngineSpec::Load;
    assert_eq!(
        refusal(&elsewhere),
        "servers[0].service_time: a server that is somewhere else takes its own time"
    );
}

#[test]
fn every_message_is_late_by_the_work_on_it() {
    // It comes, and comes and goes, as the echo of a server or by a broker.
    for (kind, expected_ms) in [(FlowKind::Report, 107), (FlowKind::RoundTrip, 214)] {
        for name in ["raw_udp/udp", "mqtt/tcp", "mqtt/tls/tcp", "mqtt/quic/udp"] {
            let mut spec = clean();
            set_kind(&mut spec, kind);
            set_stack(&mut spec, stack(name, &[]));
            let service_time = ServiceTimeSpec {
                message_ns: 7 * MILLISECOND_NS,
                ..no_time()
            };
            spec.servers[0].service_time = Some(service_time);
            let summary = run(&spec).summary();
            let expected = Duration::from_millis(expected_ms);
            assert_eq!(summary.latency_max, Some(expected), "{name} {kind:?}");
            assert_eq!(summary.latency_mean, Some(expected), "{name} {kind:?}");
        }
    }
}

#[test]
fn a_connection_takes_its_time_once() {
    for (name, round_trips) in [("mqtt/tcp", 3), ("mqtt/tls/tcp", 4), ("mqtt/quic/udp", 3)] {
        let mut spec = clean();
        set_kind(&mut spec, FlowKind::RoundTrip);
        set_stack(&mut spec, stack(name, &[]));
        let service_time = ServiceTimeSpec {
            connection_ns: 30 * MILLISECOND_NS,
            ..no_time()
        };
        spec.servers[0].service_time = Some(service_time);
        let summary = run(&spec).summary();
        let expected = 0.2 * f64::from(round_trips) + 0.03;
        let took = summary.sessions.unwrap().took(100).unwrap().as_secs_f64();
        assert!((took / expected - 1.0).abs() < 0.005, "{name}: {took} s");
    }
}

#[test]
fn a_server_that_cannot_keep_up_is_an_overload() {
    let mut spec = clean();
    // Four messages a second, and work for two.
    spec.servers[0].service_time = Some(ServiceTimeSpec {
        message_ns: 500 * MILLISECOND_NS,
        ..no_time()
    });
    let summary = run(&spec).summary();
    let share = summary.uncarried_share.unwrap();
    assert!((share - 0.5).abs() < 0.02, "{share}");

    // A queue of ten packets, and all else is refused.
    spec.servers[0].service_time.as_mut().unwrap().queue_bytes = 10 * 437;
    let simulated = run(&spec);
    assert_accounted(&simulated);
    let rows = simulated.meter().ledger().packet_rows();
    let is_full = |fate: &Fate| *fate == Fate::Discarded(DiscardReason::QueueFull);
    let refused: u64 = rows
        .iter()
        .filter(|row| is_full(&row.fate))
        .map(|row| row.packets)
        .sum();
    let summary = simulated.summary();
    assert_eq!(
        summary.messages_delivered + refused,
        summary.messages_offered
    );
    assert!(refused > 1100, "{refused} of 2400");
}

#[test]
fn two_workers_carry_what_one_cannot() {
    let mut spec = clean();
    spec.servers[0].service_time = Some(ServiceTimeSpec {
        workers: NonZeroU16::new(2).unwrap(),
        message_ns: 450 * MILLISECOND_NS,
        ..no_time()
    });
    let summary = run(&spec).summary();
    assert_eq!(summary.latency_max, Some(Duration::from_millis(550)));
}

#[test]
fn many_devices_at_random_wait_for_each_other_as_in_a_queue() {
    let mut spec = clean();
    spec.groups[0].population = PopulationSpec::Staying { devices: 50 };
    spec.flows[0].arrivals = ArrivalSpec::Poisson {
        mean_ns: 1_000 * MILLISECOND_NS,
    };
    // 50 a second of 14 ms each: a load of 0.7, of which the mean wait is 0.7 / 0.6 times the work. 30,000 messages of
    // seed 1; the bound is four standard errors, from the relaxation time of the queue.
    spec.servers[0].service_time = Some(ServiceTimeSpec {
        message_ns: 14 * MILLISECOND_NS,
        ..no_time()
    });
    let mean = run(&spec).summary().latency_mean.unwrap().as_secs_f64();
    let wait = (mean - 0.1) / 0.014 - 1.0;
    assert!((wait - 0.7 / 0.6).abs() < 0.15, "{wait}");
}

#[test]
fn a_restart_in_the_middle_of_the_work_loses_no_account() {
    for mut spec in every_combination() {
        spec.flows[0].duration_ns /= 20;
        spec.servers[0].service_time = Some(ServiceTimeSpec {
            packet_ns: 40 * MILLISECOND_NS,
            message_ns: 150 * MILLISECOND_NS,
            connection_ns: 100 * MILLISECOND_NS,
            ..no_time()
        });
        let crash = ChangeSpec::Restart {
            of: RestartOfSpec::Server("server".into()),
            back: BackSpec {
                duration_ns: 1_000 * MILLISECOND_NS,
                spread_ns: 0,
                survives: SurvivesSpec::Nothing,
            },
        };
        spec.events.push(EventSpec {
            at_ns: 10_050 * MILLISECOND_NS,
            change: crash,
            again: None,
        });
        assert_accounted(&run(&spec));
    }
}
