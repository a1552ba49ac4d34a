//! Transfers in blocks that meet: on one resource, at one place of NSTART, in one queue (RFC 7959 sections 2.4, 2.5).

use lasthop_coap::{
    BlockSize, CoapRequest, Code, Message, MessageType, Push, RequestEvent, option_number,
};
use lasthop_contract::{ConnectionId, Direction, FailureReason, MessageEvent, ResetReason};
use lasthop_contract::{Transport, message_text};
use lasthop_units::{Duration, Probability};

use crate::blocks::{ask, blocks};
use crate::changer::Changer;
use crate::harness::{CON, NON, Said, Setting, UdpPair, payload};

fn nstart(kind: MessageType, nstart: u16) -> Setting {
    let mut setting = Setting::reports(kind);
    setting.parameters.nstart = nstart;
    setting
}

/// Whole bodies that the server handed up, by message.
fn bodies(pair: &UdpPair) -> Vec<(u32, usize)> {
    let said = pair.server.said.iter();
    let bodies = said.filter_map(|(_, said)| match said {
        Said::Received(body) => {
            let id = message_text::message_id(body)?;
            assert_eq!(*body, payload(id.number.get(), body.len()), "none is mixed");
            Some((id.number.get(), body.len()))
        }
        _ => None,
    });
    bodies.collect()
}

/// The POSTs of the device: the number of a block, or `None` of a message without blocks.
fn posts(pair: &UdpPair) -> Vec<Option<u32>> {
    let datagrams = pair.wire.datagrams(Direction::Up);
    let posts = datagrams.iter().map(|datagram| {
        let message = Message::parse(datagram).unwrap();
        let mut options = message.content.options(datagram);
        let block = options.find(|(number, _)| *number == option_number::BLOCK1);
        let number = |value: &[u8]| value.iter().fold(0, |n, byte| n << 8 | u32::from(*byte)) >> 4;
        block.map(|(_, value)| number(value))
    });
    posts.collect()
}

#[test]
fn uploads_to_one_resource_wait_for_each_other_whatever_nstart() {
    for (kind, places) in [(CON, 1), (CON, 4), (CON, 100), (NON, 1), (NON, 4)] {
        let mut pair = nstart(kind, places).pair();
        for number in 1..=10 {
            pair.report(number, 3000);
            pair.run_for(Duration::from_millis(150));
        }
        pair.run_seconds(10);
        let all: Vec<(u32, usize)> = (1..=10).map(|number| (number, 3000)).collect();
        assert_eq!(bodies(&pair), all, "{kind:?} {places}");
        assert_eq!(pair.client.acknowledged().len(), 10);
        let one_after_the_other = [Some(0), Some(1), Some(2)].repeat(10);
        assert_eq!(posts(&pair), one_after_the_other);
    }
}

#[test]
fn uploads_of_any_length_arrive_whole_under_loss_and_reordering_at_any_nstart() {
    for seed in 0..20 {
        let mut setting = nstart(CON, [1, 4][seed as usize % 2]);
        setting.seed = seed;
        setting.parameters.max_retransmit = 10;
        let mut pair = setting.pair();
        pair.wire.loss = Probability::new(0.2).unwrap();
        pair.wire.duplication = Probability::new(0.1).unwrap();
        pair.wire.jitter = Duration::from_millis(300);
        for number in 1..=12 {
            pair.report(number, [300, 1025, 2048, 5000][number as usize % 4]);
            pair.run_for(Duration::from_millis(500));
        }
        pair.run_seconds(50_000);
        let mut numbers: Vec<u32> = bodies(&pair).iter().map(|body| body.0).collect();
        numbers.sort_unstable();
        assert_eq!(numbers, (1..=12).collect::<Vec<u32>>(), "seed {seed}");
        assert_eq!(pair.client.failed(), []);
    }
}

