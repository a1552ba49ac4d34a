/// Thermal noise at 290 K.
const THERMAL_NOISE_DBM_PER_HZ: f64 = -174.0;

/// Returns the noise power of a receiver in a bandwidth, in dBm.
#[must_use]
pub fn noise_dbm(bandwidth_hz: f64, noise_figure_db: f64) -> f64 {
    THERMAL_NOISE_DBM_PER_HZ + 10.0 * libm::log10(bandwidth_hz) + noise_figure_db
}

/// Returns the SNR of a transmission at a coupling loss, with its power spread over the bandwidth.
#[must_use]
pub fn signal_to_noise_db(
    power_dbm: f64,
    coupling_loss_db: f64,
    bandwidth_hz: f64,
    noise_figure_db: f64,
) -> f64 {
    power_dbm - coupling_loss_db - noise_dbm(bandwidth_hz, noise_figure_db)
}
