use std::sync::Arc;

use lasthop_units::Instant;

use crate::shares::Place;
use crate::{Holder, MessageQueue};

/// The ID of a session, reused after its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId(pub u32);

/// The session of a client, connected or not. `S` is the state of the protocol.
#[derive(Debug)]
pub struct Session<S> {
    /// The state of the protocol.
    pub state: S,
    /// The queued messages.
    pub queue: MessageQueue,
    pub(crate) client_id: Arc<str>,
    /// The session's filters, by which they are removed from the subscription tree.
    pub(crate) filters: Vec<Box<str>>,
    pub(crate) is_connected: bool,
    pub(crate) holder: Holder,
    /// The session's place among the parked sessions.
    pub(crate) parked: Option<Place>,
    /// When the session expires while it is parked.
    pub(crate) ends_at: Option<Instant>,
}

impl<S> Session<S> {
    /// Returns the client ID.
    #[must_use]
    pub fn client_id(&self) -> &str {
        &self.client_id
    }

    /// Returns the holder to whom the session is charged.
    #[must_use]
    pub const fn holder(&self) -> Holder {
        self.holder
    }

    /// Whether the client is connected.
    #[must_use]
    pub const fn is_connected(&self) -> bool {
        self.is_connected
    }

    /// Returns the filters of the client, in the order of subscription.
    #[must_use]
    pub fn filters(&self) -> &[Box<str>] {
        &self.filters
    }
}
