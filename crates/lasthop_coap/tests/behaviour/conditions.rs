//! What a server makes of the options of a request: conditions, formats, paths, filters, proofs.

use lasthop_coap::{CoapRequest, CoapServer, Code, Message, RequestEvent, option_number};
use lasthop_contract::Direction;

use crate::blocks::ask;
use crate::harness::{CON, Setting};
use crate::peer::Peer;

/// Says requests to a server and reads its answers.
struct Asker {
    peer: Peer<CoapServer>,
    next_id: u8,
}

/// What came back.
#[derive(Debug, PartialEq, Eq)]
struct Told {
    code: Code,
    etag: Vec<u8>,
    payload: Vec<u8>,
}

const IF_MATCH: u16 = option_number::IF_MATCH;
const IF_NONE_MATCH: u16 = option_number::IF_NONE_MATCH;
const FORMAT: u16 = option_number::CONTENT_FORMAT;
const ACCEPT: u16 = option_number::ACCEPT;
const QUERY: u16 = option_number::URI_QUERY;

impl Asker {
    fn new() -> Self {
        Self::of(&Setting::reports(CON))
    }

    fn of(setting: &Setting) -> Self {
        Self {
            peer: Peer::of(setting.server()),
            next_id: 0,
        }
    }

    /// A confirmable request; the options in any order.
    fn asks(
        &mut self,
        method: Code,
        path: &[&str],
        options: &[(u16, &[u8])],
        payload: &[u8],
    ) -> Told {
        self.next_id += 1;
        let mut all: Vec<(u16, &[u8])> = options.to_vec();
        all.extend(
            path.iter()
                .map(|text| (option_number::URI_PATH, text.as_bytes())),
        );
        all.sort_by_key(|option| option.0);
        let mut datagram = vec![0x40, method.0, 0, self.next_id];
        let mut before = 0;
        for (number, value) in all {
            assert!(value.len() < 269, "a length of one byte more");
            let (delta, length) = (number - before, value.len());
            let nibble = |value: usize| if value < 13 { value as u8 } else { 13 };
            datagram.push(nibble(delta.into()) << 4 | nibble(length));
            datagram.extend((delta >= 13).then(|| (delta - 13) as u8));
            datagram.extend((length >= 13).then(|| (length - 13) as u8));
            datagram.extend_from_slice(value);
            before = number;
        }
        if !payload.is_empty() {
            datagram.push(0xff);
            datagram.extend_from_slice(payload);
        }
        let answers = self.peer.says(&datagram);
        let answer = answers.first().expect("a confirmable request is answered");
        let message = Message::parse(answer).unwrap();
        let mut options = message.content.options(answer);
        let etag = options.find(|option| option.0 == option_number::ETAG);
        Told {
            code: message.content.code,
            etag: etag.map(|option| option.1.to_vec()).unwrap_or_default(),
            payload: answer[message.content.payload()].to_vec(),
        }
    }

    fn code(&mut self, method: Code, path: &[&str], options: &[(u16, &[u8])]) -> Code {
        self.asks(method, path, options, &[]).code
    }

    fn links(&mut self, query: &[u8]) -> String {
        let told = self.asks(Code::GET, &[".well-known", "core"], &[(QUERY, query)], &[]);
        assert_eq!(told.code, Code::CONTENT);
        String::from_utf8(told.payload).unwrap()
    }
}

#[test]
fn every_method_heeds_conditions_and_all_of_them() {
    let mut server = Asker::new();
    for method in [Code::GET, Code::PUT, Code::POST, Code::DELETE] {
        let failed = Code::PRECONDITION_FAILED;
        server.asks(Code::PUT, &["a"], &[], b"one");
        let tag = server.asks(Code::GET, &["a"], &[], &[]).etag;
        assert!(!tag.is_empty(), "a client is told what to name");
        let other: &[u8] = b"other";
        assert_eq!(server.code(method, &["a"], &[(IF_MATCH, other)]), failed);
        assert_eq!(server.code(method, &["a"], &[(IF_NONE_MATCH, &[])]), failed);
        assert_eq!(server.code(method, &["b"], &[(IF_MATCH, &[])]), failed);
        assert_eq!(server.code(method, &["b"], &[(IF_MATCH, &tag)]), failed);
        let kept = server.asks(Code::GET, &["a"], &[], &[]);
        assert_eq!((kept.payload, &kept.etag), (b"one".to_vec(), &tag));
        // Any of several is enough, wherever it stands.
        let several = [(IF_MATCH, other), (IF_MATCH, &tag[..]), (IF_MATCH, b"x")];
        let code = server.code(method, &["a"], &several);
        assert!(code.is_success(), "{method:?}: {code:?}");
    }
    assert_eq!(
        server.code(Code::PUT, &["b"], &[(IF_NONE_MATCH, &[])]),
        Code::CREATED
    );
}

