//! Hosts and links that let nothing through for a time, and hosts that go over to another link.

use core::sync::atomic::AtomicBool;

use lasthop_contract::{Direction, InterfaceId, PathId, Port};
use lasthop_engine::{OutagePlace, Simulation, VirtualClock};
use lasthop_units::{Duration, Instant};

use crate::toys::{Greeter, Journal, Radio};

type Greeting = Simulation<VirtualClock, Journal>;

fn at(millis: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(millis)
}

/// Ten greetings, one each 100 ms, over a radio that takes 30 ms: device, server and radio have the number 0, 1 and 0.
fn greeting() -> (Greeting, [OutagePlace; 3]) {
    let mut simulation = Simulation::new(VirtualClock, Journal::until(at(0)));
    let device = simulation.add_host(Box::new(Greeter::new(10)), Direction::Up);
    let server = simulation.add_host(Box::new(Greeter::new(0)), Direction::Down);
    let radio = simulation.add_link(Box::new(Radio::new(Duration::from_millis(30))));
    simulation.attach(device, radio, Port(0));
    simulation.attach(server, radio, Port(1));
    let places = [
        OutagePlace::Host(device),
        OutagePlace::Host(server),
        OutagePlace::Link(radio),
    ];
    (simulation, places)
}

fn run_to(simulation: &mut Greeting, to: Instant) {
    simulation.observer_mut().horizon = to;
    simulation.run(&AtomicBool::new(false));
    simulation.advance_to(to);
}

#[test]
fn what_meets_an_outage_is_lost_and_nothing_else() {
    for place in 0..3 {
        let (mut simulation, places) = greeting();
        run_to(&mut simulation, at(290));
        simulation.begin_outage(places[place]);
        run_to(&mut simulation, at(515));
        simulation.end_outage(places[place]);
        run_to(&mut simulation, at(10_000));
        let journal = simulation.into_observer();
        assert_eq!(journal.sent.len(), 10);
        assert!(journal.dropped.iter().all(|it| it.name() == "outage"));
        // A server hears what comes after the outage, even if it left within it.
        let lost = if place == 1 { 2 } else { 3 };
        assert_eq!(journal.dropped.len(), lost, "{place}");
        assert_eq!(journal.arrived.len(), 10 - lost);
    }
}

#[test]
fn of_two_outages_the_last_one_counts() {
    let (mut simulation, places) = greeting();
    run_to(&mut simulation, at(50));
    simulation.begin_outage(places[2]);
    simulation.begin_outage(places[2]);
    run_to(&mut simulation, at(150));
    simulation.end_outage(places[2]);
    run_to(&mut simulation, at(350));
    simulation.end_outage(places[2]);
    run_to(&mut simulation, at(10_000));
    assert_eq!(simulation.into_observer().dropped.len(), 3);
}

#[test]
fn an_interface_that_moves_leaves_behind_what_is_on_its_way() {
    let (mut simulation, _) = greeting();
    let (device, server) = (lasthop_engine::HostId(0), lasthop_engine::HostId(1));
    let other = simulation.add_link(Box::new(Radio::new(Duration::from_millis(5))));
    simulation.attach(server, other, Port(1));
    run_to(&mut simulation, at(310));
    simulation.move_interface(device, InterfaceId(0), (other, Port(0)), PathId(1));
    run_to(&mut simulation, at(10_000));
    let journal = simulation.into_observer();
    // The radio gives up what it has on the air when its device leaves.
    let before = [0, 1, 2].map(|number| at(100 * number + 30));
    let after = (4..10).map(|number| at(100 * number + 5));
    let expected: Vec<Instant> = before.into_iter().chain(after).collect();
    assert_eq!(journal.arrived, expected);
    assert_eq!(journal.dropped.len(), 1);
    assert_eq!(journal.dropped[0].name(), "not_attached");
}
