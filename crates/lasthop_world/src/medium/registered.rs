use core::fmt::Display;

use lasthop_contract::{Link, RandomStream};

use super::place::SharedLinks;
use super::{Ground, JoiningDevice, Medium, Place};
use crate::path::LonePath;
use crate::spec::{HopSpec, LayerSpec, ScopeSpec, SpecError};
use crate::stack::{OptionEntry, Options, Registry};

/// Links of the registry that devices share.
pub(crate) type State<'a> = SharedLinks<'a>;

/// A link of an extension, as listed in the catalogue.
#[derive(Clone, Copy, Debug)]
pub struct LinkEntry {
    /// The name in a study: `extension_link: own_link tries=3`.
    pub name: &'static str,
    /// A short description of the link.
    pub summary: &'static str,
    /// The options of the link.
    pub options: &'static [OptionEntry],
    /// The function that builds the link.
    ///
    /// The k-th device on it has `Port(2k)`, and its server `Port(2k + 1)`: only 0 and 1 if each device has its own
    /// link. All ports are attached from the start.
    pub build: fn(Options<'_>, &LinkPlace) -> Box<dyn Link>,
}

/// The place of a link in a run, from which its random streams are derived.
#[derive(Clone, Debug)]
pub struct LinkPlace {
    /// The seed of the run.
    pub seed: u64,
    /// The prefix of the link's random streams, for example `path/0` for the first device.
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

    /// Returns a random stream of the link for a purpose, for example `up/loss`.
    #[must_use]
    pub fn stream(&self, purpose: impl Display) -> RandomStream {
        RandomStream::named(self.seed, format_args!("{}/{purpose}", self.name))
    }
}

impl Medium for LayerSpec {
    fn admit<'a>(
        &'a self,
        hop: &'a HopSpec,
        device: JoiningDevice<'a>,
        ground: &mut Ground<'_, 'a>,
    ) -> Result<Place, SpecError> {
        let Ground {
            spec,
            registry,
            links,
            ..
        } = ground;
        let make = || {
            let place = LinkPlace::of(hop, spec.seed, device.name());
            Ok(links.add(registry.build_link(self, &place)?))
        };
        let shared = &mut ground.media.registered;
        Ok(Place::between(shared.place(
            hop,
            &device.on.group.name,
            make,
        )?))
    }

    fn alone(&self, _: &HopSpec, _: &LonePath, _: usize) -> Result<Box<dyn Link>, SpecError> {
        Err(self.simulated_alone())
    }

    fn check_alone(&self) -> Result<(), SpecError> {
        Err(self.simulated_alone())
    }
}

impl LayerSpec {
    fn simulated_alone(&self) -> SpecError {
        let problem = format!("the link {} of an extension is simulated alone", self.name);
        SpecError::value("path.hops", problem)
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
