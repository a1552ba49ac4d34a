//! Participants over TCP: one connection, which TCP repairs, and RTPS where a connection was lost.

use core::cell::Cell;
use std::rc::Rc;

use lasthop_contract::{ApplicationInput, MessageEvent, RandomStream};
use lasthop_dds::{Carrier, DdsConfig, Reliability};
use lasthop_units::Duration;

use crate::pair::{DEVICE, Pair, message};

const SECOND: Duration = Duration::from_secs(1);
const DEVICE_HOST: usize = 0;
const SERVER_HOST: usize = 1;

fn settings(reliability: Reliability) -> DdsConfig {
    DdsConfig {
        carrier: Carrier::Tcp,
        reliability,
        ..DdsConfig::default()
    }
}

/// The numbers of the messages that a host has received.
fn received(pair: &Pair, host: usize) -> Vec<u32> {
    let all = pair.hosts[host].received.iter();
    all.map(|payload| u32::from_be_bytes(payload[..4].try_into().unwrap()))
        .collect()
}

fn send(pair: &mut Pair, from: usize, number: u32) {
    let now = pair.now;
    pair.hosts[from].send(now, number, &number.to_be_bytes());
}

/// Loses packets of both directions at random from now on.
fn lose(pair: &mut Pair, share: f64) {
    let mut stream = RandomStream::named(7, "loss");
    pair.meddle = Box::new(move |_, packet| {
        let is_lost = (stream.below(1000) as f64) < 1000.0 * share;
        (!is_lost).then_some(packet)
    });
}

#[test]
fn both_ends_find_each_other_by_one_connection_and_speak_both_ways() {
    for reliability in [Reliability::Reliable, Reliability::BestEffort] {
        let mut pair = Pair::new(settings(reliability));
        let opened = Rc::new(Cell::new(0));
        let count = Rc::clone(&opened);
        pair.meddle = Box::new(move |_, packet| {
            const SYN_ALONE: u8 = 2;
            let flags = packet.bytes()[20 + 13];
            count.set(count.get() + u32::from(flags & 0x17 == SYN_ALONE));
            Some(packet)
        });
        pair.run_for(SECOND);
        for host in &pair.hosts {
            assert_eq!(host.ready, [DEVICE], "{reliability:?}");
        }
        send(&mut pair, DEVICE_HOST, 1);
        send(&mut pair, SERVER_HOST, 2);
        pair.run_for(SECOND);
        assert_eq!(received(&pair, SERVER_HOST), [1]);
        assert_eq!(received(&pair, DEVICE_HOST), [2]);
        assert_eq!(opened.get(), 1, "{reliability:?}");
    }
}

#[test]
fn tcp_repairs_what_is_lost_and_rtps_sends_nothing_again() {
    for reliability in [Reliability::Reliable, Reliability::BestEffort] {
        let mut pair = Pair::new(settings(reliability));
        pair.run_for(SECOND);
        lose(&mut pair, 0.1);
        for number in 1..=100 {
            send(&mut pair, DEVICE_HOST, number);
            send(&mut pair, SERVER_HOST, 1000 + number);
            pair.run_for(Duration::from_millis(100));
        }
        pair.run_for(SECOND * 60);
        let up: Vec<u32> = (1..=100).collect();
        let down: Vec<u32> = (1001..=1100).collect();
        assert_eq!(received(&pair, SERVER_HOST), up, "{reliability:?}");
        assert_eq!(received(&pair, DEVICE_HOST), down, "{reliability:?}");
        let events = pair.hosts.iter().flat_map(|host| &host.events);
        let again = events.filter(
            |event| matches!(event, MessageEvent::Transmitted { attempt, .. } if *attempt > 1),
        );
        assert_eq!(again.count(), 0, "{reliability:?}");
    }
}

#[test]
fn a_stall_of_tcp_costs_no_message_though_the_history_is_short() {
    let mut pair = Pair::new(DdsConfig {
        history_depth: 1,
        ..settings(Reliability::Reliable)
    });
    pair.run_for(SECOND);
    pair.meddle = Box::new(|_, _| None);
    for number in 1..=40 {
        send(&mut pair, DEVICE_HOST, number);
        pair.run_for(Duration::from_millis(250));
    }
    pair.meddle = Box::new(|_, packet| Some(packet));
    pair.run_for(SECOND * 60);
    let all: Vec<u32> = (1..=40).collect();
    assert_eq!(received(&pair, SERVER_HOST), all);
}

