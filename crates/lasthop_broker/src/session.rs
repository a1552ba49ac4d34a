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
    /// Its filters, so that they can be taken out of the tree.
    pub(crate) filters: Vec<Box<str>>,
    pub(crate) is_connected: bool,
    pub(crate) holder: Holder,
    /// Its place among the parked ones.
    pub(crate) parked: Option<Place>,
    /// When it ends, while it is parked.
    pub(crate) ends_at: Option<Instant>,
}

impl<S> Session<S> {
    /// Returns the client ID.
    #[must_use]
    pub fn client_id(&self) -> &str {
        &self.client_id
    }

    /// Returns the holder to whom it counts.
    #[must_use]
    pub const fn holder(&self) -> Holder {
        self.holder
    }

    /// Whether the client is connected.
    #[must_use]
    pub const fn is_connected(&self) -> bool {
        self.is_connected
    }

    /// The filters that the client subscribed to, in the order of subscribing.
    #[must_use]
    pub fn filters(&self) -> &[Box<str>] {
        &self.filters
    }
}
