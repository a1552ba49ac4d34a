//! Hosts that come and go while the loop runs.

use core::sync::atomic::AtomicBool;

use lasthop_contract::{Direction, Port};
use lasthop_engine::{HostId, LinkId, Outcome, Simulation, VirtualClock};
use lasthop_units::{Duration, Instant};

use crate::at;
use crate::toys::{Greeter, Journal, Radio};

type World = Simulation<VirtualClock, Journal>;

/// A world with a radio that takes 30 ms and nobody at it.
fn nobody() -> (World, LinkId) {
    let mut simulation = Simulation::new(VirtualClock, Journal::until(Instant::FAR_FUTURE));
    let radio = simulation.add_link(Box::new(Radio::new(Duration::from_millis(30))));
    (simulation, radio)
}

/// Adds a host that greets so often, and one that listens.
fn add_pair(simulation: &mut World, radio: LinkId, greetings: u32) -> [HostId; 2] {
    let device = simulation.add_host(Box::new(Greeter::new(greetings)), Direction::Up);
    let server = simulation.add_host(Box::new(Greeter::new(0)), Direction::Down);
    simulation.attach(device, radio, Port(0));
    simulation.attach(server, radio, Port(1));
    [device, server]
}

fn run_until(simulation: &mut World, end: Instant) {
    simulation.observer_mut().horizon = end;
    simulation.run(&AtomicBool::new(false));
    simulation.advance_to(end);
}

#[test]
fn a_host_starts_when_it_comes() {
    let (mut simulation, radio) = nobody();
    run_until(&mut simulation, at(5000));
    add_pair(&mut simulation, radio, 2);
    run_until(&mut simulation, at(9000));
    let journal = simulation.into_observer();
    assert_eq!(journal.sent, [at(5000), at(5100)]);
    assert_eq!(journal.arrived, [at(5030), at(5130)]);
}

#[test]
fn what_is_gone_does_nothing_any_more() {
    let (mut simulation, radio) = nobody();
    let pair = add_pair(&mut simulation, radio, 1000);
    run_until(&mut simulation, at(250));
    for host in pair {
        simulation.remove_host(host);
    }
    simulation.observer_mut().horizon = Instant::FAR_FUTURE;
    assert_eq!(simulation.run(&AtomicBool::new(false)), Outcome::Idle);
    let journal = simulation.into_observer();
    assert_eq!(journal.sent, [at(0), at(100), at(200)]);
}

#[test]
fn what_is_on_its_way_to_a_host_that_is_gone_is_dropped() {
    let (mut simulation, radio) = nobody();
    let [device, server] = add_pair(&mut simulation, radio, 1);
    run_until(&mut simulation, at(10));
    for host in [server, device] {
        simulation.remove_host(host);
    }
    // Whoever comes next has the same numbers and the same ports.
    assert_eq!(add_pair(&mut simulation, radio, 0), [device, server]);
    run_until(&mut simulation, at(1000));
    let journal = simulation.into_observer();
    assert_eq!(journal.sent.len(), 1);
    assert!(journal.arrived.is_empty());
    let dropped: Vec<_> = journal.dropped.iter().map(|reason| reason.name()).collect();
    assert_eq!(dropped, ["not_attached"]);
}

#[test]
fn a_host_that_never_started_can_go() {
    let (mut simulation, radio) = nobody();
    let pair = add_pair(&mut simulation, radio, 5);
    pair.into_iter()
        .for_each(|host| simulation.remove_host(host));
    assert_eq!(simulation.run(&AtomicBool::new(false)), Outcome::Idle);
    assert!(simulation.into_observer().sent.is_empty());
}

#[test]
fn numbers_are_used_again() {
    let (mut simulation, radio) = nobody();
    for turn in 0..10_000_u64 {
        let [device, server] = add_pair(&mut simulation, radio, 1);
        run_until(&mut simulation, at(100 * (turn + 1)));
        for host in [server, device] {
            simulation.remove_host(host);
        }
        assert_eq!([device, server], [HostId(0), HostId(1)]);
    }
    assert_eq!(simulation.host_slots(), 2);
    assert_eq!(simulation.observer().arrived.len(), 10_000);
}
