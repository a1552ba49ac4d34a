use lasthop_link::delay::{Constant, Delay};
use lasthop_link::loss::{Bernoulli, Loss};
use lasthop_link::{DirectionConfig, LinkConfig};
use lasthop_units::{Duration, Probability};

use crate::Workload;
use crate::grid::GRID;

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
    /// BBR of the kernel, which ours does not model: it runs as Cubic there.
    Bbr,
}

impl Cell {
    /// How many there are.
    pub const COUNT: u16 = GRID.len() as u16;

    /// The cell with this number.
    #[must_use]
    pub fn at(index: u16) -> Option<Self> {
        let row = GRID.get(usize::from(index))?;
        Some(Self {
            index,
            workload: row.workload,
            congestion: row.congestion,
            loss: Probability::new(f64::from(row.loss_percent) / 100.0).ok()?,
            delay: Duration::from_millis(row.delay_ms.into()),
            timestamps: row.timestamps,
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
            Self::Bbr => "bbr",
        }
    }
}