#[test]
fn an_entity_tag_does_not_come_again_when_its_resource_does() {
    let mut server = Asker::new();
    server.asks(Code::PUT, &["a"], &[], b"one");
    let tag = server.asks(Code::GET, &["a"], &[], &[]).etag;
    server.code(Code::DELETE, &["a"], &[]);
    server.asks(Code::PUT, &["a"], &[], b"two");
    let code = server.code(Code::DELETE, &["a"], &[(IF_MATCH, &tag)]);
    assert_eq!(code, Code::PRECONDITION_FAILED);
}

#[test]
fn who_has_a_representation_is_told_that_it_is_still_valid() {
    const ETAG: u16 = option_number::ETAG;
    let mut server = Asker::new();
    server.asks(Code::PUT, &["a"], &[], b"one");
    let tag = server.asks(Code::GET, &["a"], &[], &[]).etag;
    let told = server.asks(Code::GET, &["a"], &[(ETAG, b"other"), (ETAG, &tag)], &[]);
    assert_eq!((told.code, told.payload), (Code::VALID, vec![]));
    assert_eq!(told.etag, tag);
    server.asks(Code::PUT, &["a"], &[], b"two");
    let told = server.asks(Code::GET, &["a"], &[(ETAG, &tag)], &[]);
    assert_eq!((told.code, told.payload), (Code::CONTENT, b"two".to_vec()));
}

#[test]
fn what_post_makes_has_the_format_that_it_came_in() {
    let mut server = Asker::new();
    server.asks(Code::POST, &["a"], &[(FORMAT, &[50])], b"{}");
    let code = server.code(Code::GET, &["a"], &[(ACCEPT, &[50])]);
    assert_eq!(code, Code::CONTENT);
}

#[test]
fn conditions_hold_for_devices_and_the_list_of_resources_too() {
    let mut server = Asker::new();
    for path in [&["d", "7"][..], &[".well-known", "core"]] {
        for options in [(IF_NONE_MATCH, &[][..]), (IF_MATCH, b"none")] {
            let code = server.code(Code::GET, path, &[options]);
            assert_eq!(code, Code::PRECONDITION_FAILED);
        }
        assert_eq!(
            server.code(Code::GET, path, &[(IF_MATCH, &[])]),
            Code::CONTENT
        );
    }
    let posted = server.asks(Code::POST, &["d", "7"], &[(IF_NONE_MATCH, &[])], b"x");
    assert_eq!(posted.code, Code::PRECONDITION_FAILED);
    assert_eq!(server.peer.received(), 0);
}

#[test]
fn a_format_that_is_not_there_is_not_acceptable() {
    let mut server = Asker::new();
    server.asks(Code::PUT, &["a"], &[(FORMAT, &[50])], b"{}");
    server.asks(Code::PUT, &["b"], &[], b"unknown");
    for (path, accept, code) in [
        ("a", &[50][..], Code::CONTENT),
        ("a", &[0, 50], Code::CONTENT),
        ("a", &[], Code::NOT_ACCEPTABLE),
        ("a", &[60], Code::NOT_ACCEPTABLE),
        ("b", &[50], Code::NOT_ACCEPTABLE),
        ("nowhere", &[50], Code::NOT_FOUND),
    ] {
        assert_eq!(
            server.code(Code::GET, &[path], &[(ACCEPT, accept)]),
            code,
            "{path} {accept:?}"
        );
    }
    let core = [".well-known", "core"];
    assert_eq!(
        server.code(Code::GET, &core, &[(ACCEPT, &[40])]),
        Code::CONTENT
    );
    assert_eq!(
        server.code(Code::GET, &core, &[(ACCEPT, &[50])]),
        Code::NOT_ACCEPTABLE
    );
}

#[test]
fn paths_differ_by_their_segments() {
    let mut server = Asker::new();
    let paths: [&[&str]; 5] = [&["a/b"], &["a", "b"], &["a", "b", ""], &["", "a", "b"], &[]];
    for (path, body) in paths.into_iter().zip(b"12345") {
        assert_eq!(
            server.asks(Code::PUT, path, &[], &[*body]).code,
            Code::CREATED
        );
    }
    for (path, body) in paths.into_iter().zip(b"12345") {
        assert_eq!(server.asks(Code::GET, path, &[], &[]).payload, [*body]);
    }
    let links = server.links(b"");
    assert!(
        links.ends_with("</>;obs,<//a/b>;obs,</a/b>;obs,</a/b/>;obs,</a%2Fb>;obs"),
        "{links}"
    );
}

