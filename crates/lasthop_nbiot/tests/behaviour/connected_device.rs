//! A device with a connection: packets both ways, asking for grants, release.

use lasthop_contract::{DropReason, Expectation, LinkInput};
use lasthop_nbiot::config::{
    GoldenCarrier, LinkAdaptation, NetworkConfig, NetworkTime, Procedure, ReleaseAssistance,
};

use crate::alone::{Alone, CORE, RADIO, at_ms};

fn config(procedure: Procedure, coupling_loss_db: f64) -> NetworkConfig {
    let mut config = NetworkConfig::single_device(coupling_loss_db);
    config.connection.procedure = procedure;
    config.connection.inactivity_ms = 20_000;
    config.idle.power_saving_mode = None;
    config
}

const PROCEDURES: [Procedure; 3] = [
    Procedure::ServiceRequest,
    Procedure::Resume,
    Procedure::ControlPlane,
];

#[test]
fn packets_of_every_size_arrive_in_order_both_ways_in_every_coverage() {
    let sizes = [1, 40, 73, 128, 448, 1280, 1600];
    for procedure in PROCEDURES {
        for coupling_loss_db in [120.0, 144.0, 154.0, 162.0] {
            let mut network = config(procedure, coupling_loss_db);
            network.give_up_ms = 3_600_000;
            let mut device = Alone::attached(&network);
            for (number, bytes) in sizes.into_iter().enumerate() {
                let now = 1000 + number as u64 * 200;
                device.offer(at_ms(now), RADIO, bytes, false);
                device.offer(at_ms(now + 50), CORE, bytes, false);
            }
            device.run_until(at_ms(3_000_000));
            for port in [CORE, RADIO] {
                let arrived: Vec<usize> = (device.deliveries.iter())
                    .filter(|delivery| delivery.1 == port)
                    .map(|delivery| delivery.2)
                    .collect();
                assert_eq!(
                    arrived, sizes,
                    "{procedure:?} at {coupling_loss_db} dB: {:?}",
                    device.drops
                );
            }
        }
    }
}

#[test]
fn new_data_while_connected_asks_for_a_grant_by_random_access() {
    for procedure in PROCEDURES {
        let mut device = Alone::attached(&config(procedure, 130.0));
        device.offer(at_ms(1000), RADIO, 73, false);
        device.offer(at_ms(6000), RADIO, 73, false);
        device.run_until(at_ms(10_000));
        assert_eq!(device.deliveries.len(), 2);
        let level = device.report().levels()[0];
        assert_eq!(
            (level.accesses, level.scheduling_requests),
            (1, 1),
            "{procedure:?}"
        );
    }
}

#[test]
fn an_answer_to_the_core_rides_on_the_unasked_grant() {
    for (unasked, requests) in [(true, 0), (false, 1)] {
        let mut network = config(Procedure::ServiceRequest, 130.0);
        network.connection.grant_after_downlink = unasked;
        network.switches.rlc_status = false;
        let mut device = Alone::attached(&network);
        device.offer(at_ms(1000), RADIO, 73, false);
        device.run_until(at_ms(5000));
        device.offer(at_ms(5000), CORE, 60, false);
        device.run_until(at_ms(5030));
        assert_eq!(device.deliveries.len(), 2, "the request is at the device");
        device.offer(at_ms(5030), RADIO, 60, false);
        device.run_until(at_ms(8000));
        assert_eq!(device.deliveries.len(), 3);
        assert_eq!(device.report().levels()[0].scheduling_requests, requests);
    }
}

#[test]
fn inactivity_releases_and_the_next_packet_connects_anew() {
    let mut device = Alone::attached(&config(Procedure::Resume, 130.0));
    device.offer(at_ms(1000), RADIO, 73, false);
    device.run_until(at_ms(40_000));
    let level = device.report().levels()[0];
    assert_eq!((level.accesses, level.releases), (1, 1));
    assert!(
        (20_000..21_000).contains(&level.connected_ms),
        "{}",
        level.connected_ms
    );
    device.offer(at_ms(50_000), RADIO, 73, false);
    device.run_until(at_ms(60_000));
    assert_eq!(device.report().levels()[0].accesses, 2);
}

/// No report corrects what the base station believes there, and the release waits for the MME.
#[test]
fn a_quiet_connection_whose_blocks_are_counted_by_hand_is_released() {
    for procedure in PROCEDURES {
        for bytes in (20..260).step_by(30) {
            let mut network = config(procedure, 144.0);
            network.network = NetworkTime::OPERATOR_NORWAY_2019;
            network.switches.hand_counted_blocks = true;
            let mut device = Alone::attached(&network);
            // The second asks for a grant of its own.
            for now in [1000, 6000] {
                device.offer(at_ms(now), RADIO, bytes, false);
            }
            device.run_until(at_ms(7000));
            device.offer(at_ms(7000), CORE, bytes, false);
            device.run_until(at_ms(60_000));
            assert_eq!(
                (device.deliveries.len(), releases(&device)),
                (3, 1),
                "{procedure:?}, {bytes} B"
            );
        }
    }
}

