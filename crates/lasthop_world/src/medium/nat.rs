use lasthop_contract::Link;
use lasthop_link::{ConfigError, Nat, NatConfig};
use lasthop_units::Duration;
use serde::{Deserialize, Serialize};

use super::place::{SharedLinks, sharing};
use super::{Ground, JoiningDevice, Medium, OfRun, Place};
use crate::addresses::{Addresses, Outside};
use crate::path::LonePath;
use crate::spec::{ChangeSpec, GroupSpec, HopSpec, RunSpec, ScopeSpec, SpecError, demand, nanos};

/// The settings of network address translation (NAT).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NatSpec {
    /// The timeout of a UDP mapping without outbound packets.
    pub udp_timeout_ns: u64,
    /// The timeout of a TCP mapping without outbound packets.
    pub tcp_timeout_ns: u64,
    /// The interval at which all mappings are dropped.
    pub rebind_every_ns: Option<u64>,
    /// The number of ports of each protocol that the external address has.
    pub ports: u32,
}

/// The translators of a run.
pub(crate) struct State<'a> {
    pub(crate) addresses: Translators<'a>,
    shared: SharedLinks<'a>,
}

/// Which addresses the translators of a run have outside.
pub(crate) struct Translators<'a> {
    spec: &'a RunSpec,
    /// Those that devices share, by the name of the hop and of whoever shares it.
    shared: Vec<(&'a str, &'a str)>,
}

/// A device on one of its paths.
#[derive(Clone, Copy)]
pub(crate) struct OnPath<'a> {
    pub(crate) group: &'a GroupSpec,
    pub(crate) path: &'a str,
    /// The number of the device in the run.
    pub(crate) device: u32,
    /// How many other paths it had before this one.
    pub(crate) paths_before: u32,
}

impl<'a> Translators<'a> {
    /// The translators of a spec.
    pub(crate) fn of(spec: &'a RunSpec) -> Self {
        let mut shared = Vec::new();
        for group in &spec.groups {
            for path in paths_of(spec, group) {
                for hop in spec.paths.get(path).into_iter().flat_map(|it| &it.hops) {
                    let name = (hop.name.as_str(), sharing(hop, &group.name));
                    if is_shared(hop) && !shared.contains(&name) {
                        shared.push(name);
                    }
                }
            }
        }
        Self { spec, shared }
    }

    /// How many are shared.
    pub(crate) fn shared(&self) -> usize {
        self.shared.len()
    }

    /// The outside of the translator that a hop is for a device.
    pub(crate) fn outside(&self, hop: &HopSpec, of: OnPath<'_>) -> Outside {
        if !is_shared(hop) {
            // On its second path a device has another address than on its first, so that nobody takes the one for the
            // other.
            let staying: u32 = self.spec.groups.iter().map(GroupSpec::staying).sum();
            return Addresses::outside(of.device + of.paths_before * staying);
        }
        let name = (hop.name.as_str(), sharing(hop, &of.group.name));
        let place = self.shared.iter().position(|shared| *shared == name);
        Addresses::operator(place.expect("it is on a path of the group") as u32)
    }

    /// What servers see of a device: the outside of the last translator on its path; `None` where there is none.
    pub(crate) fn seen(&self, of: OnPath<'_>) -> Option<Outside> {
        let mut hops = self.spec.paths[of.path].hops.iter().rev();
        let last = hops.find(|hop| hop.medium.medium().translates())?;
        Some(self.outside(last, of))
    }
}

fn is_shared(hop: &HopSpec) -> bool {
    hop.medium.medium().translates() && hop.scope != ScopeSpec::Own
}

/// Returns the paths that devices of a group are on or move to.
fn paths_of<'a>(spec: &'a RunSpec, group: &'a GroupSpec) -> impl Iterator<Item = &'a str> {
    let further = spec.events.iter().filter_map(|event| match &event.change {
        ChangeSpec::ChangePath { of, to, .. } if of.group == group.name => Some(to.as_str()),
        _ => None,
    });
    core::iter::once(group.path.as_str()).chain(further)
}

impl<'a> OfRun<'a> for State<'a> {
    fn new(spec: &'a RunSpec) -> Self {
        Self {
            addresses: Translators::of(spec),
            shared: SharedLinks::new(spec),
        }
    }
}

impl Medium for NatSpec {
    fn translates(&self) -> bool {
        true
    }

    fn check(&self, _: &HopSpec, field: &str) -> Result<(), SpecError> {
        demand(&[(
            (1..=u32::from(NatConfig::MAXIMUM_PORTS)).contains(&self.ports),
            &format!("{field}.nat.ports"),
            "must be from 1 to 64512",
        )])
    }

    fn admit<'a>(
        &'a self,
        hop: &'a HopSpec,
        device: JoiningDevice<'a>,
        ground: &mut Ground<'_, 'a>,
    ) -> Result<Place, SpecError> {
        let Ground { media, links, .. } = ground;
        let outside = media.nat.addresses.outside(hop, device.on);
        let make = || Ok(links.add(self.build(outside)?));
        let shared = &mut media.nat.shared;
        Ok(Place::between(shared.place(
            hop,
            &device.on.group.name,
            make,
        )?))
    }

    fn alone(
        &self,
        hop: &HopSpec,
        of: &LonePath,
        place: usize,
    ) -> Result<Box<dyn Link>, SpecError> {
        self.build(of.outside(hop.scope, place))
    }
}

impl NatSpec {
    /// The translator with these addresses outside.
    fn build(&self, outside: Outside) -> Result<Box<dyn Link>, SpecError> {
        let config = self.config(outside);
        let config = config.map_err(|error| SpecError::value("path", error))?;
        Ok(Box::new(Nat::new(config)))
    }

    fn config(&self, outside: Outside) -> Result<NatConfig, ConfigError> {
        let udp_timeout = nanos(self.udp_timeout_ns);
        let rebind_every: Option<Duration> = self.rebind_every_ns.map(nanos);
        let config = NatConfig::new(outside.ipv4, outside.ipv6, udp_timeout, rebind_every)?;
        let config = config.with_tcp_timeout(nanos(self.tcp_timeout_ns));
        config.with_ports(self.ports)
    }
}
