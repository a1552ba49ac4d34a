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
    /// The device opens a connection for one: the first, or another after some that failed.
    Tried {
        /// Whether it is another.
        again: bool,
    },
    /// The device can send, and receives what it subscribed to.
    SetUp {
        /// When it tried first.
        since: Instant,
        /// How the connection came about that it goes by.
        how: Established,
    },
    /// The device knows of no connection any more.
    Lost,
    /// The server has an authenticated connection of the device.
    Held,
    /// The server serves it no more.
    Released,
}
