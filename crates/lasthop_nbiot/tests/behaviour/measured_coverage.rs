//! Devices that measure their coverage with an error.

use lasthop_contract::{LinkInput, Port};
use lasthop_nbiot::LevelReport;
use lasthop_nbiot::config::{NetworkConfig, ReleaseAssistance};
use lasthop_units::{Duration, Instant};

use crate::alone::Alone;

const DEVICES: u32 = 400;

/// What each level has counted, and how many reports have arrived, of devices that come one after the other.
fn levels_of_devices_at(coupling_loss_db: f64, error_db: f64) -> (Vec<LevelReport>, usize) {
    let mut config = NetworkConfig::single_device(coupling_loss_db);
    config.channel.measurement_error_db = error_db;
    config.connection.release_assistance = ReleaseAssistance::AfterReply;
    let mut network = Alone::new(&config, 4);
    for device in 0..DEVICES {
        let at = Instant::ZERO + Duration::from_secs(20 * u64::from(device));
        let port = Port(2 * device);
        network.input(at, LinkInput::Attach { port });
        network.offer(at, port, 73, true);
    }
    network.run_until(Instant::ZERO + Duration::from_secs(20 * u64::from(DEVICES) + 600));
    (network.report().levels(), network.deliveries.len())
}

#[test]
fn who_measures_exactly_is_in_the_level_of_its_coupling_loss() {
    let (levels, _) = levels_of_devices_at(140.0, 0.0);
    assert!(levels[0].set_ups > 390, "{levels:?}");
}

#[test]
fn who_measures_with_an_error_may_be_in_another_level() {
    // 4 dB from the threshold with a standard deviation of 4 dB: 15.9 % measure more than 144 dB, and 0.02 % more than
    // 154 dB. The standard error of 400 is 1.8 percentage points; the bounds are four of them.
    let (levels, delivered) = levels_of_devices_at(140.0, 4.0);
    let deeper = (levels[1].set_ups + levels[2].set_ups) as f64 / f64::from(DEVICES);
    assert!((deeper - 0.159).abs() < 0.073, "{deeper}");
    // The formats follow what fails: whoever measures 8 dB too little or too much is served all the same.
    assert!(delivered > 396, "{delivered} of {DEVICES}");
}

#[test]
fn formats_that_start_from_a_wrong_measurement_are_mended_by_what_fails() {
    // A device that believes to be 6 dB better off than it is sends blocks that fail until the margin has grown.
    let (exact, delivered_exactly) = levels_of_devices_at(150.0, 0.0);
    let (wrong, delivered_wrongly) = levels_of_devices_at(150.0, 6.0);
    let repeated = |levels: &[LevelReport]| {
        let sum = |of: fn(&LevelReport) -> u64| levels.iter().map(of).sum::<u64>() as f64;
        sum(|level| level.npusch_repeated) / sum(|level| level.npusch_granted)
    };
    assert!(repeated(&wrong) > repeated(&exact));
    assert!(repeated(&wrong) < 0.5, "{}", repeated(&wrong));
    assert!(delivered_exactly >= 396 && delivered_wrongly >= 392);
}
