//! Devices that come and go over a network that takes no time but for a queue.

use core::cell::Cell;
use std::collections::VecDeque;
use std::rc::Rc;

use lasthop_contract::{Direction, DropReason, Expectation, LinkInput, LinkOutput, Packet};
use lasthop_measure::{Fate, MessageStatus, RunStatus, Summary};

use super::*;
use crate::simulated::{Observe, meter};
use crate::spec::{
    AcknowledgementSpec, ArrivalSpec, CoapSpec, CoapTypeSpec, CongestionSpec, MessageDetail,
    MqttSpec, MqttVersionSpec, PayloadSpec, PopulationSpec, PushSpec, ServerLayout, SessionSpec,
    StackSpec, TcpProfileSpec, TcpSpec, TrafficKind,
};

/// Packets pass one after the other, each after its service.
struct Queue {
    service: Duration,
    /// With the port that each entered at; the first one is served until `done`.
    waiting: VecDeque<(Port, Packet)>,
    done: Instant,
    gone: VecDeque<(Port, Packet)>,
    is_deaf: bool,
    expectations: Rc<Expectations>,
}

/// How many packets up said that they expect nothing more, and one answer.
#[derive(Default)]
struct Expectations {
    nothing_more: Cell<u64>,
    one_answer: Cell<u64>,
}

impl Link for Queue {
    fn handle(&mut self, now: Instant, input: LinkInput) {
        match input {
            LinkInput::Offered { port, packet } => {
                let counted = match packet.expectation() {
                    Some(Expectation::NothingMore) => Some(&self.expectations.nothing_more),
                    Some(Expectation::OneAnswer) => Some(&self.expectations.one_answer),
                    None => None,
                };
                if let Some(counted) = counted.filter(|_| port.0.is_multiple_of(2)) {
                    counted.set(counted.get() + 1);
                }
                if self.waiting.is_empty() {
                    self.done = now + self.service;
                }
                self.waiting.push_back((port, packet));
            }
            LinkInput::Detach { port } => {
                // Packets towards the device went in at the port beside it.
                let (gone, stay) = self
                    .waiting
                    .drain(..)
                    .partition(|(from, _)| from.0 / 2 == port.0 / 2);
                self.waiting = stay;
                self.gone.extend::<VecDeque<_>>(gone);
            }
            LinkInput::Attach { .. } | LinkInput::Timeout => {}
        }
    }

    fn poll(&mut self, now: Instant) -> LinkOutput {
        if let Some((port, packet)) = self.gone.pop_front() {
            return LinkOutput::Drop {
                port,
                packet,
                reason: DropReason::NotAttached,
            };
        }
        if self.waiting.is_empty() || self.is_deaf {
            return LinkOutput::WaitUntil(None);
        }
        if now < self.done {
            return LinkOutput::WaitUntil(Some(self.done));
        }
        self.done = now + self.service;
        let (from, packet) = self.waiting.pop_front().unwrap();
        LinkOutput::Deliver {
            port: Port(from.0 ^ 1),
            packet,
        }
    }
}

/// Who is within reach, by port, and what the network counts.
struct Map {
    reaches: fn(Port) -> bool,
    expectations: Rc<Expectations>,
    served: u64,
}

impl Reach for Map {
    fn reaches(&self, device: Port) -> bool {
        (self.reaches)(device)
    }

    fn note_served(&mut self, _: Port) {
        self.served += 1;
    }
}

const SECOND_NS: u64 = 1_000_000_000;

/// Ten devices a second for ten minutes, each with 25 B.
fn spec(stack: StackSpec) -> (RunSpec, ArrivingSpec) {
    let mut spec = RunSpec::parse(include_str!("../../tests/specs/raw_udp.json")).unwrap();
    let arriving = ArrivingSpec {
        per_second_per_cell: 10.0,
        linger_ns: SECOND_NS,
        give_up_ns: 60 * SECOND_NS,
    };
    spec.population = PopulationSpec::Arriving(arriving);
    spec.stack = stack;
    spec.server = ServerLayout::PerDevice;
    spec.traffic.payload = PayloadSpec::Text { bytes: 25 };
    spec.traffic.arrivals = ArrivalSpec::Once;
    spec.measure.messages = MessageDetail::Summed;
    (spec, arriving)
}

