/// A modulation. The rotation from symbol to symbol (pi/2, pi/4) has no effect over white noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modulation {
    /// pi/2-BPSK.
    Bpsk,
    /// QPSK or pi/4-QPSK, Gray coded.
    Qpsk,
}

impl Modulation {
    /// Returns the number of bits in a symbol.
    #[must_use]
    pub fn bits_per_symbol(self) -> u32 {
        match self {
            Self::Bpsk => 1,
            Self::Qpsk => 2,
        }
    }

    /// Returns the mean log-likelihood ratio of a 0 bit at this Es/N0 (a ratio, not dB). The variance is twice the
    /// mean.
    ///
    /// A bit of amplitude a in noise of variance s^2 has the ratio 2 a y / s^2 for what is received as y: of mean
    /// 2 a^2 / s^2 and variance 4 a^2 / s^2. BPSK has a^2 / s^2 = 2 Es/N0, QPSK half of it for each of its bits.
    #[must_use]
    pub fn mean_llr(self, es_n0: f64) -> f64 {
        4.0 * es_n0 / f64::from(self.bits_per_symbol())
    }

    /// Returns the name of the modulation in the tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Bpsk => "bpsk",
            Self::Qpsk => "qpsk",
        }
    }
}
