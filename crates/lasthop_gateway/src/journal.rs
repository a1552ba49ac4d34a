use core::fmt::Debug;

use lasthop_broker::{NotKept, Parting};

use crate::{BadToken, StoreError};

/// A log of events for the operators of a gateway.
pub trait Journal: Debug {
    /// Logs an event.
    fn tell(&mut self, event: &GatewayEvent<'_>);
}

/// An event of a gateway.
///
/// It contains names of registered devices only, and nothing that clients sent: no token, claimed name, topic or
/// payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GatewayEvent<'a> {
    /// A device has connected.
    Connected(&'a str),
    /// A device has disconnected.
    Disconnected(&'a str, Parting),
    /// A client was refused, with the registered device that it claimed to be, if any.
    Refused(Protocol, Option<&'a str>, Refused),
    /// A device's message was rejected, for a reason other than a store failure.
    NotTaken(&'a str, NotKept),
    /// The store has started to fail.
    StoreFails(StoreError),
    /// The store works again.
    StoreIsBack,
    /// The clock that checks tokens was set, forward by this many seconds or, if negative, back.
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
    /// The client presents no token.
    NoToken,
    /// The device is not registered.
    NoDevice,
    /// The device is blocked. Its token is valid.
    Blocked,
    /// The token is invalid.
    Token(BadToken),
}

impl Protocol {
    /// Returns the name in logs.
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

    /// Returns the index of the reason.
    pub(crate) fn place(self) -> usize {
        let place = Self::ALL.iter().position(|it| *it == self);
        place.expect("all of them are listed")
    }

    /// Returns the name in logs.
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
