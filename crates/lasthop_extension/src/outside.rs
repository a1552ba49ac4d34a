use std::collections::BTreeMap;

/// Whom clients of a load believe, what they show to a server that asks, the keys that DTLS has in common with its server, and the
/// host and authority of each server, by the layers of stacks.
pub(crate) type TrustOfPython = (
    Option<Vec<u8>>,
    Option<Presented>,
    Option<String>,
    BTreeMap<String, (String, String)>,
);

/// A chain of certificates and its key, PEM.
type Presented = (Vec<u8>, Vec<u8>);

/// What names begin with, a user, a password, the full names and keys of devices that a gateway has registered, and how secured
/// servers are known.
pub(crate) type GuestOfPython = (
    String,
    Option<String>,
    Option<String>,
    Vec<(String, String)>,
    Option<TrustOfPython>,
);

/// What a run has outside of the simulation.
#[cfg_attr(
    not(feature = "sockets"),
    expect(dead_code, reason = "only sockets lead outside")
)]
pub(crate) struct Outside {
    /// Descriptors of the devices behind which real servers are, by the numbers of these.
    pub(crate) devices: BTreeMap<u32, i32>,
    /// How clients make themselves known to servers under load.
    pub(crate) guest: Option<GuestOfPython>,
}
