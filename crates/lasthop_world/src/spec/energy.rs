use serde::{Deserialize, Serialize};

/// The energy settings of devices.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnergySpec {
    /// The power profile of the devices' radios.
    pub profile: PowerProfileSpec,
    /// The capacity of a new battery, in Wh.
    pub battery_wh: f64,
    /// The annual self-discharge as a fraction.
    pub self_discharge_per_year: f64,
    /// What a device draws beside its radio at all times, in W; left out where it is nothing.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub load_w: f64,
    /// What it draws for each message beside its radio, in J; left out where it is nothing.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub load_per_message_j: f64,
    /// How many years a battery should last; left out where that is not asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lifetime_years: Option<f64>,
}

fn is_zero(amount: &f64) -> bool {
    *amount == 0.0
}

/// A power profile by its name, or one of the user's own.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum PowerProfileSpec {
    /// The assumptions of TR 45.820.
    #[serde(rename = "tr_45_820")]
    Tr45820,
    /// A module of the BG96 class, as measured.
    #[serde(rename = "bg96")]
    Bg96,
    /// A module of the SARA-N2 class, as measured.
    #[serde(rename = "sara_n2")]
    SaraN2,
    /// The power of each state, as the user has it.
    #[serde(rename = "own")]
    Own(PowerStatesSpec),
}

/// What a radio module draws in each state, in W.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PowerStatesSpec {
    /// In power saving mode, and between the windows of eDRX.
    pub deep_sleep_w: f64,
    /// Idle, not listening.
    pub light_sleep_w: f64,
    /// Connected, neither sending nor listening.
    pub connected_sleep_w: f64,
    /// Listening.
    pub receive_w: f64,
    /// The constant part of sending.
    pub transmit_floor_w: f64,
    /// Sending with 23 dBm at the antenna.
    pub transmit_w: f64,
}
