use std::rc::Rc;

use lasthop_contract::{Direction, Host, Link, Port};
use lasthop_engine::{Observer, Simulation};

use crate::{PacketDevice, Poller, WallClock, WallTime};

/// A run on the wall clock: the one loop, with a clock that waits.
pub type LiveRun<O> = Simulation<WallClock, O>;

/// A run without machines, which begins now.
pub fn live_run<O: Observer>(time: WallTime, poller: &Rc<Poller>, observer: O) -> LiveRun<O> {
    run_by(WallClock::new(time, Rc::clone(poller)), observer)
}

/// A run without machines, which begins now by a clock.
pub(crate) fn run_by<O: Observer>(clock: WallClock, observer: O) -> LiveRun<O> {
    let now = clock.now();
    let mut run = Simulation::new(clock, observer);
    run.advance_to(now);
    run
}

/// Joins two ends by a link: the first is at port 0 and its packets go up, the second at port 1. An end is a host of
/// ours, or a [`PacketDevice`] with whoever is behind it.
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
    /// A host of ours.
    Ours(Box<dyn Host>),
    /// Whoever is behind a device.
    Outside(PacketDevice),
}
