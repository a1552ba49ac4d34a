use core::fmt::Debug;

use lasthop_broker::Ticket;
use thiserror::Error;

use crate::{DevicePath, DeviceRecord, Fingerprint, UnixTime};

/// A database of devices and their messages.
///
/// It may be told of changes by others while it is used; those from before it was opened come first.
pub trait Store: Debug {
    /// Begins to keep a record. It is durable, and survives a failure of power, once its ticket is settled.
    ///
    /// # Errors
    /// When too much waits to be kept.
    fn keep(&mut self, record: Record<'_>) -> Result<Ticket, StoreError>;

    /// The next record that is durable, or never will be; in the order of the tickets.
    fn next_settled(&mut self) -> Option<(Ticket, Result<(), StoreError>)>;

    /// The next change of what devices there are and what they are told.
    fn next_change(&mut self) -> Option<Change>;
}

/// A message of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// The device.
    pub device: &'a DevicePath,
    /// The time.
    pub at: UnixTime,
    /// The kind.
    pub kind: Kind,
    /// The folder of an event, mostly empty.
    pub folder: &'a str,
    /// The payload.
    pub payload: &'a [u8],
}

/// The kind of a device's message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Something that happened.
    Event,
    /// How the device is.
    State,
}

/// A message in the log of a topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedMessage {
    /// The position, from 1.
    pub offset: u64,
    /// The full name of the sender.
    pub device: String,
    /// The time of arrival.
    pub at: UnixTime,
    /// The kind.
    pub kind: Kind,
    /// The folder of an event.
    pub folder: String,
    /// The payload.
    pub payload: Vec<u8>,
}

/// A change by another process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A device is new, has other keys, is blocked or is not any more. A connection by a key that it has lost goes on.
    Device(DeviceRecord),
    /// These keys of a device are not its own any more: what it has by them ends. Its new ones came before.
    Revoked(DevicePath, Vec<Fingerprint>),
    /// A device is gone.
    Removed(DevicePath),
    /// The first device, one that speaks for others, may attach the second.
    Bound(DevicePath, DevicePath),
    /// It may not any more.
    Unbound(DevicePath, DevicePath),
    /// What a device is to be like, with the version of that.
    Configured(DevicePath, u64, Vec<u8>),
    /// What a device is to do now, with the folder of the command.
    Commanded(DevicePath, String, Vec<u8>),
}

/// Why something was not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum StoreError {
    /// Too much waits already.
    #[error("too much waits to be kept")]
    Busy,
    /// The disk has no room.
    #[error("the disk is full")]
    Full,
    /// It could not be written.
    #[error("it could not be written")]
    Failed,
}

impl Kind {
    /// Returns its name in results and commands.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Event => "event",
            Self::State => "state",
        }
    }
}
