use serde::{Deserialize, Serialize};

use super::ConfigError;
use super::allowed::{one_of, within};

/// The 180 kHz carrier of a cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Carrier {
    /// The operation mode: standalone, guard band or in-band.
    pub mode: CarrierMode,
    /// The transmit power over the whole carrier and all antennas, in dBm.
    pub downlink_power_dbm: f64,
    /// The noise figure of the base station's receiver, in dB.
    pub base_station_noise_figure_db: f64,
    /// The noise figure of the device's receiver, in dB.
    pub device_noise_figure_db: f64,
    /// The number of receive antennas of the base station.
    pub base_station_receive_antennas: u8,
    /// The number of antenna ports of the narrowband reference signal, which is the number of transmit antennas.
    pub nrs_ports: u8,
    /// The number of receive antennas of the device.
    pub device_receive_antennas: u8,
}

/// The operation mode of the carrier (TS 36.331 `operationModeInfo`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum CarrierMode {
    /// Standalone, in spectrum of its own.
    Standalone,
    /// In the guard band of an LTE carrier.
    GuardBand,
    /// In-band, in a resource block of an LTE carrier.
    InBand {
        /// The number of symbols of each subframe that the LTE control region occupies, 1 to 3.
        control_symbols: u8,
    },
}

impl Carrier {
    /// The number of downlink tones.
    pub const TONES: u8 = 12;

    /// Returns the energy per resource element of the reference signal, in dBm: the power of one of twelve tones.
    #[must_use]
    pub fn nrs_power_dbm(&self) -> f64 {
        self.downlink_power_dbm - 10.0 * libm::log10(f64::from(Self::TONES))
    }

    /// Returns the RSRP that a device measures at this coupling loss without fading, in dBm.
    #[must_use]
    pub fn rsrp_dbm(&self, coupling_loss_db: f64) -> f64 {
        self.nrs_power_dbm() - coupling_loss_db
    }

    /// Whether the carrier is inside an LTE carrier and shares its subframes.
    #[must_use]
    pub fn is_in_band(&self) -> bool {
        matches!(self.mode, CarrierMode::InBand { .. })
    }

    pub(super) fn check(&self) -> Result<(), ConfigError> {
        if let CarrierMode::InBand { control_symbols } = self.mode {
            one_of(
                "mode.in_band.control_symbols",
                control_symbols,
                &[1, 2, 3],
                "TS 36.331 eutraControlRegionSize",
                "symbols",
            )?;
        }
        let real = |field: &str, value: f64, bounds, unit: &str| {
            within(field, value, bounds, "the carrier table", unit)
        };
        real(
            "downlink_power_dbm",
            self.downlink_power_dbm,
            0.0..=60.0,
            "dBm",
        )?;
        real(
            "base_station_noise_figure_db",
            self.base_station_noise_figure_db,
            0.0..=20.0,
            "dB",
        )?;
        real(
            "device_noise_figure_db",
            self.device_noise_figure_db,
            0.0..=20.0,
            "dB",
        )?;
        one_of(
            "base_station_receive_antennas",
            self.base_station_receive_antennas,
            &[1, 2, 4],
            "the carrier table",
            "antennas",
        )?;
        one_of(
            "nrs_ports",
            self.nrs_ports,
            &[1, 2],
            "TS 36.211 section 10.2.6",
            "ports",
        )?;
        one_of(
            "device_receive_antennas",
            self.device_receive_antennas,
            &[1, 2],
            "the carrier table",
            "antennas",
        )
    }
}
