//! Registration by hand: cell search, system information, the messages of an attach, and what a failed one costs.

use lasthop_contract::{DropReason, LinkInput, RadioCause, RadioState};
use lasthop_nbiot::LevelReport;
use lasthop_nbiot::config::{Attach, NetworkConfig, Procedure};
use lasthop_units::Instant;

use crate::alone::{Alone, CORE, RADIO, at_ms};

const DAY_MS: u64 = 86_400_000;
/// At -140 dBm a device finds no cell; this is -140.8 dBm.
const NO_COVERAGE_DB: f64 = 173.0;

fn config(coupling_loss_db: f64) -> NetworkConfig {
    let mut config = NetworkConfig::single_device(coupling_loss_db);
    config.idle.attach = Some(Attach::usual());
    config
}

/// A network whose base station does not hear the device, which hears it: a preamble comes with -149 dBm, 31 dB below the noise
/// of a bad receiver, and 32 repetitions on two antennas gain 18 dB.
fn deaf() -> NetworkConfig {
    let mut config = config(172.0);
    config.carrier.base_station_noise_figure_db = 20.0;
    config
}

/// Milliseconds of radio time in a kind of state for a cause.
fn ms_in(device: &Alone, state: RadioState, cause: RadioCause) -> f64 {
    let spans = device.radio.iter();
    let spans = spans.filter(|span| span.state == state && span.cause == cause);
    spans.map(|span| span.duration.as_secs_f64()).sum::<f64>() * 1000.0
}

/// When each span in a state for a cause began, and how long it was, in ms.
fn spans(device: &Alone, state: RadioState, cause: RadioCause) -> Vec<(u64, u64)> {
    let spans = device.radio.iter();
    let spans = spans.filter(|span| span.state == state && span.cause == cause);
    let ms = |nanos: u64| nanos / 1_000_000;
    spans
        .map(|span| (ms(span.from.as_nanos()), ms(span.duration.as_nanos())))
        .collect()
}

fn first_preamble(device: &Alone) -> Instant {
    let sends = |state| matches!(state, RadioState::Transmit(_));
    let mut spans = device.radio.iter();
    spans.find(|span| sends(span.state)).expect("it sends").from
}

fn sum(device: &Alone, count: impl Fn(&LevelReport) -> u64) -> u64 {
    device.report().levels().iter().map(count).sum()
}

/// The search takes 500, 500 and 1125 ms. NPBCH is read in the block of 80 ms that begins next; SIB1-NB, which begins every
/// 320 ms, after 145 ms; the other message, in the window that begins at 5120 ms, after 13 ms. At 160 dB both have to be received
/// twice, at 164 dB five times: 10^((-1.05 + 3 + 0.59) / 10) = 1.8 and 10^((-1.05 + 3 + 4.65) / 10) = 4.6, where 440 bits need
/// -1.05 dB, 3 dB are taken off for fading, and -0.59 and -4.65 dB are received. Of five, four are in the first window. Preambles start
/// 64 ms after multiples of 160, 640 and 2560 ms.
#[test]
fn a_first_attach_begins_with_search_and_broadcasts() {
    for (coupling_loss_db, search_ms, read_ms, preamble_ms) in [
        (140.0, 500, 5120 + 13, 64 + 32 * 160),
        (150.0, 500, 5120 + 13, 64 + 8 * 640),
        (160.0, 1125, 5120 + 40 + 13, 64 + 2 * 2560),
        (164.0, 1125, 10240 + 13, 64 + 4 * 2560),
    ] {
        let mut device = Alone::attached(&config(coupling_loss_db));
        device.tell_radio_time(at_ms(60_000));
        let searches = spans(&device, RadioState::Receive, RadioCause::CellSearch);
        assert_eq!(searches, [(0, search_ms)], "{coupling_loss_db} dB");
        let reads = spans(&device, RadioState::Receive, RadioCause::Attach)[0];
        assert_eq!(
            reads,
            (search_ms, read_ms - search_ms),
            "{coupling_loss_db} dB"
        );
        assert_eq!(
            first_preamble(&device),
            at_ms(preamble_ms),
            "{coupling_loss_db} dB"
        );
        assert_eq!(sum(&device, |level| level.registrations), 1);
        assert_eq!(sum(&device, |level| level.registrations_failed), 0);
    }
}

