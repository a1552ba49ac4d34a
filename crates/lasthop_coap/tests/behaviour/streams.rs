//! CoAP over a byte stream (RFC 8323).

use lasthop_coap::{
    BlockSize, Carrier, CoapClient, CoapParameters, CoapRequest, CoapServer, Code, MessageType,
    Push, RequestEvent,
};
use lasthop_contract::testing::{STREAM, WireEnd};
use lasthop_contract::{
    ApplicationInput, Chunk, FailureReason, Layer, Provenance, ReadOutcome, Transport,
    TransportEvent,
};
use lasthop_contract::{Cause, ResetReason};
use lasthop_units::Duration;

use crate::harness::{CON, Pair, Setting, client_address, payload, server_address};

type StreamPair = Pair<WireEnd, CoapClient, CoapServer>;

/// Two ends on a wire of which so much is read at once, and on which so much may wait.
fn pair_over(setting: &Setting, piece: usize, room: usize) -> StreamPair {
    let setting = Setting {
        carrier: Carrier::Streams,
        ..setting.clone()
    };
    let (near, far, wire) = WireEnd::pair();
    wire.borrow_mut().read_size = piece;
    wire.borrow_mut().set_room([room; 2]);
    let mut pair = Pair::new((near, setting.client()), (far, setting.server()), 1);
    pair.start();
    pair.run_seconds(1);
    pair
}

fn set_room(pair: &StreamPair, room: [usize; 2]) {
    pair.client.transport.wire().borrow_mut().set_room(room);
}

#[test]
fn messages_go_both_ways_however_the_stream_is_cut() {
    for push in [Push::Post, Push::Put, Push::Observe] {
        for (piece, room) in [(1, 50), (7, 20), (100, 1000), (1400, 100_000)] {
            let mut pair = pair_over(&Setting::pushes(CON, push), piece, room);
            pair.run_seconds(5);
            assert!(pair.client.is_ready() && pair.server.is_ready());
            let all: Vec<u32> = (1..=10).collect();
            for number in &all {
                pair.report(*number, 300);
                pair.push(*number, 300);
            }
            pair.run_seconds(10);
            assert_eq!(pair.server.received(), all, "{push:?} {piece}");
            assert_eq!(pair.client.received(), all, "{push:?} {piece}");
            assert_eq!(pair.client.acknowledged(), all);
            // A notification has no answer.
            let acknowledged = if push == Push::Observe { vec![] } else { all };
            assert_eq!(pair.server.acknowledged(), acknowledged);
        }
    }
}

#[test]
fn a_large_message_goes_whole_once_both_ends_have_said_what_they_take() {
    let mut pair = pair_over(&Setting::reports(CON), 1400, 100_000);
    let before = said_by(0, &pair.client.transport).len();
    pair.report(1, 60_000);
    pair.run_seconds(5);
    assert_eq!(pair.server.received(), [1]);
    let length = said_by(0, &pair.client.transport).len() - before;
    assert!(length < 60_000 + 40, "one message, no blocks: {length} B");
}

#[test]
fn what_the_peer_does_not_take_whole_goes_in_blocks() {
    let mut setting = Setting::reports(CON);
    setting.parameters = CoapParameters {
        max_body_size: 4000,
        block_size: BlockSize::of(512).unwrap(),
        ..CoapParameters::default()
    };
    let mut pair = pair_over(&setting, 1400, 100_000);
    pair.report(1, 3990);
    pair.run_seconds(5);
    assert_eq!(pair.server.received(), [1]);
    assert_eq!(pair.client.acknowledged(), [1]);
}

#[test]
fn requests_are_lost_with_their_connection_and_the_next_one_is_opened() {
    let mut pair = pair_over(&Setting::pushes(CON, Push::Post), 1400, 100_000);
    set_room(&pair, [0; 2]);
    pair.report(1, 300);
    let connection = lasthop_contract::ConnectionId(0);
    let now = pair.now;
    pair.client
        .transport
        .reset(now, connection, ResetReason::NotNeeded);
    pair.drain();
    assert_eq!(pair.client.failed(), [(1, FailureReason::ConnectionLost)]);
    set_room(&pair, [usize::MAX; 2]);
    pair.run_seconds(5);
    pair.report(2, 300);
    pair.push(3, 300);
    pair.run_seconds(5);
    assert_eq!(pair.client.acknowledged(), [2]);
    assert_eq!(pair.client.received(), [3]);
}

#[test]
fn a_released_connection_ends_and_stays_so() {
    let mut pair = pair_over(&Setting::reports(CON), 1400, 100_000);
    pair.client
        .application
        .release(pair.now, &mut pair.client.transport);
    pair.run_seconds(60);
    assert_eq!(pair.next_instant(), None);
    pair.report(1, 300);
    assert_eq!(pair.client.failed(), [(1, FailureReason::NotConnected)]);
}

