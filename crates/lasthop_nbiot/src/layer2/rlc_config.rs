use lasthop_units::Duration;

/// How RLC AM works on a bearer: what RLC-Config-NB of TS 36.331 sets.
///
/// NB-IoT has neither pollPDU nor pollByte, neither t-Reordering nor t-StatusProhibit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RlcConfig {
    /// How long an answer to a poll is waited for (t-PollRetransmit-r13).
    pub t_poll_retransmit: Duration,
    /// How often a PDU is sent again before the link has failed (maxRetxThreshold-r13).
    pub max_retx_threshold: u8,
    /// What acknowledgements cost.
    pub status_reports: StatusReports,
}

/// What acknowledgements cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatusReports {
    /// They are STATUS PDUs that take room in transport blocks.
    Transmitted {
        /// Whether a gap in the sequence numbers asks for one as well (enableStatusReportSN-Gap-r13).
        on_gap: bool,
    },
    /// Nobody polls, and the transmitter learns at once and for nothing what became of each PDU, by
    /// [`AmTransmitter::settle`](crate::layer2::AmTransmitter::settle). A hand calculation does so.
    Free,
}
