//! Time in base station, core and module: each step waits for who answers it, by hand.

use lasthop_contract::{LinkInput, RadioCause, RadioState};
use lasthop_nbiot::config::{
    GoldenCarrier, ModuleTime, NetworkConfig, NetworkTime, Procedure, ReleaseAssistance,
};

use crate::alone::{Alone, CORE, RADIO, RadioSpan, at_ms};
use crate::golden_timeline::mean_outcome;

const LONG_MS: u32 = 1000;
/// A wait may end anywhere in a period of the search space, which has 16 subframes, and an answer may be ready before the
/// device is.
const TOLERANCE_MS: f64 = 16.0;

/// One device, in good coverage, without errors or fading.
fn config(procedure: Procedure, adjust: impl Fn(&mut NetworkTime)) -> NetworkConfig {
    let mut config = NetworkConfig::golden_timeline(GoldenCarrier::Standalone46, 0, procedure);
    config.connection.release_assistance = ReleaseAssistance::AfterReply;
    config.switches.rlc_status = true;
    adjust(&mut config.network);
    config.check().expect("within the timers");
    config
}

type Adjust = fn(&mut NetworkTime);

/// Who is asked how often before a report is at the far end: service request, resume, control plane.
const ASKED: [(&str, Adjust, [f64; 3]); 8] = [
    // Msg4, security and reconfiguration; Msg4 alone.
    ("base station", |t| t.base_station_ms = 400, [1.2, 0.4, 0.4]),
    ("S1", |t| t.s1_round_trip_ms = LONG_MS, [1.0, 0.0, 0.0]),
    // Inside NAS the packet itself passes it.
    ("MME", |t| t.mme_ms = LONG_MS, [1.0, 0.0, 1.0]),
    ("HSS", |t| t.subscriber_data_ms = LONG_MS, [0.0, 0.0, 0.0]),
    ("gateway", |t| t.gateway_ms = LONG_MS, [0.0, 0.0, 0.0]),
    ("user plane", |t| t.user_plane_ms = LONG_MS, [1.0, 1.0, 1.0]),
    // Three answers of the device, or one.
    ("device", |t| t.device_rrc_ms = LONG_MS, [3.0, 1.0, 1.0]),
    ("module", |t| t.module.send_ms = LONG_MS, [1.0, 1.0, 1.0]),
];

const PROCEDURES: [Procedure; 3] = [
    Procedure::ServiceRequest,
    Procedure::Resume,
    Procedure::ControlPlane,
];

#[test]
fn a_report_is_late_by_what_is_asked_of_each() {
    for (place, procedure) in PROCEDURES.into_iter().enumerate() {
        let ideal = mean_outcome(&config(procedure, |_| {}), 73);
        for (who, adjust, seconds) in ASKED {
            let late = mean_outcome(&config(procedure, adjust), 73).latency_ms - ideal.latency_ms;
            let (expected, answers) = (seconds[place] * 1000.0, seconds[place].ceil().max(1.0));
            // The 12 ms before an acknowledgement, and the acknowledgement, are work as well.
            let overlap = if who == "device" { 25.0 } else { 0.0 };
            assert!(
                (late - expected).abs() <= answers * (TOLERANCE_MS + overlap),
                "{procedure:?}, {who}: {late} ms, by hand {expected}"
            );
        }
    }
}

#[test]
fn a_scheduler_is_late_with_each_dci() {
    for procedure in PROCEDURES {
        let ideal = mean_outcome(&config(procedure, |_| {}), 73);
        let slow = mean_outcome(&config(procedure, |t| t.scheduler_ms = 64), 73);
        let late = slow.latency_ms - ideal.latency_ms;
        // The response, and at most all others; the device itself needs 12 ms behind what it hears.
        assert!(
            late >= 64.0 && late <= 64.0 * ideal.dcis,
            "{procedure:?}: {late} ms for {} DCIs",
            ideal.dcis
        );
    }
}

/// How long an attach takes from power-on.
fn attach_ms(adjust: impl Fn(&mut NetworkTime), procedure: Procedure) -> f64 {
    let mut device = Alone::attached(&config(procedure, adjust));
    device.input(at_ms(1000), LinkInput::SwitchedOff { port: RADIO });
    device.input(at_ms(2000), LinkInput::SwitchedOn { port: RADIO });
    for millis in (2000..30_000).step_by(5) {
        device.run_until(at_ms(millis));
        if device.report().levels()[0].registrations > 0 {
            return millis as f64 - 2000.0;
        }
    }
    panic!("{procedure:?}: no attach");
}

