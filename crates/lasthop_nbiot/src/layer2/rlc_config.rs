use lasthop_units::Duration;

use crate::config::Polls;

/// The settings of RLC AM on a bearer (TS 36.331 RLC-Config-NB).
///
/// NB-IoT has neither pollPDU nor pollByte, neither t-Reordering nor t-StatusProhibit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RlcConfig {
    /// The timeout for an answer to a poll (t-PollRetransmit-r13).
    pub t_poll_retransmit: Duration,
    /// The number of retransmissions of a PDU after which the radio link has failed (maxRetxThreshold-r13).
    pub max_retx_threshold: u8,
    /// Which data PDUs poll for a STATUS PDU.
    pub polls: Polls,
    /// How acknowledgements are sent.
    pub status_reports: StatusReports,
}

/// How acknowledgements are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatusReports {
    /// By STATUS PDUs, which take space in transport blocks.
    Transmitted {
        /// Whether a gap in the sequence numbers also triggers a STATUS PDU (enableStatusReportSN-Gap-r13).
        on_gap: bool,
    },
    /// At no cost: the transmitter learns the outcome of each PDU at once by
    /// [`AmTransmitter::settle`](crate::layer2::AmTransmitter::settle). Hand calculations use it.
    Free,
}
