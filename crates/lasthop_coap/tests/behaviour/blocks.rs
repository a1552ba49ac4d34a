//! Bodies that come in blocks (RFC 7959).

use lasthop_coap::{BlockSize, CoapRequest, Code, Message, RequestEvent, RequestId, option_number};
use lasthop_contract::{Direction, FailureReason, RandomStream};
use lasthop_units::{Duration, Probability};

use crate::harness::{CON, NON, Setting, UdpPair};

pub(crate) fn ask(pair: &mut UdpPair, request: CoapRequest) -> RequestId {
    let (client, transport) = (&mut pair.client.application, &mut pair.client.transport);
    let id = client.request(pair.now, request, transport).unwrap();
    pair.drain();
    id
}

fn answers(pair: &mut UdpPair) -> Vec<(Code, Vec<u8>)> {
    let mut answers = Vec::new();
    while let Some(event) = pair.client.application.next_event() {
        let RequestEvent::Response(response) = event else {
            panic!("{event:?}");
        };
        answers.push((response.code, response.payload.to_vec()));
    }
    answers
}

fn put(body: &[u8]) -> CoapRequest {
    CoapRequest {
        payload: body.into(),
        ..CoapRequest::new(CON, Code::PUT, "a")
    }
}

fn body(length: usize, seed: u64) -> Vec<u8> {
    let mut random = RandomStream::named(seed, "body");
    (0..length).map(|_| random.next_u64() as u8).collect()
}

/// The blocks that were asked for or sent one way: number, whether more follow, size.
pub(crate) fn blocks(pair: &UdpPair, way: Direction, option: u16) -> Vec<(u32, bool, usize)> {
    let datagrams = pair.wire.datagrams(way);
    let blocks = datagrams.iter().filter_map(|datagram| {
        let message = Message::parse(datagram).unwrap();
        let mut options = message.content.options(datagram);
        let (_, value) = options.find(|(number, _)| *number == option)?;
        let bits = value
            .iter()
            .fold(0, |bits, byte| bits << 8 | u32::from(*byte));
        Some((bits >> 4, bits & 8 != 0, 16 << (bits & 7)))
    });
    blocks.collect()
}

#[test]
fn bodies_of_any_length_arrive_as_they_were_sent_over_any_wire() {
    for seed in 0..30 {
        let mut random = RandomStream::named(seed, "lengths");
        let sizes = [16, 64, 256, 1024];
        let size = sizes[random.below(4) as usize];
        let length = random.below(40 * size) as usize;
        let mut setting = Setting::reports(CON);
        setting.seed = seed;
        setting.parameters.block_size = BlockSize::of(size as usize).unwrap();
        setting.parameters.max_retransmit = 10;
        let mut pair = setting.pair();
        pair.wire.loss = Probability::new(0.2).unwrap();
        pair.wire.duplication = Probability::new(0.1).unwrap();
        pair.wire.jitter = Duration::from_millis(300);
        let body = body(length, seed);
        ask(&mut pair, put(&body));
        pair.run_seconds(20_000);
        assert_eq!(answers(&mut pair), [(Code::CREATED, vec![])], "seed {seed}");
        ask(&mut pair, CoapRequest::new(CON, Code::GET, "a"));
        pair.run_seconds(20_000);
        assert_eq!(answers(&mut pair), [(Code::CONTENT, body)], "seed {seed}");
    }
}

#[test]
fn the_smaller_block_size_of_the_two_is_used() {
    let mut setting = Setting::reports(CON);
    setting.parameters.block_size = BlockSize::of(64).unwrap();
    let server = setting.server();
    setting.parameters.block_size = BlockSize::LARGEST;
    let mut pair = setting.pair();
    pair.server.application = server;
    let body = body(1500, 1);
    ask(&mut pair, put(&body));
    pair.run_seconds(30);
    assert_eq!(answers(&mut pair), [(Code::CREATED, vec![])]);
    let sent = blocks(&pair, Direction::Up, option_number::BLOCK1);
    assert_eq!(
        &sent[..3],
        [(0, true, 1024), (16, true, 64), (17, true, 64)]
    );
    pair.wire.log.clear();
    ask(&mut pair, CoapRequest::new(CON, Code::GET, "a"));
    pair.run_seconds(30);
    assert_eq!(answers(&mut pair), [(Code::CONTENT, body)]);
    let sent = blocks(&pair, Direction::Down, option_number::BLOCK2);
    assert_eq!(sent[0], (0, true, 64));
    assert_eq!(sent.len(), 24);
}