/// Authentication, NAS security and the acceptance are answers of the MME; the first and the last need the HSS, the last
/// the gateway.
#[test]
fn an_attach_asks_the_subscriber_data_twice_and_the_gateway_once() {
    let asked: [(&str, Adjust, f64); 3] = [
        ("MME", |t| t.mme_ms = LONG_MS, 3.0),
        ("HSS", |t| t.subscriber_data_ms = LONG_MS, 2.0),
        ("gateway", |t| t.gateway_ms = LONG_MS, 1.0),
    ];
    for procedure in PROCEDURES {
        let ideal = attach_ms(|_| {}, procedure);
        for (who, adjust, times) in asked {
            let late = attach_ms(adjust, procedure) - ideal;
            let by_hand = times * f64::from(LONG_MS);
            assert!(
                (late - by_hand).abs() <= times * 3.0 * TOLERANCE_MS,
                "{procedure:?}, {who}: {late} ms, by hand {by_hand}"
            );
        }
    }
}

/// A packet for the device that comes before the gateway knows where it is waits there.
#[test]
fn packets_for_the_device_come_once_the_gateway_knows_where_it_is() {
    for procedure in PROCEDURES {
        let answered = |adjust: fn(&mut NetworkTime)| {
            let mut device = Alone::attached(&config(procedure, adjust));
            device.offer(at_ms(1000), RADIO, 73, false);
            device.offer(at_ms(1001), CORE, 60, false);
            device.run_until(at_ms(20_000));
            let arrived = device.deliveries.iter().find(|it| it.1 == RADIO);
            (arrived.expect("it comes").0 - at_ms(1000)).as_secs_f64()
        };
        let late = answered(|t| t.gateway_ms = LONG_MS) - answered(|_| {});
        assert!((0.97..1.03).contains(&late), "{procedure:?}: {late} s");
    }
}

#[test]
fn a_page_waits_for_gateway_and_mme() {
    let reached = |adjust: fn(&mut NetworkTime)| {
        let mut network = config(Procedure::ServiceRequest, adjust);
        network.idle.drx_cycle_frames = 128;
        let mut device = Alone::attached(&network);
        device.offer(at_ms(1000), CORE, 60, false);
        device.run_until(at_ms(60_000));
        (device.deliveries[0].0 - at_ms(1000)).as_secs_f64()
    };
    // A paging occasion each 1.28 s.
    let late = reached(|t| t.gateway_ms = 1280) - reached(|_| {});
    assert!((2.55..2.62).contains(&late), "{late} s, by hand twice 1.28");
}

fn seconds(spans: &[RadioSpan], wanted: impl Fn(&RadioSpan) -> bool) -> f64 {
    let spans = spans.iter().filter(|span| wanted(span));
    spans.map(|span| span.duration.as_secs_f64()).sum()
}

/// What a report of 73 B takes, with the device told to be released at once.
fn spans_of_a_report(network: &NetworkConfig) -> Vec<RadioSpan> {
    let mut device = Alone::attached(network);
    device.offer(at_ms(1000), RADIO, 73, true);
    device.tell_radio_time(at_ms(30_000));
    let mut end = at_ms(0);
    for span in &device.radio {
        assert_eq!(span.from, end, "spans are laid end to end");
        end = span.from + span.duration;
    }
    assert_eq!(device.report().levels()[0].releases, 1);
    device.radio
}

/// The device listens to its search space while the network is at work: Rmax 8 of 16 subframes, of which 725 of 1000 can
/// be used.
#[test]
fn a_device_listens_while_it_waits_for_the_network() {
    let listens =
        |span: &RadioSpan| span.state == RadioState::Receive && span.cause == RadioCause::Waiting;
    let sleeps = |span: &RadioSpan| {
        span.state == RadioState::ConnectedSleep && span.cause == RadioCause::Waiting
    };
    let ideal = spans_of_a_report(&config(Procedure::ServiceRequest, |_| {}));
    let slow = spans_of_a_report(&config(Procedure::ServiceRequest, |t| t.mme_ms = 2000));
    // The service request and the release.
    let share = 8.0 / 16.0 / 0.725;
    let listened = seconds(&slow, listens) - seconds(&ideal, listens);
    assert!((listened - 4.0 * share).abs() < 0.1, "{listened} s");
    let slept = seconds(&slow, sleeps) - seconds(&ideal, sleeps);
    assert!((slept - 4.0 * (1.0 - share)).abs() < 0.1, "{slept} s");
}