/// Whatever is sent and received up to ATTACH COMPLETE is for the registration; what follows is not.
#[test]
fn all_that_an_attach_takes_has_its_cause() {
    for procedure in [
        Procedure::ServiceRequest,
        Procedure::Resume,
        Procedure::ControlPlane,
    ] {
        let mut config = config(150.0);
        config.connection.procedure = procedure;
        let mut device = Alone::attached(&config);
        device.tell_radio_time(at_ms(120_000));
        let of_attach = |cause| matches!(cause, RadioCause::CellSearch | RadioCause::Attach);
        let mut spans = device.radio.iter();
        let until = spans.rfind(|span| of_attach(span.cause));
        let until = until.expect("it registers").from;
        let before = device.radio.iter().take_while(|span| span.from <= until);
        assert!(before.clone().all(|span| of_attach(span.cause)));
        // ATTACH REQUEST, AUTHENTICATION RESPONSE, SECURITY MODE COMPLETE, ATTACH COMPLETE and, with a bearer, two of RRC: Msg3 and
        // the preamble come before.
        let sends = |state| matches!(state, RadioState::Transmit(_));
        let messages = before.filter(|span| sends(span.state)).count();
        let least = match procedure {
            Procedure::ControlPlane => 6,
            _ => 8,
        };
        assert!(messages >= least, "{procedure:?}: {messages}");
        let waits = ms_in(&device, RadioState::Receive, RadioCause::Waiting);
        assert!(
            waits > 1000.0,
            "{procedure:?}: the tail is not a part, {waits} ms"
        );
    }
}

/// T3411 is 10 s and T3402 12 min: five attempts, then a pause.
#[test]
fn a_failed_attach_is_tried_five_times_and_then_after_t3402() {
    let mut device = Alone::attached(&deaf());
    device.tell_radio_time(at_ms(2_500_000));
    let waits = |device: &Alone| -> Vec<u64> {
        let all = spans(device, RadioState::LightSleep, RadioCause::Attach);
        let long = all.iter().filter(|(_, length)| *length >= 10_000);
        long.map(|(_, length)| *length).collect()
    };
    let pauses = waits(&device);
    // T300 may expire while it waits for an opportunity, of which there is one every 2560 ms, and it waits for one after the timer.
    for (place, pause) in pauses.iter().take(10).enumerate() {
        let timer = if place % 5 == 4 { 720_000 } else { 10_000 };
        assert!(
            (timer..timer + 2 * 2_560).contains(pause),
            "{place}: {pause} ms of {pauses:?}"
        );
    }
    assert!(pauses.len() >= 10, "{pauses:?}");
    // It has the cell, and does not search again.
    let searches = spans(&device, RadioState::Receive, RadioCause::CellSearch);
    assert_eq!(searches.len(), 1);
    let with = sum(&device, |level| level.registrations_failed);
    assert_eq!(with, sum(&device, |level| level.accesses_failed));
    // Where `attach` is off, T3402 is left out.
    let mut always = deaf();
    always.idle.attach = None;
    let mut device = Alone::attached(&always);
    device.input(at_ms(0), LinkInput::SwitchedOff { port: RADIO });
    device.input(at_ms(1), LinkInput::SwitchedOn { port: RADIO });
    device.run_until(at_ms(2_500_000));
    let without = sum(&device, |level| level.accesses_failed);
    assert!(without > 3 * with, "{without}, {with}");
}

/// Searches of 120 s, and waits of 10, 40, 300, 600, 1800, 1800 and then 3600 s between them.
#[test]
fn a_device_without_coverage_searches_for_ever() {
    let mut device = Alone::attached(&config(NO_COVERAGE_DB));
    device.tell_radio_time(at_ms(DAY_MS));
    let searches = spans(&device, RadioState::Receive, RadioCause::CellSearch);
    let mut expected = Vec::new();
    let mut at = 0;
    for wait_s in [10, 40, 300, 600, 1800, 1800].into_iter().chain([3600; 40]) {
        expected.push((at * 1000, 120_000));
        at += 120 + wait_s;
    }
    expected.retain(|(from, _)| *from < DAY_MS);
    assert_eq!(searches, expected);
    // The last of 28 searches begins at 83,390 s, and nothing but sleep is between them.
    assert_eq!(searches.len(), 28);
    let asleep = ms_in(&device, RadioState::DeepSleep, RadioCause::Sleep);
    assert_eq!(asleep, (DAY_MS - 28 * 120_000) as f64);
    assert_eq!(sum(&device, |level| level.preambles), 0);
}

