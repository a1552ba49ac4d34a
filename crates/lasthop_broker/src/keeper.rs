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
    /// Takes what a client publishes; it is kept once the ticket is [`Settled`](KeeperOutput::Settled).
    ///
    /// # Errors
    /// When it never will be.
    fn take(
        &mut self,
        now: Instant,
        client: Client<'_>,
        publication: &Publication<'_>,
    ) -> Result<Ticket, NotKept>;

    /// The next thing that it has to say.
    fn poll(&mut self, now: Instant) -> Option<KeeperOutput>;

    /// A client has a connection.
    fn came(&mut self, _client: Client<'_>) {}

    /// A client has none any more.
    fn parted(&mut self, _client: Client<'_>, _why: Parting) {}
}

/// Why a client has no connection any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parting {
    /// It said good-bye.
    Left,
    /// Its connection broke, or ended without a word.
    Lost,
    /// It came by another connection.
    TakenOver,
    /// What it showed of itself is worth nothing any more, or it is not served any more.
    NotAuthorised,
    /// It said nothing for too long.
    Silent,
    /// It did what it may not.
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
    /// What a publication has come to.
    Settled(Ticket, Result<(), NotKept>),
    /// This is to go to its subscribers, and to be retained if it says so.
    Publish(Arc<Message>),
    /// The client of this identifier may have less than before: of its subscriptions those are left that it may still have.
    Reconsider(Box<str>),
    /// The client of this identifier is not served any more: its connection and its session end.
    Disconnect(Box<str>),
    /// The connection of the client of this identifier ends; its session stays for who may have it.
    End(Box<str>),
}

/// Why a publication was not stored. The client must not get an acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NotKept {
    /// It is none of the client's business.
    #[error("it is not allowed")]
    Denied,
    /// It is larger, or comes sooner, than it may.
    #[error("a limit is reached")]
    Limit,
    /// The store does not take it.
    #[error("it cannot be stored")]
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
