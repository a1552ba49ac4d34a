use std::sync::Arc;

use lasthop_broker::{Charge, Identity, Message, QueuedMessage};
use lasthop_units::Instant;

use crate::in_flight::InFlight;
use crate::unreleased::Unreleased;

/// What MQTT keeps of a session beside what every broker keeps.
#[derive(Debug)]
pub(super) struct SessionState {
    /// The place of its connection.
    pub(super) connection: Option<u32>,
    /// Who its client is.
    pub(super) identity: Identity,
    /// Seconds for which it outlives its connection; `u32::MAX` for ever.
    pub(super) expiry: u32,
    pub(super) in_flight: InFlight<QueuedMessage>,
    pub(super) unreleased: Unreleased<Counted>,
    pub(super) will: Option<Box<OwnedWill>>,
}

/// A message that a client has sent, and what it counts.
#[derive(Debug)]
pub(super) struct Counted {
    pub(super) message: Arc<Message>,
    /// As long as it is kept.
    pub(super) _charge: Option<Box<Charge>>,
}

/// A will as long as it may be needed.
#[derive(Debug)]
pub(super) struct OwnedWill {
    /// Whose it is.
    pub(super) client_id: Box<str>,
    pub(super) identity: Identity,
    pub(super) counted: Counted,
    pub(super) delay: u32,
    pub(super) message_expiry: Option<u32>,
    /// When it is published, once the connection is gone.
    pub(super) due: Option<Instant>,
}

impl SessionState {
    pub(super) fn new(identity: Identity) -> Self {
        Self {
            connection: None,
            identity,
            expiry: 0,
            in_flight: InFlight::new(),
            unreleased: Unreleased::new(),
            will: None,
        }
    }
}
