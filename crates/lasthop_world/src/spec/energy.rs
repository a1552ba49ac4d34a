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
}

/// A power profile of a radio, by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
}
