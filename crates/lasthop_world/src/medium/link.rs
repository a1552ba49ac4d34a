use lasthop_contract::Link;
use lasthop_link::{DuplexLink, LinkConfig, SharedLink};

use super::place::SharedLinks;
use super::{Ground, JoiningDevice, LinkPlace, Medium, Place};
use crate::path::LonePath;
use crate::spec::{HopSpec, ScopeSpec, SpecError};

/// Links that devices share.
pub(crate) type State<'a> = SharedLinks<'a>;

impl Medium for Box<LinkConfig> {
    fn mtu_bytes(&self) -> Option<u64> {
        let sides = [self.up.mtu, self.down.mtu].into_iter().flatten();
        sides.map(|mtu| mtu.largest.as_bytes()).min()
    }

    fn admit<'a>(
        &'a self,
        hop: &'a HopSpec,
        device: JoiningDevice<'a>,
        ground: &mut Ground<'_, 'a>,
    ) -> Result<Place, SpecError> {
        let Ground { spec, links, .. } = ground;
        let make = || {
            let place = LinkPlace::of(hop, spec.seed, device.name());
            Ok(links.add(link_of(hop.scope, self, &place)))
        };
        let ends = ground.media.link.place(hop, &device.on.group.name, make)?;
        Ok(Place::between(ends))
    }

    fn alone(&self, hop: &HopSpec, of: &LonePath, _: usize) -> Result<Box<dyn Link>, SpecError> {
        Ok(link_of(hop.scope, self, &of.place_of(hop)))
    }
}

/// The link of a hop at its place. Where devices share it, each has two ports.
fn link_of(scope: ScopeSpec, link: &LinkConfig, place: &LinkPlace) -> Box<dyn Link> {
    let link = DuplexLink::new(link, place.seed, &place.name);
    match scope {
        ScopeSpec::Own => Box::new(link),
        ScopeSpec::Group | ScopeSpec::All => Box::new(SharedLink::new(link)),
    }
}
