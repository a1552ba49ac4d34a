//! Suites that seal nothing are neither taken nor borne, whoever names them.

use std::sync::Arc;

use lasthop_contract::testing::Pair;
use lasthop_contract::{
    CloseReason, Direction, RandomStream, ReadOutcome, Transport, TransportEvent,
};
use lasthop_tls::{ClientProfile, ServerProfile, Tls, Version};
use lasthop_transport::{Tcp, TcpProfile};
use lasthop_units::Duration;

use crate::world::{DELAY, Setting, address, chunk};

// RFC 8446 section 6.
const HANDSHAKE_FAILURE: u8 = 40;

/// `TLS_RSA_WITH_NULL_MD5`, `_SHA` and `_SHA256` (RFC 5246), `TLS_ECDH_ECDSA`, `TLS_ECDHE_ECDSA`, `TLS_ECDHE_RSA` and
/// `TLS_ECDH_anon` with `NULL_SHA` (RFC 8422), `TLS_SHA256_SHA256` and `TLS_SHA384_SHA384` (RFC 9150).
const NULL: [u16; 9] = [
    0x0001, 0x0002, 0x003b, 0xc001, 0xc006, 0xc010, 0xc015, 0xc0b4, 0xc0b5,
];
/// `TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256`, `TLS_AES_128_GCM_SHA256`: what both ends have.
const SEALED: [u16; 2] = [0xc02b, 0x1301];

fn tcp(address: &str) -> Tcp {
    let stream = RandomStream::named(3, address);
    Tcp::new(
        address.parse().unwrap(),
        Arc::new(TcpProfile::linux()),
        stream,
    )
}

fn counted<const WIDTH: usize>(bytes: &[u8]) -> Vec<u8> {
    let length = (bytes.len() as u32).to_be_bytes();
    [&length[4 - WIDTH..], bytes].concat()
}

fn extension(kind: u16, bytes: &[u8]) -> Vec<u8> {
    [&kind.to_be_bytes()[..], &counted::<2>(bytes)].concat()
}

/// A message of a handshake in a record of its own.
fn record(kind: u8, body: &[u8]) -> Vec<u8> {
    let message = [&[kind][..], &counted::<3>(body)].concat();
    [&[22, 3, 3][..], &counted::<2>(&message)].concat()
}

/// Whether a suite is one of TLS 1.3.
const fn is_new(suite: u16) -> bool {
    matches!(suite, 0xc0b4 | 0xc0b5 | 0x1301)
}

/// A hello of a client that offers these, in the versions that have them.
fn client_hello(suites: &[u16]) -> Vec<u8> {
    let new: &[u8] = match suites.iter().any(|it| is_new(*it)) {
        true => &[3, 4, 3, 3],
        false => &[3, 3],
    };
    let suites: Vec<u8> = suites.iter().flat_map(|it| it.to_be_bytes()).collect();
    let share = [&[0, 29][..], &counted::<2>(&[9; 32])].concat();
    let extensions = [
        extension(10, &counted::<2>(&[0, 29])),
        extension(11, &[1, 0]),
        extension(13, &counted::<2>(&[4, 3, 8, 4])),
        extension(23, &[]),
        extension(43, &counted::<1>(new)),
        extension(51, &counted::<2>(&share)),
    ];
    let body = [
        &[3, 3][..],
        &[7; 32],
        &[0],
        &counted::<2>(&suites),
        &[1, 0],
        &counted::<2>(&extensions.concat()),
    ];
    record(1, &body.concat())
}

/// A hello of a server that chooses this, in the version that has it.
fn server_hello(suite: u16, session: &[u8]) -> Vec<u8> {
    let extensions = match is_new(suite) {
        true => {
            let share = [&[0, 29][..], &counted::<2>(&[9; 32])].concat();
            [extension(43, &[3, 4]), extension(51, &share)].concat()
        }
        false => extension(23, &[]),
    };
    let body = [
        &[3, 3][..],
        &[7; 32],
        &counted::<1>(session),
        &suite.to_be_bytes(),
        &[0],
        &counted::<2>(&extensions),
    ];
    record(2, &body.concat())
}

#[test]
fn a_client_that_offers_only_suites_without_a_cipher_is_refused() {
    let told = |suites: &[u16]| {
        let setting = Setting::new(Version::Newest);
        let server = ServerProfile::new(&setting.common, setting.server).unwrap();
        let random = Some(RandomStream::named(3, "host"));
        let mut host = Tls::new(tcp("192.0.2.1"), None, Some(server), random);
        host.listen(address().port()).unwrap();
        let mut ends = Pair::new(tcp("10.0.0.1"), host, DELAY);
        let now = ends.now();
        let hello = client_hello(suites);
        let id = ends.client.open(now, address(), &[chunk(&hello)]).unwrap();
        ends.run_for(Duration::from_secs(5));
        let (now, mut room) = (ends.now(), [0; 7]);
        let read = ends.client.read(now, id, Tcp::STREAM, &mut room);
        assert_eq!(read, Ok(ReadOutcome::Read(7)), "{suites:x?}");
        room
    };
    let refused = [21, 3, 3, 0, 2, 2, HANDSHAKE_FAILURE];
    assert_eq!(told(&NULL), refused);
    for suite in NULL {
        assert_eq!(told(&[suite]), refused, "{suite:x}");
    }
    // Beside others they are passed over.
    assert_eq!(told(&[NULL[2], NULL[4], SEALED[0]])[0], 22);
    assert_eq!(told(&[NULL[7], NULL[8], SEALED[1]])[0], 22);
}

#[test]
fn a_server_that_chooses_a_suite_without_a_cipher_is_refused() {
    let closed = |suite: u16| {
        let setting = Setting::new(Version::Newest);
        let client = ClientProfile::new(&setting.common, setting.client).unwrap();
        let random = Some(RandomStream::named(3, "device"));
        let device = Tls::new(tcp("10.0.0.1"), Some(client), None, random);
        let mut host = tcp("192.0.2.1");
        host.listen(address().port()).unwrap();
        let mut ends = Pair::new(device, host, DELAY);
        let now = ends.now();
        ends.client.open(now, address(), &[]).unwrap();
        ends.run_for(Duration::from_secs(1));
        let (now, mut hello) = (ends.now(), [0; 4096]);
        let heard = ends.take_events();
        let id = heard
            .iter()
            .find(|it| it.end == Direction::Down)
            .unwrap()
            .connection;
        ends.server.read(now, id, Tcp::STREAM, &mut hello).unwrap();
        // What the client names its session by, behind a header of nine bytes, a version and a random number.
        let session = &hello[44..][..usize::from(hello[43])];
        let answer = server_hello(suite, if is_new(suite) { session } else { &[] });
        ends.server
            .write(now, id, Tcp::STREAM, &[chunk(&answer)])
            .unwrap();
        ends.run_for(Duration::from_secs(1));
        ends.take_events()
            .into_iter()
            .find_map(|it| match it.event {
                TransportEvent::Closed(reason) if it.end == Direction::Up => Some(reason),
                _ => None,
            })
    };
    let refused = Some(CloseReason::Refused(HANDSHAKE_FAILURE));
    for suite in NULL {
        assert_eq!(closed(suite), refused, "{suite:x}");
    }
    // A suite that was offered goes on to the certificate.
    assert_eq!(closed(SEALED[0]), None);
}
