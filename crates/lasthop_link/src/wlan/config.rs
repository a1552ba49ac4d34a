use lasthop_units::{Duration, Probability};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::stage::rate::QueueLimit;

use super::Modulation;

/// The settings that all stations of a cell share, as in a run spec.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct CellConfig {
    /// The unit of back-off.
    pub slot_ns: u64,
    /// Between a frame and its acknowledgement.
    pub sifs_ns: u64,
    /// The idle time before back-off continues: DIFS, or the AIFS of best effort.
    pub difs_ns: u64,
    /// The idle time after an unreadable frame: EIFS, or again DIFS.
    pub eifs_ns: u64,
    /// The overhead of a data frame: MAC header, LLC and SNAP, encryption, FCS.
    pub overhead_bytes: u32,
    /// An acknowledgement.
    pub ack_bytes: u32,
    /// The maximum number of transmissions of a frame.
    pub retry_limit: u16,
    /// The queue of each station.
    pub station: QueueConfig,
    /// The queue of the access point.
    pub access_point: QueueConfig,
}

/// The channel access of one side.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueueConfig {
    /// The initial contention window in slots.
    pub cw_min: u32,
    /// The maximum contention window in slots.
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
    /// The probability that a frame without a collision is still unreadable.
    pub frame_loss: Probability,
}

crate::config::read_checked!(CellConfig);

impl CellConfig {
    /// The largest MSDU (IEEE 802.11-2016, 9.2.4.7) less LLC and SNAP.
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

/// Numbers that describe no cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum WlanError {
    /// A slot of no length.
    #[error("a slot must take time")]
    Slot,
    /// Spaces between frames in an order that no standard has.
    #[error("SIFS is at most DIFS, and DIFS at most EIFS")]
    Spaces,
    /// Frames that are never sent.
    #[error("the retry limit must be at least 1: it counts transmissions")]
    RetryLimit,
    /// Contention windows that back-off cannot have.
    #[error("contention windows are powers of two less 1, up to 32767, the first at most the last")]
    Windows,
    /// A side that can hold no packet.
    #[error("a queue must have room for a packet")]
    Queue,
}
