use core::fmt;

/// A power level in dB above 1 mW.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Dbm(f64);

impl Dbm {
    /// This level.
    #[must_use]
    pub const fn new(level: f64) -> Self {
        Self(level)
    }

    /// The level in dBm.
    #[must_use]
    pub const fn value(self) -> f64 {
        self.0
    }
}

impl fmt::Display for Dbm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} dBm", self.0)
    }
}
