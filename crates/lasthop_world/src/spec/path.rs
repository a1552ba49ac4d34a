use lasthop_link::LinkConfig;
use lasthop_nbiot::config::NetworkConfig;
use serde::{Deserialize, Serialize};

use super::{LayerSpec, WlanSpec};

/// What packets go through between a device and its server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PathSpec {
    /// From the device on; at least one.
    pub hops: Vec<HopSpec>,
}

/// A part of a path. In JSON the medium stands beside the name: `{"name": "path", "scope": "own", "link": {..}}`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "HopFields", into = "HopFields")]
pub struct HopSpec {
    /// What it is called; its random streams begin with it. Hops of one name that are shared by all are one.
    pub name: String,
    /// Who shares it.
    pub scope: ScopeSpec,
    /// What it is.
    pub medium: MediumSpec,
}

/// Who shares a hop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ScopeSpec {
    /// Each device has one of its own.
    Own,
    /// The devices of a group.
    Group,
    /// All whose path names it.
    All,
}

/// What a hop is.
#[derive(Clone, Debug, PartialEq)]
pub enum MediumSpec {
    /// A link with impairments.
    Link(Box<LinkConfig>),
    /// An address translator.
    Nat(NatSpec),
    /// An NB-IoT network.
    Nbiot(Box<NetworkConfig>),
    /// A WLAN.
    Wlan(Box<WlanSpec>),
    /// A link of the registry, by its name and with its options.
    Registered(LayerSpec),
}

/// Network address translation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NatSpec {
    /// How long a UDP mapping lives without outbound packets.
    pub udp_timeout_ns: u64,
    /// How long a TCP mapping does.
    pub tcp_timeout_ns: u64,
    /// How often all mappings are forgotten.
    pub rebind_every_ns: Option<u64>,
    /// How many ports of each protocol its outside address has to give out.
    pub ports: u32,
}

impl PathSpec {
    /// The network that devices have their radio in, where the path begins with one.
    #[must_use]
    pub fn network(&self) -> Option<&NetworkConfig> {
        match &self.hops.first()?.medium {
            MediumSpec::Nbiot(network) => Some(network),
            _ => None,
        }
    }

    /// How many cells it has; a path without a network counts as one.
    #[must_use]
    pub fn cells(&self) -> u16 {
        self.network().map_or(1, NetworkConfig::cells)
    }
}

impl MediumSpec {
    /// Whether devices reach it by a radio: then it is the first of their path.
    pub(crate) fn is_radio(&self) -> bool {
        matches!(self, Self::Nbiot(_) | Self::Wlan(_))
    }
}

/// A hop as JSON has it.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct HopFields {
    name: String,
    scope: ScopeSpec,
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<Box<LinkConfig>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nat: Option<NatSpec>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nbiot: Option<Box<NetworkConfig>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    wlan: Option<Box<WlanSpec>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    registered: Option<LayerSpec>,
}

impl TryFrom<HopFields> for HopSpec {
    type Error = &'static str;

    fn try_from(fields: HopFields) -> Result<Self, Self::Error> {
        let media = [
            fields.link.map(MediumSpec::Link),
            fields.nat.map(MediumSpec::Nat),
            fields.nbiot.map(MediumSpec::Nbiot),
            fields.wlan.map(MediumSpec::Wlan),
            fields.registered.map(MediumSpec::Registered),
        ];
        let mut media = media.into_iter().flatten();
        let (Some(medium), None) = (media.next(), media.next()) else {
            return Err("a hop is one of link, nat, nbiot, wlan and registered");
        };
        Ok(Self {
            name: fields.name,
            scope: fields.scope,
            medium,
        })
    }
}

impl From<HopSpec> for HopFields {
    fn from(hop: HopSpec) -> Self {
        let mut fields = Self {
            name: hop.name,
            scope: hop.scope,
            link: None,
            nat: None,
            nbiot: None,
            wlan: None,
            registered: None,
        };
        match hop.medium {
            MediumSpec::Link(link) => fields.link = Some(link),
            MediumSpec::Nat(nat) => fields.nat = Some(nat),
            MediumSpec::Nbiot(network) => fields.nbiot = Some(network),
            MediumSpec::Wlan(wlan) => fields.wlan = Some(wlan),
            MediumSpec::Registered(link) => fields.registered = Some(link),
        }
        fields
    }
}
