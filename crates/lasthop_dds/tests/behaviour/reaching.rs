//! What is said arrives, and comes back.

use lasthop_contract::{ApplicationInput, FailureReason, MessageEvent};
use lasthop_dds::{DdsConfig, Reliability};
use lasthop_units::Duration;

use crate::pair::{DEVICE, Pair, message};

const SECOND: Duration = Duration::from_secs(1);

fn settings(reliability: Reliability) -> DdsConfig {
    DdsConfig {
        reliability,
        ..DdsConfig::default()
    }
}

#[test]
fn both_ends_find_each_other_and_speak_both_ways() {
    for reliability in [Reliability::Reliable, Reliability::BestEffort] {
        let mut pair = Pair::new(settings(reliability));
        pair.run_for(SECOND);
        for host in &pair.hosts {
            assert_eq!(host.ready, [DEVICE], "{reliability:?}");
        }
        let now = pair.now;
        pair.hosts[0].send(now, 1, b"up");
        pair.hosts[1].send(now, 2, b"down");
        pair.run_for(SECOND);
        assert_eq!(pair.hosts[1].received, [b"up"]);
        assert_eq!(pair.hosts[0].received, [b"down"]);
        let is_reliable = reliability == Reliability::Reliable;
        for (host, number) in pair.hosts.iter().zip([1, 2]) {
            let id = message(number);
            let transmitted = MessageEvent::Transmitted {
                id,
                attempt: 1,
                last: !is_reliable,
                trigger: None,
            };
            let acknowledged = is_reliable.then_some(MessageEvent::Acknowledged { id });
            let told: Vec<_> = [transmitted].into_iter().chain(acknowledged).collect();
            assert_eq!(host.events, told);
        }
    }
}

#[test]
fn nothing_is_said_while_all_is_said_but_announcements() {
    let mut pair = Pair::new(settings(Reliability::Reliable));
    pair.run_for(SECOND * 10);
    let before = pair.sent;
    pair.run_for(SECOND * 100);
    // Each announces itself every 5 s.
    assert!(pair.sent - before <= 42, "{}", pair.sent - before);
}

#[test]
fn a_device_that_crashed_is_another_participant_and_is_found_again() {
    let mut pair = Pair::new(settings(Reliability::Reliable));
    pair.run_for(SECOND);
    let now = pair.now;
    pair.hosts[0].crash(now);
    pair.run_for(SECOND * 5);
    let now = pair.now;
    pair.hosts[0].tell(now, ApplicationInput::Start);
    pair.run_for(SECOND * 10);
    assert_eq!(pair.hosts[0].ready, [DEVICE, DEVICE]);
    let now = pair.now;
    pair.hosts[0].send(now, 1, b"again");
    pair.hosts[1].send(now, 2, b"there");
    pair.run_for(SECOND);
    assert_eq!(pair.hosts[1].received, [b"again"]);
    assert_eq!(pair.hosts[0].received, [b"there"]);
}

#[test]
fn what_finds_no_room_in_time_has_failed() {
    let mut pair = Pair::new(DdsConfig {
        history_depth: 2,
        ..settings(Reliability::Reliable)
    });
    pair.run_for(SECOND);
    pair.meddle = Box::new(|_, _| None);
    for number in 1..=4 {
        let now = pair.now;
        pair.hosts[0].send(now, number, b"unheard");
        pair.run_for(SECOND);
    }
    let failed = |event: &&MessageEvent| matches!(event, MessageEvent::Failed { .. });
    let failed: Vec<_> = pair.hosts[0]
        .events
        .iter()
        .filter(failed)
        .copied()
        .collect();
    let full = |number| MessageEvent::Failed {
        id: message(number),
        reason: FailureReason::QueueFull,
    };
    assert_eq!(failed, [full(3), full(4)]);
}