#[test]
fn a_transfer_is_one_exchange_among_those_under_way() {
    for (places, expected) in [
        (1, vec![Some(0), Some(1), Some(2), None, None]),
        (2, vec![Some(0), None, Some(1), None, Some(2)]),
    ] {
        let mut pair = nstart(CON, places).pair();
        pair.report(1, 3000);
        pair.report(2, 100);
        pair.report(3, 100);
        pair.run_seconds(10);
        assert_eq!(posts(&pair), expected, "NSTART {places}");
        assert_eq!(pair.client.acknowledged().len(), 3);
    }
}

#[test]
fn what_waits_behind_a_transfer_leaves_before_a_later_transfer() {
    let mut pair = nstart(CON, 1).pair();
    for (number, length) in [(1, 2000), (2, 100), (3, 2000), (4, 100)] {
        pair.report(number, length);
    }
    pair.run_seconds(10);
    let order = [Some(0), Some(1), None, None, Some(0), Some(1)];
    assert_eq!(
        posts(&pair),
        order,
        "no stream of either kind stops the other"
    );
}

#[test]
fn a_non_confirmable_block_waits_as_long_as_a_first_acknowledgement_and_fails_its_message() {
    for seed in 0..10 {
        let mut setting = Setting::reports(NON);
        setting.seed = seed;
        let mut pair = setting.pair();
        pair.wire.lost = vec![(Direction::Up, 1)];
        pair.report(1, 3000);
        pair.report(2, 3000);
        pair.run_seconds(20);
        assert_eq!(
            pair.client.failed(),
            [(1, FailureReason::NoAcknowledgement)]
        );
        assert_eq!(bodies(&pair), [(2, 3000)], "the next one goes on");
        let failed = pair.client.said.iter().find_map(|(at, said)| {
            let Said::Event(MessageEvent::Failed { .. }) = said else {
                return None;
            };
            Some(at.as_secs_f64() - 0.2)
        });
        let wait = failed.unwrap();
        assert!((2.0..=3.0).contains(&wait), "{wait} s after the block left");
    }
}

#[test]
fn a_last_block_that_is_sent_again_is_answered_again_and_counts_once() {
    let mut pair = nstart(CON, 1).pair();
    pair.wire.lost = vec![(Direction::Down, 2)];
    pair.report(1, 3000);
    pair.report(2, 3000);
    pair.run_seconds(30);
    assert_eq!(bodies(&pair), [(1, 3000), (2, 3000)]);
    assert_eq!(pair.client.acknowledged(), [1, 2]);
    let again = [
        Some(0),
        Some(1),
        Some(2),
        Some(2),
        Some(0),
        Some(1),
        Some(2),
    ];
    assert_eq!(posts(&pair), again);
}

#[test]
fn a_message_says_by_which_limit_of_the_server_it_failed() {
    for kind in [CON, NON] {
        let mut setting = Setting::reports(kind);
        setting.parameters.max_body_size = 3000;
        let server = setting.server();
        let mut pair = Setting::reports(kind).pair();
        pair.server.application = server;
        pair.report(1, 5000);
        pair.run_seconds(10);
        assert_eq!(pair.client.failed(), [(1, FailureReason::TooLarge)]);
        // A server that begins anew knows nothing of the first blocks.
        pair.report(2, 3000);
        pair.run_for(Duration::from_millis(250));
        setting.seed = 2;
        pair.server.application = setting.server();
        pair.run_seconds(10);
        let failed = pair.client.failed();
        assert_eq!(failed[1..], [(2, FailureReason::Incomplete)], "{kind:?}");
        assert_eq!(pair.server.received(), []);
    }
}

#[test]
fn more_uploads_than_a_server_holds_destroy_the_one_that_rested_longest() {
    let mut pair = nstart(NON, 5).pair();
    let mut ids = Vec::new();
    for path in ["1", "2", "3", "4", "5"] {
        let put = CoapRequest {
            payload: vec![7; 3000],
            ..CoapRequest::new(NON, Code::PUT, path)
        };
        ids.push(ask(&mut pair, put));
        // The second block of the first one comes just before the first of the fifth.
        pair.run_for(Duration::from_millis(60));
    }
    pair.run_seconds(10);
    let mut refused = Vec::new();
    while let Some(RequestEvent::Response(response)) = pair.client.application.next_event() {
        if response.code != Code::CREATED {
            refused.push((response.request, response.code));
        }
    }
    assert_eq!(refused, [(ids[1], Code::REQUEST_ENTITY_INCOMPLETE)]);
}

