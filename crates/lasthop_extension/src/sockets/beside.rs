use core::sync::atomic::AtomicBool;
use std::collections::BTreeMap;
use std::os::fd::RawFd;
use std::rc::Rc;

use lasthop_live::{ExternalServer, InterruptibleClock, PacketDevice, Poller, of_this_process};
use lasthop_world::{Observe, OutsideHosts, Registry, RunSpec, Simulated};
use pyo3::prelude::*;

use crate::errors::from_run_error;

/// Runs a spec beside real software, which is behind these devices by the numbers of the servers.
pub(crate) fn beside(
    devices: &BTreeMap<u32, RawFd>,
    registry: &Registry,
    spec: &RunSpec,
    observe: Observe,
    interrupt: &AtomicBool,
) -> PyResult<Simulated> {
    let poller = Poller::new()?;
    let mut outside = OutsideHosts::new();
    for server in spec.outside_servers() {
        let Some(device) = devices.get(&server.number) else {
            continue;
        };
        let device = PacketDevice::new(of_this_process(*device)?, &poller)?;
        outside.insert(
            server.number,
            Box::new(move |routes| {
                let mut host = ExternalServer::new(device, routes);
                for service in &server.services {
                    host = host.offering(service.spoken(), service.port);
                }
                Box::new(host)
            }),
        );
    }
    let clock = InterruptibleClock::waiting_by(Rc::clone(&poller), interrupt);
    let simulated = Simulated::beside(outside, clock, registry, spec, observe, interrupt);
    match poller.take_failure() {
        Some(failure) => Err(failure.into()),
        None => simulated.map_err(from_run_error),
    }
}
