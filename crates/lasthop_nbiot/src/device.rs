//! The device of a subscriber in its states: connected, idle, asleep.

mod access;
mod arena;
mod connection;
mod expected;
mod idle;
mod radio_log;
mod registration;

pub(crate) use access::{Access, AccessPhase, AccessPurpose};
pub(crate) use arena::{DeviceKey, Devices};
pub(crate) use connection::{
    Connection, Content, Downlink, EarlyData, Pipe, RELEASE, Uplink, pipe_index,
};
pub(crate) use expected::{CONTROL_ERROR, Expected};
pub(crate) use idle::Idle;
pub(crate) use radio_log::RadioLog;
pub(crate) use registration::Registration;

use std::collections::VecDeque;

use lasthop_contract::{Packet, RandomStream};
use lasthop_units::Instant;

use crate::phy::{DownlinkSpan, NpdschFormat, Subframe};

/// One device, from its attachment to its detachment.
#[derive(Debug)]
pub(crate) struct Device {
    /// The cell that it camps on.
    pub(crate) cell: u8,
    /// The carrier of its connections, where that is not the one on which it camps; else 0.
    pub(crate) data_carrier: u8,
    /// The coverage level that its measured RSRP puts it into.
    pub(crate) level: u8,
    pub(crate) coupling_loss_db: f64,
    /// What it takes for its coupling loss, by the NRSRP that it measures.
    pub(crate) measured_loss_db: f64,
    pub(crate) expected: Expected,
    pub(crate) stream: RandomStream,
    pub(crate) radio: RadioLog,
    pub(crate) idle: Idle,
    /// The random access that is under way.
    pub(crate) access: Option<Access>,
    pub(crate) connection: Option<Box<Connection>>,
    /// Packets for the network that no bearer has taken yet.
    pub(crate) up: VecDeque<Waiting>,
    /// Packets for the device that no bearer has taken yet; the network holds them.
    pub(crate) down: VecDeque<Waiting>,
    /// When each packet was offered that is on its way up, and down; they arrive in this order.
    pub(crate) since: [VecDeque<Instant>; 2],
    /// When the event comes that looks for packets which have waited too long.
    pub(crate) give_up_event: Option<Subframe>,
    /// It need not read the broadcasts of the cell any more.
    pub(crate) knows_system_information: bool,
    /// It is switched off, and the network does not know.
    pub(crate) is_off: bool,
    /// It was switched on and is not registered yet.
    pub(crate) is_registering: bool,
    pub(crate) registration: Registration,
    /// Its radio link has failed, and it asks for its connection again.
    pub(crate) is_reestablishing: bool,
    /// Its access class, 0 to 9: the last figure of its IMSI (TS 22.011 section 4.2).
    pub(crate) access_class: u8,
    /// The network has told it to keep away until then.
    pub(crate) turned_away_until: Subframe,
    /// When the event comes with which it may begin, where it is held back.
    pub(crate) allowed_event: Option<Subframe>,
    /// A page is due or on its way.
    pub(crate) paged: bool,
    /// The page on its way: NPDCCH with its repetitions, NPDSCH with its format.
    pub(crate) page: Option<(DownlinkSpan, u16, DownlinkSpan, NpdschFormat)>,
}

/// A packet that waits.
#[derive(Debug)]
pub(crate) struct Waiting {
    pub(crate) packet: Packet,
}

impl Device {
    /// Whether nothing is under way: no connection and no access.
    pub(crate) fn is_idle(&self) -> bool {
        self.access.is_none() && self.connection.is_none()
    }
}
