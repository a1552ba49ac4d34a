//! The media of hops: links, radio networks, address translators.
//!
//! A medium is a file here and a line in the list below: its run spec, its checks, how a device attaches, and its
//! result columns.

mod link;
pub(crate) mod nat;
pub(crate) mod nbiot;
pub(crate) mod place;
mod registered;
mod serial;
mod wlan;

use lasthop_contract::Link;
use lasthop_engine::LinkId;
use lasthop_link::LinkConfig;
use lasthop_link::serial::SerialConfig;
use lasthop_measure::{MediumColumn, Meter};
use lasthop_nbiot::config::NetworkConfig;
use lasthop_units::Instant;
use serde::{Deserialize, Serialize};

use crate::path::LonePath;
use crate::spec::{HopSpec, LayerSpec, RunSpec, ScopeSpec, SpecError};
use crate::stack::Registry;
pub use nat::NatSpec;
use nat::OnPath;
use nbiot::Member;
use place::HopEnd;
pub use registered::{LinkEntry, LinkPlace};
pub use wlan::WlanSpec;

/// What a hop can be made of.
pub(crate) trait Medium {
    /// Whether devices reach it by radio.
    ///
    /// It is then the first hop of their path, and shared by all by default.
    fn is_radio(&self) -> bool {
        false
    }

    /// Whether it translates the addresses of the devices behind it.
    fn translates(&self) -> bool {
        false
    }

    /// Returns its MTU in both directions, in bytes; `None` for Ethernet's.
    fn mtu_bytes(&self) -> Option<u64> {
        None
    }

    /// Checks its settings; `field` is the path of its hop in the run spec.
    ///
    /// # Errors
    /// When it cannot.
    fn check(&self, _hop: &HopSpec, _field: &str) -> Result<(), SpecError> {
        Ok(())
    }

    /// Returns the setting in which two hops of one name differ although they must agree.
    fn differs(&self, _hop: &HopSpec, _other: &HopSpec) -> Option<&'static str> {
        None
    }

    /// Takes a device in: the ends towards it and towards its server.
    ///
    /// # Errors
    /// When there can be no such medium.
    fn admit<'a>(
        &'a self,
        hop: &'a HopSpec,
        device: JoiningDevice<'a>,
        ground: &mut Ground<'_, 'a>,
    ) -> Result<Place, SpecError>;

    /// Returns the link that exists before any device attaches.
    fn standing(&self, _hop: &HopSpec, _media: &Media<'_>) -> Option<LinkId> {
        None
    }

    /// Makes it for one device without the rest of a run, at the place in its path.
    ///
    /// # Errors
    /// When there can be no such medium, or it is simulated in runs alone.
    fn alone(&self, hop: &HopSpec, of: &LonePath, place: usize)
    -> Result<Box<dyn Link>, SpecError>;

    /// Returns why it cannot be used without a run.
    ///
    /// # Errors
    /// When it is simulated in runs alone.
    fn check_alone(&self) -> Result<(), SpecError> {
        Ok(())
    }
}

/// What a medium keeps in a run.
pub(crate) trait OfRun<'a>: Sized {
    /// Creates the state of a run without devices.
    fn new(spec: &'a RunSpec) -> Self;

    /// Returns its columns of the run, without values if no path has it.
    fn columns(&self, _ended: Ended) -> Vec<MediumColumn> {
        Vec::new()
    }
}

/// When a run has ended.
#[derive(Clone, Copy)]
pub(crate) struct Ended {
    /// The last thing happened then.
    pub(crate) last: Instant,
    /// Until when radios were on.
    pub(crate) end: Instant,
}

/// A device that comes to a path.
#[derive(Clone, Copy)]
pub(crate) struct JoiningDevice<'a> {
    pub(crate) on: OnPath<'a>,
    /// Its number in its group.
    pub(crate) in_group: u32,
    /// How many radios it has already.
    pub(crate) radios_before: u32,
}

