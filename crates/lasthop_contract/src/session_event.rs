use lasthop_units::Instant;

use crate::{DeviceId, Established};

/// What happens to a session of a device with a server, told by the end that it happens to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionEvent {
    /// The device.
    pub device: DeviceId,
    /// What happens.
    pub change: SessionChange,
}

/// What happens to a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SessionChange {
    /// The device opens a connection for one: the first, or another after some that failed.
    Tried {
        /// Whether it is another.
        again: bool,
    },
    /// The device can send, and hears what it subscribes to.
    SetUp {
        /// When it tried first.
        since: Instant,
        /// How the connection came about that it goes by.
        how: Established,
    },
    /// The device has no connection any more, as far as it knows.
    Lost,
    /// The server has a connection whose device has said who it is.
    Held,
    /// The server serves it no more.
    Released,
}
