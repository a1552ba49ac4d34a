use core::fmt::Debug;
use std::sync::Arc;

use lasthop_units::Instant;
use thiserror::Error;

use crate::{Client, Message, Publication};

/// Storage that must hold a publication before its client gets the acknowledgement, for example a log.
///
/// It may speak to clients itself. After each [`take`](Self::take), and whenever the host's flag is raised, it is polled until
/// it says nothing more.
pub trait Keeper: Debug {
    /// Takes a message that a client publishes. The message is stored once its ticket is
    /// [`Settled`](KeeperOutput::Settled).
    ///
    /// # Errors
    /// When it never will be.
    fn take(
        &mut self,
        now: Instant,
        client: Client<'_>,
        publication: &Publication<'_>,
    ) -> Result<Ticket, NotKept>;

    /// Returns the next output of the storage.
    fn poll(&mut self, now: Instant) -> Option<KeeperOutput>;

    /// Reports that a client has connected.
    fn came(&mut self, _client: Client<'_>) {}

    /// Reports that a client has disconnected.
    fn parted(&mut self, _client: Client<'_>, _why: Parting) {}
}

/// Why a client is disconnected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parting {
    /// The client disconnected normally.
    Left,
    /// The connection broke, or ended without a normal disconnect.
    Lost,
    /// The client opened another connection.
    TakenOver,
    /// The client's credentials are no longer valid, or the client is no longer authorised.
    NotAuthorised,
    /// The client's keep-alive timeout passed.
    Silent,
    /// The client violated the protocol.
    Misbehaved,
    /// The server stops.
    Stopping,
}

/// The ID of a publication until it is stored. Later ones are higher.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ticket(pub u64);

/// An output of a [`Keeper`].
#[derive(Debug)]
pub enum KeeperOutput {
    /// The publication was stored, or was not.
    Settled(Ticket, Result<(), NotKept>),
    /// Publish this message to its subscribers, and retain it if its retain flag is set.
    Publish(Arc<Message>),
    /// The permissions of the client with this ID have changed. Remove the subscriptions that it may no longer have.
    Reconsider(Box<str>),
    /// The client with this ID is no longer authorised. End its connection and its session.
    Disconnect(Box<str>),
    /// End the connection of the client with this ID. Keep its session for a later connection.
    End(Box<str>),
}

/// Why a publication was not stored. The client must not get an acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NotKept {
    /// The client is not authorised to publish this message.
    #[error("it is not allowed")]
    Denied,
    /// The message is too large, or exceeds the client's rate.
    #[error("a limit of the broker is reached")]
    Limit,
    /// The store failed.
    #[error("the message cannot be stored")]
    Failed,
}

impl Parting {
    /// Returns the name for logs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Left => "left",
            Self::Lost => "lost",
            Self::TakenOver => "taken_over",
            Self::NotAuthorised => "not_authorised",
            Self::Silent => "silent",
            Self::Misbehaved => "misbehaved",
            Self::Stopping => "stopping",
        }
    }
}
