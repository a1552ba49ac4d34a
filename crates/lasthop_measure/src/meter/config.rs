use core::num::NonZeroU32;

use lasthop_units::{Duration, Instant};

use crate::{Directory, EnergyConfig};

/// What a meter must know of the run.
#[derive(Clone, Debug)]
pub struct MeterConfig {
    /// What flows are called, and where their messages are made.
    pub directory: Directory,
    /// How many radios the devices have that are there from the start to the end.
    pub radios: u32,
    /// How many flows those devices have: each says when it begins and ends.
    pub flows: u32,
    /// The others, where devices come and go.
    pub arriving: Option<Arriving>,
    /// How many cells the network has, where it has some.
    pub cells: Option<NonZeroU32>,
    /// Messages due earlier than this after the first schedule's start are not measured.
    pub warm_up: Duration,
    /// How long unanswered messages are waited for after the last one was due.
    pub drain: Duration,
    /// How long the set-up of the sessions may take.
    pub set_up: Duration,
    /// When bytes, sessions and joules begin to count, and messages to be due, where sessions are set up beforehand.
    pub counts_from: Option<Instant>,
    /// When something first happens to hosts or hops: of an overload, messages tell that were due before.
    pub disturbed: Instant,
    /// Whether the record of a message is kept when it has ended, and that of a device that comes and goes when it has gone.
    pub keeps_records: bool,
    /// What the devices of each group live on, where their energy is asked for.
    pub energy: Vec<Option<EnergyConfig>>,
}

/// Devices that come with one message each, and go. Their flows are numbered as they come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arriving {
    /// When the last may come.
    pub until: Instant,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunStatus {
    /// As it should.
    Completed,
    /// It has no result, for this reason.
    Failed(&'static str),
    /// It has a result that cannot be believed, for this reason.
    Invalid(&'static str),
}
