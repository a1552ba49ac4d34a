use lasthop_contract::RadioState;
use lasthop_units::{DecibelMilliwatts, Power};

/// The power draw of a radio module in each state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PowerProfile {
    /// The power in power saving mode, and between distant paging time windows of eDRX.
    pub deep_sleep: Power,
    /// The power while idle and not listening.
    pub light_sleep: Power,
    /// The power while connected, neither sending nor listening.
    pub connected_sleep: Power,
    /// The power while listening.
    pub receive: Power,
    /// The power while sending, by antenna power.
    pub transmit: TransmitPower,
}

/// The transmit power draw: a constant part, and an amplifier of constant efficiency.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TransmitPower {
    /// The constant part: synthesiser, converters and baseband.
    pub floor: Power,
    /// The total draw at [`TransmitPower::LEVEL`].
    pub at_23_dbm: Power,
}

impl PowerProfile {
    /// The assumptions of TR 45.820 section 5.4, as Liberg et al. quote them (unverified): an integrated power amplifier,
    /// with 60 mW beside it.
    pub const TR_45_820: Self = Self {
        deep_sleep: Power::from_milliwatts(0.015),
        light_sleep: Power::from_milliwatts(3.0),
        connected_sleep: Power::from_milliwatts(3.0),
        receive: Power::from_milliwatts(80.0),
        transmit: TransmitPower {
            floor: Power::from_milliwatts(60.0),
            at_23_dbm: Power::from_milliwatts(500.0),
        },
    };

    /// A BG96-class module at 3.8 V as measured by users: 155 mA at 23 dBm.
    ///
    /// The constant part is that of [`PowerProfile::TR_45_820`] and was not measured.
    pub const BG96: Self = Self {
        deep_sleep: Power::from_milliwatts(0.0148),
        light_sleep: Power::from_milliwatts(3.08),
        connected_sleep: Power::from_milliwatts(5.93),
        receive: Power::from_milliwatts(80.0),
        transmit: TransmitPower {
            floor: Power::from_milliwatts(60.0),
            at_23_dbm: Power::from_milliwatts(589.0),
        },
    };

    /// A u-blox SARA-N2 at 3.6 V, from measurements by its maker and by a user (`MODEL.md`): 230 mA at 23 dBm, 66 mA
    /// while listening, and a mean of 48 mA while connected. The draw between paging occasions is an assumption.
    pub const SARA_N2: Self = Self {
        deep_sleep: Power::from_milliwatts(0.0108),
        light_sleep: Power::from_milliwatts(3.0),
        connected_sleep: Power::from_milliwatts(28.0),
        receive: Power::from_milliwatts(238.0),
        transmit: TransmitPower {
            floor: Power::from_milliwatts(345.0),
            at_23_dbm: Power::from_milliwatts(828.0),
        },
    };

    /// Returns the draw in a state.
    #[must_use]
    pub fn draws(&self, state: RadioState) -> Power {
        match state {
            RadioState::DeepSleep => self.deep_sleep,
            RadioState::LightSleep => self.light_sleep,
            RadioState::ConnectedSleep => self.connected_sleep,
            RadioState::Receive => self.receive,
            RadioState::Transmit(level) => self.transmit.at(level),
        }
    }
}

impl TransmitPower {
    /// The power class that the figures are for (TS 36.101, class 3).
    pub const LEVEL: DecibelMilliwatts = DecibelMilliwatts::new(23.0);

    /// Returns the draw at this antenna power.
    #[must_use]
    pub fn at(&self, level: DecibelMilliwatts) -> Power {
        if level == Self::LEVEL {
            return self.at_23_dbm;
        }
        self.floor + Power::from(level) * (1.0 / self.efficiency())
    }

    /// Returns the antenna power divided by the amplifier's draw.
    #[must_use]
    pub fn efficiency(&self) -> f64 {
        Power::from(Self::LEVEL).as_watts() / (self.at_23_dbm - self.floor).as_watts()
    }
}
