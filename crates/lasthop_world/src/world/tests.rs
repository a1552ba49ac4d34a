//! Devices that come and go over a network that takes no time but for a queue.

use core::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;
use std::sync::LazyLock;

use lasthop_contract::{DropReason, Expectation, Link, LinkInput, LinkOutput, Packet, Port};
use lasthop_engine::VirtualClock;
use lasthop_measure::{Fate, MessageStatus, RunStatus, Summary};
use lasthop_nbiot::config::NetworkConfig;
use lasthop_traffic::FlowKind;

use super::*;
use crate::medium::MediumSpec;
use crate::medium::nbiot::{RadioNetwork, RadioReport};
use crate::simulated::{Observe, meter};
use crate::spec::{
    ArrivalSpec, MeasureSpec, MessageDetail, PayloadSpec, PopulationSpec, ServerLayout,
    SessionSpec, ShortSpec, StackSpec,
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
            _ => {}
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

/// A queue that is a network, who is within its reach, and what it counts.
struct FakeNetwork {
    queue: RefCell<Option<Queue>>,
    reaches: fn(Port) -> bool,
    served: Rc<Cell<u64>>,
}

impl RadioNetwork for FakeNetwork {
    fn link(&self) -> Box<dyn Link> {
        Box::new(self.queue.take().expect("it is asked for once"))
    }

    fn state_coupling_loss(&mut self, _: Port, _: f64) {}

    fn watch_next(&mut self, _: Port) {}

    fn reaches(&self, radio: Port) -> bool {
        (self.reaches)(radio)
    }

    fn note_served(&mut self, _: Port) {
        self.served.set(self.served.get() + 1);
    }

    fn report(&self, _: Instant) -> Option<RadioReport> {
        None
    }
}

/// A world over a queue, and what the queue counts.
struct City<'a> {
    world: World<'a, VirtualClock>,
    expectations: Rc<Expectations>,
    served: Rc<Cell<u64>>,
}

static REGISTRY: LazyLock<Registry> = LazyLock::new(Registry::standard);

const SECOND_NS: u64 = 1_000_000_000;

/// Ten devices a second for ten minutes, each with 25 B.
fn spec(stack: StackSpec) -> RunSpec {
    let application = REGISTRY.application(&stack.application.name).unwrap();
    RunSpec::from(ShortSpec {
        seed: 1,
        population: PopulationSpec::Arriving(ArrivingSpec {
            per_second_per_cell: 10.0,
            until_ns: 600 * SECOND_NS,
            linger_ns: SECOND_NS,
            give_up_ns: 60 * SECOND_NS,
        }),
        layout: ServerLayout::PerDevice,
        port: application.port,
        stack,
        kind: FlowKind::Report,
        payload: PayloadSpec::Text { bytes: 25 },
        arrivals: ArrivalSpec::Once,
        spread_ns: 0,
        duration_ns: 600 * SECOND_NS,
        session: SessionSpec::PerMessage,
        hops: vec![MediumSpec::Nbiot(Box::new(NetworkConfig::single_device(
            130.0,
        )))],
        energy: None,
        measure: MeasureSpec {
            warm_up_ns: 0,
            drain_ns: 120 * SECOND_NS,
            set_up_ns: 120 * SECOND_NS,
            messages: MessageDetail::Summed,
        },
    })
}

fn stack(layers: &str, options: &[(&str, &str)]) -> StackSpec {
    REGISTRY.stack(layers, options).unwrap()
}

fn raw_udp() -> StackSpec {
    stack("raw_udp/udp", &[])
}

fn arriving(spec: &mut RunSpec) -> &mut ArrivingSpec {
    match &mut spec.groups[0].population {
        PopulationSpec::Arriving(arriving) => arriving,
        PopulationSpec::Staying { .. } => panic!("they stay"),
    }
}

fn city(spec: &RunSpec, service_ms: u64, reaches: fn(Port) -> bool) -> City<'_> {
    let expectations = Rc::new(Expectations::default());
    let served = Rc::new(Cell::new(0));
    let queue = Queue {
        service: Duration::from_millis(service_ms),
        waiting: VecDeque::new(),
        done: Instant::ZERO,
        gone: VecDeque::new(),
        is_deaf: service_ms == u64::MAX,
        expectations: Rc::clone(&expectations),
    };
    let name = spec.networks()[0].0;
    let network = FakeNetwork {
        queue: RefCell::new(Some(queue)),
        reaches,
        served: Rc::clone(&served),
    };
    let meter = meter(spec, Observe::default()).unwrap();
    City {
        world: World::new(
            VirtualClock,
            spec,
            &REGISTRY,
            vec![(name, Box::new(network))],
            meter,
            OutsideHosts::new(),
        )
        .unwrap(),
        expectations,
        served,
    }
}

fn run(spec: &RunSpec, service_ms: u64) -> City<'_> {
    let mut city = city(spec, service_ms, |_| true);
    let outcome = city.world.run(&AtomicBool::new(false)).unwrap();
    assert_eq!(meter_of(&city).status(outcome), RunStatus::Completed);
    city
}

fn meter_of<'a>(city: &'a City<'_>) -> &'a Meter {
    &city.world.simulation.observer().meter
}

