use std::sync::Arc;

use lasthop_contract::testing::Pair;
use lasthop_contract::{CloseReason, Direction, RandomStream, Transport, TransportEvent};
use lasthop_tls::{Group, ServerProfile, Tls, Version};
use lasthop_transport::{Tcp, TcpProfile};
use lasthop_units::Duration;

use crate::world::{DELAY, Setting, address, chunk};

// RFC 8446 section 6.
const INTERNAL_ERROR: u8 = 80;
const BAD_RECORD_MAC: u8 = 20;
const ILLEGAL_PARAMETER: u8 = 47;

fn tcp(address: &str) -> Tcp {
    let profile = Arc::new(TcpProfile::linux());
    let stream = RandomStream::named(3, address);
    Tcp::new(address.parse().unwrap(), profile, stream)
}

/// What a server does with a peer that writes these bytes, and what it answers.
fn told(bytes: &[u8], finishes: bool) -> (Option<CloseReason>, Vec<u8>) {
    told_by(Setting::new(Version::Newest), bytes, finishes)
}

fn told_by(setting: Setting, bytes: &[u8], finishes: bool) -> (Option<CloseReason>, Vec<u8>) {
    let server = ServerProfile::new(&setting.common, setting.server).unwrap();
    let random = Some(RandomStream::named(3, "host"));
    let mut host = Tls::new(tcp("192.0.2.1"), None, Some(server), random);
    host.listen(address().port()).unwrap();
    let mut ends = Pair::new(tcp("10.0.0.1"), host, DELAY);
    let now = ends.now();
    let id = ends.client.open(now, address(), &[]).unwrap();
    ends.client
        .write(now, id, Tcp::STREAM, &[chunk(bytes)])
        .unwrap();
    if finishes {
        ends.client.finish(now, id, Tcp::STREAM);
    }
    ends.run_for(Duration::from_secs(5));
    let closed = ends
        .take_events()
        .into_iter()
        .find_map(|it| match it.event {
            TransportEvent::Closed(reason) if it.end == Direction::Down => Some(reason),
            _ => None,
        });
    let now = ends.now();
    let mut room = [0; 4096];
    let answer = match ends.client.read(now, id, Tcp::STREAM, &mut room) {
        Ok(lasthop_contract::ReadOutcome::Read(count)) => room[..count].to_vec(),
        _ => Vec::new(),
    };
    (closed, answer)
}

#[test]
fn what_is_no_tls_is_answered_by_an_alert() {
    for bytes in [
        &b"GET / HTTP/1.1\r\n\r\n"[..],
        // A record of more than 2^14 + 256 bytes.
        &[22, 3, 1, 0xff, 0xff, 1, 0, 0, 0],
        &[23, 3, 3, 0, 4, 0, 0, 0, 0],
        // An empty record of a handshake.
        &[22, 3, 1, 0, 0],
        &[99, 3, 1, 0, 1, 0],
        // A hello of SSL 2.
        &[0x80, 0x2e, 1, 3, 1, 0, 5, 0, 0, 0, 16],
        // A hello that says nothing.
        &[22, 3, 1, 0, 4, 1, 0, 0, 0],
    ] {
        let (closed, answer) = told(bytes, false);
        let Some(CloseReason::Refused(alert)) = closed else {
            panic!("{bytes:?}: {closed:?}");
        };
        // Which of those that the RFC has is the library's choice.
        assert_ne!(alert, INTERNAL_ERROR, "{bytes:?}");
        assert_eq!(
            (answer[0], &answer[5..]),
            (21, &[2, alert][..]),
            "{bytes:?}"
        );
    }
}

#[test]
fn half_a_record_is_waited_for_and_its_end_is_a_truncation() {
    let (closed, answer) = told(&[22, 3, 1, 0, 100, 1, 0, 0, 96], false);
    assert_eq!((closed, answer), (None, Vec::new()));
    let (closed, _) = told(&[22, 3, 1, 0, 100, 1, 0, 0, 96], true);
    assert_eq!(closed, Some(CloseReason::Truncated));
    let (closed, _) = told(&[], true);
    assert_eq!(closed, Some(CloseReason::Truncated));
}

#[test]
fn an_end_that_anybody_can_write_is_none() {
    // The alert that nothing follows, while nothing is sealed.
    let (closed, _) = told(&[21, 3, 1, 0, 2, 1, 0], false);
    assert_eq!(closed, None);
    let (closed, _) = told(&[21, 3, 1, 0, 2, 1, 0], true);
    assert_eq!(closed, Some(CloseReason::Truncated));
}

