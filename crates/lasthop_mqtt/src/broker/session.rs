use std::sync::Arc;

use lasthop_broker::{Charge, Identity, Message, QueuedMessage};
use lasthop_units::Instant;

use crate::in_flight::InFlight;
use crate::unreleased::Unreleased;

/// The part of a session's state that is specific to MQTT.
#[derive(Debug)]
pub(super) struct SessionState {
    /// The place of the session's connection.
    pub(super) connection: Option<u32>,
    /// The identity of the client.
    pub(super) identity: Identity,
    /// The session expiry in seconds; `u32::MAX` for never.
    pub(super) expiry: u32,
    pub(super) in_flight: InFlight<QueuedMessage>,
    pub(super) unreleased: Unreleased<Counted>,
    pub(super) will: Option<Box<OwnedWill>>,
}

/// A received message with its charge.
#[derive(Debug)]
pub(super) struct Counted {
    pub(super) message: Arc<Message>,
    /// The charge, released when the message is dropped.
    pub(super) _charge: Option<Box<Charge>>,
}

/// A stored will.
#[derive(Debug)]
pub(super) struct OwnedWill {
    /// The ID of the client that set the will.
    pub(super) client_id: Box<str>,
    pub(super) identity: Identity,
    pub(super) counted: Counted,
    pub(super) delay: u32,
    pub(super) message_expiry: Option<u32>,
    /// When the will is published after the connection has ended.
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