fn summary(city: &City<'_>) -> Summary {
    meter_of(city).summary(city.world.simulation.now())
}

/// How many devices are there.
fn present(city: &City<'_>) -> usize {
    let population = &city.world.simulation.observer().population;
    population.as_ref().unwrap().size()
}

fn every_stack() -> Vec<StackSpec> {
    let larmo = [("tcp.profile", "larmo_2019"), ("tcp.timestamps", "off")];
    let reno = [("tcp.congestion", "reno"), ("tcp.timestamps", "off")];
    let mqtt = |qos| stack("mqtt/tcp", &[reno[0], reno[1], ("qos", qos)]);
    vec![
        raw_udp(),
        stack("raw_udp/udp", &[("ack", "on"), ("ip.version", "6")]),
        stack("json_udp/udp", &[]),
        stack("raw_tcp/tcp", &larmo),
        stack("coap/udp", &[("type", "non")]),
        stack("coap/udp", &[]),
        stack("coap/tcp", &reno),
        mqtt("0"),
        mqtt("1"),
        mqtt("2"),
    ]
}

#[test]
fn every_stack_brings_every_report_home_and_leaves_nothing() {
    for stack in every_stack() {
        for kind in [FlowKind::Report, FlowKind::RoundTrip] {
            let ends_with_message = stack.application.name == "mqtt";
            if kind == FlowKind::RoundTrip && ends_with_message {
                // The session ends before anything can come back.
                continue;
            }
            let mut spec = spec(stack.clone());
            spec.flows[0].kind = kind;
            let city = run(&spec, 1);
            let summary = summary(&city);
            // Poisson of mean 6,000: the bounds are five standard deviations.
            assert!(summary.messages_offered.abs_diff(6000) < 388, "{stack:?}");
            assert_eq!(
                summary.messages_delivered, summary.messages_offered,
                "{stack:?} {kind:?}"
            );
            assert_eq!(summary.uncarried_share, Some(0.0), "{stack:?}");
            assert_eq!(present(&city), 0);
            // Ten a second, each for about a second.
            assert!(city.world.simulation.host_slots() < 2 * 40, "{stack:?}");
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
    let told = |spec: &RunSpec| {
        let city = run(spec, 1);
        let expectations = &city.expectations;
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
        assert_eq!(counted, each.map(|one| one * devices), "{:?}", spec.stacks);
    }
    for stack in [0, 1, 4, 5] {
        let mut echo = spec(every_stack().swap_remove(stack));
        echo.flows[0].kind = FlowKind::RoundTrip;
        assert_eq!(told(&echo).0, [0, 0], "{:?}", echo.stacks);
    }
}

#[test]
fn a_device_stays_until_it_knows_and_a_while_longer() {
    let mut stay = spec(every_stack().swap_remove(1));
    arriving(&mut stay).linger_ns = 0;
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
        spec.measure.messages = MessageDetail::Each;
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
        assert!(city.world.simulation.host_slots() < 2 * 720);
        assert_eq!(present(&city), 0);
    }
}

fn summary_of_failures(city: &City<'_>) -> Vec<&'static str> {
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
    nobody.world.run(&AtomicBool::new(false)).unwrap();
    let share = summary(&nobody).uncarried_share;
    assert!(share.unwrap() < 0.02, "{share:?}");
}

#[test]
fn sums_say_what_rows_say() {
    for service_ms in [1, 40] {
        let mut with_sums = spec(every_stack().swap_remove(5));
        with_sums.measure.warm_up_ns = 60 * SECOND_NS;
        let mut with_rows = with_sums.clone();
        with_rows.measure.messages = MessageDetail::Each;
        let summed = run(&with_sums, service_ms);
        let each = run(&with_rows, service_ms);
        assert_eq!(
            summed.world.simulation.events(),
            each.world.simulation.events()
        );
        assert_eq!(meter_of(&summed).log().len(), 0);
        let (summed, rows) = (summary(&summed), summary(&each));
        assert_eq!(summed.latency, rows.latency);
        assert_eq!(summed.trace, rows.trace);
        let measured = each.world.simulation.observer().meter.measured_from();
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
    spec.measure.warm_up_ns = 60 * SECOND_NS;
    spec.measure.messages = MessageDetail::Each;
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
    assert_eq!(city.served.get(), served);
    let delivered = summary(&city).messages_delivered;
    assert!(
        (delivered / 10..delivered * 9 / 10).contains(&served),
        "{served} of {delivered}"
    );
}

#[test]
fn nobody_comes_where_the_rate_is_zero() {
    let mut spec = spec(raw_udp());
    arriving(&mut spec).per_second_per_cell = 0.0;
    let summary = summary(&run(&spec, 1));
    assert_eq!(summary.messages_offered, 0);
    assert_eq!(summary.latency_percentiles, [None; 4]);
    assert_eq!(summary.uncarried_share, None);
}

#[test]
fn an_interrupt_ends_it() {
    let spec = spec(raw_udp());
    let mut city = city(&spec, 1, |_| true);
    assert_eq!(
        city.world.run(&AtomicBool::new(true)).unwrap(),
        Outcome::Interrupted
    );
}