#[test]
fn a_critical_option_too_many_or_of_a_length_that_it_has_not_is_refused() {
    let mut server = Asker::new();
    let (host, port) = (option_number::URI_HOST, option_number::URI_PORT);
    let long = [b'h'; 256];
    for (what, options) in [
        ("no host", vec![(host, &[][..])]),
        ("a host too long", vec![(host, &long)]),
        ("two hosts", vec![(host, b"a"), (host, b"a")]),
        ("two ports", vec![(port, &[1]), (port, &[1])]),
        ("a port too long", vec![(port, &[1, 2, 3])]),
        ("two formats wanted", vec![(ACCEPT, &[50]), (ACCEPT, &[50])]),
        (
            "two of none",
            vec![(IF_NONE_MATCH, &[]), (IF_NONE_MATCH, &[])],
        ),
        ("none with a value", vec![(IF_NONE_MATCH, b"x")]),
        ("a tag too long", vec![(IF_MATCH, b"123456789")]),
        ("a path upwards", vec![(option_number::URI_PATH, b"..")]),
    ] {
        assert_eq!(
            server.code(Code::GET, &[], &options),
            Code::BAD_OPTION,
            "{what}"
        );
    }
    // One that is elective is passed over: the first one counts.
    let twice: [(u16, &[u8]); 2] = [(FORMAT, &[50]), (FORMAT, &[60])];
    assert_eq!(
        server.asks(Code::PUT, &["a"], &twice, b"{}").code,
        Code::CREATED
    );
    assert_eq!(
        server.code(Code::GET, &["a"], &[(ACCEPT, &[50])]),
        Code::CONTENT
    );
    assert_eq!(
        server.code(Code::GET, &["a"], &[(host, b"h"), (port, &[])]),
        Code::CONTENT
    );
}

#[test]
fn the_list_of_resources_is_that_of_those_asked_for() {
    let mut server = Asker::new();
    server.asks(Code::PUT, &["a", "b"], &[], b"x");
    let (device, directory) = ("</d>;rt=\"device\"", "</rd>;rt=\"core.rd\"");
    let all = format!("{device},{directory},</a/b>;obs");
    for (query, links) in [
        ("", &all[..]),
        ("rt=core.rd", directory),
        ("rt=core*", directory),
        ("rt=core", ""),
        ("rt=de*", device),
        ("href=/a*", "</a/b>;obs"),
        ("href=/d", device),
        ("if=sensor", ""),
    ] {
        assert_eq!(server.links(query.as_bytes()), links, "{query}");
    }
}

#[test]
fn a_stranger_is_sent_at_most_three_times_its_bytes_until_it_has_shown_that_it_is_there() {
    let mut setting = Setting::reports(CON);
    setting.parameters.asks_for_proof = true;
    let mut pair = setting.pair();
    let large = CoapRequest {
        payload: vec![7; 5000],
        ..CoapRequest::new(CON, Code::PUT, "a")
    };
    ask(&mut pair, large);
    pair.run_seconds(10);
    for observe in [false, true] {
        pair.wire.log.clear();
        let get = CoapRequest {
            observe,
            ..CoapRequest::new(CON, Code::GET, "a")
        };
        ask(&mut pair, get);
        pair.run_seconds(10);
        let first = &pair.wire.datagrams(Direction::Down)[0];
        let code = Message::parse(first).unwrap().content.code;
        let expected = if observe {
            Code::CONTENT
        } else {
            Code::UNAUTHORIZED
        };
        assert_eq!(code, expected, "the proof is asked for once");
    }
    let mut bodies = Vec::new();
    while let Some(RequestEvent::Response(response)) = pair.client.application.next_event() {
        bodies.push(response.payload.len());
    }
    assert_eq!(bodies, [0, 5000, 5000]);
    // Whoever does not tell it back is sent little, whatever it asks.
    let mut server = Asker::of(&setting);
    server.asks(Code::PUT, &["a"], &[], &[7; 200]);
    for options in [
        &[][..],
        &[(option_number::OBSERVE, &[][..])],
        &[(option_number::ECHO, b"12345678")],
    ] {
        let told = server.asks(Code::GET, &["a"], options, &[]);
        assert_eq!((told.code, told.payload.len()), (Code::UNAUTHORIZED, 0));
    }
    assert_eq!(
        server.code(Code::POST, &["rd"], &[(QUERY, b"ep=7")]),
        Code::UNAUTHORIZED
    );
    server.asks(Code::PUT, &["a"], &[], &[7; 5]);
    assert_eq!(
        server.asks(Code::GET, &["a"], &[], &[]).payload,
        [7; 5],
        "that is little"
    );
}

#[test]
fn devices_register_and_observe_where_a_proof_is_asked_for() {
    use lasthop_coap::Push;
    for push in [Push::Post, Push::Observe] {
        let mut setting = Setting::pushes(CON, push);
        setting.parameters.asks_for_proof = true;
        let mut pair = setting.pair();
        pair.run_seconds(2);
        pair.push(1, 3000);
        pair.report(2, 3000);
        pair.run_seconds(10);
        assert_eq!(
            (pair.client.received(), pair.server.received()),
            (vec![1], vec![2])
        );
    }
}
