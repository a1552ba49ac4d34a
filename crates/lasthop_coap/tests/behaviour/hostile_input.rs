//! What no honest peer sends: answered or ignored as the standard says, counted, and bounded in what is held.

use lasthop_coap::testing::{
    tell_client, tell_client_by_stream, tell_server, tell_server_by_stream,
};
use lasthop_coap::{CoapCounters, CoapServer, Code, Message, Push};
use lasthop_contract::{
    ApplicationInput, FailureReason, MessageEvent, OutgoingMessage, RandomStream,
};

use crate::harness::{CON, Setting, message};
use crate::peer::Peer;

fn server() -> Peer<CoapServer> {
    Peer::of(Setting::reports(CON).server())
}

fn counters(change: impl Fn(&mut CoapCounters)) -> CoapCounters {
    let mut counters = CoapCounters::default();
    change(&mut counters);
    counters
}

/// A reset of the message with the number 0x0102.
const RESET: &[u8] = &[0x70, 0, 1, 2];

#[test]
fn a_confirmable_message_that_cannot_be_read_is_rejected_and_any_other_ignored() {
    let cases: [(&str, &[u8]); 15] = [
        (
            "a token of 9 bytes",
            &[9, 1, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        ),
        (
            "a token of 15 bytes",
            &[15, 1, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0],
        ),
        ("a token past the end", &[4, 1, 1, 2, 0, 0]),
        ("an option delta of 15", &[0, 1, 1, 2, 0xf0]),
        ("an option length of 15", &[0, 1, 1, 2, 0x1f]),
        ("an option past the end", &[0, 1, 1, 2, 0xb5, b'a']),
        ("an extended delta past the end", &[0, 1, 1, 2, 0xd0]),
        (
            "a twice extended delta past the end",
            &[0, 1, 1, 2, 0xe0, 1],
        ),
        ("an extended length past the end", &[0, 1, 1, 2, 0x1d]),
        (
            "a length of 65804 past the end",
            &[0, 1, 1, 2, 0x1e, 0xff, 0xff],
        ),
        (
            "an option number above 65535",
            &[0, 1, 1, 2, 0xe0, 0xff, 0xff, 0xe0, 0xff, 0xff],
        ),
        (
            "a payload marker without payload",
            &[0, 1, 1, 2, 0xb1, b'a', 0xff],
        ),
        ("an empty message with a token", &[1, 0, 1, 2, 7]),
        ("an empty message with an option", &[0, 0, 1, 2, 0xb1, b'a']),
        ("an empty message with a payload", &[0, 0, 1, 2, 0xff, b'a']),
    ];
    for (what, bytes) in cases {
        for (kind, answer) in [
            (0x40, Some(RESET)),
            (0x50, None),
            (0x60, None),
            (0x70, None),
        ] {
            let mut peer = server();
            let said = peer.says(&[&[bytes[0] | kind], &bytes[1..]].concat());
            assert_eq!(
                said,
                Vec::from_iter(answer.map(<[u8]>::to_vec)),
                "{what} {kind:x}"
            );
            let expected = counters(|c| {
                c.malformed = 1;
                c.resets_sent = u32::from(answer.is_some());
            });
            assert_eq!(peer.application.counters(), expected, "{what} {kind:x}");
        }
    }
}

#[test]
fn no_token_is_longer_than_8_bytes() {
    for length in 9..=15_u8 {
        for (kind, answer) in [
            (0x40, Some(RESET)),
            (0x50, None),
            (0x60, None),
            (0x70, None),
        ] {
            let mut peer = server();
            let mut bytes = vec![kind | length, 1, 1, 2];
            bytes.resize(4 + usize::from(length), 7);
            bytes.extend_from_slice(&[0xb1, b'x']);
            let said = peer.says(&bytes);
            assert_eq!(
                said,
                Vec::from_iter(answer.map(<[u8]>::to_vec)),
                "{bytes:?}"
            );
            assert_eq!(peer.application.counters().malformed, 1, "{bytes:?}");
        }
    }
}

#[test]
fn another_version_and_what_is_too_short_are_ignored() {
    for bytes in [
        &[][..],
        &[0x40],
        &[0x40, 1, 1],
        &[0x00, 1, 1, 2],
        &[0x80, 1, 1, 2],
        &[0xc0, 1, 1, 2],
    ] {
        let mut peer = server();
        assert!(peer.says(bytes).is_empty());
        assert_eq!(peer.application.counters(), counters(|c| c.malformed = 1));
    }
}

#[test]
fn reserved_classes_are_rejected_or_ignored() {
    for class in [1, 3, 6, 7] {
        let code = class << 5 | 1;
        let mut peer = server();
        assert_eq!(peer.says(&[0x40, code, 1, 2]), [RESET]);
        assert!(peer.says(&[0x50, code, 1, 3]).is_empty());
        assert!(peer.says(&[0x60, code, 1, 4]).is_empty());
        assert!(peer.says(&[0x70, code, 1, 5]).is_empty());
        let expected = counters(|c| {
            c.unexpected = 4;
            c.resets_sent = 1;
        });
        assert_eq!(peer.application.counters(), expected);
    }
}

#[test]
fn a_ping_is_answered_by_a_reset() {
    let mut peer = server();
    assert_eq!(peer.says(&[0x40, 0, 1, 2]), [RESET]);
    assert!(peer.says(&[0x50, 0, 1, 2]).is_empty());
    assert_eq!(peer.application.counters(), CoapCounters::default());
}

#[test]
fn responses_and_resets_to_nothing_are_rejected_or_ignored() {
    let mut peer = server();
    assert_eq!(
        peer.says(&[0x41, 0x45, 1, 2, 9]),
        [RESET],
        "a response nobody asked for"
    );
    assert_eq!(peer.says(&[0x41, 0x45, 1, 2, 9]), [RESET], "and again");
    assert_eq!(peer.says(&[0x51, 0x45, 1, 3, 9]), [[0x70, 0, 1, 3]]);
    assert!(peer.says(&[0x61, 0x45, 1, 4, 9]).is_empty());
    assert!(peer.says(&[0x60, 0, 1, 4]).is_empty());
    assert!(peer.says(&[0x70, 0, 1, 4]).is_empty());
    assert!(
        peer.says(&[0x60, 1, 1, 4]).is_empty(),
        "a request in an acknowledgement"
    );
    let expected = counters(|c| {
        c.unmatched_responses = 2;
        c.duplicates = 1;
        c.resets_sent = 2;
        c.unmatched = 3;
        c.unexpected = 1;
    });
    assert_eq!(peer.application.counters(), expected);
}

#[test]
fn a_reset_to_a_response_ends_its_repetition() {
    let mut setting = Setting::reports(CON);
    setting.parameters.separate_responses = true;
    let mut peer = Peer::of(setting.server());
    let said = peer.says(&[0x41, 1, 1, 2, 9, 0xb1, b'x']);
    assert_eq!(said[0], [0x60, 0, 1, 2]);
    let response = Message::parse(&said[1]).unwrap();
    assert_eq!(
        (response.kind, response.content.code),
        (CON, Code::NOT_FOUND)
    );
    let [high, low] = response.id.to_be_bytes();
    assert!(peer.says(&[0x70, 0, high, low]).is_empty());
    peer.wait(100);
    assert!(peer.hears().is_empty(), "it does not come again");
    assert_eq!(peer.application.counters().resets_received, 1);
}

#[test]
fn a_critical_option_that_is_not_known_is_refused() {
    // Option 9 (OSCORE) is critical, 24 is not.
    let mut peer = server();
    assert_eq!(peer.says(&[0x40, 1, 1, 2, 0x90]), [[0x60, 0x82, 1, 2]]);
    assert_eq!(peer.says(&[0x50, 1, 1, 3, 0x90]), [[0x70, 0, 1, 3]]);
    assert_eq!(
        peer.says(&[0x40, 1, 1, 4, 0xd0, 24 - 13]),
        [[0x60, 0x84, 1, 4]]
    );
    assert_eq!(
        peer.says(&[0x40, 1, 1, 5, 0xd1, 35 - 13, b'x']),
        [[0x60, 0xa5, 1, 5]]
    );
    assert_eq!(peer.application.counters().bad_options, 3);
}

#[test]
fn blocks_of_a_reserved_size_or_out_of_order_are_refused() {
    let put = |id: u8, block: &[u8], payload: &[u8]| {
        let option = [0xd0 | block.len() as u8, 27 - 11 - 13];
        [
            &[0x40, 3, 1, id, 0xb1, b'x'],
            &option[..],
            block,
            &[0xff],
            payload,
        ]
        .concat()
    };
    let code_of = |said: Vec<Vec<u8>>| Message::parse(&said[0]).unwrap().content.code;
    let mut peer = server();
    assert_eq!(
        code_of(peer.says(&put(1, &[0x0f], b"a"))),
        Code::BAD_REQUEST,
        "size 7"
    );
    assert_eq!(
        code_of(peer.says(&put(2, &[0, 0, 0, 8], b"a"))),
        Code::BAD_OPTION,
        "4 B"
    );
    let incomplete = Code::REQUEST_ENTITY_INCOMPLETE;
    assert_eq!(
        code_of(peer.says(&put(3, &[0x18], &[0; 16]))),
        incomplete,
        "block 1 first"
    );
    assert_eq!(
        code_of(peer.says(&put(4, &[0x08], &[0; 15]))),
        incomplete,
        "a short block"
    );
    assert_eq!(
        code_of(peer.says(&put(5, &[0x00], &[0; 17]))),
        incomplete,
        "a long block"
    );
    assert_eq!(
        code_of(peer.says(&put(6, &[0x08], &[0; 16]))),
        Code::CONTINUE
    );
    assert_eq!(
        code_of(peer.says(&put(7, &[0x28], &[0; 16]))),
        incomplete,
        "one is missing"
    );
    let too_large = Code::REQUEST_ENTITY_TOO_LARGE;
    let last_number = put(8, &[0xff, 0xff, 0xf8], &[0; 16]);
    assert_eq!(
        code_of(peer.says(&last_number)),
        too_large,
        "block 2^20 - 1"
    );
}

#[test]
fn a_body_of_more_blocks_than_are_taken_is_dropped() {
    let mut setting = Setting::reports(CON);
    setting.parameters.max_body_size = 100;
    let mut peer = Peer::of(setting.server());
    let mut codes = Vec::new();
    for number in 0..8 {
        let mut block = vec![
            0x40,
            3,
            1,
            number,
            0xb1,
            b'x',
            0xd1,
            3,
            number << 4 | 8,
            0xff,
        ];
        block.extend([7; 16]);
        codes.push(Message::parse(&peer.says(&block)[0]).unwrap().content.code);
    }
    let mut expected = vec![Code::CONTINUE; 6];
    expected.extend([
        Code::REQUEST_ENTITY_TOO_LARGE,
        Code::REQUEST_ENTITY_INCOMPLETE,
    ]);
    assert_eq!(codes, expected);
    assert_eq!(peer.application.counters().too_large, 1);
}

#[test]
fn resources_and_observers_are_bounded() {
    let mut peer = server();
    for number in 0..300_u16 {
        let [high, low] = number.to_be_bytes();
        let put = [
            &[0x40, 3, 2 + high, low, 0xb3],
            format!("{number:03}").as_bytes(),
        ]
        .concat();
        let said = peer.says(&put);
        let code = Message::parse(&said[0]).unwrap().content.code;
        let expected = if number < 256 {
            Code::CREATED
        } else {
            Code::SERVICE_UNAVAILABLE
        };
        assert_eq!(code, expected, "{number}");
    }
    let observed = (0..1_100_u16).filter(|number| {
        let [high, low] = number.to_be_bytes();
        let said = peer.says(&[
            0x42,
            1,
            9 + high,
            low,
            high,
            low,
            0x60,
            0x53,
            b'0',
            b'0',
            b'7',
        ]);
        let message = Message::parse(&said[0]).unwrap();
        message
            .content
            .options(&said[0])
            .any(|option| option.0 == 6)
    });
    assert_eq!(observed.count(), lasthop_coap::MAX_OBSERVERS);
}

#[test]
fn a_message_that_the_peer_rejects_is_given_up_as_rejected() {
    let mut setting = Setting::pushes(CON, Push::Post);
    setting.seed = 3;
    let mut peer = Peer::of(setting.server());
    // The device registers: POST rd?ep=7.
    let said = peer.says(b"\x40\x02\x00\x01\xb2rd\x44ep=7");
    assert_eq!(
        Message::parse(&said[0]).unwrap().content.code,
        Code::CREATED
    );
    for (number, answer) in [(1, [0x70, 0x00]), (2, [0x60, 0x80])] {
        let message = OutgoingMessage {
            id: message(number),
            payload: b"take this",
            asks: false,
        };
        peer.inform(ApplicationInput::Send(message));
        let request = peer.hears().pop().unwrap();
        let token = &request[4..8];
        let mut reply = vec![answer[0], answer[1], request[2], request[3]];
        if answer[1] != 0 {
            reply[0] |= 4;
            reply.extend(token);
        }
        peer.says(&reply);
        let rejected = MessageEvent::Failed {
            id: message.id,
            reason: FailureReason::Rejected,
        };
        assert_eq!(peer.events.last(), Some(&rejected));
    }
}

#[test]
fn an_acknowledgement_with_another_token_is_no_answer() {
    let setting = Setting::pushes(CON, Push::Post);
    let mut peer = Peer::of(setting.server());
    peer.says(b"\x40\x02\x00\x01\xb2rd\x44ep=7");
    let message = OutgoingMessage {
        id: message(1),
        payload: b"take this",
        asks: false,
    };
    peer.inform(ApplicationInput::Send(message));
    let request = peer.hears().pop().unwrap();
    peer.says(&[0x61, 0x44, request[2], request[3], request[4] ^ 1]);
    assert_eq!(peer.application.counters().unmatched, 1);
    peer.wait(3);
    assert_eq!(peer.hears(), [request], "it is sent again");
}

#[test]
fn arbitrary_datagrams_are_borne_by_either_end() {
    let mut random = RandomStream::named(1, "arbitrary");
    for round in 0..40 {
        let push = [Push::Post, Push::Put, Push::Observe][round % 3];
        let mut server = Peer::of(Setting::pushes(CON, push).server());
        for _ in 0..500 {
            let datagram = arbitrary(&mut random);
            server.says(&datagram);
            if random.below(20) == 0 {
                server.wait(random.below(100));
            }
            if random.below(20) == 0 {
                let id = message(1 + random.below(1000) as u32);
                let payload = &vec![7; random.below(3000) as usize];
                server.inform(ApplicationInput::Send(OutgoingMessage {
                    id,
                    payload,
                    asks: false,
                }));
            }
        }
    }
}

#[test]
fn arbitrary_pieces_are_borne_by_all_ends_over_either_carrier() {
    let mut random = RandomStream::named(2, "pieces");
    for _ in 0..2000 {
        let mut data = vec![random.below(3) as u8];
        for _ in 0..random.below(20) {
            let mut piece = arbitrary(&mut random);
            if random.below(3) == 0 {
                piece = [&[0x00, 0xe1, 0x30, 0x02, 0xb1, b'a'], &piece[1..]].concat();
            }
            data.push(piece.len() as u8);
            data.extend(piece);
        }
        for tell in [
            tell_server,
            tell_client,
            tell_server_by_stream,
            tell_client_by_stream,
        ] {
            tell(&data);
        }
    }
}

/// Bytes that look like a message here and there.
fn arbitrary(random: &mut RandomStream) -> Vec<u8> {
    let mut bytes = vec![0x40 | (random.below(4) as u8) << 4 | random.below(5) as u8];
    bytes.push([1, 2, 3, 4, 0, 0x44, 0x45, 0x5f, 0x84, 0xe1][random.below(10) as usize]);
    bytes.extend([0, random.below(20) as u8]);
    bytes.extend((0..bytes[0] & 15).map(|_| 7));
    let options: [&[u8]; 9] = [
        b"\xb1d",
        b"\x017",
        b"\xb2rd",
        b"\x44ep=7",
        b"\x60",
        b"\xb1x",
        b"\xd1\x03\x08",
        b"\xc1\x16",
        b"\x61\x01",
    ];
    for _ in 0..random.below(4) {
        bytes.extend(options[random.below(9) as usize]);
    }
    if random.below(2) == 0 {
        bytes.push(0xff);
        bytes.extend((0..random.below(20)).map(|_| random.next_u64() as u8));
    }
    if random.below(5) == 0 {
        let place = random.below(bytes.len() as u64) as usize;
        bytes[place] ^= 1 << random.below(8);
    }
    bytes
}
