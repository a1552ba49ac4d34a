//! HTTP/3: a server, and clients that play games with streams and frames.

use lasthop_contract::StreamKind;
use lasthop_http::ServerLimits;
use lasthop_http::http::{Method, Response, Version};

use crate::over_quic::{SECOND, World};

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const CANCEL_PUSH: u8 = 3;
const SETTINGS: u8 = 4;
const PUSH_PROMISE: u8 = 5;
const GOAWAY: u8 = 7;
const MAX_PUSH_ID: u8 = 0xd;

/// `:method: GET`, `:scheme: https`, `:path: /`, `:authority: b` by the static table (RFC 9204 appendix A).
const HEAD: &[u8] = &[0, 0, 0xd1, 0xd7, 0xc1, 0x50, 1, b'b'];

fn frame(kind: u8, payload: &[u8]) -> Vec<u8> {
    let length = 0x4000 | payload.len() as u16;
    [&[kind], &length.to_be_bytes()[..], payload].concat()
}

fn get() -> Vec<u8> {
    frame(HEADERS, HEAD)
}

/// A control stream with nothing settled.
fn begin() -> Vec<u8> {
    [&[0], &frame(SETTINGS, &[])[..]].concat()
}

fn post(body: &[u8]) -> Vec<u8> {
    let head = [&HEAD[..2], &[0xd4], &HEAD[3..]].concat();
    [frame(HEADERS, &head), frame(DATA, body)].concat()
}

fn world() -> World {
    World::new(ServerLimits {
        largest_body: 1000,
        ..ServerLimits::default()
    })
}

