use core::fmt::Display;

use lasthop_contract::{Link, RandomStream};

use crate::spec::{HopSpec, LayerSpec, ScopeSpec, SpecError};
use crate::stack::{OptionEntry, Options, Registry};

/// A link of one's own, as the catalogue has it: what a hop may be beside links, translators and networks of the project.
#[derive(Clone, Copy, Debug)]
pub struct LinkEntry {
    /// As in a study: `medium: own_link tries=3`.
    pub name: &'static str,
    /// What it is, in a few words.
    pub summary: &'static str,
    /// Its settings.
    pub options: &'static [OptionEntry],
    /// Makes it at its place. The k-th device on it has `Port(2k)`, and its server `Port(2k + 1)`: 0 and 1 alone where
    /// each device has a link of its own. All are attached from the start.
    pub build: fn(Options<'_>, &LinkPlace) -> Box<dyn Link>,
}

/// Where a link is in a run.
#[derive(Clone, Debug)]
pub struct LinkPlace {
    /// The seed of the run.
    pub seed: u64,
    /// With which its random streams begin: `path/0` for that of the first device.
    pub name: String,
}

impl LinkPlace {
    /// That of a hop for a device of a group, by the group's name and the device's number.
    pub(crate) fn of(hop: &HopSpec, seed: u64, (group, device): (&str, u32)) -> Self {
        let name = match hop.scope {
            ScopeSpec::Own => format!("{}/{device}", hop.name),
            ScopeSpec::Group => format!("{}/{group}", hop.name),
            ScopeSpec::All => hop.name.clone(),
        };
        Self { seed, name }
    }

    /// A stream of random numbers of the link, for a purpose: `up/loss`.
    #[must_use]
    pub fn stream(&self, purpose: impl Display) -> RandomStream {
        RandomStream::named(self.seed, format_args!("{}/{purpose}", self.name))
    }
}

impl Registry {
    /// What makes a link of this name with these options.
    ///
    /// # Errors
    /// When there is no such link, or an option is wrong.
    pub(crate) fn build_link(
        &self,
        link: &LayerSpec,
        place: &LinkPlace,
    ) -> Result<Box<dyn Link>, SpecError> {
        let entry = self.link(&link.name).ok_or_else(|| {
            let problem = format!("there is no link {}", link.name);
            SpecError::value("paths", problem)
        })?;
        let options = Options::checked("paths", None, link, entry.options)?;
        Ok((entry.build)(options, place))
    }
}
