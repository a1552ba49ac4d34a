//! A radio tells of every moment once.

use lasthop_contract::{LinkInput, Port, RadioCause, RadioState};
use lasthop_nbiot::config::{ExtendedDrx, NetworkConfig, PowerSavingMode};
use lasthop_units::{Duration, Instant};

use crate::alone::{Alone, RadioSpan};

const COUPLING_LOSSES_DB: [f64; 3] = [144.0, 154.0, 164.0];

fn at_ms(millis: u64) -> Instant {
    Instant::ZERO + Duration::from_millis(millis)
}

/// What a device does between reports: power saving mode, DRX all the time, eDRX.
fn idle_modes() -> [(Option<PowerSavingMode>, Option<ExtendedDrx>); 3] {
    let sleeps = PowerSavingMode {
        t3324_ms: 10_000,
        t3412_ms: 3_600_000,
    };
    let extended = ExtendedDrx {
        cycle_ms: 81_920,
        paging_time_window_ms: 10_240,
    };
    [(Some(sleeps), None), (None, None), (None, Some(extended))]
}

/// A report every half hour from the device's attachment at 1.5 s on.
fn reporting(config: &NetworkConfig, seed: u64, reports: u64) -> Alone {
    let mut alone = Alone::new(config, seed);
    alone.input(at_ms(1_500), LinkInput::Attach { port: Port(0) });
    for number in 0..reports {
        let at = at_ms(1_500 + number * 1_800_000 + number * 37);
        alone.offer(at, Port(0), 78, number % 2 == 0);
    }
    alone
}

/// Checks that the spans are laid end to end from 1.5 s on; gives their end.
fn laid_end_to_end(spans: &[RadioSpan]) -> Instant {
    spans.iter().fold(at_ms(1_500), |end, span| {
        assert_eq!(span.from, end, "{span:?}");
        assert!(span.duration > Duration::ZERO, "{span:?}");
        span.from + span.duration
    })
}

#[test]
fn spans_are_laid_end_to_end_from_attachment_to_detachment() {
    for coupling_loss_db in COUPLING_LOSSES_DB {
        for (power_saving_mode, extended_drx) in idle_modes() {
            let mut config = NetworkConfig::single_device(coupling_loss_db);
            config.idle.power_saving_mode = power_saving_mode;
            config.idle.extended_drx = extended_drx;
            let mut alone = reporting(&config, 1, 6);
            let gone = at_ms(4 * 3_600_000 + 123);
            alone.input(gone, LinkInput::Detach { port: Port(0) });
            assert_eq!(laid_end_to_end(&alone.radio), gone, "{config:?}");
            assert_eq!(alone.deliveries.len(), 6, "{config:?}");
        }
    }
}

/// Told at every 40 ms of a report: before, within and after its random access, connection and release.
#[test]
fn whenever_a_radio_is_asked_it_tells_up_to_that_moment() {
    for coupling_loss_db in COUPLING_LOSSES_DB {
        let config = NetworkConfig::single_device(coupling_loss_db);
        let mut alone = reporting(&config, 2, 1);
        let mut told = Vec::new();
        for millis in (1_500..60_000).step_by(40) {
            alone.tell_radio_time(at_ms(millis));
            told.append(&mut alone.radio);
            assert_eq!(
                laid_end_to_end(&told),
                at_ms(millis),
                "{coupling_loss_db} dB"
            );
        }
        alone.input(at_ms(60_000), LinkInput::Detach { port: Port(0) });
        told.append(&mut alone.radio);
        assert_eq!(
            laid_end_to_end(&told),
            at_ms(60_000),
            "{coupling_loss_db} dB"
        );
    }
}

/// A device in power saving mode is in deep sleep but for two connections of 40 s, each with T3324 after it; in DRX it
/// never is.
#[test]
fn deep_sleep_is_power_saving_mode() {
    for (power_saving_mode, extended_drx) in idle_modes() {
        let mut config = NetworkConfig::single_device(144.0);
        let (saves_power, extends_drx) = (power_saving_mode.is_some(), extended_drx.is_some());
        config.idle.power_saving_mode = power_saving_mode;
        config.idle.extended_drx = extended_drx;
        let mut alone = reporting(&config, 3, 2);
        alone.tell_radio_time(at_ms(3_601_500));
        let time_in = |wanted: fn(&RadioSpan) -> bool| -> f64 {
            let spans = alone.radio.iter().filter(|span| wanted(span));
            spans.map(|span| span.duration.as_secs_f64()).sum()
        };
        let deep = time_in(|span| span.state == RadioState::DeepSleep);
        let paging = time_in(|span| span.cause == RadioCause::Paging);
        assert!(paging > 0.0, "{config:?}");
        if saves_power {
            assert!((3_490.0..3_580.0).contains(&deep), "{deep} s");
        } else if extends_drx {
            // All but windows of 10.24 s in 81.92 s, less connections.
            assert!((3_050.0..3_150.0).contains(&deep), "{deep} s");
        } else {
            assert_eq!(deep, 0.0);
        }
    }
}
