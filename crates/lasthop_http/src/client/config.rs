use core::net::SocketAddr;
use core::num::NonZeroU32;

use lasthop_contract::ChannelSet;
use lasthop_units::Duration;

/// The configuration of a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpClientConfig {
    /// The address of the server.
    pub server: SocketAddr,
    /// The value of `Host`: the server without the default port of its scheme.
    pub authority: Box<str>,
    /// The HTTP version.
    pub version: HttpVersion,
    /// Whether the transport is secured.
    pub is_secured: bool,
    /// The flow control window for responses in HTTP/2, in bytes.
    pub window: u32,
    /// The maximum size of a QPACK dynamic table in HTTP/3, in bytes; 0 for the static table only.
    pub qpack_table: usize,
    /// Whether QPACK tables may hold tokens.
    pub remembers_tokens: bool,
    /// The lifetime of connections.
    pub policy: ConnectionPolicy,
    /// The maximum number of connections for the device's messages.
    pub connections: usize,
    /// Whether messages use chunked transfer coding.
    pub is_chunked: bool,
    /// The timeout of a request, including the wait for its connection.
    pub timeout: Duration,
    /// How long the server holds a long-polling request without messages.
    pub hold: Duration,
    /// Whether the device sends messages.
    pub sends: bool,
    /// Whether the server sends messages to the device first.
    pub receives: bool,
    /// Whether a message is sent in base64url as the only field of a JSON object, as for Google's HTTP bridge of 2018.
    pub wraps_in_json: bool,
    /// The flows whose messages the server echoes.
    pub echoed: ChannelSet,
}

/// The HTTP version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HttpVersion {
    /// HTTP/1.1.
    One,
    /// HTTP/2.
    Two,
    /// HTTP/3, over a transport with streams.
    Three,
}

impl HttpClientConfig {
    /// Whether a connection carries several requests at the same time.
    pub(super) fn is_multiplexed(&self) -> bool {
        self.version != HttpVersion::One
    }
}

/// The lifetime of connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionPolicy {
    /// Until the server ends them.
    Keep,
    /// For one request and its response.
    PerMessage,
    /// For this many messages, from the first one on.
    Messages(NonZeroU32),
}

impl ConnectionPolicy {
    /// Returns the number of messages after which the client closes a connection, if it does.
    pub(super) fn most_messages(self) -> Option<u32> {
        match self {
            // The server ends it, as it is asked to.
            Self::Keep | Self::PerMessage => None,
            Self::Messages(most) => Some(most.get()),
        }
    }
}