#[test]
fn release_assistance_ends_the_connection_with_the_data() {
    for procedure in PROCEDURES {
        let mut network = config(procedure, 130.0);
        network.connection.release_assistance = ReleaseAssistance::AfterReply;
        let mut device = Alone::attached(&network);
        device.offer(at_ms(1000), RADIO, 73, true);
        device.run_until(at_ms(3000));
        let level = device.report().levels()[0];
        assert_eq!(level.releases, 1, "{procedure:?}");
        assert!(
            level.connected_ms < 1000,
            "{procedure:?}: {}",
            level.connected_ms
        );
    }
}

/// A device that has reported 73 B at 1 s and waits for one answer.
fn waiting_for_an_answer(procedure: Procedure, adjust: impl Fn(&mut NetworkConfig)) -> Alone {
    let mut network = config(procedure, 130.0);
    network.connection.release_assistance = ReleaseAssistance::AfterReply;
    adjust(&mut network);
    let mut device = Alone::attached(&network);
    device.offer_expecting(at_ms(1000), RADIO, 73, Some(Expectation::OneAnswer));
    device.run_until(at_ms(3000));
    assert_eq!(releases(&device), 0, "{procedure:?}: the answer is to come");
    device
}

fn releases(device: &Alone) -> u64 {
    device.report().levels()[0].releases
}

#[test]
fn the_one_answer_that_a_device_expects_ends_its_connection() {
    for procedure in PROCEDURES {
        let mut device = waiting_for_an_answer(procedure, |_| {});
        device.offer(at_ms(3000), CORE, 60, false);
        device.run_until(at_ms(4000));
        assert_eq!((device.deliveries.len(), releases(&device)), (2, 1));
        let connected_ms = device.report().levels()[0].connected_ms;
        assert!(
            (1500..2500).contains(&connected_ms),
            "{procedure:?}: {connected_ms} ms"
        );
        let mut unassisted = waiting_for_an_answer(procedure, |network| {
            network.connection.release_assistance = ReleaseAssistance::Off;
        });
        unassisted.offer(at_ms(3000), CORE, 60, false);
        unassisted.run_until(at_ms(20_000));
        assert_eq!(releases(&unassisted), 0, "{procedure:?}");
    }
}

#[test]
fn who_tells_that_nothing_follows_is_paged_for_the_answer() {
    for procedure in PROCEDURES {
        let mut network = config(procedure, 130.0);
        network.connection.release_assistance = ReleaseAssistance::AfterLastUplink;
        let mut device = Alone::attached(&network);
        device.offer_expecting(at_ms(1000), RADIO, 73, Some(Expectation::OneAnswer));
        device.run_until(at_ms(3000));
        assert_eq!(releases(&device), 1, "{procedure:?}");
        device.offer(at_ms(3000), CORE, 60, false);
        device.run_until(at_ms(15_000));
        let accesses = device.report().levels()[0].accesses;
        assert_eq!((device.deliveries.len(), accesses), (2, 2), "{procedure:?}");
    }
}

#[test]
fn more_than_the_one_answer_keeps_a_connection() {
    for procedure in PROCEDURES {
        let mut device = waiting_for_an_answer(procedure, |_| {});
        device.offer(at_ms(3000), CORE, 60, false);
        device.offer(at_ms(3000), CORE, 60, false);
        device.run_until(at_ms(20_000));
        assert_eq!((device.deliveries.len(), releases(&device)), (3, 0));
        let mut device = waiting_for_an_answer(procedure, |_| {});
        device.offer(at_ms(3000), RADIO, 73, false);
        device.run_until(at_ms(3500));
        device.offer(at_ms(3500), CORE, 60, false);
        device.run_until(at_ms(20_000));
        assert_eq!((device.deliveries.len(), releases(&device)), (3, 0));
    }
}

#[test]
fn a_device_whose_answer_is_lost_comes_again() {
    for procedure in PROCEDURES {
        // While the connection lasts, and after it.
        for again_ms in [15_000, 40_000] {
            let mut device = waiting_for_an_answer(procedure, |_| {});
            device.run_until(at_ms(again_ms));
            let quiet = u64::from(again_ms > 20_000);
            assert_eq!(releases(&device), quiet, "{procedure:?}");
            device.offer_expecting(at_ms(again_ms), RADIO, 73, Some(Expectation::OneAnswer));
            device.run_until(at_ms(again_ms + 2000));
            device.offer(at_ms(again_ms + 2000), CORE, 60, false);
            device.run_until(at_ms(again_ms + 4000));
            assert_eq!(device.deliveries.len(), 3, "{procedure:?}");
            assert_eq!(releases(&device), quiet + 1, "{procedure:?}");
        }
    }
}