#[test]
fn two_clients_upload_to_one_resource_at_once_and_neither_mixes_with_the_other() {
    let mut pair = Setting::reports(CON).pair();
    let put = CoapRequest {
        payload: vec![1; 3000],
        ..CoapRequest::new(CON, Code::PUT, "a")
    };
    ask(&mut pair, put);
    let mut other = Changer::new();
    // Block1 (27) behind Uri-Path (11): 16 B each, the second is the last one.
    pair.run_for(Duration::from_millis(250));
    other.asks(&mut pair, Code::PUT, &[0xd1, 3, 0x08], &[2; 16]);
    pair.run_for(Duration::from_millis(150));
    other.asks(&mut pair, Code::PUT, &[0xd1, 3, 0x10], &[2; 5]);
    ask(&mut pair, CoapRequest::new(CON, Code::GET, "a"));
    pair.run_seconds(10);
    ask(&mut pair, CoapRequest::new(CON, Code::GET, "a"));
    pair.run_seconds(10);
    let mut read = Vec::new();
    while let Some(RequestEvent::Response(response)) = pair.client.application.next_event() {
        if response.code == Code::CONTENT {
            read.push(response.payload.to_vec());
        }
    }
    assert!(read.contains(&vec![1; 3000]), "{}", read.len());
    assert!(
        read.iter()
            .all(|body| *body == [1; 3000] || *body == [2; 21])
    );
}

#[test]
fn downloads_of_one_resource_wait_for_each_other() {
    let mut pair = nstart(CON, 4).pair();
    let put = CoapRequest {
        payload: vec![1; 3000],
        ..CoapRequest::new(CON, Code::PUT, "a")
    };
    ask(&mut pair, put);
    pair.run_seconds(5);
    pair.wire.log.clear();
    ask(&mut pair, CoapRequest::new(CON, Code::GET, "a"));
    ask(&mut pair, CoapRequest::new(CON, Code::GET, "a"));
    pair.run_seconds(10);
    let given: Vec<u32> = blocks(&pair, Direction::Down, option_number::BLOCK2)
        .iter()
        .map(|block| block.0)
        .collect();
    assert_eq!(given, [0, 0, 1, 2, 1, 2]);
    let mut read = 0;
    while let Some(RequestEvent::Response(response)) = pair.client.application.next_event() {
        read += usize::from(*response.payload == [1; 3000]);
    }
    assert_eq!(read, 2);
}

#[test]
fn a_notification_in_blocks_is_fetched_behind_an_upload() {
    for kind in [CON, NON] {
        let mut pair = Setting::pushes(kind, Push::Observe).pair();
        pair.run_seconds(1);
        pair.report(1, 5000);
        pair.run_for(Duration::from_millis(250));
        pair.push(2, 5000);
        pair.run_for(Duration::from_millis(250));
        pair.report(3, 5000);
        pair.run_seconds(60);
        assert_eq!(bodies(&pair), [(1, 5000), (3, 5000)], "{kind:?}");
        assert_eq!(pair.client.received(), [2], "{kind:?}");
    }
}

#[test]
fn a_notification_that_is_replaced_while_it_is_fetched_ends_no_observation() {
    let mut pair = Setting::pushes(CON, Push::Observe).pair();
    pair.run_seconds(1);
    pair.wire.log.clear();
    pair.push(1, 5000);
    pair.run_for(Duration::from_millis(450));
    pair.push(2, 5000);
    pair.run_seconds(30);
    assert_eq!(pair.client.received(), [2]);
    let observe = |datagram: &Vec<u8>| {
        let message = Message::parse(datagram).unwrap();
        let mut options = message.content.options(datagram);
        options.any(|(number, _)| number == option_number::OBSERVE)
    };
    let registrations = pair.wire.datagrams(Direction::Up);
    assert!(
        !registrations.iter().any(observe),
        "the observation goes on"
    );
}

