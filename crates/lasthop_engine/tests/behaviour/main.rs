//! Behaviour of the event loop with toy machines.

mod coming_and_going;
mod outages;
mod outside;
mod toys;

use core::sync::atomic::AtomicBool;

use lasthop_contract::{Advance, Clock, Direction, Port, RadioState};
use lasthop_engine::{Outcome, STALL_LIMIT, Simulation, VirtualClock};
use lasthop_units::{DecibelMilliwatts, Duration, Instant};

use toys::{Greeter, Journal, Radio, Sleeper, WaitsForThePast};

fn at(millis: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(millis)
}

/// Two hosts that greet each other `count` times over a radio.
fn greeting<C: Clock>(clock: C, count: u32, horizon: Instant) -> Simulation<C, Journal> {
    let mut simulation = Simulation::new(clock, Journal::until(horizon));
    let device = simulation.add_host(Box::new(Greeter::new(count)), Direction::Up);
    let server = simulation.add_host(Box::new(Greeter::new(0)), Direction::Down);
    let radio = simulation.add_link(Box::new(Radio::new(Duration::from_millis(30))));
    simulation.attach(device, radio, Port(0));
    simulation.attach(server, radio, Port(1));
    simulation
}

#[test]
fn runs_until_nobody_waits_for_anything() {
    let mut simulation = greeting(VirtualClock, 3, Instant::FAR_FUTURE);
    assert_eq!(simulation.run(&AtomicBool::new(false)), Outcome::Idle);
    let journal = simulation.into_observer();
    assert_eq!(journal.sent, [at(0), at(100), at(200)]);
    assert_eq!(journal.arrived, [at(30), at(130), at(230)]);
}

#[test]
fn stops_at_the_observers_horizon() {
    let mut simulation = greeting(VirtualClock, 1000, at(150));
    let outcome = simulation.run(&AtomicBool::new(false));
    assert_eq!(outcome, Outcome::HorizonReached);
    assert_eq!(simulation.now(), at(130));
}

#[test]
fn an_interrupt_stops_it_and_it_can_go_on() {
    let mut simulation = greeting(VirtualClock, 3, Instant::FAR_FUTURE);
    let outcome = simulation.run(&AtomicBool::new(true));
    assert_eq!(outcome, Outcome::Interrupted);
    assert_eq!(simulation.run(&AtomicBool::new(false)), Outcome::Idle);
    assert_eq!(simulation.into_observer().arrived.len(), 3);
}

#[test]
fn hands_radio_time_to_the_observer_up_to_the_end() {
    let mut simulation = greeting(VirtualClock, 2, Instant::FAR_FUTURE);
    simulation.run(&AtomicBool::new(false));
    simulation.tell_radio_time(at(200));
    let told = simulation.into_observer().radio;
    let sending = RadioState::Transmit(DecibelMilliwatts::new(23.0));
    let span = |state, from, until| (state, at(from), at(until) - at(from));
    assert_eq!(
        told,
        [
            span(RadioState::LightSleep, 0, 0),
            span(sending, 0, 30),
            span(RadioState::LightSleep, 30, 100),
            span(sending, 100, 130),
            span(RadioState::LightSleep, 130, 200),
        ]
    );
}

#[test]
fn a_machine_that_waits_for_the_past_stalls_the_run() {
    let mut simulation = Simulation::new(VirtualClock, Journal::until(Instant::FAR_FUTURE));
    simulation.add_host(Box::new(WaitsForThePast), Direction::Up);
    assert_eq!(simulation.run(&AtomicBool::new(false)), Outcome::Stalled);
    assert!(simulation.events() <= u64::from(STALL_LIMIT) + 2);
}

#[test]
fn what_sleeps_costs_nothing() {
    let events_with = |sleepers: usize| {
        let mut simulation = greeting(VirtualClock, 100, Instant::FAR_FUTURE);
        for _ in 0..sleepers {
            simulation.add_host(Box::new(Sleeper), Direction::Up);
        }
        simulation.run(&AtomicBool::new(false));
        simulation.events()
    };
    assert_eq!(events_with(0), events_with(10_000));
}

/// A clock that is always late by as much.
struct LateClock(Duration);

impl Clock for LateClock {
    fn advance_to(&mut self, _: Instant) -> Advance {
        Advance::Late(self.0)
    }
}

#[test]
fn a_late_clock_is_recorded_and_delays_nothing_further() {
    let by = Duration::from_millis(2);
    let mut simulation = greeting(LateClock(by), 2, Instant::FAR_FUTURE);
    simulation.run(&AtomicBool::new(false));
    let journal = simulation.into_observer();
    assert_eq!(journal.sent, [at(0), at(100)]);
    assert_eq!(journal.arrived, [at(30), at(130)]);
    assert!(!journal.late.is_empty());
    assert!(journal.late.iter().all(|late| *late == by));
}

#[test]
fn who_stood_still_goes_on_from_where_the_clock_is() {
    let mut simulation = greeting(LateClock(Duration::from_secs(5)), 2, Instant::FAR_FUTURE);
    simulation.run(&AtomicBool::new(false));
    let sent = simulation.into_observer().sent;
    assert!(sent[1] >= at(100) + Duration::from_millis(4990));
}

#[test]
fn a_packet_for_a_port_where_nothing_is_attached_is_dropped() {
    let mut simulation = Simulation::new(VirtualClock, Journal::until(Instant::FAR_FUTURE));
    let device = simulation.add_host(Box::new(Greeter::new(1)), Direction::Up);
    let radio = simulation.add_link(Box::new(Radio::new(Duration::ZERO)));
    simulation.attach(device, radio, Port(0));
    simulation.run(&AtomicBool::new(false));
    let journal = simulation.into_observer();
    assert_eq!(journal.dropped.first().unwrap().name(), "not_attached");
}

#[test]
fn parts_that_take_turns_do_what_they_do_together() {
    let run = |by_parts: bool, horizon: Instant| {
        let mut simulation = Simulation::new(VirtualClock, Journal::until(horizon));
        for pair in 0..5 {
            let delay = Duration::from_millis(20 + pair);
            let device = simulation.add_host(Box::new(Greeter::new(200)), Direction::Up);
            let server = simulation.add_host(Box::new(Greeter::new(0)), Direction::Down);
            let radio = simulation.add_link(Box::new(Radio::new(delay)));
            simulation.attach(device, radio, Port(0));
            simulation.attach(server, radio, Port(1));
        }
        if by_parts {
            simulation.order_by_parts();
        }
        let outcome = simulation.run(&AtomicBool::new(false));
        let counts = (simulation.events(), simulation.polls(), simulation.now());
        (outcome, counts, simulation.into_observer())
    };
    for horizon in [Instant::FAR_FUTURE, at(0), at(4_321), at(9_876)] {
        let (outcome, counts, together) = run(false, horizon);
        let (outcome_by_parts, counts_by_parts, mut apart) = run(true, horizon);
        assert_eq!((outcome, counts), (outcome_by_parts, counts_by_parts));
        if horizon == Instant::FAR_FUTURE {
            assert!(!apart.arrived.is_sorted(), "they take turns");
        }
        apart.arrived.sort_unstable();
        assert_eq!(together.arrived, apart.arrived);
    }
}
