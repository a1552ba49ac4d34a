use core::sync::atomic::AtomicBool;
use std::rc::Rc;

use lasthop_live::{Crowd, InterruptibleClock, Poller, WallTime};
use lasthop_world::{Guest, Observe, Registry, RunSpec, Simulated};
use pyo3::prelude::*;

use crate::errors::from_run_error;

/// Runs the clients of a spec against the servers that it has the addresses of.
pub(crate) fn load(
    guest: &Guest,
    registry: &Registry,
    spec: &RunSpec,
    observe: Observe,
    interrupt: &AtomicBool,
) -> PyResult<Simulated> {
    let poller = Poller::new()?;
    let time = WallTime::starting_now();
    let clock = InterruptibleClock::in_time(time, Rc::clone(&poller), interrupt);
    let observed = (observe, interrupt);
    let simulated = Simulated::load(clock, registry, spec, guest, observed, |clients| {
        Box::new(Crowd::new(clients, time, &poller))
    });
    match poller.take_failure() {
        Some(failure) => Err(failure.into()),
        None => simulated.map_err(from_run_error),
    }
}