#[test]
fn a_get_is_answered_and_an_observation_goes_on() {
    let mut pair = pair_over(&Setting::reports(CON), 100, 1000);
    let put = CoapRequest {
        payload: payload(1, 5000),
        ..CoapRequest::new(CON, Code::PUT, "a/b")
    };
    let get = CoapRequest {
        observe: true,
        ..CoapRequest::new(CON, Code::GET, "a/b")
    };
    let now = pair.now;
    for request in [put.clone(), get] {
        let (client, transport) = (&mut pair.client.application, &mut pair.client.transport);
        client.request(now, request, transport).unwrap();
    }
    pair.run_seconds(5);
    let again = CoapRequest {
        payload: payload(2, 400),
        ..put
    };
    let now = pair.now;
    let (client, transport) = (&mut pair.client.application, &mut pair.client.transport);
    client.request(now, again, transport).unwrap();
    pair.run_seconds(5);
    let mut lengths = Vec::new();
    while let Some(event) = pair.client.application.next_event() {
        let RequestEvent::Response(response) = event else {
            panic!("{event:?}");
        };
        lengths.push((response.code, response.payload.len()));
    }
    let expected = [
        (Code::CREATED, 0),
        (Code::CONTENT, 5000),
        (Code::CONTENT, 400),
        (Code::CHANGED, 0),
    ];
    lengths.sort_unstable();
    let mut expected = expected.to_vec();
    expected.sort_unstable();
    assert_eq!(lengths, expected);
}

/// What a server says to these bytes, which a client of another kind sends.
fn said_to(bytes: &[u8]) -> (Vec<u8>, lasthop_coap::CoapCounters) {
    let mut pair = hearing(CoapParameters::default(), bytes);
    pair.run_for(Duration::from_secs(20));
    (said_by_server(&pair), pair.server.application.counters())
}

/// A server of these parameters, to which a client of another kind sends these bytes and nothing more.
pub(crate) fn hearing(parameters: CoapParameters, bytes: &[u8]) -> Pair<WireEnd, Mute, CoapServer> {
    let server = Setting {
        carrier: Carrier::Streams,
        parameters,
        ..Setting::reports(CON)
    }
    .server();
    let (near, far, wire) = WireEnd::pair();
    wire.borrow_mut().read_size = 3;
    wire.borrow_mut().set_room([1 << 24, 1000]);
    let mut pair = Pair::new((near, Mute { reads: true }), (far, server), 1);
    pair.start();
    say(&mut pair, bytes);
    pair
}

/// The peer sends these bytes.
pub(crate) fn say<C, S>(pair: &mut Pair<WireEnd, C, S>, bytes: &[u8]) {
    let chunk = Chunk {
        bytes,
        provenance: Provenance::new(Layer::Application, Cause::Opaque),
    };
    let (now, connection) = (pair.now, lasthop_contract::ConnectionId(0));
    let transport = &mut pair.client.transport;
    transport.write(now, connection, STREAM, &[chunk]).unwrap();
}

/// All that the server has said.
pub(crate) fn said_by_server(pair: &Pair<WireEnd, Mute, CoapServer>) -> Vec<u8> {
    said_by(1, &pair.server.transport)
}

/// All that an end has written.
fn said_by(end: usize, transport: &WireEnd) -> Vec<u8> {
    let wire = transport.wire().borrow();
    let written = wire.written[end].iter();
    written.flat_map(|(_, bytes)| bytes).copied().collect()
}

/// An application that opens a connection, says nothing, and reads what comes, or does not.
pub(crate) struct Mute {
    pub(crate) reads: bool,
}

impl lasthop_contract::Application for Mute {
    fn handle(
        &mut self,
        now: lasthop_units::Instant,
        input: ApplicationInput<'_>,
        transport: &mut dyn Transport,
    ) {
        if matches!(input, ApplicationInput::Start) {
            let peer = core::net::SocketAddr::new(server_address(), lasthop_coap::PORT);
            transport.open(now, peer, &[]).unwrap();
        }
        if let ApplicationInput::Transport(connection, TransportEvent::Readable(stream)) = input
            && self.reads
        {
            while let Ok(ReadOutcome::Read(_)) =
                transport.read(now, connection, stream, &mut [0; 64])
            {}
        }
    }

    fn poll(
        &mut self,
        _now: lasthop_units::Instant,
        _transport: &mut dyn Transport,
    ) -> lasthop_contract::ApplicationOutput {
        lasthop_contract::ApplicationOutput::WaitUntil(None)
    }
}

/// The server's settings: 64 KiB, blocks.
pub(crate) const OWN_SETTINGS: &[u8] = &[0x50, 0xe1, 0x23, 1, 0, 0, 0x20];
pub(crate) const CSM: &[u8] = &[0x00, 0xe1];
pub(crate) const ABORT: &[u8] = &[0x00, 0xe5];

