use core::fmt::Debug;
use core::net::IpAddr;

use lasthop_units::Instant;
use thiserror::Error;

use crate::TopicFilter;

/// Authentication and authorisation of clients, for all protocols.
///
/// A protocol turns the answer into its own words: CONNACK and SUBACK, 4.01 and 4.03.
pub trait Authority: Debug {
    /// Who shows these credentials.
    ///
    /// # Errors
    /// When they are not believed, or somebody without any is not served.
    fn identify(&self, now: Instant, credentials: &Credentials<'_>) -> Result<Admission, Refusal>;

    /// Whether [`Self::identify`] can answer at once. Where it answers later, the check has begun by this call, and the flag of
    /// the host is raised when it is over.
    fn readiness(&self, now: Instant, credentials: &Credentials<'_>) -> Readiness {
        let _ = (now, credentials);
        Readiness::Ready
    }

    /// How many checks that took longer are over. Where it has grown, those who wait may ask again.
    fn checks_done(&self) -> u64 {
        0
    }

    /// Whether a client may publish to a topic.
    fn may_publish(&self, client: Client<'_>, topic: &str) -> bool;

    /// Whether a client may have every message that a filter matches.
    fn may_subscribe(&self, client: Client<'_>, filter: &TopicFilter<'_>) -> bool;
}

/// The credentials of a client as raw bytes, which only the authority interprets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Credentials<'a> {
    /// The client ID; empty if the protocol has none.
    pub client_id: &'a [u8],
    /// The user name.
    pub user_name: Option<&'a [u8]>,
    /// The password, or a token in its place.
    pub password: Option<&'a [u8]>,
    /// The address, if the protocol knows it.
    pub address: Option<IpAddr>,
}

/// The identity of a client: a number that only its authority interprets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Identity(pub u32);

/// Whether an authority knows what it thinks of credentials.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// It answers at once.
    Ready,
    /// It finds out.
    Later,
    /// Too much is being checked for others of the same address: it does not begin.
    Busy,
}

/// The permission to connect, and its duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Admission {
    /// The identity.
    pub identity: Identity,
    /// The expiry of the credentials. Connections end at that time.
    pub ends_at: Option<Instant>,
}

/// A client that wants something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Client<'a> {
    /// The identity.
    pub identity: Identity,
    /// The client ID.
    pub client_id: &'a str,
}

/// Why somebody is not served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// The credentials are wrong.
    #[error("the credentials are wrong")]
    BadCredentials,
    /// There are none, and they are asked for.
    #[error("credentials are asked for")]
    NoCredentials,
}

/// Everybody may do everything, whoever it is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Everybody;

impl Identity {
    /// A client without credentials.
    pub const ANONYMOUS: Self = Self(0);
}

impl From<Identity> for Admission {
    /// For as long as it likes.
    fn from(identity: Identity) -> Self {
        Self {
            identity,
            ends_at: None,
        }
    }
}

impl Authority for Everybody {
    fn identify(
        &self,
        _now: Instant,
        _credentials: &Credentials<'_>,
    ) -> Result<Admission, Refusal> {
        Ok(Identity::ANONYMOUS.into())
    }

    fn may_publish(&self, _client: Client<'_>, _topic: &str) -> bool {
        true
    }

    fn may_subscribe(&self, _client: Client<'_>, _filter: &TopicFilter<'_>) -> bool {
        true
    }
}
