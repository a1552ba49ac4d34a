//! The time line of a radio that is watched: what it tells is what the radio did.

use core::iter;

use lasthop_contract::{LinkInput, Port, RadioState};
use lasthop_nbiot::config::{
    GoldenCarrier, NetworkConfig, NetworkTime, Procedure, ReleaseAssistance,
};
use lasthop_nbiot::{RadioEvent, RadioLane, RadioLine};
use lasthop_units::{Duration, Instant};

use crate::alone::{Alone, RADIO, at_ms};

/// One report of a device that is watched, until it sleeps again.
fn line_of(config: &NetworkConfig, seed: u64) -> RadioLine {
    let mut device = Alone::new(config, seed);
    device.network.watch_next(RADIO);
    device.input(Instant::ZERO, LinkInput::Attach { port: RADIO });
    device.offer(at_ms(10_000), RADIO, 73, true);
    device.tell_radio_time(at_ms(120_000));
    device.network.radio_line().expect("it is watched").clone()
}

fn by_hand(procedure: Procedure) -> NetworkConfig {
    let mut config = NetworkConfig::golden_timeline(GoldenCarrier::Standalone46, 0, procedure);
    config.connection.release_assistance = ReleaseAssistance::AfterReply;
    config
}

/// What was sent on these lanes.
fn on<'a>(line: &'a RadioLine, lanes: &'a [RadioLane]) -> impl Iterator<Item = &'a RadioEvent> {
    (line.events.iter()).filter(|event| lanes.contains(&event.lane))
}

const UP: [RadioLane; 3] = [
    RadioLane::Nprach,
    RadioLane::Npusch,
    RadioLane::Acknowledgement,
];

#[test]
fn each_message_of_a_procedure_is_named_once_in_its_order() {
    let told: [(Procedure, &[&str]); 3] = [
        (
            Procedure::ServiceRequest,
            &[
                "preamble 1, CE level 0",
                "random access response",
                "Msg3: RRCConnectionRequest-NB",
                "RRCConnectionSetup-NB, contention resolution",
                "RRCConnectionSetupComplete-NB (SERVICE REQUEST)",
                "SecurityModeCommand",
                "SecurityModeComplete",
                "RRCConnectionReconfiguration-NB",
                "RRCConnectionReconfigurationComplete-NB",
                "73 B of packets",
                "RRCConnectionRelease-NB",
            ],
        ),
        (
            Procedure::Resume,
            &[
                "preamble 1, CE level 0",
                "random access response",
                "Msg3: RRCConnectionResumeRequest-NB",
                "RRCConnectionResume-NB",
                "RRCConnectionResumeComplete-NB, 73 B of packets",
                "RRCConnectionRelease-NB with suspension",
            ],
        ),
        (
            Procedure::ControlPlane,
            &[
                "preamble 1, CE level 0",
                "random access response",
                "Msg3: RRCConnectionRequest-NB",
                "RRCConnectionSetup-NB",
                "RRCConnectionSetupComplete-NB (CONTROL PLANE SERVICE REQUEST), 73 B of packets",
                "RRCConnectionRelease-NB",
            ],
        ),
    ];
    for (procedure, expected) in told {
        let line = line_of(&by_hand(procedure), 1);
        let lanes = [RadioLane::Nprach, RadioLane::Npdsch, RadioLane::Npusch];
        let said: Vec<&str> = on(&line, &lanes).map(|event| event.what.as_str()).collect();
        let mut from = 0;
        for words in expected {
            let found = said[from..].iter().position(|what| what.contains(words));
            from += found.unwrap_or_else(|| panic!("{procedure:?}: no {words} in {said:#?}")) + 1;
        }
        assert!(line.events.iter().all(|event| event.is_received));
    }
}

/// In deep coverage, with fading and errors, in the time of a network.
fn deep() -> NetworkConfig {
    let mut config = NetworkConfig::single_device(163.0);
    config.network = NetworkTime::OPERATOR_NORWAY_2019;
    config.connection.release_assistance = ReleaseAssistance::AfterReply;
    config
}

