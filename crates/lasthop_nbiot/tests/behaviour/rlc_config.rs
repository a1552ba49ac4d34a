use lasthop_nbiot::config::Polls;
use lasthop_nbiot::layer2::{RlcConfig, StatusReports};
use lasthop_units::Duration;

/// As networks have it.
pub(crate) const REPORTING: RlcConfig = RlcConfig {
    t_poll_retransmit: Duration::from_millis(4000),
    max_retx_threshold: 8,
    polls: Polls::Last,
    status_reports: StatusReports::Transmitted { on_gap: true },
};

/// As a hand calculation has it.
pub(crate) const FREE: RlcConfig = RlcConfig {
    status_reports: StatusReports::Free,
    ..REPORTING
};