#[test]
fn what_a_lost_connection_had_on_its_way_is_sent_again_by_rtps() {
    let mut pair = Pair::new(settings(Reliability::Reliable));
    pair.run_for(SECOND);
    pair.meddle = Box::new(|_, _| None);
    send(&mut pair, DEVICE_HOST, 1);
    send(&mut pair, SERVER_HOST, 2);
    pair.run_for(SECOND);
    // Its connections end with its address.
    let now = pair.now;
    pair.hosts[DEVICE_HOST].move_to(now, "10.0.0.9");
    pair.meddle = Box::new(|_, packet| Some(packet));
    pair.run_for(SECOND * 10);
    assert_eq!(received(&pair, SERVER_HOST), [1]);
    assert_eq!(received(&pair, DEVICE_HOST), [2]);
    let again = MessageEvent::Transmitted {
        id: message(1),
        attempt: 2,
        last: false,
        trigger: None,
    };
    let events = &pair.hosts[DEVICE_HOST].events;
    assert!(events.contains(&again), "{events:?}");
}

#[test]
fn a_server_that_crashed_is_found_again_over_another_connection() {
    let mut pair = Pair::new(settings(Reliability::Reliable));
    pair.run_for(SECOND);
    pair.meddle = Box::new(|_, _| None);
    send(&mut pair, DEVICE_HOST, 1);
    pair.run_for(SECOND * 2);
    let now = pair.now;
    pair.hosts[SERVER_HOST].crash(now);
    pair.meddle = Box::new(|_, packet| Some(packet));
    let now = pair.now;
    pair.hosts[SERVER_HOST].tell(now, ApplicationInput::Start);
    pair.run_for(SECOND * 60);
    assert_eq!(pair.hosts[SERVER_HOST].ready, [DEVICE, DEVICE]);
    send(&mut pair, DEVICE_HOST, 2);
    pair.run_for(SECOND * 10);
    let told = received(&pair, SERVER_HOST);
    assert!(told.contains(&2), "{told:?}");
    let acknowledged = MessageEvent::Acknowledged { id: message(2) };
    assert!(pair.hosts[DEVICE_HOST].events.contains(&acknowledged));
}

#[test]
fn a_device_that_crashed_opens_another_connection() {
    let mut pair = Pair::new(settings(Reliability::Reliable));
    pair.run_for(SECOND);
    let now = pair.now;
    pair.hosts[DEVICE_HOST].crash(now);
    pair.run_for(SECOND * 5);
    let now = pair.now;
    pair.hosts[DEVICE_HOST].tell(now, ApplicationInput::Start);
    pair.run_for(SECOND * 10);
    assert_eq!(pair.hosts[DEVICE_HOST].ready, [DEVICE, DEVICE]);
    send(&mut pair, DEVICE_HOST, 1);
    send(&mut pair, SERVER_HOST, 2);
    pair.run_for(SECOND);
    assert_eq!(received(&pair, SERVER_HOST), [1]);
    assert_eq!(received(&pair, DEVICE_HOST), [2]);
}

#[test]
fn who_stops_closes_the_connection_and_time_goes_on_in_silence() {
    let mut pair = Pair::new(settings(Reliability::Reliable));
    pair.run_for(SECOND);
    let now = pair.now;
    pair.hosts[DEVICE_HOST].stop(now);
    pair.run_for(SECOND * 100);
    let before = pair.sent;
    pair.run_for(SECOND * 100);
    assert_eq!(pair.sent, before, "nobody is left to speak to");
}

#[test]
fn a_message_of_many_fragments_arrives_through_losses() {
    let mut pair = Pair::new(settings(Reliability::Reliable));
    pair.run_for(SECOND);
    lose(&mut pair, 0.1);
    let payload: Vec<u8> = (0..100_000_u32).map(|it| it as u8).collect();
    let now = pair.now;
    pair.hosts[DEVICE_HOST].send(now, 1, &payload);
    pair.run_for(SECOND * 120);
    assert_eq!(pair.hosts[SERVER_HOST].received, [payload]);
}
