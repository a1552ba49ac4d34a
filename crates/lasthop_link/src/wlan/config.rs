use lasthop_units::{Duration, Probability};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::stage::rate::QueueLimit;

use super::Modulation;

/// The settings that all stations of a cell share, as in a run spec.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct CellConfig {
    /// The slot time, in nanoseconds: the unit of back-off.
    pub slot_ns: u64,
    /// SIFS, in nanoseconds: the time between a frame and its acknowledgement.
    pub sifs_ns: u64,
    /// The idle time before back-off continues, in nanoseconds: DIFS, or the AIFS of best effort.
    pub difs_ns: u64,
    /// The idle time after an unreadable frame, in nanoseconds: EIFS, or DIFS.
    pub eifs_ns: u64,
    /// The overhead of a data frame, in bytes: MAC header, LLC and SNAP, encryption, FCS.
    pub overhead_bytes: u32,
    /// The size of an acknowledgement, in bytes.
    pub ack_bytes: u32,
    /// The maximum number of transmissions of a frame.
    pub retry_limit: u16,
    /// The queue and channel access of each station.
    pub station: QueueConfig,
    /// The queue and channel access of the access point.
    pub access_point: QueueConfig,
}

/// The queue and channel access settings of a station or an access point.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueueConfig {
    /// The initial contention window, in slots.
    pub cw_min: u32,
    /// The maximum contention window, in slots.
    pub cw_max: u32,
    /// The queue limit, including the packet in service.
    pub queue: QueueLimit,
}

/// The settings of one station.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StationConfig {
    /// The modulation of data frames to and from the station.
    pub data: Modulation,
    /// The modulation of acknowledgements in both directions.
    pub ack: Modulation,
    /// The probability that a frame is lost without a collision.
    pub frame_loss: Probability,
}

crate::config::read_checked!(CellConfig);

impl CellConfig {
    /// The size of the largest IP packet: the largest MSDU (IEEE 802.11-2016, 9.2.4.7) without LLC and SNAP.
    pub const LARGEST_PACKET: usize = 2304 - 8;

    fn checked(self) -> Result<Self, WlanError> {
        if self.slot_ns == 0 {
            return Err(WlanError::Slot);
        }
        if self.eifs_ns < self.difs_ns || self.difs_ns < self.sifs_ns {
            return Err(WlanError::Spaces);
        }
        if self.retry_limit == 0 {
            return Err(WlanError::RetryLimit);
        }
        for side in [self.station, self.access_point] {
            let is_window = |cw: u32| (cw + 1).is_power_of_two() && cw <= QueueConfig::LARGEST;
            if !is_window(side.cw_min) || !is_window(side.cw_max) || side.cw_min > side.cw_max {
                return Err(WlanError::Windows);
            }
            if side.queue == QueueLimit::Packets(0) {
                return Err(WlanError::Queue);
            }
        }
        Ok(self)
    }

    pub(super) const fn sifs(&self) -> Duration {
        Duration::from_nanos(self.sifs_ns)
    }
}

impl QueueConfig {
    /// The largest contention window (IEEE 802.11-2016, 9.4.2.29: an exponent of 15).
    const LARGEST: u32 = 32_767;

    /// The contention window after one more failure.
    pub(super) fn wider(&self, window: u32) -> u32 {
        (2 * window + 1).min(self.cw_max)
    }
}

/// An error in the configuration of a WLAN cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum WlanError {
    /// The slot time is zero.
    #[error("a slot must take time")]
    Slot,
    /// The interframe spaces are in an order that no standard has.
    #[error("SIFS is at most DIFS, and DIFS at most EIFS")]
    Spaces,
    /// The retry limit is zero: frames would never be sent.
    #[error("the retry limit must be at least 1: it counts transmissions")]
    RetryLimit,
    /// The contention windows are not possible for back-off.
    #[error("contention windows are powers of two less 1, up to 32767, the first at most the last")]
    Windows,
    /// A queue can hold no packet.
    #[error("a queue must have room for a packet")]
    Queue,
}
