use lasthop_nbiot::config::NetworkConfig;
use lasthop_nbiot::phy::signal_to_noise_db;

/// Exact means: to the digits that the table has.
fn assert_rounds_to(value: f64, expected: f64, digits: f64) {
    assert!(
        (value - expected).abs() < 0.5 * digits + 1e-9,
        "{value} is not {expected}"
    );
}

#[test]
fn v_p5_uplink_at_164_db() {
    let network = NetworkConfig::single_device(164.0);
    let snr_db = |bandwidth_hz| {
        signal_to_noise_db(
            network.device_power.maximum_dbm,
            164.0,
            bandwidth_hz,
            network.carrier.base_station_noise_figure_db,
        )
    };
    assert_rounds_to(snr_db(15_000.0), -11.76, 0.01);
    assert_rounds_to(snr_db(3_750.0), -5.74, 0.01);
    assert_rounds_to(snr_db(180_000.0), -22.55, 0.01);
}

#[test]
fn v_p6_downlink_at_164_db() {
    let network = NetworkConfig::single_device(164.0);
    let snr_db = |power_dbm| {
        signal_to_noise_db(
            power_dbm,
            164.0,
            180_000.0,
            network.carrier.device_noise_figure_db,
        )
    };
    assert_rounds_to(snr_db(network.carrier.downlink_power_dbm), -4.6, 0.1);
    assert_rounds_to(snr_db(35.0), -12.6, 0.1);
}