#[test]
fn the_radio_sends_when_it_is_told_to_and_at_no_other_time() {
    let mut repeated = 0;
    for seed in 1..=20 {
        let line = line_of(&deep(), seed);
        let sent: Duration = (line.spans.iter())
            .filter(|span| matches!(span.state, RadioState::Transmit(_)))
            .map(|span| {
                let covered = on(&line, &UP)
                    .any(|event| event.from <= span.from && span.until <= event.until);
                assert!(covered, "{span:?} is in no event of {:#?}", line.events);
                span.until - span.from
            })
            .fold(Duration::ZERO, |sum, time| sum + time);
        let told: Duration = on(&line, &UP).fold(Duration::ZERO, |sum, event| {
            sum + (event.until - event.from)
        });
        // Gaps, and the last part of a millisecond behind a preamble.
        assert!(sent <= told && told.as_secs_f64() < 1.5 * sent.as_secs_f64());
        repeated += (line.events.iter())
            .filter(|event| !event.is_received || event.what.contains("HARQ transmission"))
            .count();
    }
    assert!(repeated > 20, "{repeated}");
}

#[test]
fn a_half_duplex_device_is_told_of_one_transmission_at_a_time() {
    let air = [RadioLane::Npdcch, RadioLane::Npdsch];
    for seed in 1..=20 {
        let line = line_of(&deep(), seed);
        let mut events: Vec<&RadioEvent> = on(&line, &UP).chain(on(&line, &air)).collect();
        events.sort_by_key(|event| event.from);
        for pair in events.windows(2) {
            assert!(pair[0].until <= pair[1].from, "{pair:#?}");
        }
        for pair in line.spans.windows(2) {
            assert_eq!(pair[0].until, pair[1].from);
        }
    }
}

#[test]
fn what_is_waited_for_takes_as_long_as_the_network_says() {
    let config = deep();
    let line = line_of(&config, 1);
    let waits: Vec<(u64, &str)> = on(&line, &[RadioLane::Network])
        .map(|event| {
            let waited = (event.until - event.from).as_nanos() / 1_000_000;
            (waited, event.what.as_str())
        })
        .collect();
    let expected = [
        (8, "RRCConnectionSetup-NB waits for the base station"),
        (38, "SecurityModeCommand waits for the MME"),
        (
            8,
            "RRCConnectionReconfiguration-NB waits for the base station",
        ),
    ];
    assert_eq!(waits[..3], expected);
    assert!(waits.contains(&(38, "the release waits for the MME")));
    let module = on(&line, &[RadioLane::Module]).next().expect("it sends");
    assert_eq!(module.until - module.from, Duration::from_millis(200));
    assert_eq!(module.what, "firmware sends a packet");
}

#[test]
fn nobody_is_watched_but_who_is_asked_for() {
    let mut network = Alone::new(&deep(), 1);
    network.input(Instant::ZERO, LinkInput::Attach { port: RADIO });
    network.network.watch_next(Port(2));
    network.offer(at_ms(10_000), RADIO, 73, true);
    network.run_until(at_ms(100_000));
    assert!(network.network.radio_line().is_none());
    network.input(at_ms(100_000), LinkInput::Attach { port: Port(2) });
    network.offer(at_ms(110_000), RADIO, 73, true);
    network.run_until(at_ms(200_000));
    let line = network.network.radio_line().expect("it has come");
    assert!(line.events.is_empty(), "{:#?}", line.events);
}

#[test]
fn to_be_watched_changes_nothing() {
    for seed in 1..=5 {
        let told = |watched: bool| {
            let mut device = Alone::new(&deep(), seed);
            if watched {
                device.network.watch_next(RADIO);
            }
            device.input(Instant::ZERO, LinkInput::Attach { port: RADIO });
            for second in iter::successors(Some(10), |second| Some(second + 60)).take(5) {
                device.offer(at_ms(second * 1000), RADIO, 73, true);
            }
            device.tell_radio_time(at_ms(400_000));
            format!("{:?} {:?}", device.deliveries, device.radio)
        };
        assert_eq!(told(true), told(false));
    }
}