/// Whether a head with 200 came, and the body behind it.
fn answer(world: &mut World, stream: lasthop_contract::StreamId) -> Option<Vec<u8>> {
    let bytes = world.read(stream);
    let [1, length, rest @ ..] = &bytes[..] else {
        return None;
    };
    let (head, behind) = rest.split_at(usize::from(*length));
    assert!(head.contains(&0xd9), "status 200: {head:?}");
    match behind {
        [] => Some(Vec::new()),
        [0, length, body @ ..] => {
            assert_eq!(usize::from(*length), body.len());
            Some(body.to_vec())
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn requests_are_answered_side_by_side_however_their_bytes_are_cut() {
    for piece in [1, 2, 7, 1000] {
        let mut world = world();
        world.ends.server.answers = false;
        world.channel(&begin());
        let streams = [b"one", b"two"].map(|body| {
            let stream = world.open(StreamKind::Bidirectional);
            for part in post(body).chunks(piece) {
                world.say(stream, part);
                world.run(SECOND);
            }
            world.finish(stream);
            stream
        });
        world.run(SECOND);
        let asked = &world.ends.server.asked;
        assert_eq!(asked.len(), 2, "{piece}");
        assert_eq!(asked[0].1.method(), Method::POST);
        assert_eq!(asked[0].1.version(), Version::HTTP_3);
        assert_eq!(asked[1].1.body(), b"two");
        let second = asked[1].0;
        world.respond(second, &Response::new(b"yes".to_vec()));
        world.run(SECOND);
        assert_eq!(answer(&mut world, streams[0]), None);
        assert_eq!(answer(&mut world, streams[1]), Some(b"yes".to_vec()));
    }
}

#[test]
fn unknown_frames_streams_and_settings_are_passed_over() {
    let mut world = world();
    let settings = frame(SETTINGS, &[0x21, 5, 0x40, 0x40, 1]);
    world.channel(&[&[0], &settings[..], &frame(0x21, b"grease")].concat());
    world.channel(b"\x21 what is that");
    let request = [frame(0x21, b"x"), get(), frame(0x21, b""), frame(DATA, b"")];
    let stream = world.ask(&request.concat());
    world.run(SECOND);
    assert!(!world.is_over());
    assert_eq!(answer(&mut world, stream), Some(Vec::new()));
}

#[test]
fn a_request_that_waits_for_the_table_is_served_when_its_entries_come() {
    let mut world = world();
    world.channel(&begin());
    let encoder = world.channel(&[2]);
    // `:authority: c` is entry 0, which the section needs.
    let section = [0x02, 0x00, 0xd1, 0xd7, 0xc1, 0x80];
    let stream = world.ask(&frame(HEADERS, &section));
    world.run(SECOND);
    assert!(world.ends.server.asked.is_empty());
    world.say(encoder, &[0x3f, 0xe1, 0x1f, 0xc0, 1, b'c']);
    world.run(SECOND);
    let asked = &world.ends.server.asked;
    assert_eq!(asked[0].1.uri().host(), Some("c"));
    assert_eq!(answer(&mut world, stream), Some(Vec::new()));
}

/// What ends a connection: its name, what is said on streams of one direction, and on one of both.
type Attack = (&'static str, Vec<Vec<u8>>, Vec<u8>);

fn attacks() -> Vec<Attack> {
    let control = |frames: &[u8]| [&begin()[..], frames].concat();
    let settings = |payload: &[u8]| [&[0], &frame(SETTINGS, payload)[..]].concat();
    let none = Vec::new;
    let begun = vec![begin()];
    let data = frame(DATA, b"x");
    let mut attacks = vec![
        (
            "a frame before SETTINGS",
            vec![[&[0], &frame(GOAWAY, &[0])[..]].concat()],
            none(),
        ),
        (
            "SETTINGS twice",
            vec![control(&frame(SETTINGS, &[]))],
            none(),
        ),
        (
            "a setting twice",
            vec![settings(&[0x21, 1, 0x21, 2])],
            none(),
        ),
        ("a setting of HTTP/2", vec![settings(&[2, 1])], none()),
        ("a setting without a value", vec![settings(&[6])], none()),
        (
            "long SETTINGS",
            vec![[0, SETTINGS, 0x60, 0].to_vec()],
            none(),
        ),
        ("DATA on the control stream", vec![control(&data)], none()),
        (
            "HEADERS on the control stream",
            vec![control(&get())],
            none(),
        ),
        (
            "a frame of HTTP/2",
            vec![control(&frame(6, &[0; 8]))],
            none(),
        ),
        (
            "MAX_PUSH_ID that shrinks",
            vec![control(
                &[frame(MAX_PUSH_ID, &[9]), frame(MAX_PUSH_ID, &[8])].concat(),
            )],
            none(),
        ),
        (
            "CANCEL_PUSH of nothing",
            vec![control(&frame(CANCEL_PUSH, &[0]))],
            none(),
        ),
        (
            "GOAWAY that grows",
            vec![control(
                &[frame(GOAWAY, &[4]), frame(GOAWAY, &[8])].concat(),
            )],
            none(),
        ),
        (
            "GOAWAY with more",
            vec![control(&frame(GOAWAY, &[4, 4]))],
            none(),
        ),
        ("two control streams", vec![begin(), begin()], none()),
        ("two encoders", vec![begin(), vec![2], vec![2]], none()),
        ("two decoders", vec![begin(), vec![3], vec![3]], none()),
        ("a push of the client", vec![begin(), vec![1, 0]], none()),
        (
            "a table beyond what is allowed",
            vec![begin(), vec![2, 0x3f, 0xe2, 0x1f]],
            none(),
        ),
        (
            "an entry without a table",
            vec![begin(), vec![2, 0xc0, 1, b'c']],
            none(),
        ),
        (
            "an acknowledgement of nothing",
            vec![begin(), vec![3, 0x80]],
            none(),
        ),
        ("an increment of nothing", vec![begin(), vec![3, 0]], none()),
    ];
    for (name, bytes) in [
        ("DATA first", data.clone()),
        ("SETTINGS in a request", frame(SETTINGS, &[])),
        ("GOAWAY in a request", [get(), frame(GOAWAY, &[0])].concat()),
        (
            "PUSH_PROMISE in a request",
            [get(), frame(PUSH_PROMISE, &[0])].concat(),
        ),
        (
            "PING of HTTP/2 in a request",
            [get(), frame(6, &[0; 8])].concat(),
        ),
        (
            "a head behind the trailers",
            [get(), get_trailers(), get_trailers()].concat(),
        ),
        (
            "a body behind the trailers",
            [get(), get_trailers(), data.clone()].concat(),
        ),
        ("a frame that is cut", get()[..6].to_vec()),
        (
            "a head of 16 KiB and more",
            [HEADERS, 0x80, 0, 0x40, 1].to_vec(),
        ),
        ("a head of exabytes", [&[HEADERS][..], &[0xff; 8]].concat()),
        (
            "a static row that is not",
            frame(HEADERS, &[0, 0, 0xff, 0x24]),
        ),
        ("an entry that is not", frame(HEADERS, &[0, 0, 0x80])),
        (
            "more entries than fit",
            frame(HEADERS, &[0xff, 0xff, 0x7f, 0, 0x80]),
        ),
    ] {
        attacks.push((name, begun.clone(), bytes));
    }
    attacks
}

/// `x: y`.
fn get_trailers() -> Vec<u8> {
    frame(HEADERS, &[0, 0, 0x21, b'x', 1, b'y'])
}

#[test]
fn who_plays_with_frames_loses_the_connection_and_another_client_is_served() {
    for (name, channels, request) in attacks() {
        let mut world = world();
        for channel in channels {
            world.channel(&channel);
            world.run(SECOND);
        }
        if !request.is_empty() {
            world.ask(&request);
        }
        world.run(SECOND);
        assert!(world.is_over(), "{name}");
        assert!(world.ends.server.asked.is_empty(), "{name}");
        world.connection = world.connect();
        world.channel(&begin());
        let stream = world.ask(&post(b"honest"));
        world.run(SECOND);
        let answered = answer(&mut world, stream);
        assert_eq!(answered, Some(b"honest".to_vec()), "{name}");
    }
}

#[test]
fn critical_streams_do_not_end() {
    for channel in [begin(), vec![2], vec![3]] {
        for gives_up in [false, true] {
            let mut world = world();
            let stream = world.channel(&channel);
            world.run(SECOND);
            match gives_up {
                true => world.give_up(stream, 0),
                false => world.finish(stream),
            }
            world.run(SECOND);
            assert!(world.is_over(), "{channel:?}");
        }
    }
}

/// A request that is none: its head, with a field more.
fn with_field(name: &str, value: &str) -> Vec<u8> {
    let mut section = HEAD.to_vec();
    section.push(0x27);
    section.push((name.len() - 7) as u8);
    section.extend(name.bytes());
    section.push(value.len() as u8);
    section.extend(value.bytes());
    frame(HEADERS, &section)
}

#[test]
fn what_is_no_request_ends_its_stream_alone() {
    const MESSAGE_ERROR: u64 = 0x10e;
    const REQUEST_INCOMPLETE: u64 = 0x10d;
    let cut = |until: usize| frame(HEADERS, &HEAD[..until]);
    for (name, bytes, code) in [
        ("nothing", Vec::new(), REQUEST_INCOMPLETE),
        ("no path", cut(4), MESSAGE_ERROR),
        ("no authority", cut(5), MESSAGE_ERROR),
        (
            "a method twice",
            frame(HEADERS, &[HEAD, &[0xd1]].concat()),
            MESSAGE_ERROR,
        ),
        (
            "a status",
            frame(HEADERS, &[HEAD, &[0xd9]].concat()),
            MESSAGE_ERROR,
        ),
        (
            "a tunnel",
            frame(HEADERS, &[&[0, 0, 0xcf], &HEAD[3..]].concat()),
            MESSAGE_ERROR,
        ),
        (
            "a name in capitals",
            with_field("X-Capital", "y"),
            MESSAGE_ERROR,
        ),
        (
            "a field of connections",
            with_field("connection", "close"),
            MESSAGE_ERROR,
        ),
        (
            "chunks",
            with_field("transfer-encoding", "chunked"),
            MESSAGE_ERROR,
        ),
        (
            "a line feed in a value",
            with_field("x-field", "a\nb"),
            MESSAGE_ERROR,
        ),
        (
            "a space before a value",
            with_field("x-field", " a"),
            MESSAGE_ERROR,
        ),
        (
            "a length that is not",
            with_field("content-length", "5"),
            MESSAGE_ERROR,
        ),
        (
            "a signed length",
            with_field("content-length", "+0"),
            MESSAGE_ERROR,
        ),
        (
            "a pseudo-field behind others",
            with_pseudo_last(),
            MESSAGE_ERROR,
        ),
    ] {
        let mut world = world();
        world.channel(&begin());
        let bad = world.ask(&bytes);
        let good = world.ask(&get());
        world.run(SECOND);
        assert_eq!(world.code_of(bad), Some(code), "{name}");
        assert!(!world.is_over(), "{name}");
        assert_eq!(answer(&mut world, good), Some(Vec::new()), "{name}");
        assert_eq!(world.ends.server.asked.len(), 1, "{name}");
    }
}

fn with_pseudo_last() -> Vec<u8> {
    let section = [
        &[0, 0, 0xd1, 0xd7, 0x21, b'x', 1, b'y', 0xc1][..],
        &HEAD[5..],
    ]
    .concat();
    frame(HEADERS, &section)
}

#[test]
fn who_asks_and_gives_up_all_the_time_is_not_served_any_more() {
    let mut world = world();
    world.ends.server.answers = false;
    world.channel(&begin());
    let mut count = 0;
    while !world.is_over() {
        assert!(count < 400, "{count} were taken");
        let stream = world.ask(&get());
        world.run(SECOND);
        world.give_up(stream, 0x10c);
        world.run(SECOND);
        count += 1;
    }
    assert!(
        world.ends.server.gone.len() >= 100,
        "its requests are known to be gone"
    );
}

#[test]
fn a_body_that_is_too_large_is_refused_and_the_connection_goes_on() {
    let mut world = world();
    world.channel(&begin());
    let large = world.ask(&post(&[0; 1001]));
    let small = world.ask(&get());
    world.run(SECOND);
    assert_eq!(answer(&mut world, small), Some(Vec::new()));
    // `:status: 413` is no row of the static table.
    let refused = world.read(large);
    assert!(
        refused.windows(3).any(|it| it == b"413") || refused.len() > 4,
        "{refused:?}"
    );
    assert!(!world.is_over());
}

#[test]
fn bodies_that_come_at_the_same_time_have_the_room_of_four() {
    let mut world = world();
    world.channel(&begin());
    let streams = [0; 5].map(|_| {
        let stream = world.open(StreamKind::Bidirectional);
        world.say(stream, &post(&[0; 999]));
        world.run(SECOND);
        stream
    });
    let refused = streams.map(|stream| !world.read(stream).is_empty());
    assert_eq!(refused, [false, false, false, false, true]);
    for stream in streams {
        world.finish(stream);
    }
    world.run(SECOND);
    assert_eq!(world.ends.server.asked.len(), 4);
    assert!(!world.is_over());
}

#[test]
fn a_connection_that_says_nothing_ends_by_goaway_and_then_by_force() {
    let mut world = world();
    world.channel(&begin());
    let stream = world.ask(&get());
    world.run(SECOND);
    assert_eq!(answer(&mut world, stream), Some(Vec::new()));
    world.run(lasthop_units::Duration::from_secs(76));
    assert!(!world.is_over());
    let late = world.ask(&get());
    world.run(SECOND);
    const REQUEST_REJECTED: u64 = 0x10b;
    assert_eq!(world.code_of(late), Some(REQUEST_REJECTED));
    world.run(lasthop_units::Duration::from_secs(60));
    assert!(world.is_over());
}

#[test]
fn a_head_and_a_body_that_trickle_have_their_time() {
    for start in [frame(HEADERS, HEAD)[..5].to_vec(), post(b"")] {
        let mut world = world();
        world.channel(&begin());
        let stream = world.open(StreamKind::Bidirectional);
        world.say(stream, &start);
        let mut waited = 0;
        while !world.is_over() {
            assert!(waited < 140, "it is still waited for");
            world.run(lasthop_units::Duration::from_secs(5));
            world.say(stream, &frame(0x21, b""));
            waited += 5;
        }
        assert!(world.ends.server.asked.is_empty());
    }
}
