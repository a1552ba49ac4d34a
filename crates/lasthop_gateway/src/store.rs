use core::fmt::Debug;

use lasthop_broker::Ticket;
use thiserror::Error;

use crate::{DevicePath, DeviceRecord, Fingerprint, UnixTime};

/// A database of devices and their messages.
///
/// It may be told of changes by others while it is used; those from before it was opened come first.
pub trait Store: Debug {
    /// Begins to store a record. The record is durable, also after a power failure, once its ticket is settled.
    ///
    /// # Errors
    /// When too much waits to be kept.
    fn keep(&mut self, record: Record<'_>) -> Result<Ticket, StoreError>;

    /// Returns the next record that is durable or has failed, in the order of tickets.
    fn next_settled(&mut self) -> Option<(Ticket, Result<(), StoreError>)>;

    /// Returns the next change of devices, bindings, configurations or commands.
    fn next_change(&mut self) -> Option<Change>;
}

/// A message of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record<'a> {
    /// The device.
    pub device: &'a DevicePath,
    /// The time at which the record was made.
    pub at: UnixTime,
    /// The kind.
    pub kind: Kind,
    /// The folder of an event, usually empty.
    pub folder: &'a str,
    /// The payload.
    pub payload: &'a [u8],
}

/// The kind of a device's message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A telemetry event.
    Event,
    /// The state of the device.
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
    /// A device was added, or its keys or its block changed. Connections by removed keys continue.
    Device(DeviceRecord),
    /// These keys of a device were revoked, after a change to its new keys. Connections by these keys end.
    Revoked(DevicePath, Vec<Fingerprint>),
    /// A device was removed.
    Removed(DevicePath),
    /// The first device, a gateway device, may attach the second.
    Bound(DevicePath, DevicePath),
    /// The first device may no longer attach the second.
    Unbound(DevicePath, DevicePath),
    /// A device has a new configuration, with its version.
    Configured(DevicePath, u64, Vec<u8>),
    /// A command was sent to a device, with its folder.
    Commanded(DevicePath, String, Vec<u8>),
}

/// Why something was not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum StoreError {
    /// Too many messages wait already.
    #[error("too much waits to be kept")]
    Busy,
    /// The disk is full.
    #[error("the disk is full")]
    Full,
    /// Writing failed.
    #[error("it could not be written")]
    Failed,
}

impl Kind {
    /// Returns the name in results and commands.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Event => "event",
            Self::State => "state",
        }
    }
}
