use core::num::NonZeroU32;

use lasthop_units::{Duration, Instant};

use crate::{BillingConfig, Directory, EnergyConfig};

/// The configuration of a meter.
#[derive(Clone, Debug)]
pub struct MeterConfig {
    /// The names of flows and the senders of their messages.
    pub directory: Directory,
    /// The number of radios of devices that are present from start to end.
    pub radios: u32,
    /// The number of flows of devices that are present from start to end. Each flow reports its start and end. Each
    /// reports its start and end.
    pub flows: u32,
    /// The devices that arrive and leave.
    pub arriving: Option<Arriving>,
    /// The number of cells of the network, if it has cells.
    pub cells: Option<NonZeroU32>,
    /// Messages due earlier than this after the first schedule's start are not measured.
    pub warm_up: Duration,
    /// The maximum time to wait for unanswered messages after the last message was due.
    pub drain: Duration,
    /// The maximum set-up time of sessions.
    pub set_up: Duration,
    /// The start of the count of bytes, sessions and energy, if sessions are established beforehand.
    pub counts_from: Option<Instant>,
    /// The time of the first event at hosts or hops. Overload is judged from messages due before it.
    pub disturbed: Instant,
    /// Whether records are kept of finished messages, and of arriving devices that have left.
    pub keeps_records: bool,
    /// The energy settings of each group, if its energy is measured.
    pub energy: Vec<Option<EnergyConfig>>,
    /// The billing settings of each group, if it has a tariff.
    pub billing: Vec<Option<BillingConfig>>,
}

/// Devices that arrive with one message each and then leave. Their flows are numbered in order of arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arriving {
    /// The last time of an arrival.
    pub until: Instant,
}

/// The status of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunStatus {
    /// The run completed normally.
    Completed,
    /// The run has no result, for this reason.
    Failed(&'static str),
    /// The run has a result that is not trustworthy, for this reason.
    Invalid(&'static str),
}
