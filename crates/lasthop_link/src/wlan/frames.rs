use lasthop_units::Duration;
use serde::{Deserialize, Serialize};

/// A modulation, which determines the airtime of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Modulation {
    /// DSSS: bits after a preamble with header, in whole microseconds (IEEE 802.11-2016, clauses 15 and 16).
    Dsss {
        /// The duration of the preamble and the PLCP header, in nanoseconds.
        preamble_ns: u64,
        /// The bit rate after the preamble, in bits per second.
        bits_per_second: u64,
    },
    /// OFDM: symbols of 4 us after a preamble (clauses 17 to 19, 20 MHz, one stream, long guard interval).
    Ofdm {
        /// The duration of the preamble and the signal fields, in nanoseconds.
        preamble_ns: u64,
        /// The number of data bits in each symbol.
        data_bits_per_symbol: u32,
        /// The signal extension after the frame, in nanoseconds (18.4.4, 19.3.9: 6 us at 2.4 GHz).
        extension_ns: u64,
    },
}

/// A symbol of OFDM with its guard interval.
const SYMBOL_NS: u64 = 4_000;
/// Service and tail bits of OFDM.
const SERVICE_AND_TAIL_BITS: u64 = 16 + 6;
const NANOS_PER_MICRO: u64 = 1_000;
const MICROS_PER_SECOND: u64 = 1_000_000;

impl Modulation {
    /// Returns the airtime of a frame with this number of bytes, FCS included.
    #[must_use]
    pub fn airtime(self, bytes: u64) -> Duration {
        let nanos = match self {
            Self::Dsss {
                preamble_ns,
                bits_per_second,
            } => {
                let micros = (8 * bytes * MICROS_PER_SECOND).div_ceil(bits_per_second.max(1));
                preamble_ns + micros * NANOS_PER_MICRO
            }
            Self::Ofdm {
                preamble_ns,
                data_bits_per_symbol,
                extension_ns,
            } => {
                let bits = SERVICE_AND_TAIL_BITS + 8 * bytes;
                let symbols = bits.div_ceil(u64::from(data_bits_per_symbol.max(1)));
                preamble_ns + symbols * SYMBOL_NS + extension_ns
            }
        };
        Duration::from_nanos(nanos)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_take_the_time_of_the_standards() {
        let dsss = |preamble_ns, bits_per_second| Modulation::Dsss {
            preamble_ns,
            bits_per_second,
        };
        let micros = |modulation: Modulation, bytes| modulation.airtime(bytes).as_nanos() / 1_000;
        // An acknowledgement at 1 Mbit/s behind a long preamble, at 11 behind a short one.
        assert_eq!(micros(dsss(192_000, 1_000_000), 14), 304);
        assert_eq!(micros(dsss(96_000, 11_000_000), 14), 107);
        // 17.4.3: an acknowledgement at 6 and at 24 Mbit/s.
        let ofdm = |data_bits_per_symbol| Modulation::Ofdm {
            preamble_ns: 20_000,
            data_bits_per_symbol,
            extension_ns: 0,
        };
        assert_eq!(micros(ofdm(24), 14), 44);
        assert_eq!(micros(ofdm(96), 14), 28);
        assert_eq!(micros(ofdm(216), 1536), 248);
    }
}
