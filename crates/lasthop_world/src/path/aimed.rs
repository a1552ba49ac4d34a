use lasthop_classify::Protocol;
use lasthop_contract::{Clock, Port};
use lasthop_engine::Simulation;
use lasthop_fault::AimedFaults;

use crate::hosts::DeviceNumber;
use crate::medium::place::{HopEnd, ends_of};
use crate::spec::{GroupSpec, RunSpec};
use crate::watch::Watch;

/// Puts the faults that are aimed at a device between its path and its server: the end of the path from there on.
pub(super) fn aim(
    spec: &RunSpec,
    group: &GroupSpec,
    path: &str,
    device: DeviceNumber,
    far: HopEnd,
    simulation: &mut Simulation<impl Clock, Watch>,
) -> HopEnd {
    let faults = spec.faults_of(&group.name);
    if faults.is_empty() {
        return far;
    }
    let name = format!("faults/{path}/{}", device.in_run);
    let mut place = AimedFaults::new(&faults, spec.seed, &name);
    for service in spec.servers.iter().flat_map(|server| &server.services) {
        if let Some(protocol) = spoken(spec, &service.stack) {
            place.say_port(service.port, protocol);
        }
    }
    let ((link, near), behind) = ends_of(simulation.add_link(Box::new(place)), 0);
    debug_assert_eq!((near, behind.1), (Port(0), Port(1)));
    simulation.join(far, (link, near));
    behind
}

/// Returns the protocol that faults can read in a stack.
fn spoken(spec: &RunSpec, stack: &str) -> Option<Protocol> {
    let application = spec.stacks.get(stack)?.application.name.as_str();
    let mut protocols = Protocol::OF_PORTS.into_iter();
    protocols.find(|protocol| protocol.name() == Some(application))
}
