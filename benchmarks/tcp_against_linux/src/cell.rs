use lasthop_link::delay::{Constant, Delay};
use lasthop_link::loss::{Bernoulli, Loss};
use lasthop_link::{DirectionConfig, LinkConfig};
use lasthop_units::{Duration, Probability};

/// One combination of what the grid varies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// Its number in the grid.
    pub index: u16,
    /// How the sender's window grows and shrinks.
    pub congestion: CongestionControl,
    /// What the client sends.
    pub workload: Workload,
    /// How likely a packet is lost, each way.
    pub loss: Probability,
    /// How long a packet travels, each way.
    pub delay: Duration,
    /// Whether both ends use the time stamps option (RFC 7323).
    pub timestamps: bool,
}

/// What decides the congestion window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CongestionControl {
    /// RFC 5681 and RFC 6582.
    Reno,
    /// RFC 9438.
    Cubic,
}

/// What a client sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Workload {
    /// 30 kB at once, as soon as the connection is there.
    Upload,
    /// 400 B each 250 ms for 60 s, the first as soon as the connection is there.
    ThinStream,
}

impl Cell {
    /// How many there are.
    pub const COUNT: u16 = 64;

    const LOSSES: [f64; 4] = [0.0, 0.05, 0.1, 0.2];

    /// The cell with this number.
    #[must_use]
    pub fn at(index: u16) -> Option<Self> {
        if index >= Self::COUNT {
            return None;
        }
        let bit = |place: u16| index >> place & 1 == 1;
        let loss = Self::LOSSES[usize::from(index & 0b11)];
        Some(Self {
            index,
            loss: Probability::new(loss).ok()?,
            delay: Duration::from_millis(if bit(2) { 400 } else { 40 }),
            congestion: if bit(3) {
                CongestionControl::Cubic
            } else {
                CongestionControl::Reno
            },
            workload: if bit(4) {
                Workload::ThinStream
            } else {
                Workload::Upload
            },
            timestamps: bit(5),
        })
    }

    /// The path that its flows take.
    #[must_use]
    pub fn path(&self) -> LinkConfig {
        let delay = Delay::from(Constant { delay: self.delay });
        let probability = self.loss;
        let direction = DirectionConfig {
            loss: Some(Loss::from(Bernoulli { probability })),
            delay: Some(delay),
            ..DirectionConfig::default()
        };
        LinkConfig {
            up: direction.clone(),
            down: direction,
            ..LinkConfig::default()
        }
    }
}

impl CongestionControl {
    /// As the kernel calls it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Reno => "reno",
            Self::Cubic => "cubic",
        }
    }
}

impl Workload {
    /// The bytes that the client writes at a time.
    #[must_use]
    pub const fn write_size(self) -> usize {
        match self {
            Self::Upload => 30_000,
            Self::ThinStream => 400,
        }
    }

    /// How often it writes.
    #[must_use]
    pub const fn writes(self) -> usize {
        match self {
            Self::Upload => 1,
            Self::ThinStream => 240,
        }
    }

    /// All that it writes.
    #[must_use]
    pub const fn total_size(self) -> usize {
        self.writes() * self.write_size()
    }

    /// The time from one write to the next.
    #[must_use]
    pub const fn interval(self) -> Duration {
        Duration::from_millis(250)
    }

    /// How many bytes the client has written this long after the connection was there.
    #[must_use]
    pub fn written_after(self, span: Duration) -> usize {
        let writes = span.as_nanos() / self.interval().as_nanos() + 1;
        usize::try_from(writes).map_or(self.writes(), |writes| writes.min(self.writes()))
            * self.write_size()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_grid_has_every_combination_once() {
        let cells: Vec<Cell> = (0..Cell::COUNT).filter_map(Cell::at).collect();
        assert_eq!(cells.len(), 64);
        for (place, cell) in cells.iter().enumerate() {
            for other in &cells[..place] {
                let moved = Cell {
                    index: cell.index,
                    ..*other
                };
                assert_ne!(moved, *cell);
            }
        }
        assert_eq!(Cell::at(64), None);
    }

    #[test]
    fn a_thin_stream_writes_four_times_a_second_for_a_minute() {
        let thin = Workload::ThinStream;
        assert_eq!(thin.written_after(Duration::ZERO), 400);
        assert_eq!(thin.written_after(Duration::from_millis(999)), 1600);
        assert_eq!(thin.written_after(Duration::from_secs(3600)), 96_000);
        assert_eq!(Workload::Upload.written_after(Duration::ZERO), 30_000);
    }
}
