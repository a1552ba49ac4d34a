//! How devices are attached at a hop: by their own link, or by two ports of a shared one.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use lasthop_contract::Port;
use lasthop_engine::LinkId;

use super::OfRun;
use crate::spec::{HopSpec, RunSpec, ScopeSpec, SpecError};

/// One end of a hop.
pub(crate) type HopEnd = (LinkId, Port);

/// Links that devices share, by the names of the hop and of whoever shares it.
#[derive(Default)]
pub(crate) struct SharedLinks<'a>(BTreeMap<(&'a str, &'a str), SharedLink>);

/// A link of several devices. Each is a member with two ports: one towards the device, one towards the server.
struct SharedLink {
    link: LinkId,
    members: u32,
}

impl<'a> OfRun<'a> for SharedLinks<'a> {
    fn new(_: &'a RunSpec) -> Self {
        Self::default()
    }
}

impl<'a> SharedLinks<'a> {
    /// A link of the device's own, or the next place at one that it shares; the first makes it.
    pub(crate) fn place(
        &mut self,
        hop: &'a HopSpec,
        group: &'a str,
        make: impl FnOnce() -> Result<LinkId, SpecError>,
    ) -> Result<(HopEnd, HopEnd), SpecError> {
        if hop.scope == ScopeSpec::Own {
            return Ok(ends_of(make()?, 0));
        }
        let shared = match self.0.entry((&hop.name, sharing(hop, group))) {
            Entry::Occupied(shared) => shared.into_mut(),
            Entry::Vacant(place) => place.insert(SharedLink {
                link: make()?,
                members: 0,
            }),
        };
        let member = shared.members;
        shared.members += 1;
        Ok(ends_of(shared.link, member))
    }
}

/// The ends of a member of a link: towards the device, and towards the server.
pub(crate) fn ends_of(link: LinkId, member: u32) -> (HopEnd, HopEnd) {
    ((link, Port(2 * member)), (link, Port(2 * member + 1)))
}

/// Who shares a hop with the devices of a group: those of a name, or all.
pub(crate) fn sharing<'a>(hop: &HopSpec, group: &'a str) -> &'a str {
    match hop.scope {
        ScopeSpec::Own | ScopeSpec::Group => group,
        ScopeSpec::All => "",
    }
}
