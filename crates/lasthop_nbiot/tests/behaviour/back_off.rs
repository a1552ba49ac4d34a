//! Back-off: a response tells all who wait for one.

use lasthop_nbiot::config::NetworkConfig;
use lasthop_units::{Duration, Instant};

use crate::city::City;

/// Of devices that all send a preamble in the same opportunity, at the edge of detection.
#[derive(Debug, Default, PartialEq)]
struct Crowd {
    /// Preambles that were alone on their tone and not detected at first.
    missed: u64,
    /// Contention that was lost.
    lost: u64,
    /// Devices that have not got through after five seconds.
    waiting: u64,
}

fn crowd(seed: u64, devices: u64, back_off_ms: u32) -> Crowd {
    // At 14 dBm preambles reach no farther than 148 dB; the other way all is well there.
    let mut config = NetworkConfig::single_device(148.0);
    config.device_power.maximum_dbm = 14.0;
    config.levels.truncate(1);
    config.rsrp_thresholds_dbm.clear();
    config.levels[0].nprach.period_ms = 320;
    config.random_access.back_off_ms = back_off_ms;
    let mut city = City::new(&config, seed);
    for _ in 0..devices {
        city.come(Instant::ZERO + Duration::from_millis(1));
    }
    city.run_until(Instant::ZERO + Duration::from_millis(330));
    let missed = city.network.report().levels()[0].preambles_missed;
    city.run_until(Instant::ZERO + Duration::from_secs(5));
    Crowd {
        missed,
        lost: city.network.report().levels()[0].contentions_lost,
        waiting: devices - city.delivered,
    }
}

/// TS 36.321 section 5.1.4: the indicator holds for all that receive the response, those whose preamble is not in it too. Twelve
/// devices on twelve tones are a crowd; a back-off of up to nine minutes keeps whom it reaches away: those that lost
/// contention, and most of those whose preamble went unanswered.
#[test]
fn devices_that_are_not_answered_back_off_too() {
    let mut all = Crowd::default();
    for seed in 0..120 {
        let one = crowd(seed, 12, 524_288);
        all.missed += one.missed;
        all.lost += one.lost;
        all.waiting += one.waiting;
    }
    assert!(all.missed >= 60, "{all:?}");
    assert!(all.waiting >= all.lost + all.missed / 2, "{all:?}");
}

/// Three of twelve tones are no crowd: no indicator, nobody waits.
#[test]
fn without_an_indicator_nobody_backs_off() {
    for seed in 0..20 {
        assert_eq!(crowd(seed, 3, 0), crowd(seed, 3, 524_288));
    }
}
