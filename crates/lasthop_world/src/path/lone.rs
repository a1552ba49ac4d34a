use core::net::{Ipv4Addr, Ipv6Addr};

use lasthop_contract::{Clock, Link};
use lasthop_engine::{HostId, LinkId, Observer, Simulation};
use serde::{Deserialize, Serialize};

use crate::addresses::{Addresses, Outside};
use crate::medium::LinkPlace;
use crate::medium::place::{HopEnd, ends_of};
use crate::spec::{HopSpec, PathSpec, ScopeSpec, SpecError};

/// One path of a run spec, for a single device between any two hosts.
///
/// Its hops are those that the device would have in a run of this seed, with the same random streams.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LonePath {
    /// The seed of the random streams.
    pub seed: u64,
    /// The hops of the path.
    pub path: PathSpec,
    /// The name of the device's group.
    pub group: String,
    /// The number of the device in the run.
    pub device: u32,
    /// The coupling loss of the device in dB, for a path whose radio network does not determine it.
    pub coupling_loss_db: Option<f64>,
    /// The external addresses of NATs; `None` for those of the run.
    pub translated: Option<Translated>,
}

/// The external addresses of the hosts behind a NAT.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Translated {
    /// The IPv4 address.
    pub ipv4: Ipv4Addr,
    /// The IPv6 address.
    pub ipv6: Ipv6Addr,
}

impl LonePath {
    /// Checks the path, as far as this needs no model.
    ///
    /// # Errors
    /// [`SpecError`] says where and what.
    pub fn check(&self) -> Result<(), SpecError> {
        let is_beside_a_cell = self.coupling_loss_db.is_some() && self.path.network().is_none();
        if is_beside_a_cell {
            let problem = "the path has no radio network to be far from";
            return Err(SpecError::value("coupling_loss_db", problem));
        }
        for hop in &self.path.hops {
            hop.medium.medium().check_alone()?;
        }
        self.path.check("path")
    }

    /// Adds the path to a simulation, between a device and a server.
    ///
    /// # Errors
    /// [`SpecError`], when a model cannot be as the path says.
    pub fn lay<C: Clock, O: Observer>(
        &self,
        simulation: &mut Simulation<C, O>,
        ends: [HostId; 2],
    ) -> Result<(), SpecError> {
        self.lay_each(simulation, ends, |_, machine| machine)?;
        Ok(())
    }

    /// Adds the path with a wrapper around each link, by the index of its hop. Returns the links in the order of the
    /// hops.
    ///
    /// # Errors
    /// Those of [`LonePath::lay`].
    pub fn lay_each<C: Clock, O: Observer>(
        &self,
        simulation: &mut Simulation<C, O>,
        [device, server]: [HostId; 2],
        mut wrap: impl FnMut(usize, Box<dyn Link>) -> Box<dyn Link>,
    ) -> Result<Vec<LinkId>, SpecError> {
        let mut links = Vec::new();
        let mut last: Option<HopEnd> = None;
        for place in 0..self.path.hops.len() {
            let link = simulation.add_link(wrap(place, self.machine(place)?));
            links.push(link);
            let (near, far) = ends_of(link, 0);
            match last {
                None => _ = simulation.attach(device, near.0, near.1),
                Some(before) => simulation.join(before, near),
            }
            last = Some(far);
        }
        let (link, port) =
            last.ok_or_else(|| SpecError::value("path.hops", "a path has at least one hop"))?;
        simulation.attach(server, link, port);
        Ok(links)
    }

    /// Creates the link of one hop.
    ///
    /// # Errors
    /// [`SpecError`], when the model cannot be as the path says, or there is no such hop.
    pub fn machine(&self, place: usize) -> Result<Box<dyn Link>, SpecError> {
        let hop = self.path.hops.get(place);
        let hop = hop.ok_or_else(|| SpecError::value("path.hops", "there is no such hop"))?;
        hop.medium.medium().alone(hop, self, place)
    }

    /// Where a hop is, after which its random streams are named.
    pub(crate) fn place_of(&self, hop: &HopSpec) -> LinkPlace {
        LinkPlace::of(hop, self.seed, (&self.group, self.device))
    }

    /// The outside of the last translator is what was asked for; one before it is inside.
    pub(crate) fn outside(&self, scope: ScopeSpec, place: usize) -> Outside {
        let is_translator = |hop: &&HopSpec| hop.medium.medium().translates();
        let (before, behind) = (&self.path.hops[..place], &self.path.hops[place + 1..]);
        let is_last = !behind.iter().any(|hop| is_translator(&hop));
        let shared = before
            .iter()
            .filter(is_translator)
            .filter(|hop| hop.scope != ScopeSpec::Own);
        match (self.translated, scope) {
            (Some(Translated { ipv4, ipv6 }), _) if is_last => Outside { ipv4, ipv6 },
            (_, ScopeSpec::Own) => Addresses::outside(self.device),
            (_, ScopeSpec::Group | ScopeSpec::All) => Addresses::operator(shared.count() as u32),
        }
    }
}
