//! A device over days: DRX, eDRX, power saving mode, paging.

use lasthop_contract::{DropReason, LinkInput, Port, RadioCause, RadioState};
use lasthop_nbiot::config::{ExtendedDrx, NetworkConfig, PowerSavingMode};
use lasthop_units::{Duration, Instant};

use crate::alone::{Alone, CORE, RADIO, at_ms};

fn at(seconds: u64) -> Instant {
    Instant::ZERO + Duration::from_secs(seconds)
}

fn config(psm: Option<PowerSavingMode>, edrx: Option<ExtendedDrx>) -> NetworkConfig {
    let mut config = NetworkConfig::single_device(144.0);
    config.idle.power_saving_mode = psm;
    config.idle.extended_drx = edrx;
    config.connection.inactivity_ms = 10_000;
    config.give_up_ms = 60_000;
    config
}

/// Seconds of radio time in a kind of state.
fn seconds_in(device: &Alone, state: RadioState) -> f64 {
    let spans = device.radio.iter();
    let of_state = spans.filter(|span| span.state.index() == state.index());
    of_state.map(|span| span.duration.as_secs_f64()).sum()
}

#[test]
fn ten_days_in_power_saving_mode_cost_few_events() {
    let psm = PowerSavingMode {
        t3324_ms: 4_000,
        t3412_ms: 31 * 36_000_000,
    };
    let mut device = Alone::attached(&config(Some(psm), None));
    for day in 0..10 {
        device.offer(at(day * 86_400 + 60), RADIO, 73, false);
    }
    device.input(at(864_000), LinkInput::Detach { port: RADIO });
    assert_eq!(device.deliveries.len(), 10, "{:?}", device.drops);
    assert!(device.report().events() < 10 * 60);
    let asleep = seconds_in(&device, RadioState::DeepSleep);
    assert!(asleep > 863_000.0, "{asleep} s of ten days");
    // The inactivity timer of 10 s a day, and no more than a few seconds else.
    let awake = seconds_in(&device, RadioState::Receive);
    assert!((50.0..110.0).contains(&awake), "{awake} s");
}

#[test]
fn radio_time_adds_up_to_the_time_attached() {
    let edrx = ExtendedDrx {
        cycle_ms: 81_920,
        paging_time_window_ms: 10_240,
    };
    let psm = PowerSavingMode {
        t3324_ms: 120_000,
        t3412_ms: 3_600_000,
    };
    for (psm, edrx) in [
        (None, None),
        (Some(psm.clone()), None),
        (None, Some(edrx.clone())),
        (Some(psm), Some(edrx)),
    ] {
        let mut device = Alone::attached(&config(psm, edrx));
        for hour in 0..6 {
            device.offer(at(hour * 3600 + 77), RADIO, 200, false);
        }
        device.input(at(20_000), LinkInput::Detach { port: RADIO });
        let mut until = at(0);
        for span in &device.radio {
            assert_eq!(span.from, until, "spans are laid end to end");
            until = span.from + span.duration;
        }
        assert_eq!(until, at(20_000));
    }
}

#[test]
fn a_device_in_drx_listens_once_a_cycle() {
    let mut device = Alone::attached(&config(None, None));
    device.input(at(36_000), LinkInput::Detach { port: RADIO });
    // A cycle of 2.56 s, and 38 ms in each.
    let listened = seconds_in(&device, RadioState::Receive);
    let expected = 36_000.0 / 2.56 * 0.038;
    assert!(
        (listened / expected - 1.0).abs() < 0.01,
        "{listened} s, not {expected} s"
    );
    assert_eq!(
        device.report().events(),
        0,
        "nothing happens while nothing is sent"
    );
}

#[test]
fn edrx_listens_less_and_answers_later() {
    let edrx = ExtendedDrx {
        cycle_ms: 81_920,
        paging_time_window_ms: 10_240,
    };
    let latency = |edrx: Option<ExtendedDrx>| {
        let mut device = Alone::attached(&config(None, edrx));
        device.offer(at(1000), CORE, 100, false);
        device.run_until(at(1200));
        let (when, port, bytes) = device.deliveries[0];
        assert_eq!((port, bytes), (RADIO, 100));
        device.input(at(20_000), LinkInput::Detach { port: RADIO });
        let paging = device
            .radio
            .iter()
            .filter(|span| span.cause == RadioCause::Paging);
        let listened: f64 = paging.map(|span| span.duration.as_secs_f64()).sum();
        ((when - at(1000)).as_secs_f64(), listened)
    };
    let (soon, much) = latency(None);
    assert!(soon < 2.56 + 5.0, "{soon} s");
    let mut config_late = config(None, Some(edrx.clone()));
    config_late.give_up_ms = 600_000;
    let mut device = Alone::attached(&config_late);
    device.offer(at(1000), CORE, 100, false);
    device.run_until(at(1200));
    let late = (device.deliveries[0].0 - at(1000)).as_secs_f64();
    assert!(late < 81.92 + 5.0, "{late} s");
    device.input(at(20_000), LinkInput::Detach { port: RADIO });
    let paging = device
        .radio
        .iter()
        .filter(|span| span.cause == RadioCause::Paging);
    let little: f64 = paging.map(|span| span.duration.as_secs_f64()).sum();
    // Four occasions in a window of 10.24 s, one window in 81.92 s.
    assert!(
        (little / much - 0.125).abs() < 0.01,
        "{little} s and {much} s"
    );
}

