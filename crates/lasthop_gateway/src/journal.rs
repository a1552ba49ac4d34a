use core::fmt::Debug;

use lasthop_broker::{NotKept, Parting};

use crate::{BadToken, StoreError};

/// A log of events for the operators of a gateway.
pub trait Journal: Debug {
    /// Something has happened.
    fn tell(&mut self, event: &GatewayEvent<'_>);
}

/// An event of a gateway.
///
/// It contains names of registered devices only, and nothing that clients sent: no token, claimed name, topic or
/// payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GatewayEvent<'a> {
    /// A device has a connection.
    Connected(&'a str),
    /// It has none any more.
    Disconnected(&'a str, Parting),
    /// Somebody is not served: where it claimed to be a device that is registered, which one.
    Refused(Protocol, Option<&'a str>, Refused),
    /// A message of a device is not taken, by no fault of the store.
    NotTaken(&'a str, NotKept),
    /// Messages are not kept from now on.
    StoreFails(StoreError),
    /// They are again.
    StoreIsBack,
    /// The clock that tokens are held against was set, ahead by so many seconds, or back where it is negative.
    ClockWasSet(i64),
}

/// The protocol of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// MQTT.
    Mqtt,
    /// HTTP.
    Http,
}

/// Why a client is refused. All clients get the same answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It shows no token.
    NoToken,
    /// It is no device of the registry.
    NoDevice,
    /// It is a device that is blocked, and its token would be believed.
    Blocked,
    /// Its token is not believed.
    Token(BadToken),
}

impl Protocol {
    /// Returns its name in logs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Mqtt => "mqtt",
            Self::Http => "http",
        }
    }
}

impl Refused {
    /// All reasons.
    pub const ALL: [Self; 9] = [
        Self::NoToken,
        Self::NoDevice,
        Self::Blocked,
        Self::Token(BadToken::TooLong),
        Self::Token(BadToken::Malformed),
        Self::Token(BadToken::Header),
        Self::Token(BadToken::Signature),
        Self::Token(BadToken::Audience),
        Self::Token(BadToken::Time),
    ];

    /// Its place among them.
    pub(crate) fn place(self) -> usize {
        let place = Self::ALL.iter().position(|it| *it == self);
        place.expect("all of them are listed")
    }

    /// Returns its name in logs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoToken => "no_token",
            Self::NoDevice => "unknown_device",
            Self::Blocked => "blocked",
            Self::Token(BadToken::TooLong) => "token_too_long",
            Self::Token(BadToken::Malformed) => "token_malformed",
            Self::Token(BadToken::Header) => "token_header",
            Self::Token(BadToken::Signature) => "token_signature",
            Self::Token(BadToken::Audience) => "token_audience",
            Self::Token(BadToken::Time) => "token_time",
        }
    }
}