#[test]
fn the_boundary_of_coverage_is_q_rx_lev_min() {
    // 43 dBm in twelve tones are 32.21 dBm: 172.2 dB leave -139.99 dBm, 172.21 dB less than -140 dBm.
    for (coupling_loss_db, searches) in [(172.2, true), (172.21, false)] {
        let mut device = Alone::attached(&config(coupling_loss_db));
        device.run_until(at_ms(60_000));
        let tries = sum(&device, |level| level.preambles) > 0;
        assert_eq!(tries, searches, "{coupling_loss_db} dB");
    }
    let mut strict = config(160.0);
    strict.idle.attach = Some(Attach {
        q_rx_lev_min_dbm: -120.0,
        ..Attach::usual()
    });
    let mut device = Alone::attached(&strict);
    device.run_until(at_ms(60_000));
    assert_eq!(sum(&device, |level| level.preambles), 0);
}

#[test]
fn packets_wait_for_the_registration_and_are_given_up_without_it() {
    let mut device = Alone::attached(&config(150.0));
    device.offer(at_ms(100), RADIO, 73, false);
    device.offer(at_ms(3_000), RADIO, 50, true);
    device.run_until(at_ms(60_000));
    let bytes: Vec<usize> = device
        .deliveries
        .iter()
        .map(|(_, _, bytes)| *bytes)
        .collect();
    assert_eq!(bytes, [73, 50]);
    assert!(device.drops.is_empty());
    for network in [config(NO_COVERAGE_DB), deaf()] {
        let give_up_ms = network.give_up_ms;
        let mut device = Alone::attached(&network);
        device.offer(at_ms(5_000), RADIO, 73, false);
        device.offer(at_ms(6_000), CORE, 73, false);
        device.offer(at_ms(7_000), RADIO, 73, false);
        device.run_until(at_ms(4 * 3_600_000));
        let reasons: Vec<DropReason> = device.drops.iter().map(|(_, _, reason)| *reason).collect();
        assert_eq!(reasons, [DropReason::GaveUp; 3]);
        for ((at, ..), offered_ms) in device.drops.iter().zip([5_000, 6_000, 7_000]) {
            let late = *at - at_ms(offered_ms + give_up_ms);
            assert!(late.as_secs_f64() < 1.0, "{at:?}");
        }
        // It goes on to try for what comes later.
        let before = device.report().events();
        device.run_until(at_ms(8 * 3_600_000));
        assert!(device.report().events() > before);
    }
}

#[test]
fn a_device_that_is_switched_on_again_starts_afresh() {
    let mut device = Alone::attached(&deaf());
    device.run_until(at_ms(200_000));
    device.input(at_ms(200_000), LinkInput::SwitchedOff { port: RADIO });
    device.input(at_ms(300_000), LinkInput::SwitchedOn { port: RADIO });
    device.tell_radio_time(at_ms(400_000));
    let searches = spans(&device, RadioState::Receive, RadioCause::CellSearch);
    assert_eq!(searches, [(0, 1125), (300_000, 1125)]);
    let off = spans(&device, RadioState::DeepSleep, RadioCause::Sleep);
    assert_eq!(off, [(200_000, 100_000)]);
}

#[test]
fn a_device_that_joins_in_an_outage_registers_after_it() {
    let mut device = Alone::new(&config(140.0), 1);
    device.input(at_ms(0), LinkInput::OutageBegins);
    device.input(at_ms(1_000), LinkInput::Attach { port: RADIO });
    device.run_until(at_ms(50_000));
    assert_eq!(sum(&device, |level| level.preambles), 0);
    device.input(at_ms(50_000), LinkInput::OutageEnds);
    device.run_until(at_ms(70_000));
    assert_eq!(sum(&device, |level| level.registrations), 1);
}

/// Spans are laid end to end, whatever happens in an attach and whenever it is looked at.
#[test]
fn radio_time_adds_up_while_devices_register() {
    for network in [config(140.0), config(164.0), deaf(), config(NO_COVERAGE_DB)] {
        for off_ms in (1..20_000).step_by(777) {
            let mut device = Alone::attached(&network);
            device.tell_radio_time(at_ms(off_ms / 2));
            device.input(at_ms(off_ms), LinkInput::SwitchedOff { port: RADIO });
            device.input(at_ms(off_ms + 5), LinkInput::SwitchedOn { port: RADIO });
            device.input(at_ms(1_000_000), LinkInput::Detach { port: RADIO });
            let mut until = Instant::ZERO;
            for span in &device.radio {
                assert_eq!(span.from, until);
                until = span.from + span.duration;
            }
            assert_eq!(until, at_ms(1_000_000));
        }
    }
}
