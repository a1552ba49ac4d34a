use lasthop_units::Duration;

/// How an operator counts the packets of a SIM, and the prices of data.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DataPlan {
    /// Whether packets to the device are free.
    pub counts_up_only: bool,
    /// Bytes that are added to each packet, for example for the headers of a tunnel.
    pub packet_extra: u32,
    /// The minimum number of bytes of a packet.
    pub packet_minimum: u32,
    /// How bytes are rounded up; `None` without rounding.
    pub rounding: Option<Rounding>,
    /// The idle time after which a data session ends; `None` if it stays open.
    pub session_idle: Option<Duration>,
    /// The interval at which the operator closes a record of an open session. Each record is rounded.
    pub record: Option<Duration>,
    /// The number of bytes after which the operator closes a record of an open session.
    pub record_bytes: Option<u64>,
    /// The price of a byte beyond the included volume.
    pub price_per_byte: f64,
    /// The price of a started minute of a data session.
    pub price_per_minute: f64,
    /// The free bytes of each month.
    pub included_bytes: f64,
    /// A volume that is paid in advance.
    pub prepaid: Option<Prepaid>,
}

/// Rounding up to a multiple.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rounding {
    /// The step in bytes, at least 1.
    pub step: u64,
    /// The minimum of a non-empty amount, in bytes.
    pub minimum: u64,
    /// The unit that is rounded.
    pub per: RoundingUnit,
}

/// The unit of data that an operator rounds.
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

/// A volume that is paid in advance for a number of years.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prepaid {
    /// The price.
    pub fee: f64,
    /// The volume in bytes.
    pub bytes: f64,
    /// The validity in years.
    pub years: f64,
}

const DAY: Duration = Duration::from_secs(86_400);

impl DataPlan {
    /// Returns the counted bytes of a packet, before rounding by session or day.
    #[must_use]
    pub fn metered(&self, bytes: u32) -> u64 {
        let bytes = u64::from(bytes) + u64::from(self.packet_extra);
        let bytes = bytes.max(self.packet_minimum.into());
        match self.rounding {
            Some(rounding) if rounding.per == RoundingUnit::Packet => rounding.round(bytes),
            _ => bytes,
        }
    }

    /// Returns the span of records that are rounded; `None` if a session or a longer unit is rounded.
    pub(crate) fn record_interval(&self) -> Option<Duration> {
        match self.rounding?.per {
            RoundingUnit::Day => Some(DAY),
            RoundingUnit::Session => self.record,
            RoundingUnit::Packet | RoundingUnit::Month | RoundingUnit::Year => None,
        }
    }

    /// Whether data sessions are rounded that end by themselves.
    pub(crate) fn rounds_sessions(&self) -> bool {
        let ends = self.session_idle.is_some() || self.record_bytes.is_some();
        ends && self
            .rounding
            .is_some_and(|it| it.per == RoundingUnit::Session)
    }
}

impl Rounding {
    /// Returns the billed bytes for a number of counted bytes.
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

    /// Returns the billed bytes for a mean or extrapolated number of bytes.
    pub(crate) fn round_mean(self, bytes: f64) -> f64 {
        // What is computed may be a multiple but for its last digits.
        self.round((bytes - 1e-6).ceil() as u64) as f64
    }
}
