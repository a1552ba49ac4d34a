use crate::addresses::{Addresses, Outside};
use crate::spec::{ChangeSpec, GroupSpec, HopSpec, MediumSpec, RunSpec, ScopeSpec};

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
        let last = hops.find(|hop| matches!(hop.medium, MediumSpec::Nat(_)))?;
        Some(self.outside(last, of))
    }
}

/// Who shares a hop with the devices of a group: those of a name, or all.
pub(crate) fn sharing<'a>(hop: &HopSpec, group: &'a str) -> &'a str {
    match hop.scope {
        ScopeSpec::Own | ScopeSpec::Group => group,
        ScopeSpec::All => "",
    }
}

fn is_shared(hop: &HopSpec) -> bool {
    matches!(hop.medium, MediumSpec::Nat(_)) && hop.scope != ScopeSpec::Own
}

/// The paths that devices of a group are on, or come to.
fn paths_of<'a>(spec: &'a RunSpec, group: &'a GroupSpec) -> impl Iterator<Item = &'a str> {
    let further = spec.events.iter().filter_map(|event| match &event.change {
        ChangeSpec::ChangePath { of, to, .. } if of.group == group.name => Some(to.as_str()),
        _ => None,
    });
    core::iter::once(group.path.as_str()).chain(further)
}