/// A base station gives a downlink block up after some transmissions; RLC repeats it once the poll is overdue.
#[test]
fn an_answer_whose_block_is_given_up_is_waited_for() {
    let mut given_up = 0;
    for (procedure, seed) in PROCEDURES
        .into_iter()
        .flat_map(|p| (0..40).map(move |s| (p, s)))
    {
        let mut network = config(procedure, 154.0);
        network.connection.release_assistance = ReleaseAssistance::AfterReply;
        network.connection.harq_transmissions = 1;
        network.connection.inactivity_ms = 600_000;
        let mut device = Alone::new(&network, seed);
        device.input(at_ms(0), LinkInput::Attach { port: RADIO });
        device.offer_expecting(at_ms(1000), RADIO, 73, Some(Expectation::OneAnswer));
        device.run_until(at_ms(12_000));
        if device.deliveries.len() != 1 {
            continue;
        }
        let lost = device.report().levels()[1].blocks_lost;
        device.offer(at_ms(12_000), CORE, 60, false);
        device.run_until(at_ms(200_000));
        let level = device.report().levels()[1];
        let name = format!("{procedure:?}, seed {seed}");
        assert_eq!(level.releases + level.radio_link_failures, 1, "{name}");
        assert_eq!((level.accesses, device.deliveries.len()), (1, 2), "{name}");
        given_up += u64::from(level.blocks_lost > lost);
    }
    assert!(given_up > 3, "{given_up}");
}

/// On the user plane it is a report with the STATUS PDU of the answer, so that both have to be granted.
#[test]
fn who_is_granted_nothing_cannot_tell_that_the_answer_was_all() {
    for (procedure, ended) in [(Procedure::Resume, 0), (Procedure::ControlPlane, 1)] {
        let mut device = waiting_for_an_answer(procedure, |network| {
            network.switches.rlc_status = false;
            network.connection.grant_after_downlink = false;
        });
        device.offer(at_ms(3000), CORE, 60, false);
        device.run_until(at_ms(10_000));
        assert_eq!((device.deliveries.len(), releases(&device)), (2, ended));
    }
}

#[test]
fn telling_takes_its_bytes() {
    for procedure in PROCEDURES {
        // Blocks have few sizes: a byte shows where the next is needed.
        let tone_ms = |assists: bool, i_tbs, bytes| {
            let mut network =
                NetworkConfig::golden_timeline(GoldenCarrier::Standalone46, 0, procedure);
            network.connection.release_assistance = if assists {
                ReleaseAssistance::AfterReply
            } else {
                ReleaseAssistance::Off
            };
            network.switches.hand_counted_blocks = false;
            let LinkAdaptation::Fixed(formats) = &mut network.levels[0].link_adaptation else {
                panic!("the hand calculation has fixed formats");
            };
            formats.npusch_i_tbs = i_tbs;
            let mut device = Alone::attached(&network);
            // The second goes in a message of its own on the control plane.
            for now in [1000, 1001] {
                device.offer(at_ms(now), RADIO, bytes, true);
            }
            device.run_until(at_ms(100_000));
            assert_eq!(device.deliveries.len(), 2);
            device.report().cells[0].npusch_tone_ms
        };
        let [plain, telling] = [false, true].map(|assists| -> f64 {
            let formats = (0..=10).flat_map(|i_tbs| (20..150).step_by(13).map(move |b| (i_tbs, b)));
            formats
                .map(|(i_tbs, bytes)| tone_ms(assists, i_tbs, bytes))
                .sum()
        });
        let share = telling / plain - 1.0;
        assert!((0.0001..0.02).contains(&share), "{procedure:?}: {share}");
    }
}

#[test]
fn what_is_too_large_is_dropped_with_its_reason() {
    let mut device = Alone::attached(&config(Procedure::Resume, 130.0));
    device.offer(at_ms(1000), RADIO, 1601, false);
    device.offer(at_ms(1000), CORE, 1601, false);
    device.run_until(at_ms(3000));
    let drops: Vec<_> = device
        .drops
        .iter()
        .map(|(_, port, reason)| (*port, *reason))
        .collect();
    assert_eq!(
        drops,
        [(RADIO, DropReason::TooBig), (CORE, DropReason::TooBig)]
    );
}

#[test]
fn a_device_that_is_taken_away_takes_its_packets_with_it() {
    for milliseconds in (1001..1600).step_by(13) {
        let mut device = Alone::attached(&config(Procedure::ServiceRequest, 144.0));
        device.offer(at_ms(1000), RADIO, 448, false);
        device.offer(at_ms(1000), CORE, 448, false);
        device.input(at_ms(milliseconds), LinkInput::Detach { port: RADIO });
        device.run_until(at_ms(100_000));
        let report = device.report();
        assert_eq!(report.packets_queued, 0, "at {milliseconds} ms");
        assert_eq!(report.packets_delivered + report.packets_dropped, 2);
        device.input(at_ms(100_000), LinkInput::Attach { port: RADIO });
        device.offer(at_ms(100_000), RADIO, 73, false);
        device.run_until(at_ms(110_000));
        assert_eq!(device.deliveries.last().map(|last| last.2), Some(73));
    }
}

#[test]
fn a_port_without_a_device_drops_what_is_offered() {
    let mut device = Alone::new(&config(Procedure::Resume, 130.0), 1);
    device.offer(at_ms(5), RADIO, 73, false);
    device.offer(at_ms(5), CORE, 73, false);
    let reasons: Vec<_> = device.drops.iter().map(|drop| drop.2).collect();
    assert_eq!(reasons, [DropReason::NotAttached; 2]);
}
