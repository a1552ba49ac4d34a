#![cfg_attr(
    not(feature = "sockets"),
    expect(dead_code, reason = "only sockets lead outside")
)]

use std::collections::BTreeMap;

use pyo3::FromPyObject;

use crate::credentials::PemPair;

/// Credentials of the clients of a load, and the servers and authorities that they trust.
#[derive(FromPyObject)]
pub(crate) struct TrustOfPython {
    /// Certificates of the trusted authorities, in PEM.
    pub(crate) roots: Option<Vec<u8>>,
    /// Certificate that clients present to a server that asks for one.
    pub(crate) presented: Option<PemPair>,
    /// Pre-shared keys of DTLS, one `identity:key` a line.
    pub(crate) keys: Option<String>,
    /// Host and authority of each server, by the layers of stacks.
    pub(crate) servers: BTreeMap<String, (String, String)>,
}

/// Name and key of a device that a gateway has registered.
#[derive(FromPyObject)]
pub(crate) struct RegisteredOfPython {
    /// Full name of the device.
    pub(crate) path: String,
    /// Private key, in PEM.
    pub(crate) key: String,
}

/// How clients identify themselves to servers under load.
#[derive(FromPyObject)]
pub(crate) struct GuestOfPython {
    /// Prefix of the names of clients and of what they leave at servers.
    pub(crate) prefix: String,
    pub(crate) user: Option<String>,
    pub(crate) password: Option<String>,
    pub(crate) registered: Vec<RegisteredOfPython>,
    pub(crate) trust: Option<TrustOfPython>,
}

/// What a run has outside of the simulation.
pub(crate) struct Outside {
    /// Descriptors of the devices behind which real servers are, by the numbers of these.
    pub(crate) devices: BTreeMap<u32, i32>,
    /// How clients make themselves known to servers under load.
    pub(crate) guest: Option<GuestOfPython>,
}
