use lasthop_units::Instant;

use crate::{DeviceId, Established};

/// A change of a session between a device and a server, reported by one end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionEvent {
    /// The device.
    pub device: DeviceId,
    /// The change.
    pub change: SessionChange,
}

/// A change of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionChange {
    /// The device opens a connection: the first one, or another one after failures.
    Tried {
        /// Whether it is another.
        again: bool,
    },
    /// The device can send and receives its subscribed messages.
    SetUp {
        /// When it tried first.
        since: Instant,
        /// How the connection came about that it goes by.
        how: Established,
    },
    /// The device no longer has a connection.
    Lost,
    /// The server has authenticated a connection of the device.
    Held,
    /// The server no longer serves the device.
    Released,
}