/// By the figures of TR 45.820, in milliwatts, over whole cycles: deeper sleep takes the more off the longer the cycle is.
#[test]
fn the_longer_the_edrx_cycle_the_less_it_draws() {
    let draw = |coupling_loss_db: f64, cycle_ms: u32, paging_time_window_ms: u32| {
        let mut config = NetworkConfig::single_device(coupling_loss_db);
        config.idle.power_saving_mode = None;
        config.idle.extended_drx = Some(ExtendedDrx {
            cycle_ms,
            paging_time_window_ms,
        });
        let mut device = Alone::attached(&config);
        let until = u64::from(cycle_ms) * 64;
        device.input(at_ms(until), LinkInput::Detach { port: RADIO });
        let millijoules = 0.015 * seconds_in(&device, RadioState::DeepSleep)
            + 3.0 * seconds_in(&device, RadioState::LightSleep)
            + 80.0 * seconds_in(&device, RadioState::Receive);
        millijoules / (until as f64 / 1000.0)
    };
    for coupling_loss_db in [144.0, 164.0, 178.0] {
        let draws: Vec<f64> = (0..10)
            .map(|doubling| draw(coupling_loss_db, 20_480 << doubling, 2_560))
            .collect();
        assert!(draws.is_sorted_by(|shorter, longer| shorter > longer));
        assert!(draws[9] < 0.025, "{draws:?} mW");
    }
    // One occasion of 38 ms, 2.522 s of light sleep, a wake-up of 80 ms, and deep sleep for the rest of 20.48 s.
    let by_hand = (80.0 * 0.118 + 3.0 * 2.522 + 0.015 * 17.84) / 20.48;
    let drawn = draw(144.0, 20_480, 2_560);
    assert!(
        (drawn / by_hand - 1.0).abs() < 1e-9,
        "{drawn} mW, {by_hand}"
    );
    // A wake-up of 640 ms takes more than 10.24 s of light sleep.
    let by_hand = (80.0 * 4.0 * 0.038 + 3.0 * (20.48 - 4.0 * 0.038)) / 20.48;
    let drawn = draw(178.0, 20_480, 10_240);
    assert!(
        (drawn / by_hand - 1.0).abs() < 1e-9,
        "{drawn} mW, {by_hand}"
    );
}

/// Whether it is asked once or often, within windows, wake-ups and sleep.
#[test]
fn time_in_edrx_does_not_depend_on_when_it_is_asked_for() {
    let edrx = ExtendedDrx {
        cycle_ms: 40_960,
        paging_time_window_ms: 5_120,
    };
    let spent = |step_ms: u64| {
        let mut device = Alone::attached(&config(None, Some(edrx.clone())));
        for millis in (0..=400_000).step_by(step_ms as usize) {
            device.tell_radio_time(at_ms(millis));
        }
        [RadioState::DeepSleep, RadioState::LightSleep]
            .map(|state| (seconds_in(&device, state) * 1000.0).round())
    };
    // Ten windows, and a wake-up of 80 ms before all but the first.
    assert_eq!(spent(400_000)[0], 400_000.0 - 10.0 * 5_120.0 - 9.0 * 80.0);
    assert_eq!(spent(400_000), spent(16_000));
    assert_eq!(spent(400_000)[0], spent(100)[0]);
}

#[test]
fn a_device_in_power_saving_mode_is_reached_when_it_sends() {
    let psm = PowerSavingMode {
        t3324_ms: 4_000,
        t3412_ms: 86_400_000,
    };
    let mut network = config(Some(psm), None);
    network.give_up_ms = 600_000;
    let mut device = Alone::attached(&network);
    device.offer(at(100), CORE, 50, false);
    device.run_until(at(200));
    assert!(device.deliveries.is_empty(), "it sleeps");
    device.offer(at(300), RADIO, 73, false);
    device.run_until(at(310));
    let mut ports: Vec<Port> = device.deliveries.iter().map(|(_, port, _)| *port).collect();
    ports.sort();
    assert_eq!(ports, [RADIO, CORE]);
}

#[test]
fn a_packet_for_a_sleeping_device_is_given_up_in_time() {
    let psm = PowerSavingMode {
        t3324_ms: 4_000,
        t3412_ms: 86_400_000,
    };
    let mut device = Alone::attached(&config(Some(psm), None));
    for second in [100, 130] {
        device.offer(at(second), CORE, 50, false);
    }
    device.input(at(1000), LinkInput::Detach { port: RADIO });
    let offered = [100, 130].map(at);
    assert_eq!(device.drops.len(), 2, "each in its time");
    for ((when, port, reason), offered) in device.drops.iter().zip(offered) {
        assert_eq!((*port, *reason), (CORE, DropReason::GaveUp));
        let waited = (*when - offered).as_secs_f64();
        assert!((60.0..60.1).contains(&waited), "{waited} s");
    }
    // The device does not know: T3324 after its attachment was its last time awake.
    let asleep = seconds_in(&device, RadioState::DeepSleep);
    assert!((asleep - 996.0).abs() < 1e-6, "{asleep} s of 1000");
}
