//! What comes from outside of a run.

use core::sync::atomic::AtomicBool;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use lasthop_contract::{
    Advance, Cause, Clock, Direction, Host, HostInput, HostOutput, InterfaceId, Layer, Packet,
    Port, Provenance,
};
use lasthop_engine::{Outcome, Simulation};
use lasthop_units::{Duration, Instant};

use crate::at;
use crate::toys::{Greeter, Journal, Radio};

/// Something comes at these instants, and nothing after them: then the outside is gone.
struct Doorbell {
    rings: VecDeque<Instant>,
}

impl Clock for Doorbell {
    fn advance_to(&mut self, deadline: Instant) -> Advance {
        match self.rings.front().copied() {
            Some(ring) if ring < deadline => {
                self.rings.pop_front();
                Advance::Arrived(ring)
            }
            None if deadline == Instant::FAR_FUTURE => Advance::Stopped,
            _ => Advance::OnTime,
        }
    }

    fn accepts_external_input(&self) -> bool {
        true
    }
}

/// Sends a packet for each thing that comes to it from outside.
struct Door {
    to_send: u32,
    told: Rc<RefCell<Vec<Instant>>>,
}

impl Host for Door {
    fn handle(&mut self, now: Instant, input: HostInput) {
        match input {
            HostInput::Timeout => {
                self.to_send += 1;
                self.told.borrow_mut().push(now);
            }
            HostInput::Stop => self.to_send += 1,
            _ => {}
        }
    }

    fn poll(&mut self, _: Instant) -> HostOutput {
        if self.to_send == 0 {
            return HostOutput::WaitUntil(None);
        }
        self.to_send -= 1;
        HostOutput::Transmit {
            interface: InterfaceId(0),
            packet: Packet::of(b"in", Provenance::new(Layer::Ip, Cause::Opaque)),
        }
    }
}

/// A host that greets every 100 ms, so many times, and a door to the outside, behind a radio of 30 ms.
fn world(
    rings: &[u64],
    greetings: u32,
    horizon: Instant,
) -> (Simulation<Doorbell, Journal>, Rc<RefCell<Vec<Instant>>>) {
    let rings = rings.iter().map(|millis| at(*millis)).collect();
    let mut simulation = Simulation::new(Doorbell { rings }, Journal::until(horizon));
    let told = Rc::default();
    let door = Door {
        to_send: 0,
        told: Rc::clone(&told),
    };
    let greeter = simulation.add_host(Box::new(Greeter::new(greetings)), Direction::Up);
    let door = simulation.add_host(Box::new(door), Direction::Down);
    simulation.open_to_outside(door);
    let radio = simulation.add_link(Box::new(Radio::new(Duration::from_millis(30))));
    simulation.attach(greeter, radio, Port(0));
    simulation.attach(door, radio, Port(1));
    (simulation, told)
}

#[test]
fn an_arrival_comes_between_deadlines_at_its_own_time() {
    let (mut simulation, told) = world(&[50, 250], 2, Instant::FAR_FUTURE);
    let outcome = simulation.run(&AtomicBool::new(false));
    assert_eq!(outcome, Outcome::Interrupted, "the outside is gone");
    assert_eq!(*told.borrow(), [at(50), at(250)]);
    let journal = simulation.into_observer();
    assert_eq!(journal.sent, [at(0), at(50), at(100), at(250)]);
    assert_eq!(journal.arrived, [at(30), at(80), at(130), at(280)]);
}

#[test]
fn a_run_that_waits_for_the_outside_ends_at_its_horizon() {
    let (mut simulation, told) = world(&[50, 700], 1, at(500));
    let outcome = simulation.run(&AtomicBool::new(false));
    assert_eq!(outcome, Outcome::HorizonReached);
    assert_eq!(*told.borrow(), [at(50)]);
}

#[test]
fn a_host_that_is_gone_hears_nothing_from_outside() {
    let (mut simulation, told) = world(&[50], 1, at(500));
    simulation.remove_host(lasthop_engine::HostId(1));
    simulation.run(&AtomicBool::new(false));
    assert!(told.borrow().is_empty());
}

#[test]
fn a_host_can_be_told_something_by_nobody_of_the_run() {
    let (mut simulation, _) = world(&[], 0, at(500));
    simulation.run(&AtomicBool::new(false));
    simulation.tell(lasthop_engine::HostId(1), HostInput::Stop);
    assert_eq!(simulation.observer().sent.len(), 1);
}