#[test]
fn bytes_of_chance_never_make_a_connection() {
    let mut random = RandomStream::named(5, "hostile");
    for _ in 0..300 {
        let mut bytes: Vec<u8> = (0..random.below(400))
            .map(|_| random.below(256) as u8)
            .collect();
        // Half of them look like a record at first.
        if random.below(2) == 0 && bytes.len() > 5 {
            bytes[..3].copy_from_slice(&[20 + random.below(5) as u8, 3, 3]);
            bytes[3..5].copy_from_slice(&(random.below(300) as u16).to_be_bytes());
        }
        told(&bytes, random.below(2) == 0);
    }
}

#[test]
fn a_bit_that_is_turned_in_a_record_ends_the_connection() {
    for version in [Version::Tls12, Version::Tls13] {
        let mut world = Setting::new(version).world();
        let (here, _, _) = world.connect(b"");
        // Written below the session: a record that nobody sealed.
        let forged = [23, 3, 3, 0, 40]
            .into_iter()
            .chain([0x55; 40])
            .collect::<Vec<u8>>();
        let now = world.ends.now();
        let raw = world.ends.client.lower().lower();
        raw.write(now, here, Tcp::STREAM, &[chunk(&forged)])
            .unwrap();
        world.run(2);
        let reason = CloseReason::Refused(BAD_RECORD_MAC);
        assert_eq!(world.closed(Direction::Down), Some(reason), "{version:?}");
        let reason = CloseReason::PeerAlert(BAD_RECORD_MAC);
        assert_eq!(world.closed(Direction::Up), Some(reason), "{version:?}");
    }
}

#[test]
fn what_was_heard_is_worth_nothing_later() {
    // A first flight with early data, sent once more from elsewhere.
    let mut world = Setting::with_early_data().world();
    world.connect(b"");
    let before = world.written()[0].len();
    let (_, there, _) = world.connect(b"open the valve");
    assert_eq!(world.read(Direction::Down, there).0, b"open the valve");
    let flight = world.written()[0][before..].to_vec();
    world.forget();
    let now = world.ends.now();
    let raw = world.ends.client.lower().lower();
    let id = raw.open(now, address(), &[]).unwrap();
    raw.write(now, id, Tcp::STREAM, &[chunk(&flight)]).unwrap();
    world.run(5);
    let readable = world.first(Direction::Down, |it| {
        matches!(
            it,
            TransportEvent::Readable(_) | TransportEvent::Established(_)
        )
    });
    assert_eq!(readable, None, "the ticket was good once");
}

#[test]
fn who_never_ends_a_handshake_is_given_up() {
    let mut setting = Setting::new(Version::Newest);
    setting.server.patience = Some(Duration::from_secs(10));
    let server = ServerProfile::new(&setting.common, setting.server).unwrap();
    let random = Some(RandomStream::named(3, "host"));
    let mut host = Tls::new(tcp("192.0.2.1"), None, Some(server), random);
    host.listen(address().port()).unwrap();
    let mut ends = Pair::new(tcp("10.0.0.1"), host, DELAY);
    let now = ends.now();
    ends.client.open(now, address(), &[]).unwrap();
    ends.run_for(Duration::from_secs(60));
    let closed = ends.take_events().into_iter().find(|it| {
        it.end == Direction::Down && it.event == TransportEvent::Closed(CloseReason::TimedOut)
    });
    let at = closed.expect("it is closed").at;
    assert_eq!(at, now + DELAY * 3 + Duration::from_secs(10));
}

#[test]
fn a_key_of_ml_kem_that_cannot_be_is_refused() {
    let setting = || {
        let mut setting = Setting::new(Version::Tls13);
        setting.common.groups = vec![Group::X25519MlKem768];
        setting
    };
    let mut world = setting().world();
    world.open(b"");
    let [hello, _] = world.written();
    // The share of the group 0x11ec: 1184 B of ML-KEM, 32 of X25519.
    let share = [0x11, 0xec, 0x04, 0xc0];
    let start = hello.windows(4).position(|it| it == share).unwrap() + 4;
    let with = |damage: &dyn Fn(&mut [u8])| {
        let mut hello = hello.clone();
        damage(&mut hello[start..start + 1216]);
        told_by(setting(), &hello, false)
    };
    let (closed, answer) = with(&|_| {});
    assert_eq!((closed, answer[0]), (None, 22), "the hello is well");
    let refused = Some(CloseReason::Refused(ILLEGAL_PARAMETER));
    // Coefficients above the modulus 3329 (FIPS 203 section 7.2), and a point of small order (RFC 7748 section 6.1).
    assert_eq!(with(&|share| share[..3].fill(0xff)).0, refused);
    assert_eq!(with(&|share| share[1184..].fill(0)).0, refused);
}
