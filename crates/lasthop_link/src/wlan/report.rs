use lasthop_units::Duration;

/// What a cell has counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CellReport {
    /// How long the channel was taken: frames, the spaces before acknowledgements, and these.
    pub busy: Duration,
    /// Data frames on the air, each time counted.
    pub transmissions: u64,
    /// Of these, those that met another.
    pub collided: u64,
    /// Of these, those that met no other and were not read.
    pub lost: u64,
    /// Of these, those that were sent before.
    pub repeated: u64,
    /// By station, in the order in which they came.
    pub stations: Vec<StationReport>,
}

/// What a station took of the channel, and the access point for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StationReport {
    /// Its data frames, with their acknowledgements.
    pub up: Duration,
    /// Those to it.
    pub down: Duration,
}

impl StationReport {
    /// Both ways.
    #[must_use]
    pub fn airtime(&self) -> Duration {
        self.up + self.down
    }
}
