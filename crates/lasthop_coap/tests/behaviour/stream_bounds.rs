//! What a peer on a stream may take of its server: time, and messages of the size that it has said.

use lasthop_coap::{CoapCounters, CoapParameters, Code};
use lasthop_contract::testing::{STREAM, WireEnd};
use lasthop_contract::{ConnectionId, Transport};
use lasthop_units::Duration;

use crate::streams::{ABORT, CSM, OWN_SETTINGS, hearing, said_by_server, say};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
const MESSAGE_TIMEOUT: Duration = Duration::from_secs(60);

fn impatient() -> CoapParameters {
    CoapParameters {
        connect_timeout: Some(CONNECT_TIMEOUT),
        message_timeout: Some(MESSAGE_TIMEOUT),
        ..CoapParameters::default()
    }
}

/// The peer never goes by itself: it is asked to, and then cut off.
#[test]
fn who_keeps_a_connection_waiting_loses_it() {
    let half_a_put = [0x80, 0x03, 0xb1, b'x'];
    let cases = [
        ("silent", vec![], CONNECT_TIMEOUT),
        ("half the settings", vec![0x50, 0xe1, 0x23], CONNECT_TIMEOUT),
        (
            "half a message",
            [CSM, &half_a_put].concat(),
            MESSAGE_TIMEOUT,
        ),
        ("one byte", [CSM, &[0x80]].concat(), MESSAGE_TIMEOUT),
    ];
    for (what, bytes, patience) in cases {
        let mut pair = hearing(impatient(), &bytes);
        pair.run_for(patience - Duration::from_secs(1));
        assert_eq!(said_by_server(&pair), OWN_SETTINGS, "{what}");
        pair.run_for(Duration::from_secs(2));
        assert_eq!(
            said_by_server(&pair),
            [OWN_SETTINGS, ABORT].concat(),
            "{what}"
        );
        assert!(is_open(&pair.server.transport), "{what}: it may read that");
        pair.run_for(CONNECT_TIMEOUT);
        assert!(!is_open(&pair.server.transport), "{what}");
        assert_eq!(pair.next_instant(), None, "{what}: nothing is waited for");
    }
}

/// Both what it has sent before and what it goes on to send.
#[test]
fn who_aborts_or_releases_and_stays_is_cut_off() {
    for farewell in [[0x00, 0xe5], [0x00, 0xe4]] {
        let mut pair = hearing(impatient(), &[CSM, &farewell, &[0x00, 0xe2]].concat());
        pair.run_for(CONNECT_TIMEOUT - Duration::from_secs(1));
        assert_eq!(said_by_server(&pair), OWN_SETTINGS);
        assert!(is_open(&pair.server.transport));
        pair.run_for(Duration::from_secs(2));
        assert!(!is_open(&pair.server.transport));
    }
}

#[test]
fn who_says_nothing_between_whole_messages_stays() {
    let mut pair = hearing(impatient(), &[CSM, &[0x00, 0xe2]].concat());
    pair.run_for(MESSAGE_TIMEOUT * 10);
    assert!(is_open(&pair.server.transport));
    assert_eq!(pair.next_instant(), None, "what sleeps costs nothing");
}

fn is_open(transport: &WireEnd) -> bool {
    transport.wire().borrow().connections() > 0
}

/// RFC 8323 section 5.3.1: 1152 B is where it begins, not the least.
#[test]
fn no_message_is_larger_than_the_peer_takes() {
    // The length is 256 more than 269: two bytes of options, the marker, and the payload.
    let put = [&[0xe0, 1, 0, 0x03, 0xb1, b'x', 0xff][..], &[7; 522]].concat();
    for max_message_size in [40_u8, 100, 200] {
        let settings = [0x20, 0xe1, 0x21, max_message_size];
        let get = [0x20, 0x01, 0xb1, b'x'];
        let mut pair = hearing(
            CoapParameters::default(),
            &[&settings[..], &put, &get].concat(),
        );
        pair.run_for(Duration::from_secs(20));
        let said = said_by_server(&pair);
        let answers = frames(&said[OWN_SETTINGS.len()..]);
        assert_eq!(answers.len(), 2);
        assert_eq!(answers[0].0, Code::CREATED);
        let (code, size) = answers[1];
        assert!(
            size <= max_message_size.into(),
            "{size} of {max_message_size}"
        );
        assert_eq!(code, Code::CONTENT);
    }
}