fn raw_udp() -> StackSpec {
    StackSpec::RawUdp {
        ip_version: 4,
        acknowledgement: None,
    }
}

fn city(
    (spec, arriving): &(RunSpec, ArrivingSpec),
    service_ms: u64,
    reaches: fn(Port) -> bool,
) -> City<Map> {
    let expectations = Rc::new(Expectations::default());
    let map = Map {
        reaches,
        expectations: Rc::clone(&expectations),
        served: 0,
    };
    let queue = Queue {
        service: Duration::from_millis(service_ms),
        waiting: VecDeque::new(),
        done: Instant::ZERO,
        gone: VecDeque::new(),
        is_deaf: service_ms == u64::MAX,
        expectations,
    };
    let meter = meter(spec, Observe::default()).unwrap();
    City::new(spec, arriving, Box::new(queue), map, meter).unwrap()
}

fn run(spec: &(RunSpec, ArrivingSpec), service_ms: u64) -> City<Map> {
    let mut city = city(spec, service_ms, |_| true);
    let outcome = city.run(&AtomicBool::new(false));
    assert_eq!(meter_of(&city).status(outcome), RunStatus::Completed);
    city
}

fn meter_of(city: &City<Map>) -> &Meter {
    &city.simulation.observer().meter
}

fn summary(city: &City<Map>) -> Summary {
    meter_of(city).summary(city.simulation.now())
}

fn every_stack() -> Vec<StackSpec> {
    let acknowledgement = AcknowledgementSpec {
        timeout_ns: 2 * SECOND_NS,
        random_factor: 1.5,
        max_retransmit: 4,
    };
    let tcp = TcpSpec {
        profile: TcpProfileSpec::Larmo2019,
        congestion: CongestionSpec::Reno,
        timestamps: false,
        fast_open: false,
        nodelay_client: true,
        nodelay_server: true,
    };
    let coap = CoapSpec {
        push: PushSpec::Post,
        block_bytes: 1024,
    };
    let linux = TcpSpec {
        profile: TcpProfileSpec::Linux,
        ..tcp
    };
    let mqtt = |qos| StackSpec::Mqtt {
        ip_version: 4,
        tcp: linux,
        mqtt: MqttSpec {
            qos,
            version: MqttVersionSpec::V3,
            keep_alive_s: 60,
            max_in_flight: 20,
            topic_alias: false,
            session: SessionSpec::PerMessage,
        },
    };
    vec![
        raw_udp(),
        StackSpec::RawUdp {
            ip_version: 6,
            acknowledgement: Some(acknowledgement.clone()),
        },
        StackSpec::JsonUdp {
            ip_version: 4,
            subscribe_timeout_ns: SECOND_NS,
        },
        StackSpec::RawTcp { ip_version: 4, tcp },
        StackSpec::Coap {
            ip_version: 4,
            kind: CoapTypeSpec::Non {
                timeout_ns: acknowledgement.timeout_ns,
                random_factor: acknowledgement.random_factor,
            },
            echo: false,
            coap: coap.clone(),
        },
        StackSpec::Coap {
            ip_version: 4,
            kind: CoapTypeSpec::Con {
                nstart: 1,
                acknowledgement,
            },
            echo: false,
            coap: coap.clone(),
        },
        StackSpec::CoapTcp {
            ip_version: 4,
            tcp: linux,
            coap,
        },
        mqtt(0),
        mqtt(1),
        mqtt(2),
    ]
}

#[test]
fn every_stack_brings_every_report_home_and_leaves_nothing() {
    for stack in every_stack() {
        for kind in [TrafficKind::Report, TrafficKind::RoundTrip] {
            let ends_with_message = matches!(stack, StackSpec::Mqtt { .. });
            if kind == TrafficKind::RoundTrip && ends_with_message {
                // The session ends before anything can come back.
                continue;
            }
            let mut spec = spec(stack.clone());
            spec.0.traffic.kind = kind;
            let city = run(&spec, 1);
            let summary = summary(&city);
            // Poisson of mean 6,000: the bounds are five standard deviations.
            assert!(summary.messages_offered.abs_diff(6000) < 388, "{stack:?}");
            assert_eq!(
                summary.messages_delivered, summary.messages_offered,
                "{stack:?} {kind:?}"
            );
            assert_eq!(summary.uncarried_share, Some(0.0), "{stack:?}");
            assert_eq!(city.simulation.observer().present(), 0);
            // Ten a second, each for about a second.
            assert!(city.simulation.host_slots() < 2 * 40, "{stack:?}");
        }
    }
}

