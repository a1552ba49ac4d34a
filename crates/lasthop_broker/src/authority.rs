use core::fmt::Debug;

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
    fn identify(&self, credentials: &Credentials<'_>) -> Result<Identity, Refusal>;

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
}

/// Who a client is: a number that its authority gave, and alone understands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Identity(pub u32);

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

impl Authority for Everybody {
    fn identify(&self, _credentials: &Credentials<'_>) -> Result<Identity, Refusal> {
        Ok(Identity::ANONYMOUS)
    }

    fn may_publish(&self, _client: Client<'_>, _topic: &str) -> bool {
        true
    }

    fn may_subscribe(&self, _client: Client<'_>, _filter: &TopicFilter<'_>) -> bool {
        true
    }
}
