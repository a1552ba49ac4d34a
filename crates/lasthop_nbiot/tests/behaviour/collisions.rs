//! V-C1: how often two devices choose the same preamble.

use lasthop_contract::RandomStream;
use lasthop_nbiot::config::{GoldenCarrier, NetworkConfig, Procedure};
use lasthop_units::{Duration, Instant};

use crate::city::City;

/// Sends 10,000 devices with rate l through opportunities every T, each away again after its first preamble, and holds
/// the share that met another on its tone against 1 - exp(-l T / N). The interval is that of independent attempts with
/// probability p, at 99 %; collisions come at least in pairs, so that the true one is wider.
#[test]
fn v_c1_collision_probability_of_an_attempt() {
    const ATTEMPTS: u64 = 10_000;
    const PERIOD_NS: u64 = 320_000_000;
    // Opportunities start 64 ms into each period, and take 5.6 ms.
    const OVER_NS: u64 = 71_000_000;
    for per_second in [2.0, 4.0] {
        let mut config =
            NetworkConfig::golden_timeline(GoldenCarrier::InBand35, 0, Procedure::Resume);
        config.levels[0].nprach.period_ms = 320;
        let tones = f64::from(config.levels[0].nprach.tones);
        let mut city = City::new(&config, 1);
        let mut stream = RandomStream::named(11, "arrivals");
        let mut at = Instant::ZERO;
        let mut present = Vec::new();
        let mut next_end = 0;
        for _ in 0..ATTEMPTS {
            at += stream.exponential(Duration::from_nanos_f64(1e9 / per_second));
            // Everybody whose opportunity is over leaves before the next comes.
            let opportunity = at.as_nanos().saturating_sub(OVER_NS) / PERIOD_NS;
            if opportunity > next_end {
                let over = Instant::from_nanos((next_end + 1) * PERIOD_NS + OVER_NS);
                city.run_until(over);
                for slot in present.drain(..) {
                    city.leave(slot);
                }
                next_end = opportunity;
            }
            city.run_until(at);
            present.push(city.come(at));
        }
        city.run_until(at + Duration::from_millis(320));
        let level = city.network.report().levels()[0];
        assert_eq!(level.preambles, ATTEMPTS, "one preamble each");
        let expected = 1.0 - libm::exp(-per_second * 0.32 / tones);
        let share = level.preambles_collided as f64 / ATTEMPTS as f64;
        let half_width = 2.576 * (expected * (1.0 - expected) / ATTEMPTS as f64).sqrt();
        assert!(
            (share - expected).abs() < half_width,
            "{share:.4}, not {expected:.4} +- {half_width:.4}"
        );
    }
}
