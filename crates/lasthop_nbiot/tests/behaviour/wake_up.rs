//! What waking up costs, by hand: a clock that was wrong, broadcasts that are too old, the start of a module, the search
//! for a cell.

use lasthop_contract::{LinkInput, RadioCause, RadioState};
use lasthop_nbiot::config::{ExtendedDrx, NetworkConfig, PowerSavingMode};
use lasthop_units::{Duration, Instant};

use crate::alone::{Alone, RADIO, at_ms};

const T3324_MS: u64 = 4_000;
const HOUR_MS: u64 = 3_600_000;

fn config(coupling_loss_db: f64, clock_ppm: f64) -> NetworkConfig {
    let mut config = NetworkConfig::single_device(coupling_loss_db);
    config.idle.clock_ppm = clock_ppm;
    config.idle.power_saving_mode = Some(PowerSavingMode {
        t3324_ms: T3324_MS,
        t3412_ms: 1_116_000_000,
    });
    config
}

/// How long the radio listened for a cause up to the first preamble of a report, and how long after it was offered this
/// began.
fn before_the_preamble(network: &NetworkConfig, offered_ms: u64) -> (f64, f64, f64) {
    let mut device = Alone::attached(network);
    device.offer(at_ms(offered_ms), RADIO, 73, false);
    device.tell_radio_time(at_ms(offered_ms + 30_000));
    let sends = |state: RadioState| matches!(state, RadioState::Transmit(_));
    let first = device.radio.iter().position(|span| sends(span.state));
    let spans = &device.radio[..first.expect("it sends")];
    let listened = |cause: RadioCause| -> f64 {
        let spans = spans.iter().filter(|span| span.cause == cause);
        spans.map(|span| span.duration.as_secs_f64()).sum()
    };
    let began = device.radio[first.expect("it sends")].from;
    let began: Instant = began;
    (
        listened(RadioCause::Synchronisation) * 1000.0,
        listened(RadioCause::Module) * 1000.0,
        (began - at_ms(offered_ms)).as_secs_f64() * 1000.0,
    )
}

/// Half a frame, 5 ms, is what 20 ppm make in 250 s. A block of NPBCH, 80 ms, is enough in all three coverages; the
/// search takes 0.5, 0.5 and 1.125 s. After a day SIB1-NB and the other message are read, once or at 160 dB twice. The device wakes up
/// at 90,004,000 ms. It is in step at 90,004,580 or 90,005,205 ms. SIB1-NB begins every 320 ms, then at 90,004,800 or 90,005,440 ms, and
/// takes 145 ms. The next window of the other message begins at 90,009,600 ms, a multiple of 5120 ms, and it is read 13 ms later, or the
/// second time 40 ms after that.
#[test]
fn a_device_listens_as_long_as_its_clock_was_wrong() {
    let slept = |ms: u64| T3324_MS + ms;
    for (coupling_loss_db, search_ms, read_ms) in [
        (140.0, 500.0, 5613.0),
        (150.0, 500.0, 5613.0),
        (160.0, 1125.0, 5653.0),
    ] {
        let listens = |ppm: f64, offered_ms: u64| {
            before_the_preamble(&config(coupling_loss_db, ppm), offered_ms).0
        };
        assert_eq!(listens(20.0, T3324_MS - 1), 0.0, "it does not sleep");
        assert_eq!(listens(0.0, 30 * HOUR_MS), 0.0, "a clock without a fault");
        assert_eq!(listens(20.0, slept(249_000)), 80.0);
        assert_eq!(listens(20.0, slept(251_000)), 80.0 + search_ms);
        assert_eq!(listens(500.0, slept(11_000)), 80.0 + search_ms);
        assert_eq!(listens(20.0, slept(23 * HOUR_MS)), 80.0 + search_ms);
        assert_eq!(listens(20.0, slept(25 * HOUR_MS)), read_ms);
    }
}

