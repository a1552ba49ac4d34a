use lasthop_units::{DecibelMilliwatts, Decibels};

/// Thermal noise at 290 K, in dBm/Hz.
const THERMAL_DBM_PER_HZ: f64 = -174.0;

/// The carrier of a cell, in Hz.
pub(super) const CARRIER_HZ: f64 = 180_000.0;
/// The narrowest tone of the uplink, in Hz.
pub(super) const TONE_3750_HZ: f64 = 3_750.0;

/// The noise that a receiver with this noise figure meets in a bandwidth in Hz.
#[must_use]
pub fn noise_power(noise_figure: Decibels, bandwidth_hz: f64) -> DecibelMilliwatts {
    let density = DecibelMilliwatts::new(THERMAL_DBM_PER_HZ);
    density + Decibels::from_ratio(bandwidth_hz) + noise_figure
}

/// The mean ratio of signal to noise behind a coupling loss, without fading and interference.
#[must_use]
pub fn signal_to_noise(
    power: DecibelMilliwatts,
    coupling_loss: Decibels,
    noise_figure: Decibels,
    bandwidth_hz: f64,
) -> Decibels {
    (power - coupling_loss) - noise_power(noise_figure, bandwidth_hz)
}