#[test]
fn the_wait_for_a_session_counts_as_latency() {
    let tcp = every_stack().swap_remove(3);
    let latency = summary(&run(&spec(tcp), 5)).latency_percentiles[0].unwrap();
    // SYN, its answer, and the report behind the acknowledgement.
    assert!(latency >= Duration::from_millis(15), "{latency:?}");
    let latency = summary(&run(&spec(raw_udp()), 5)).latency_percentiles[0].unwrap();
    assert!(latency < Duration::from_millis(6), "{latency:?}");
}

#[test]
fn a_radio_is_told_what_follows_a_report() {
    let told = |spec: &(RunSpec, ArrivingSpec)| {
        let city = run(spec, 1);
        let expectations = &city.reach.expectations;
        let told = [&expectations.nothing_more, &expectations.one_answer].map(Cell::get);
        (told, summary(&city).messages_offered)
    };
    // Of each device: its report where nothing comes back, or its acknowledgement alone.
    for (stack, each) in [
        (0, [1, 0]),
        (1, [0, 1]),
        (2, [0, 0]),
        (3, [0, 0]),
        (4, [1, 0]),
        (5, [0, 1]),
        (6, [0, 0]),
        (7, [0, 0]),
        (8, [0, 0]),
    ] {
        let spec = spec(every_stack().swap_remove(stack));
        let (counted, devices) = told(&spec);
        assert_eq!(counted, each.map(|one| one * devices), "{:?}", spec.0.stack);
    }
    for stack in [0, 1, 4, 5] {
        let mut echo = spec(every_stack().swap_remove(stack));
        echo.0.traffic.kind = TrafficKind::RoundTrip;
        assert_eq!(told(&echo).0, [0, 0], "{:?}", echo.0.stack);
    }
}

#[test]
fn a_device_stays_until_it_knows_and_a_while_longer() {
    let mut stay = spec(every_stack().swap_remove(1));
    stay.1.linger_ns = 0;
    let city = run(&stay, 20);
    let acknowledgements = |fate| -> u64 {
        let rows = meter_of(&city).ledger().packet_rows();
        let down = rows.iter().filter(|row| row.direction == Direction::Down);
        down.filter(|row| row.fate == fate)
            .map(|row| row.packets)
            .sum()
    };
    let offered = acknowledgements(Fate::Offered);
    assert!(offered >= 5600);
    assert_eq!(acknowledgements(Fate::Delivered), offered);
}

#[test]
fn who_gets_nothing_through_gives_up_and_every_packet_is_accounted_for() {
    for stack in every_stack() {
        let mut spec = spec(stack.clone());
        spec.0.measure.messages = MessageDetail::Each;
        let city = run(&spec, u64::MAX);
        let summary = summary(&city);
        assert_eq!(summary.messages_failed, summary.messages_offered);
        let reasons = summary_of_failures(&city);
        assert_eq!(reasons, ["gave_up"], "{stack:?}");
        let packets = meter_of(&city).ledger().packet_rows();
        let total = |wanted: Fate| -> u64 {
            let rows = packets.iter().filter(|row| row.fate == wanted);
            rows.map(|row| row.packets).sum()
        };
        let dropped = total(Fate::Dropped(DropReason::NotAttached));
        assert_eq!(total(Fate::Offered), dropped, "{stack:?}");
        // Sixty seconds of ten devices a second.
        assert!(city.simulation.host_slots() < 2 * 720);
        assert_eq!(city.simulation.observer().present(), 0);
    }
}