/// Whatever part of a millisecond a report begins in.
#[test]
fn who_wakes_up_in_step_listens_to_nothing() {
    let mut device = Alone::attached(&config(140.0, 0.0));
    device.offer(
        at_ms(HOUR_MS) + Duration::from_nanos(300_000),
        RADIO,
        73,
        false,
    );
    device.tell_radio_time(at_ms(HOUR_MS + 30_000));
    let sends = |state: RadioState| matches!(state, RadioState::Transmit(_));
    let first = device.radio.iter().position(|span| sends(span.state));
    let spans = &device.radio[..first.expect("it sends")];
    let woken = |cause| matches!(cause, RadioCause::Module | RadioCause::Synchronisation);
    assert!(spans.iter().all(|span| !woken(span.cause)), "{spans:?}");
}

#[test]
fn what_it_listens_to_comes_before_its_preamble() {
    let period_ms = 160.0;
    let (_, _, prompt) = before_the_preamble(&config(140.0, 0.0), 2 * HOUR_MS);
    let (_, _, late) = before_the_preamble(&config(140.0, 20.0), 2 * HOUR_MS);
    // The first opportunity behind 580 ms.
    assert!(late >= 580.0 && late < 580.0 + period_ms, "{late} ms");
    assert!(prompt < period_ms, "{prompt} ms");
}

/// Between two windows of 2.56 s of a cycle of 655.36 s it sleeps deeply, for at most 652.8 s: 13 ms at 20 ppm.
#[test]
fn the_same_holds_between_the_windows_of_edrx() {
    let mut network = config(140.0, 20.0);
    network.idle.power_saving_mode = None;
    network.idle.extended_drx = Some(ExtendedDrx {
        cycle_ms: 655_360,
        paging_time_window_ms: 2_560,
    });
    let listens = |offered_ms| before_the_preamble(&network, offered_ms).0;
    assert_eq!(listens(1_000), 0.0, "in the window");
    assert_eq!(listens(2_560 + 200_000), 80.0);
    assert_eq!(listens(2_560 + 300_000), 580.0);
}

#[test]
fn a_module_that_starts_is_awake_and_late() {
    let mut network = config(140.0, 20.0);
    network.network.module.wake_up_ms = 700;
    let (synchronises, works, begins) = before_the_preamble(&network, 2 * HOUR_MS);
    assert_eq!((synchronises, works), (580.0, 700.0));
    assert!((1280.0..1280.0 + 160.0).contains(&begins), "{begins} ms");
    let (_, works, _) = before_the_preamble(&network, 1_000);
    assert_eq!(works, 0.0, "it is awake");
}

/// 640 ms of NPBCH, 2560 ms of SIB1-NB and a window of 160 ms are read by whoever is switched on.
#[test]
fn a_device_that_registers_searches_for_its_cell() {
    let listens = |search_ms: u32| {
        let mut network = config(140.0, 20.0);
        network.idle.cell_search_ms = search_ms;
        let mut device = Alone::attached(&network);
        device.input(at_ms(1_000), LinkInput::SwitchedOff { port: RADIO });
        device.input(at_ms(2_000), LinkInput::SwitchedOn { port: RADIO });
        device.tell_radio_time(at_ms(200_000));
        assert_eq!(device.report().levels()[0].registrations, 1);
        let is_sync = |cause| cause == RadioCause::Synchronisation;
        // Before the first preamble; later it gets in step in what its NPUSCH leave of a slot.
        let first = device.radio.iter().find(|span| is_sync(span.cause));
        first.expect("it searches").duration.as_secs_f64()
    };
    assert!((listens(0) - 3.36).abs() < 1e-9);
    assert!((listens(120_000) - 123.36).abs() < 1e-9);
}

/// T300 waits for Msg4, not for a clock.
#[test]
fn a_long_search_is_no_failed_access() {
    let mut network = config(140.0, 20.0);
    network.connection.t300_ms = 2_500;
    for level in &mut network.levels {
        level.synchronisation_ms = 30_000;
    }
    let mut device = Alone::attached(&network);
    device.offer(at_ms(HOUR_MS), RADIO, 73, false);
    device.run_until(at_ms(HOUR_MS + 60_000));
    assert_eq!(device.deliveries.len(), 1);
}
