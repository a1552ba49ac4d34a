use lasthop_units::Duration;

use crate::config::{RlcAcknowledgedMode, Switches};

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

impl RlcConfig {
    /// What a network is set to.
    #[must_use]
    pub fn new(mode: &RlcAcknowledgedMode, switches: &Switches) -> Self {
        let status_reports = if switches.rlc_status {
            StatusReports::Transmitted {
                on_gap: mode.status_on_gap,
            }
        } else {
            StatusReports::Free
        };
        Self {
            t_poll_retransmit: Duration::from_millis(mode.t_poll_retransmit_ms.into()),
            max_retx_threshold: mode.maximum_retransmissions,
            status_reports,
        }
    }
}
