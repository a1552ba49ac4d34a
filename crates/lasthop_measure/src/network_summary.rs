use core::num::NonZeroU32;

use crate::message_sums::{MeasuredTime, MessageSums};

/// The service quality of a cellular network.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NetworkSummary {
    /// The mean, over delivered messages, of payload bits for each second of latency.
    pub device_throughput_bit_s: Option<f64>,
    /// The share of offered messages that were delivered within 20 s.
    pub availability_20s: Option<f64>,
    /// Delivered payload bits for each second of the measurement and each cell.
    pub cell_throughput_bit_s: Option<f64>,
    /// The lowest path gain of a device whose message was delivered, in dB.
    pub lowest_path_gain_served_db: Option<f64>,
}

impl NetworkSummary {
    pub(crate) fn of(sums: &MessageSums, time: MeasuredTime, cells: NonZeroU32) -> Self {
        let seconds = if time.to > time.from {
            (time.to - time.from).as_secs_f64()
        } else {
            0.0
        };
        let cell_seconds = seconds * f64::from(cells.get());
        Self {
            device_throughput_bit_s: sums.rate_mean(),
            availability_20s: (sums.offered > 0)
                .then(|| sums.available as f64 / sums.offered as f64),
            cell_throughput_bit_s: (cell_seconds > 0.0)
                .then(|| sums.bits_in_time as f64 / cell_seconds),
            ..Self::default()
        }
    }
}
