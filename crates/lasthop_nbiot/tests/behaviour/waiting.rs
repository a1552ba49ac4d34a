//! What a device draws that is connected and waits, by hand, and what release assistance saves (row V-X5).
#![expect(clippy::print_stdout, reason = "the row is stated in MODEL.md")]

use lasthop_contract::{RadioCause, RadioState};
use lasthop_nbiot::config::{ConnectedDrx, NetworkConfig, ReleaseAssistance};

use crate::alone::{Alone, RADIO, RadioSpan, at_ms};

fn config(coupling_loss_db: f64, inactivity_ms: u32) -> NetworkConfig {
    let mut config = NetworkConfig::single_device(coupling_loss_db);
    config.connection.inactivity_ms = inactivity_ms;
    config.connection.release_assistance = ReleaseAssistance::AfterReply;
    config
}

/// What a report takes, until 3 min later.
fn report(network: &NetworkConfig, bytes: usize, last: bool) -> Vec<RadioSpan> {
    let mut device = Alone::attached(network);
    device.offer(at_ms(10_000), RADIO, bytes, last);
    device.tell_radio_time(at_ms(190_000));
    assert_eq!(device.deliveries.len(), 1);
    device.radio
}

fn waits(spans: &[RadioSpan], state: RadioState) -> f64 {
    let spans = spans
        .iter()
        .filter(|span| (span.state, span.cause) == (state, RadioCause::Waiting));
    spans.map(|span| span.duration.as_secs_f64()).sum()
}

/// Without DRX: all of the search space, Rmax 8 in 16 subframes of which 725 of 1000 (less other system information) can
/// be used. With DRX: of that the on-duration, in periods of 16 subframes, in each cycle.
#[test]
fn a_connected_device_listens_by_its_search_space_and_its_drx_cycle() {
    let candidates = 8.0 / 16.0 / 0.725;
    for seconds in [1_u32, 10, 20, 60] {
        for drx in [
            None,
            Some((1_u8, 256_u16)),
            Some((8, 2048)),
            Some((32, 9216)),
        ] {
            let mut network = config(110.0, seconds * 1000);
            for level in &mut network.levels {
                level.connected_drx = drx.map(|(on_duration_pp, cycle_subframes)| ConnectedDrx {
                    on_duration_pp,
                    inactivity_pp: 8,
                    cycle_subframes,
                });
            }
            let spans = report(&network, 78, false);
            let share = drx.map_or(1.0, |(on, cycle)| f64::from(on) * 16.0 / f64::from(cycle));
            let by_hand = f64::from(seconds) * candidates * share;
            let listened = waits(&spans, RadioState::Receive);
            let slept = waits(&spans, RadioState::ConnectedSleep);
            // The release may wait for the next cycle.
            let cycle = drx.map_or(0.016, |(_, cycle)| f64::from(cycle) / 1000.0);
            let tolerance = 0.02 * by_hand + 0.02 + cycle * candidates * share;
            assert!(
                (listened - by_hand).abs() <= tolerance,
                "{seconds} s, {drx:?}: {listened} s, by hand {by_hand}"
            );
            assert!(
                (listened + slept - f64::from(seconds)).abs() <= cycle + 0.1,
                "{seconds} s, {drx:?}: {slept} s"
            );
        }
    }
}

/// The module of V-X5 at 3.6 V, as the profile `sara_n2` of `lasthop_device` has it.
fn sara_n2_joules(spans: &[RadioSpan]) -> f64 {
    let draws_mw = |state: RadioState| match state {
        RadioState::DeepSleep => 0.0108,
        RadioState::LightSleep => 3.0,
        RadioState::ConnectedSleep => 28.0,
        RadioState::Receive => 238.0,
        RadioState::Transmit(level) => {
            345.0 + 483.0 * libm::pow(10.0, (level.value() - 23.0) / 10.0)
        }
    };
    let joules = spans
        .iter()
        .map(|span| draws_mw(span.state) * span.duration.as_secs_f64());
    joules.sum::<f64>() / 1000.0
}

/// 200 B in CE1 with a timer of 20 s and a tail of 48 mA at 3.6 V: 3.5 J of it are saved.
#[test]
fn v_x5_release_assistance_saves_most_of_a_report() {
    let tail = config(149.0, 20_000);
    let (mut kept, mut released) = (0.0, 0.0);
    for loss in [146.0, 149.0, 152.0] {
        let network = config(loss, 20_000);
        let spans = [report(&network, 228, false), report(&network, 228, true)];
        let [with_tail, without] = spans.each_ref().map(|spans| sara_n2_joules(spans));
        println!(
            "V-X5, {loss} dB: {with_tail:.2} J, released {without:.2} J, factor {:.1}, saved {:.0} %",
            with_tail / without,
            100.0 * (1.0 - without / with_tail)
        );
        kept += with_tail;
        released += without;
    }
    let spans = report(&tail, 228, false);
    let in_tail = waits(&spans, RadioState::Receive) * 0.238
        + waits(&spans, RadioState::ConnectedSleep) * 0.028;
    println!("tail of 20 s: {in_tail:.2} J, published 3.5 J");
    assert!((3.2..3.8).contains(&in_tail), "{in_tail} J");
    assert!(kept > 3.0 * released);
}
