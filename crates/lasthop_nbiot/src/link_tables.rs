//! Block error rates over Es/N0 on the AWGN channel, from the committed tables.
//!
//! [`BlockErrorRate`] is a handle of two bytes: choose it once by the transport format, ask it for each
//! transmission. The Es/N0 it is asked with is that of one resource element, *summed over all repetitions and
//! retransmissions that were combined* (and over antennas, after the loss to channel estimation).
//!
//! ```
//! use lasthop_nbiot::link_tables::{BlockErrorRate, Combining, Tones};
//! // 256 bits in 10 resource units of a single tone: one transmission needs about -4.4 dB.
//! let once = BlockErrorRate::npusch(Tones::Single, 0, 7, Combining::Chase).unwrap();
//! assert!(once.at(-5.0) > 0.1 && once.at(-4.0) < 0.1);
//! // Repeated 16 times at -17 dB each, it meets -17 + 12 dB.
//! assert_eq!(once.at(-17.0 + 12.0), once.at(-5.0));
//! ```

mod curve;
mod format;
mod measured;
mod reading;
mod tables;

pub use format::{Carrier, Combining, ControlMessage, Tones};

use format::Slot;
use tables::LinkTables;

/// The block error rate of a transport block or control message over Es/N0.
///
/// Measured from about 0.98 down to about 0.001; [`Self::measured_db`] says where. Beyond these, the curve goes on
/// as a straight line in log-odds over dB, down to 10^-6; what lies beyond that is 0, or 1 on the other side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BlockErrorRate(u16);

impl BlockErrorRate {
    /// Returns the block error rate of NPUSCH format 1. `i_tbs` (0 to 13) and `i_ru` (0 to 7) are the indices of TS
    /// 36.213 table 16.5.1.2-2.
    ///
    /// `None` where that table has no block, or a single tone does not carry it (I_TBS above 10).
    #[must_use]
    pub fn npusch(tones: Tones, i_tbs: u8, i_ru: u8, combining: Combining) -> Option<Self> {
        LinkTables::get().find(Slot::npusch(tones, i_tbs, i_ru, combining)?)
    }

    /// Returns the error rate of NPUSCH format 2, the acknowledgement of an NPDSCH: the rate of mistaking ACK for NACK
    /// or the reverse.
    #[must_use]
    pub fn npusch_format_2() -> Self {
        LinkTables::get().in_every_table(Slot::NPUSCH_FORMAT_2)
    }

    /// Returns the block error rate of NPDSCH. `i_tbs` (0 to 13) and `i_sf` (0 to 7) are the indices of TS 36.213 table
    /// 16.4.1.5.1-1.
    ///
    /// `None` where that table has no block, or an in-band carrier does not carry it (I_TBS above 10).
    #[must_use]
    pub fn npdsch(carrier: Carrier, i_tbs: u8, i_sf: u8) -> Option<Self> {
        LinkTables::get().find(Slot::npdsch(carrier, i_tbs, i_sf)?)
    }

    /// Returns the block error rate of NPDCCH.
    #[must_use]
    pub fn npdcch(carrier: Carrier, message: ControlMessage) -> Self {
        LinkTables::get().in_every_table(Slot::npdcch(carrier, message))
    }

    /// Returns the block error rate at this Es/N0, summed over combined receptions. Takes constant time.
    ///
    /// Never rises with Es/N0. What is not a number counts as no signal.
    #[inline]
    #[must_use]
    pub fn at(self, es_n0_db: f64) -> f64 {
        LinkTables::get().curve(self.0).at(es_n0_db)
    }

    /// Returns the lowest Es/N0 in dB with at most this block error rate: the inverse of [`Self::at`].
    ///
    /// A share at or below 10^-6 asks for the end of the curve, one that is always met for its start.
    #[must_use]
    pub fn es_n0_db(self, block_error_rate: f64) -> f64 {
        LinkTables::get().curve(self.0).es_n0_db(block_error_rate)
    }

    /// Returns the Es/N0 range in dB in which the rate was measured. Outside of it the rate is extrapolated.
    #[must_use]
    pub fn measured_db(self) -> (f64, f64) {
        LinkTables::get().curve(self.0).measured_db()
    }

    /// Returns the size of the block without its CRC, in bits.
    #[must_use]
    pub fn payload_bits(self) -> u16 {
        LinkTables::get().curve(self.0).payload_bits()
    }

    /// Returns the number of bits of one transmission after rate matching.
    #[must_use]
    pub fn coded_bits(self) -> u16 {
        LinkTables::get().curve(self.0).coded_bits()
    }
}