fn summary_of_failures(city: &City<Map>) -> Vec<&'static str> {
    let mut reasons: Vec<_> = meter_of(city)
        .log()
        .records()
        .map(|(.., record)| match record.status() {
            MessageStatus::Failed(reason) => reason,
            other => other.name(),
        })
        .collect();
    reasons.sort_unstable();
    reasons.dedup();
    reasons
}

#[test]
fn a_queue_that_grows_is_an_overload_and_one_that_settles_is_none() {
    // Of ten packets a second, four, nine and eleven are carried.
    for (service_ms, expected) in [(250, 0.6), (111, 0.1), (90, 0.0)] {
        let share = summary(&run(&spec(raw_udp()), service_ms)).uncarried_share;
        let share = share.unwrap();
        assert!(
            (share - expected).abs() < 0.04,
            "{share} at {service_ms} ms"
        );
    }
}

#[test]
fn who_is_out_of_reach_is_no_overload() {
    let spec = spec(raw_udp());
    let mut nobody = city(&spec, u64::MAX, |_| false);
    nobody.run(&AtomicBool::new(false));
    let share = summary(&nobody).uncarried_share;
    assert!(share.unwrap() < 0.02, "{share:?}");
}

#[test]
fn sums_say_what_rows_say() {
    for service_ms in [1, 40] {
        let mut with_rows = spec(every_stack().swap_remove(5));
        with_rows.0.measure.warm_up_ns = 60 * SECOND_NS;
        let summed = run(&with_rows, service_ms);
        with_rows.0.measure.messages = MessageDetail::Each;
        let each = run(&with_rows, service_ms);
        assert_eq!(summed.simulation.events(), each.simulation.events());
        assert_eq!(meter_of(&summed).log().len(), 0);
        let (summed, rows) = (summary(&summed), summary(&each));
        assert_eq!(summed.latency, rows.latency);
        assert_eq!(summed.trace, rows.trace);
        let measured = each.simulation.observer().meter.measured_from();
        let records = || {
            let records = meter_of(&each).log().records().map(|(.., record)| record);
            records.filter(|record| record.intended >= measured)
        };
        assert_eq!(summed.messages_offered, records().count() as u64);
        let mut latencies: Vec<_> = records()
            .filter_map(lasthop_measure::MessageRecord::latency)
            .collect();
        latencies.sort_unstable();
        assert_eq!(summed.messages_delivered, latencies.len() as u64);
        assert_eq!(summed.latency_max, latencies.last().copied());
        let exact = latencies[(records().count() * 95).div_ceil(100) - 1].as_secs_f64();
        let found = summed.latency_percentiles[1].unwrap().as_secs_f64();
        assert!((found / exact - 1.0).abs() < 0.005, "{found} for {exact}");
    }
}

#[test]
fn served_are_those_who_are_measured_and_wait_for_twenty_seconds_at_most() {
    // Of ten packets a second nine are carried: after ten minutes the last wait for a minute.
    let mut spec = spec(raw_udp());
    spec.0.measure.warm_up_ns = 60 * SECOND_NS;
    spec.0.measure.messages = MessageDetail::Each;
    let city = run(&spec, 111);
    let measured = meter_of(&city).measured_from();
    let records = meter_of(&city).log().records().map(|(.., record)| record);
    let served = records
        .filter(|record| record.intended >= measured)
        .filter(|record| {
            record
                .latency()
                .is_some_and(|it| it <= Duration::from_secs(20))
        })
        .count() as u64;
    assert_eq!(city.reach.served, served);
    let delivered = summary(&city).messages_delivered;
    assert!(
        (delivered / 10..delivered * 9 / 10).contains(&served),
        "{served} of {delivered}"
    );
}

#[test]
fn nobody_comes_where_the_rate_is_zero() {
    let mut spec = spec(raw_udp());
    spec.1.per_second_per_cell = 0.0;
    let summary = summary(&run(&spec, 1));
    assert_eq!(summary.messages_offered, 0);
    assert_eq!(summary.latency_percentiles, [None; 3]);
    assert_eq!(summary.uncarried_share, None);
}

#[test]
fn an_interrupt_ends_it() {
    let spec = spec(raw_udp());
    let mut city = city(&spec, 1, |_| true);
    assert_eq!(city.run(&AtomicBool::new(true)), Outcome::Interrupted);
}
