use core::net::SocketAddr;
use core::num::NonZeroU32;

use lasthop_contract::ChannelSet;
use lasthop_units::Duration;

/// How the device's end behaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpClientConfig {
    /// Where the server listens.
    pub server: SocketAddr,
    /// What `Host` says: the server, without the usual port of its scheme.
    pub authority: Box<str>,
    /// Which version is spoken.
    pub version: HttpVersion,
    /// Whether what is below is secured.
    pub is_secured: bool,
    /// How much of answers the client takes ahead of what it has read, in HTTP/2, in bytes.
    pub window: u32,
    /// How large a table of QPACK either end may build in HTTP/3, in bytes; without one the static table is all.
    pub qpack_table: usize,
    /// Whether that table remembers tokens.
    pub remembers_tokens: bool,
    /// How long connections last.
    pub policy: ConnectionPolicy,
    /// How many connections there are at most for what the device says.
    pub connections: usize,
    /// Whether messages go in chunks.
    pub is_chunked: bool,
    /// How long a request may take, the wait for its connection included.
    pub timeout: Duration,
    /// How long the server keeps a request for messages that are not there.
    pub hold: Duration,
    /// Whether the device says anything.
    pub sends: bool,
    /// Whether the server speaks first to it.
    pub receives: bool,
    /// Whether a message goes in base64url as the one field of a JSON object, as Google's bridge of 2018 took it.
    pub wraps_in_json: bool,
    /// The flows whose messages come back.
    pub echoed: ChannelSet,
}

/// Which version of HTTP is spoken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HttpVersion {
    /// HTTP/1.1.
    One,
    /// HTTP/2.
    Two,
    /// HTTP/3, over a transport of many streams.
    Three,
}

impl HttpClientConfig {
    /// Whether a connection carries many requests at the same time.
    pub(super) fn is_multiplexed(&self) -> bool {
        self.version != HttpVersion::One
    }
}

/// How long connections last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionPolicy {
    /// Until the server ends them.
    Keep,
    /// For one exchange.
    PerMessage,
    /// For so many messages, from the first one on.
    Messages(NonZeroU32),
}

impl ConnectionPolicy {
    /// How many messages a connection carries at most, where the client ends it behind them.
    pub(super) fn most_messages(self) -> Option<u32> {
        match self {
            // The server ends it, as it is asked to.
            Self::Keep | Self::PerMessage => None,
            Self::Messages(most) => Some(most.get()),
        }
    }
}
