use core::num::NonZeroU32;

use crate::message_sums::{MeasuredTime, MessageSums};

/// What a network with cells is asked for: how well it serves devices and uses its channels.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NetworkSummary {
    /// The mean, over the messages that arrived, of payload bits for each second from when they were due.
    pub device_throughput_bit_s: Option<f64>,
    /// The share of the messages that were due that arrived within 20 s.
    pub availability_20s: Option<f64>,
    /// Payload bits that arrived, for each second of the measured time and each cell.
    pub cell_throughput_bit_s: Option<f64>,
    /// The path gain of the farthest device whose message arrived.
    pub lowest_path_gain_served_db: Option<f64>,
    /// What the cells have counted.
    pub radio: RadioSummary,
}

/// What the cells of a network have counted in the whole run, all of them together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RadioSummary {
    /// Preambles that devices sent.
    pub random_access_preambles: u64,
    /// Of these, those whose tone another device chose at the same time.
    pub random_access_collisions: u64,
    /// Random accesses that ended without success.
    pub random_access_failures: u64,
    /// Random accesses that data in Msg3 and the answer to it completed.
    pub early_data: u64,
    /// Announcements of early data that the network answered with a connection, or with a grant for a usual Msg3.
    pub early_data_fallbacks: u64,
    /// Connections that ended by failure of the radio link.
    pub radio_link_failures: u64,
    /// The share of the transport blocks on NPUSCH that HARQ repeated.
    pub harq_retransmission_up_ratio: Option<f64>,
    /// The share of those on NPDSCH.
    pub harq_retransmission_down_ratio: Option<f64>,
    /// RLC PDUs that were sent again, both ways.
    pub rlc_retransmissions: u64,
    /// The share of the usable downlink subframes that NPDCCH took.
    pub occupancy_npdcch_ratio: Option<f64>,
    /// The share that NPDSCH took.
    pub occupancy_npdsch_ratio: Option<f64>,
    /// The share of the uplink, in tones and time, in which NPUSCH was sent.
    pub occupancy_npusch_ratio: Option<f64>,
    /// The share in which preambles were sent.
    pub occupancy_nprach_ratio: Option<f64>,
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
