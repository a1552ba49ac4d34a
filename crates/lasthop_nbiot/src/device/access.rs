use lasthop_units::Instant;

use crate::channel::BurstId;
use crate::phy::Subframe;

/// A random access that is under way (TS 36.321 section 5.1).
#[derive(Debug)]
pub(crate) struct Access {
    pub(crate) purpose: AccessPurpose,
    /// The coverage level in which it is tried now.
    pub(crate) level: u8,
    /// Preambles sent at this level, and at all.
    pub(crate) attempts_at_level: u8,
    pub(crate) attempts: u16,
    pub(crate) started: Instant,
    /// What is on air.
    pub(crate) burst: Option<BurstId>,
    /// When the response window, or the wait for the resolution of contention, ends.
    pub(crate) deadline: Subframe,
    pub(crate) phase: AccessPhase,
    /// The back-off parameter is above 0: the last response that it read told all who waited to back off.
    pub(crate) backs_off: bool,
    /// The packets that go with Msg3, where this attempt announces early data.
    pub(crate) early_packets: Option<u8>,
    /// Bytes of packets that the network has from an earlier Msg3, and the device does not know.
    pub(crate) early_bytes_there: u16,
}

/// What a random access is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AccessPurpose {
    /// A connection.
    Connect,
    /// A grant, for a device that is connected.
    Grant,
}

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AccessPhase {
    /// Waits for an opportunity, or sends a preamble in it.
    Preamble,
    /// Waits for a response.
    Response,
    /// Has a grant for Msg3.
    Msg3,
    /// Waits for the resolution of contention.
    Contention,
}

impl Access {
    pub(crate) const fn new(purpose: AccessPurpose, level: u8, started: Instant) -> Self {
        Self {
            purpose,
            level,
            attempts_at_level: 0,
            attempts: 0,
            started,
            burst: None,
            deadline: Subframe(0),
            phase: AccessPhase::Preamble,
            backs_off: false,
            early_packets: None,
            early_bytes_there: 0,
        }
    }

    /// Whether it waits for a response in the window that ends there.
    pub(crate) fn is_waiting_until(&self, window_end: Subframe) -> bool {
        self.phase == AccessPhase::Response && self.deadline == window_end
    }
}
