use core::fmt::Debug;
use core::net::IpAddr;

use lasthop_units::Instant;
use thiserror::Error;

use crate::TopicFilter;

/// Who clients are, and what they may do: the port by which every protocol asks for identity and permission.
///
/// A protocol turns the answer into its own words: CONNACK and SUBACK, 4.01 and 4.03.
pub trait Authority: Debug {
    /// Who shows these credentials.
    ///
    /// # Errors
    /// When they are not believed, or somebody without any is not served.
    fn identify(&self, now: Instant, credentials: &Credentials<'_>) -> Result<Admission, Refusal>;

    /// Whether a client may publish to a topic.
    fn may_publish(&self, client: Client<'_>, topic: &str) -> bool;

    /// Whether a client may have every message that a filter matches.
    fn may_subscribe(&self, client: Client<'_>, filter: &TopicFilter<'_>) -> bool;
}

/// What a client shows of itself, as bytes: what they mean is the authority's business.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Credentials<'a> {
    /// What it calls itself; empty where its protocol has no such name.
    pub client_id: &'a [u8],
    /// Its user name.
    pub user_name: Option<&'a [u8]>,
    /// Its password, or a token in the place of one.
    pub password: Option<&'a [u8]>,
    /// Where it is, as far as its protocol knows.
    pub address: Option<IpAddr>,
}

/// Who a client is: a number that its authority gave, and alone understands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Identity(pub u32);

/// That somebody is served, and for how long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Admission {
    /// Who it is.
    pub identity: Identity,
    /// When what it showed is worth nothing any more: whoever has a connection loses it then.
    pub ends_at: Option<Instant>,
}

/// A client that wants something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Client<'a> {
    /// Who it is.
    pub identity: Identity,
    /// What it calls itself.
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
    /// Somebody who showed nothing.
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