#[test]
fn a_client_may_ask_for_small_blocks_from_the_start() {
    let mut pair = Setting::reports(CON).pair();
    let body = body(100, 1);
    ask(&mut pair, put(&body));
    pair.run_seconds(1);
    pair.wire.log.clear();
    let get = CoapRequest {
        block_size: BlockSize::of(32),
        ..CoapRequest::new(CON, Code::GET, "a")
    };
    ask(&mut pair, get);
    pair.run_seconds(5);
    assert_eq!(answers(&mut pair)[1], (Code::CONTENT, body));
    let sent = blocks(&pair, Direction::Down, option_number::BLOCK2);
    assert_eq!(
        sent,
        [(0, true, 32), (1, true, 32), (2, true, 32), (3, false, 32)]
    );
}

#[test]
fn a_body_that_is_too_large_is_refused() {
    let mut setting = Setting::reports(CON);
    setting.parameters.max_body_size = 3000;
    let server = setting.server();
    setting.parameters.max_body_size = 100_000;
    let mut pair = setting.pair();
    pair.server.application = server;
    ask(&mut pair, put(&body(5000, 1)));
    pair.run_seconds(10);
    assert_eq!(
        answers(&mut pair),
        [(Code::REQUEST_ENTITY_TOO_LARGE, vec![])]
    );
}

/// A pair whose client reads 5000 B, and has had the first block.
fn reading() -> UdpPair {
    let mut pair = Setting::reports(CON).pair();
    ask(&mut pair, put(&[1; 5000]));
    pair.run_seconds(5);
    assert_eq!(answers(&mut pair), [(Code::CREATED, vec![])]);
    ask(&mut pair, CoapRequest::new(CON, Code::GET, "a"));
    pair.run_for(Duration::from_millis(350));
    pair
}

#[test]
fn a_state_that_changes_while_it_is_read_is_read_anew() {
    let mut pair = reading();
    crate::changer::Changer::new().says(&mut pair, Code::POST, &[2; 1]);
    pair.run_seconds(10);
    let changed = [vec![1; 5000], vec![2]].concat();
    assert_eq!(answers(&mut pair), [(Code::CONTENT, changed)]);
}

/// The block that is asked for next is behind the end, or the state is whole in one message.
#[test]
fn a_state_that_shrinks_while_it_is_read_is_read_anew() {
    for length in [1, 1024, 1025] {
        let mut pair = reading();
        let mut changer = crate::changer::Changer::new();
        changer.says(&mut pair, Code::DELETE, &[0]);
        changer.says(&mut pair, Code::PUT, &vec![3; length.min(1024)]);
        if length > 1024 {
            changer.says(&mut pair, Code::POST, &[3]);
        }
        pair.run_seconds(10);
        assert_eq!(answers(&mut pair), [(Code::CONTENT, vec![3; length])]);
    }
}

#[test]
fn a_state_that_changes_all_the_time_is_given_up() {
    let mut pair = reading();
    let mut changer = crate::changer::Changer::new();
    for _ in 0..50 {
        changer.says(&mut pair, Code::POST, &[2; 1]);
        pair.run_for(Duration::from_millis(150));
    }
    pair.run_seconds(10);
    let event = pair.client.application.next_event();
    let is_failure = matches!(
        event,
        Some(RequestEvent::Failed {
            reason: FailureReason::Rejected,
            ..
        })
    );
    assert!(is_failure, "{event:?}");
    assert_eq!(pair.client.application.counters().incomplete, 1);
    let asked = blocks(&pair, Direction::Up, option_number::BLOCK2);
    assert!((5..=20).contains(&asked.len()), "{asked:?}");
}

#[test]
fn the_list_of_resources_names_what_was_set() {
    let mut pair = Setting::reports(CON).pair();
    ask(&mut pair, put(b"x"));
    pair.run_seconds(1);
    ask(
        &mut pair,
        CoapRequest::new(CON, Code::GET, ".well-known/core"),
    );
    pair.run_seconds(1);
    let (code, links) = answers(&mut pair).pop().unwrap();
    assert_eq!(code, Code::CONTENT);
    assert!(String::from_utf8(links).unwrap().contains("</a>;obs"));
}

#[test]
fn post_adds_and_conditions_are_heeded() {
    let mut pair = Setting::reports(NON).pair();
    ask(&mut pair, put(b"one "));
    pair.run_seconds(1);
    let post = CoapRequest {
        payload: b"two".to_vec(),
        ..CoapRequest::new(NON, Code::POST, "a")
    };
    ask(&mut pair, post);
    pair.run_seconds(1);
    ask(&mut pair, CoapRequest::new(NON, Code::GET, "a"));
    pair.run_seconds(1);
    let expected = [
        (Code::CREATED, vec![]),
        (Code::CHANGED, vec![]),
        (Code::CONTENT, b"one two".to_vec()),
    ];
    assert_eq!(answers(&mut pair), expected);
}
