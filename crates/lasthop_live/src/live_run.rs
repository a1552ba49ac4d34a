use std::rc::Rc;

use lasthop_contract::{Direction, Host, Link, Port};
use lasthop_engine::{Observer, Simulation};

use crate::{PacketDevice, Poller, WallClock, WallTime};

/// A run in real time: the simulation loop with a wall clock.
pub type LiveRun<O> = Simulation<WallClock, O>;

/// Creates a run without machines, which starts now.
pub fn live_run<O: Observer>(time: WallTime, poller: &Rc<Poller>, observer: O) -> LiveRun<O> {
    run_by(WallClock::new(time, Rc::clone(poller)), observer)
}

/// Creates a run without machines, which starts now, with the given clock.
pub(crate) fn run_by<O: Observer>(clock: WallClock, observer: O) -> LiveRun<O> {
    let now = clock.now();
    let mut run = Simulation::new(clock, observer);
    run.advance_to(now);
    run
}

/// Connects two ends by a link. The first end is at port 0 and its packets go up; the second is at port 1. An end is a
/// host of lasthop, or a [`PacketDevice`] with an external host.
pub fn join<O: Observer>(run: &mut LiveRun<O>, link: Box<dyn Link>, ends: [End; 2]) {
    let link = run.add_link(link);
    for (place, end) in ends.into_iter().enumerate() {
        let direction = Direction::ALL[place];
        let host = match end {
            End::Ours(host) => run.add_host(host, direction),
            End::Outside(device) => {
                let host = run.add_host(Box::new(device), direction);
                run.open_to_outside(host);
                host
            }
        };
        run.attach(host, link, Port(place as u32));
    }
}

/// The machine at an end of a link.
pub enum End {
    /// A host of lasthop.
    Ours(Box<dyn Host>),
    /// The external host behind a packet device.
    Outside(PacketDevice),
}