#[test]
fn a_module_is_awake_while_its_firmware_works() {
    let network = config(Procedure::ServiceRequest, |t| {
        t.module = ModuleTime {
            wake_up_ms: 0,
            send_ms: 700,
            receive_ms: 300,
        };
    });
    let works = |span: &RadioSpan| span.cause == RadioCause::Module;
    let spans = spans_of_a_report(&network);
    assert_eq!(seconds(&spans, works), 0.7);
    assert!(
        spans
            .iter()
            .filter(|span| works(span))
            .all(|span| span.state == RadioState::Receive)
    );
    // A packet that comes: the connection is there while it is handed over.
    let mut device = Alone::attached(&network);
    device.offer(at_ms(1000), CORE, 60, false);
    device.run_until(at_ms(10_000));
    let late = device.deliveries[0].0;
    let mut prompt = Alone::attached(&config(Procedure::ServiceRequest, |_| {}));
    prompt.offer(at_ms(1000), CORE, 60, false);
    prompt.run_until(at_ms(10_000));
    assert_eq!((late - prompt.deliveries[0].0).as_secs_f64(), 0.3);
}

#[test]
fn what_a_module_holds_is_lost_with_its_power_and_is_in_the_books() {
    for at in [1100, 1500] {
        let mut device = Alone::attached(&config(Procedure::Resume, |t| t.module.send_ms = 400));
        device.offer(at_ms(1000), RADIO, 73, false);
        device.offer(at_ms(1050), RADIO, 73, false);
        device.input(at_ms(at), LinkInput::SwitchedOff { port: RADIO });
        device.run_until(at_ms(60_000));
        let report = device.report();
        assert_eq!(device.drops.len(), 2, "off at {at} ms");
        assert_eq!(report.packets_offered, report.packets_dropped);
        assert_eq!(report.packets_queued, 0);
    }
}

#[test]
fn packets_keep_their_order_whatever_the_network_takes() {
    for procedure in PROCEDURES {
        for (coupling_loss_db, time) in [120.0, 150.0, 160.0]
            .into_iter()
            .flat_map(|loss| [10, 60, 100].map(|percent| (loss, NetworkTime::between(percent))))
        {
            let mut network = NetworkConfig::single_device(coupling_loss_db);
            network.connection.procedure = procedure;
            network.connection.inactivity_ms = 1000;
            network.idle.power_saving_mode = None;
            network.give_up_ms = 3_600_000;
            network.network = time;
            let mut device = Alone::attached(&network);
            let sizes: Vec<usize> = (0..30).map(|number| 40 + number).collect();
            for (number, bytes) in (0..).zip(&sizes) {
                // Farther and farther apart: in one connection, then in one each.
                let now = 1000 + number * number * 40;
                device.offer(at_ms(now), RADIO, *bytes, false);
                device.offer(at_ms(now), CORE, *bytes, false);
            }
            device.run_until(at_ms(2_000_000));
            for port in [CORE, RADIO] {
                let arrived = device.deliveries.iter().filter(|it| it.1 == port);
                let arrived: Vec<usize> = arrived.map(|it| it.2).collect();
                assert_eq!(arrived, sizes, "{procedure:?} at {coupling_loss_db} dB");
            }
        }
    }
}

#[test]
fn what_comes_while_a_release_is_asked_for_keeps_the_connection() {
    let network = config(Procedure::ServiceRequest, |t| t.mme_ms = 2000);
    let mut device = Alone::attached(&network);
    device.offer(at_ms(1000), RADIO, 73, true);
    device.run_until(at_ms(4000));
    assert_eq!(device.deliveries.len(), 1, "the release is asked for");
    device.offer(at_ms(4000), RADIO, 73, true);
    device.run_until(at_ms(30_000));
    assert_eq!(device.deliveries.len(), 2);
    let level = device.report().levels()[0];
    assert_eq!((level.accesses, level.releases), (1, 1));
}
