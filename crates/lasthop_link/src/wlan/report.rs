use lasthop_units::Duration;

/// The counters of a cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CellReport {
    /// The time during which the channel was busy: frames, interframe spaces before acknowledgements, and
    /// acknowledgements.
    pub busy: Duration,
    /// The number of data frame transmissions, retransmissions included.
    pub transmissions: u64,
    /// The number of transmissions that collided.
    pub collided: u64,
    /// The number of transmissions that were lost without a collision.
    pub lost: u64,
    /// The number of retransmissions.
    pub repeated: u64,
    /// The stations in the order in which they were added.
    pub stations: Vec<StationReport>,
}

/// The airtime of a station, including frames that the access point sent to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StationReport {
    /// The airtime of data frames from the station and of their acknowledgements.
    pub up: Duration,
    /// The airtime of data frames to the station and of their acknowledgements.
    pub down: Duration,
}

impl StationReport {
    /// Returns the airtime in both directions.
    #[must_use]
    pub fn airtime(&self) -> Duration {
        self.up + self.down
    }
}