#[test]
fn pushed_messages_in_blocks_wait_for_each_other() {
    for (kind, push) in [(CON, Push::Post), (CON, Push::Put), (NON, Push::Post)] {
        let mut setting = Setting::pushes(kind, push);
        setting.parameters.nstart = 4;
        let mut pair = setting.pair();
        pair.run_seconds(1);
        for number in 1..=5 {
            pair.push(number, 3000);
        }
        pair.run_seconds(20);
        assert_eq!(pair.client.received(), [1, 2, 3, 4, 5], "{kind:?} {push:?}");
    }
}

#[test]
fn what_waits_for_a_resource_is_bounded_and_the_rest_turned_away() {
    let mut setting = nstart(CON, 4);
    setting.parameters.max_waiting = 3;
    let mut pair = setting.pair();
    for number in 1..=6 {
        pair.report(number, 3000);
    }
    let full = FailureReason::QueueFull;
    assert_eq!(pair.client.failed(), [(5, full), (6, full)]);
    pair.run_seconds(20);
    assert_eq!(pair.server.received(), [1, 2, 3, 4]);
    // By default bytes are what limits it: 16 MiB.
    let mut pair = Setting::reports(CON).pair();
    pair.wire.loss = Probability::ALWAYS;
    for number in 1..=300 {
        pair.report(number, 60_000);
    }
    assert_eq!(pair.client.failed().len(), 300 - (1 << 24) / 60_000);
}

#[test]
fn a_connection_that_is_lost_takes_its_waiting_transfers_with_it() {
    let mut setting = nstart(CON, 4);
    setting.parameters.block_size = BlockSize::SMALLEST;
    let mut pair = setting.pair();
    for number in 1..=2000 {
        pair.report(number, 100);
    }
    pair.run_for(Duration::from_millis(50));
    let (now, connection) = (pair.now, ConnectionId(0));
    let reason = ResetReason::NotNeeded;
    pair.client.transport.reset(now, connection, reason);
    pair.drain();
    let lost = pair.client.failed();
    assert_eq!(lost.len(), 2000);
    let reason = FailureReason::ConnectionLost;
    assert!(lost.iter().all(|failure| failure.1 == reason));
    pair.run_seconds(5);
    pair.report(2001, 100);
    pair.run_seconds(5);
    assert_eq!(pair.client.acknowledged(), [2001]);
}

#[test]
fn a_transfer_that_is_forgotten_or_given_up_lets_the_next_one_begin() {
    let put = |text: u8| CoapRequest {
        payload: vec![text; 3000],
        ..CoapRequest::new(CON, Code::PUT, "a")
    };
    let mut pair = Setting::reports(CON).pair();
    let (client, transport) = (&mut pair.client.application, &mut pair.client.transport);
    let first = client.request(pair.now, put(1), transport).unwrap();
    client.request(pair.now, put(2), transport).unwrap();
    client.forget(pair.now, first, transport);
    pair.drain();
    pair.run_seconds(10);
    let event = pair.client.application.next_event().unwrap();
    assert!(matches!(event, RequestEvent::Response(response) if response.code == Code::CREATED));
    // The wire is cut for as long as a message is tried.
    ask(&mut pair, put(3));
    ask(&mut pair, put(4));
    pair.wire.loss = Probability::ALWAYS;
    pair.run_seconds(94);
    pair.wire.loss = Probability::NEVER;
    pair.run_seconds(94);
    let event = pair.client.application.next_event().unwrap();
    assert!(matches!(event, RequestEvent::Failed { .. }), "{event:?}");
    let event = pair.client.application.next_event().unwrap();
    assert!(matches!(event, RequestEvent::Response(response) if response.code == Code::CHANGED));
}
