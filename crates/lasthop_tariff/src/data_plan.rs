use lasthop_units::Duration;

/// How an operator counts the packets of a SIM, and what a byte costs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DataPlan {
    /// Whether packets to the device are free.
    pub counts_up_only: bool,
    /// Bytes that are counted for each packet beside its own, such as the headers of a tunnel.
    pub packet_extra: u32,
    /// Each packet counts as so many bytes at least.
    pub packet_minimum: u32,
    /// How bytes are rounded up; `None` where each byte counts.
    pub rounding: Option<Rounding>,
    /// A data session ends when nothing passed for so long; `None` where it stays open.
    pub session_idle: Option<Duration>,
    /// The operator writes a record of an open session each time that so much has passed, and rounds each record.
    pub record: Option<Duration>,
    /// The same after so many bytes.
    pub record_bytes: Option<u64>,
    /// What a byte costs beyond what is included.
    pub price_per_byte: f64,
    /// What a started minute of a data session costs.
    pub price_per_minute: f64,
    /// Bytes of each month that cost nothing.
    pub included_bytes: f64,
    /// A volume that is paid once.
    pub prepaid: Option<Prepaid>,
}

/// Rounding up to a multiple.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rounding {
    /// Of so many bytes; at least 1.
    pub step: u64,
    /// What is not empty counts as so many bytes at least.
    pub minimum: u64,
    /// What is rounded.
    pub per: RoundingUnit,
}

/// What an operator rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoundingUnit {
    /// Each packet.
    Packet,
    /// Each data session, or each record of one.
    Session,
    /// All packets of a day.
    Day,
    /// All packets of a month.
    Month,
    /// All packets of a year.
    Year,
}

/// A volume that is paid once, for a number of years.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prepaid {
    /// What it costs.
    pub fee: f64,
    /// How many bytes it is.
    pub bytes: f64,
    /// For how long it is valid.
    pub years: f64,
}

const DAY: Duration = Duration::from_secs(86_400);

impl DataPlan {
    /// The bytes that are counted of a packet, before sessions and days are rounded.
    #[must_use]
    pub fn metered(&self, bytes: u32) -> u64 {
        let bytes = u64::from(bytes) + u64::from(self.packet_extra);
        let bytes = bytes.max(self.packet_minimum.into());
        match self.rounding {
            Some(rounding) if rounding.per == RoundingUnit::Packet => rounding.round(bytes),
            _ => bytes,
        }
    }

    /// How long the records are whose bytes are rounded together; `None` where a session or a longer time is.
    pub(crate) fn record_interval(&self) -> Option<Duration> {
        match self.rounding?.per {
            RoundingUnit::Day => Some(DAY),
            RoundingUnit::Session => self.record,
            RoundingUnit::Packet | RoundingUnit::Month | RoundingUnit::Year => None,
        }
    }

    /// Whether sessions are rounded that end by themselves.
    pub(crate) fn rounds_sessions(&self) -> bool {
        let ends = self.session_idle.is_some() || self.record_bytes.is_some();
        ends && self
            .rounding
            .is_some_and(|it| it.per == RoundingUnit::Session)
    }
}

impl Rounding {
    /// The number of bytes that are billed for so many.
    #[must_use]
    pub fn round(self, bytes: u64) -> u64 {
        match bytes {
            0 => 0,
            _ => bytes
                .div_ceil(self.step)
                .saturating_mul(self.step)
                .max(self.minimum),
        }
    }

    /// The same for a mean or an extrapolated number.
    pub(crate) fn round_mean(self, bytes: f64) -> f64 {
        // What is computed may be a multiple but for its last digits.
        self.round((bytes - 1e-6).ceil() as u64) as f64
    }
}