/// What media are laid on.
pub(crate) struct Ground<'g, 'a> {
    pub(crate) spec: &'a RunSpec,
    pub(crate) registry: &'a Registry,
    pub(crate) media: &'g mut Media<'a>,
    pub(crate) links: &'g mut dyn Links,
}

/// The simulation, whatever its clock is.
pub(crate) trait Links {
    /// Adds a machine to it.
    fn add(&mut self, link: Box<dyn Link>) -> LinkId;

    /// Returns the meter of the run.
    fn meter(&mut self) -> &mut Meter;
}

/// The place of a device at a hop.
pub(crate) struct Place {
    /// Towards the device.
    pub(crate) near: HopEnd,
    /// Towards its server.
    pub(crate) far: HopEnd,
    /// In which network it is, where that is one.
    pub(crate) member: Option<Member>,
}

/// Makes of one list what a run spec calls media, how JSON has them, and what a run keeps of them.
macro_rules! media {
    ($($(#[$doc:meta])+ $key:ident: $Variant:ident($Spec:ty),)+) => {
        /// The medium of a hop.
        #[derive(Clone, Debug, PartialEq)]
        pub enum MediumSpec {
            $($(#[$doc])+ $Variant($Spec),)+
        }

        /// A hop as JSON has it: the medium stands beside the name.
        #[derive(Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct HopFields {
            name: String,
            scope: ScopeSpec,
            $(#[serde(skip_serializing_if = "Option::is_none")] $key: Option<$Spec>,)+
        }

        impl TryFrom<HopFields> for HopSpec {
            type Error = String;

            fn try_from(fields: HopFields) -> Result<Self, Self::Error> {
                let media = [$(fields.$key.map(MediumSpec::$Variant),)+];
                let mut media = media.into_iter().flatten();
                let (Some(medium), None) = (media.next(), media.next()) else {
                    let known = [$(stringify!($key),)+].join(", ");
                    return Err(format!("a hop is one of {known}"));
                };
                Ok(Self { name: fields.name, scope: fields.scope, medium })
            }
        }

        impl From<HopSpec> for HopFields {
            fn from(hop: HopSpec) -> Self {
                let mut fields = Self { name: hop.name, scope: hop.scope, $($key: None,)+ };
                match hop.medium {
                    $(MediumSpec::$Variant(medium) => fields.$key = Some(medium),)+
                }
                fields
            }
        }

        impl MediumSpec {
            /// What all media can do.
            pub(crate) fn medium(&self) -> &dyn Medium {
                match self {
                    $(Self::$Variant(medium) => medium,)+
                }
            }
        }

        /// What the media of a run keep.
        pub(crate) struct Media<'a> {
            $(pub(crate) $key: $key::State<'a>,)+
        }

        impl<'a> Media<'a> {
            /// Nobody is there yet.
            pub(crate) fn new(spec: &'a RunSpec) -> Self {
                Self { $($key: OfRun::new(spec),)+ }
            }

            /// The columns of all.
            pub(crate) fn columns(&self, ended: Ended) -> Vec<MediumColumn> {
                let columns = [$(self.$key.columns(ended),)+];
                columns.into_iter().flatten().collect()
            }
        }
    };
}

media! {
    /// A link with impairments.
    link: Link(Box<LinkConfig>),
    /// An address translator.
    nat: Nat(NatSpec),
    /// An NB-IoT network.
    nbiot: Nbiot(Box<NetworkConfig>),
    /// A WLAN.
    wlan: Wlan(Box<WlanSpec>),
    /// A serial line.
    serial: Serial(SerialConfig),
    /// A link of the registry, by its name and with its options.
    registered: Registered(LayerSpec),
}

impl Place {
    /// That of the ends of a link.
    pub(crate) fn between((near, far): (HopEnd, HopEnd)) -> Self {
        Self {
            near,
            far,
            member: None,
        }
    }
}

impl JoiningDevice<'_> {
    /// Its group's name and its number, after which what it has of its own is named.
    pub(crate) fn name(&self) -> (&str, u32) {
        (&self.on.group.name, self.on.device)
    }
}