#[test]
fn an_answer_that_no_block_makes_small_enough_is_an_error() {
    let settings = [0x20, 0xe1, 0x21, 20];
    let put = [0xd0, 7, 0x03, 0xb1, b'x', 0xff];
    let get = [0x20, 0x01, 0xb1, b'x'];
    let bytes = [&settings[..], &put, &[7; 17], &get].concat();
    let mut pair = hearing(CoapParameters::default(), &bytes);
    pair.run_for(Duration::from_secs(20));
    let said = said_by_server(&pair);
    let answers = frames(&said[OWN_SETTINGS.len()..]);
    assert_eq!(
        answers,
        [(Code::CREATED, 2), (Code::INTERNAL_SERVER_ERROR, 2)]
    );
    assert_eq!(pair.server.application.counters().too_large, 1);
}

/// RFC 7252 section 5.4.3: a length that cannot be makes an elective option an unknown one, which is ignored.
#[test]
fn elective_settings_that_make_no_sense_are_ignored() {
    let nine = [9; 9];
    for option in [0x29, 0xa9] {
        let settings = [&[0xa0, 0xe1, option][..], &nine].concat();
        let mut pair = hearing(
            CoapParameters::default(),
            &[&settings[..], &[0x00, 0xe2]].concat(),
        );
        pair.run_for(Duration::from_secs(20));
        assert_eq!(
            said_by_server(&pair),
            [OWN_SETTINGS, &[0x00, 0xe3]].concat()
        );
        assert_eq!(pair.server.application.counters(), CoapCounters::default());
    }
}

/// RFC 8323 section 5.6 knows no half of a message: what was begun ends, what waits behind it is dropped.
#[test]
fn an_abort_comes_behind_the_message_that_was_begun() {
    let put = [
        &[0xe0, 0xe9, 0x56, 0x03, 0xb1, b'x', 0xff][..],
        &[7; 60_000],
    ]
    .concat();
    let mut pair = hearing(CoapParameters::default(), &[OWN_SETTINGS, &put].concat());
    pair.run_for(Duration::from_secs(1));
    pair.client.application.reads = false;
    let get = [0x20, 0x01, 0xb1, b'x'].repeat(30);
    say(&mut pair, &get);
    pair.run_for(Duration::from_secs(1));
    assert_eq!(pair.server.application.counters().aborted, 1);
    // Now it reads.
    let (now, mut room) = (pair.now, [0; 4096]);
    let _ = pair
        .client
        .transport
        .read(now, ConnectionId(0), STREAM, &mut room);
    pair.client.application.reads = true;
    pair.run_for(Duration::from_secs(1));
    let said = said_by_server(&pair);
    let answers = frames(&said[OWN_SETTINGS.len()..]);
    let codes: Vec<Code> = answers.iter().map(|(code, _)| *code).collect();
    assert_eq!(codes, [Code::CREATED, Code::CONTENT, Code::ABORT]);
    assert!(answers[1].1 > 60_000);
}

/// Code and size of each message.
fn frames(mut bytes: &[u8]) -> Vec<(Code, usize)> {
    let mut frames = Vec::new();
    while let [first, rest @ ..] = bytes {
        let (extension, length) = match first >> 4 {
            13 => (1, 13 + usize::from(rest[0])),
            14 => (2, 269 + usize::from(u16::from_be_bytes([rest[0], rest[1]]))),
            length => (0, usize::from(length)),
        };
        let size = 2 + extension + usize::from(first & 15) + length;
        frames.push((Code(bytes[1 + extension]), size));
        bytes = &bytes[size..];
    }
    frames
}
