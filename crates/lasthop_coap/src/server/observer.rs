use lasthop_contract::ConnectionId;
use lasthop_units::{Duration, Instant};

use crate::codec::{MessageType, Token};

/// A client that is told of each change of a resource (RFC 7641).
#[derive(Clone, Copy, Debug)]
pub(super) struct Observer {
    pub(super) connection: ConnectionId,
    pub(super) token: Token,
    /// When it was last sent something that it has to acknowledge.
    last_confirmable: Instant,
}

/// A client is asked at least this often whether it is still there (RFC 7641 section 4.5).
const CONFIRMABLE_AT_LEAST_EVERY: Duration = Duration::from_secs(24 * 60 * 60);

impl Observer {
    pub(super) const fn new(now: Instant, connection: ConnectionId, token: Token) -> Self {
        Self {
            connection,
            token,
            last_confirmable: now,
        }
    }

    /// Whether it is another observation of the same client.
    pub(super) fn is_another_of(&self, key: (ConnectionId, Token)) -> bool {
        self.connection == key.0 && self.key() != key
    }

    pub(super) fn key(&self) -> (ConnectionId, Token) {
        (self.connection, self.token)
    }

    /// How the next notification goes, given how notifications go.
    pub(super) fn kind_of_next(&mut self, now: Instant, usual: MessageType) -> MessageType {
        let kind = if now >= self.last_confirmable + CONFIRMABLE_AT_LEAST_EVERY {
            MessageType::Confirmable
        } else {
            usual
        };
        if kind == MessageType::Confirmable {
            self.last_confirmable = now;
        }
        kind
    }
}