#[test]
fn errors_of_the_peer_abort_the_connection() {
    let cases: [(&str, &[u8], &[u8]); 10] = [
        ("a request before any settings", &[0x00, 0x01], ABORT),
        ("a token of nine bytes", &[0x09, 0xe1], ABORT),
        ("a token of fifteen bytes", &[0x0f, 0xe1], ABORT),
        (
            "a critical option in the settings",
            &[0x20, 0xe1, 0x11, 9],
            &[0x20, 0xe5, 0x21, 1],
        ),
        (
            "a length far past the limit",
            &[0xf0, 0x02, 0xff, 0xff, 0xff, 0xff, 2],
            ABORT,
        ),
        (
            "a length past the limit by little",
            &[0xf0, 0, 0, 0, 0, 2],
            ABORT,
        ),
        ("an option past the end", &[0x20, 0x01, 0xb5, b'a'], ABORT),
        (
            "a payload marker without payload",
            &[0x10, 0x02, 0xff],
            ABORT,
        ),
        ("a reserved class", &[0x00, 0x20], ABORT),
        ("an unknown signal", &[0x00, 0xff], ABORT),
    ];
    for (what, bytes, answer) in cases {
        let has_settings = !matches!(bytes, [0x00, 0x01] | [0x09, ..] | [0x20, 0xe1, ..]);
        let before = if has_settings { CSM } else { &[] };
        let (said, counters) = said_to(&[before, bytes].concat());
        assert_eq!(said, [OWN_SETTINGS, answer].concat(), "{what}");
        assert_eq!(counters.aborted, 1, "{what}");
    }
}

#[test]
fn a_ping_is_answered_and_an_empty_message_is_not() {
    let (said, counters) = said_to(&[CSM, &[0x02, 0xe2, 7, 8], &[0x00, 0x00]].concat());
    assert_eq!(said, [OWN_SETTINGS, &[0x02, 0xe3, 7, 8]].concat());
    assert_eq!(counters, lasthop_coap::CoapCounters::default());
}

/// RFC 8323 section 6: settings that take messages above 1152 B and blocks agree to several blocks at once.
#[test]
fn several_blocks_at_once_make_a_body() {
    let put = |head: &[u8], block: u8, payload: &[u8]| {
        [head, &[0x03, 0xb1, b'x', 0xd1, 3, block, 0xff], payload].concat()
    };
    let two_blocks = put(&[0xe0, 6, 0xf9], 0x0f, &[1; 2048]);
    let the_rest = put(&[0xd0, 3], 0x27, &[2; 10]);
    let get = [0x20, 0x01, 0xb1, b'x'];
    let takes_4096 = [0x30, 0xe1, 0x22, 0x10, 0x00];
    let (said, counters) = said_to(&[&takes_4096[..], &two_blocks, &the_rest, &get].concat());
    let answers = [
        [0x30, Code::CONTINUE.0, 0xd1, 14, 0x0f],
        [0x30, Code::CREATED.0, 0xd1, 14, 0x27],
    ];
    assert!(said.starts_with(&[OWN_SETTINGS, &answers.concat()].concat()));
    assert!(said.ends_with(&[vec![0xff], vec![1; 2048], vec![2; 10]].concat()));
    assert_eq!(counters, lasthop_coap::CoapCounters::default());
}

#[test]
fn a_peer_that_asks_and_never_reads_is_given_up() {
    let put = CoapRequest {
        payload: vec![7; 60_000],
        ..CoapRequest::new(MessageType::Confirmable, Code::PUT, "x")
    };
    let mut pair = pair_over(&Setting::reports(CON), 1000, 100_000);
    let now = pair.now;
    let (client, transport) = (&mut pair.client.application, &mut pair.client.transport);
    client.request(now, put, transport).unwrap();
    pair.run_seconds(2);
    let get: Vec<u8> = [0x20, 0x01, 0xb1, b'x'].repeat(30);
    set_room(&pair, [usize::MAX, 0]);
    say(&mut pair, &get);
    pair.run_seconds(2);
    assert_eq!(pair.server.application.counters().aborted, 1);
}

#[test]
fn messages_go_both_ways_over_tcp_with_loss() {
    use lasthop_contract::RandomStream;
    use lasthop_transport::{Tcp, TcpProfile};
    use lasthop_units::Probability;
    use std::sync::Arc;

    let tcp = |address, name| {
        let profile = Arc::new(TcpProfile::linux());
        Tcp::new(address, profile, RandomStream::named(1, name))
    };
    for push in [Push::Post, Push::Put, Push::Observe] {
        let setting = Setting {
            carrier: Carrier::Streams,
            ..Setting::pushes(CON, push)
        };
        let mut pair = Pair::new(
            (tcp(client_address(), "client/tcp"), setting.client()),
            (tcp(server_address(), "server/tcp"), setting.server()),
            1,
        );
        pair.start();
        pair.run_seconds(5);
        pair.wire.loss = Probability::new(0.1).unwrap();
        let all: Vec<u32> = (1..=200).collect();
        for number in &all {
            pair.report(*number, 300);
            pair.push(*number, 300);
            pair.run_for(Duration::from_millis(250));
        }
        pair.run_seconds(200);
        assert_eq!(pair.server.received(), all, "{push:?}");
        assert_eq!(pair.client.received(), all, "{push:?}");
        assert_eq!(pair.client.acknowledged(), all);
    }
}
