//! A serial line: a UART, an RS-232 cable or an RS-485 bus.
//!
//! It carries one byte after the other, each with start, parity and stop bits. Packets are framed by PPP (RFC 1662) or
//! SLIP (RFC 1055).

mod framing;
mod line;

pub use framing::Framing;
pub use line::{SerialLine, SerialReport};

use lasthop_units::{BitRate, Duration};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::stage::rate::QueueLimit;

/// The configuration of a serial line, as in a run spec.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct SerialConfig {
    /// The baud rate of the line, in bits per second.
    pub bits_per_second: BitRate,
    /// The number of bits that each byte takes on the line with start, parity and stop bits: 10 for 8N1.
    pub bits_per_byte: u8,
    /// The framing of packets.
    pub framing: Framing,
    /// Which stations can send at the same time.
    pub duplex: Duplex,
    /// The idle time of the line before another station sends, in nanoseconds.
    pub turnaround_ns: u64,
    /// The queue limit of a station.
    pub queue: QueueLimit,
}

/// Which stations can send at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Duplex {
    /// One station at a time: two-wire RS-485.
    Half,
    /// One station in each direction: RS-232, or four-wire RS-485.
    Full,
}

crate::config::read_checked!(SerialConfig);

impl SerialConfig {
    /// The size of the largest packet: the usual MRU of PPP (RFC 1661 section 6.1), in bytes.
    pub const LARGEST_PACKET: usize = 1500;

    /// A start bit, eight bits of data and a stop bit; at most a parity bit and a second stop bit beside.
    const BITS: core::ops::RangeInclusive<u8> = 10..=12;

    /// Returns the time that a packet occupies the line, rounded up.
    #[must_use]
    pub fn time_of(&self, packet: &[u8]) -> Duration {
        let bits = self.framing.bytes_of(packet) * u64::from(self.bits_per_byte);
        let rate = u128::from(self.bits_per_second.as_bits_per_second());
        let nanos = (u128::from(bits) * 1_000_000_000).div_ceil(rate);
        Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX))
    }

    fn checked(self) -> Result<Self, SerialError> {
        match Self::BITS.contains(&self.bits_per_byte) {
            true => Ok(self),
            false => Err(SerialError::BitsPerByte),
        }
    }
}

/// An error in the configuration of a serial line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SerialError {
    /// The number of bits is too low for a start bit, a byte and a stop bit, or too high for a parity bit and two stop
    /// bits.
    #[error("a byte on a serial line has from 10 to 12 bits")]
    BitsPerByte,
}
