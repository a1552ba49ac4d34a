use std::sync::Arc;

use lasthop_units::Instant;

use crate::shares::Place;
use crate::{Holder, MessageQueue};

/// Which session; a number that is used again once its session has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId(pub u32);

/// What a broker knows of a client, whether or not it is connected. `S` is what the protocol keeps.
#[derive(Debug)]
pub struct Session<S> {
    /// What the protocol keeps.
    pub state: S,
    /// What waits for the client.
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
    /// Who the client says it is.
    #[must_use]
    pub fn client_id(&self) -> &str {
        &self.client_id
    }

    /// To whom it counts where there are too many.
    #[must_use]
    pub const fn holder(&self) -> Holder {
        self.holder
    }

    /// Whether the client is there.
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
