use lasthop_contract::Direction::{Down, Up};
use lasthop_contract::{CloseReason, ConnectionId, RandomStream, Transport};

use crate::tap::{CLIENT_HELLO, SERVER_HELLO, replace};
use crate::world::{Setting, address};

// RFC 5246 section 7.2.
const HANDSHAKE_FAILURE: u8 = 40;

/// The flow of the client below its first connection.
const FLOW: ConnectionId = ConnectionId(0);

#[test]
fn a_replayed_record_is_not_delivered_twice() {
    let mut world = Setting::new(1).world();
    let (here, there) = world.connect();
    world.send(Up, here, b"once");
    world.run(1);
    let record = world.sent(Up).last().unwrap().bytes.clone();
    for _ in 0..3 {
        world.inject(FLOW, &record);
    }
    world.run(1);
    assert_eq!(world.received(Down, there), [b"once"]);
    // Behind the window of 64 (RFC 6347 section 4.1.2.6) as well.
    for number in 0..100_u8 {
        world.send(Up, here, &[number]);
    }
    world.inject(FLOW, &record);
    world.run(1);
    assert_eq!(world.received(Down, there).len(), 100);
}

#[test]
fn records_of_the_handshake_harm_no_session() {
    let mut world = Setting::new(1).world();
    let (here, there) = world.connect();
    let earlier: Vec<Vec<u8>> = world.sent(Up).iter().map(|it| it.bytes.clone()).collect();
    for datagram in &earlier {
        world.inject(FLOW, datagram);
        world.run(5);
    }
    world.send(Up, here, b"still");
    world.run(5);
    assert_eq!(world.received(Down, there), [b"still"]);
    assert!(world.closed(Down).is_none());
}

#[test]
fn what_is_cut_or_changed_is_dropped_and_the_session_goes_on() {
    let mut world = Setting::new(1).world();
    let (here, there) = world.connect();
    world.send(Up, here, b"a word that is sealed");
    let record = world.sent(Up).last().unwrap().bytes.clone();
    world.run(1);
    assert_eq!(world.received(Down, there).len(), 1);
    for length in 0..record.len() {
        world.inject(FLOW, &record[..length]);
    }
    for bit in 0..record.len() * 8 {
        let mut changed = record.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        world.inject(FLOW, &changed);
    }
    let mut oversized = record.clone();
    oversized[11..13].copy_from_slice(&u16::MAX.to_be_bytes());
    oversized.resize(13 + usize::from(u16::MAX) - 200, 0);
    world.inject(FLOW, &oversized);
    world.run(1);
    assert_eq!(world.received(Down, there), Vec::<Vec<u8>>::new());
    world.send(Up, here, b"still");
    world.run(1);
    assert_eq!(world.received(Down, there), [b"still"]);
}

#[test]
fn bits_that_flip_in_a_handshake_end_it_or_are_made_good() {
    let mut random = RandomStream::named(1, "flips");
    for number in 0..200 {
        let mut world = Setting::new(number).world();
        world.open();
        for _ in 0..4 {
            world.run_for(crate::world::DELAY);
            let Some(mut bytes) = world.sent(Up).last().map(|it| it.bytes.clone()) else {
                continue;
            };
            let place = random.below(bytes.len() as u64) as usize;
            bytes[place] ^= 1 << random.below(8);
            world.inject(FLOW, &bytes);
        }
        // Whatever comes of it, both ends live on.
        world.run(400);
        let again = world.open();
        world.run(60);
        let is_there = world.first(Up, |_| true).is_some();
        assert!(
            is_there && world.ends.client.peer(again).is_some(),
            "{number}"
        );
    }
}

#[test]
fn a_flood_of_hellos_without_a_cookie_leaves_nothing_behind() {
    let mut world = Setting::new(1).world();
    world.open();
    world.run(1);
    let hello = world.sent(Up)[0].bytes.clone();
    let now = world.ends.now();
    for port in 0..1_000 {
        let udp = world.ends.client.lower().lower();
        let options = lasthop_contract::OpenOptions {
            local_port: Some(10_000 + port),
            ..Default::default()
        };
        let flow = udp.open_with(now, address(), options, &[]).unwrap();
        world.inject(flow, &hello);
    }
    world.run(1);
    assert_eq!(format!("{:?}", world.ends.server), "Dtls(1 connections)");
    // Each was asked for its cookie, by fewer bytes than it sent.
    let asked = world.sent(Down);
    assert!(asked.len() > 1_000);
    let requests = asked.iter().filter(|it| it.bytes.get(13) == Some(&3));
    assert!(requests.map(|it| it.bytes.len()).all(|it| it < hello.len()));
}

#[test]
fn suites_without_a_cipher_are_neither_taken_nor_borne() {
    // TLS_PSK_WITH_NULL_SHA (RFC 4785), TLS_PSK_WITH_NULL_SHA256 (RFC 5487), TLS_ECDHE_ECDSA_WITH_NULL_SHA (RFC 8422).
    let offered: [fn(&mut Vec<u8>); 3] = [
        |it| replace(it, CLIENT_HELLO, &[0, 2, 0xc0, 0xa8], &[0, 2, 0x00, 0x2c]),
        |it| replace(it, CLIENT_HELLO, &[0, 2, 0xc0, 0xa8], &[0, 2, 0x00, 0xb0]),
        |it| replace(it, CLIENT_HELLO, &[0, 2, 0xc0, 0xa8], &[0, 2, 0xc0, 0x06]),
    ];
    for change in offered {
        let mut world = Setting::new(1).world();
        world.ends.client.lower().change = Some(change);
        world.open();
        world.run(60);
        let refused = [
            Some(CloseReason::PeerAlert(HANDSHAKE_FAILURE)),
            Some(CloseReason::Refused(HANDSHAKE_FAILURE)),
        ];
        assert_eq!([world.closed(Up), world.closed(Down)], refused);
    }
    let chosen: [fn(&mut Vec<u8>); 3] = [
        |it| replace(it, SERVER_HELLO, &[0xc0, 0xa8, 0], &[0x00, 0x2c, 0]),
        |it| replace(it, SERVER_HELLO, &[0xc0, 0xa8, 0], &[0x00, 0xb0, 0]),
        |it| replace(it, SERVER_HELLO, &[0xc0, 0xa8, 0], &[0xc0, 0x06, 0]),
    ];
    for change in chosen {
        let mut world = Setting::new(1).world();
        world.ends.server.lower().change = Some(change);
        world.open();
        world.run(60);
        let refused = Some(CloseReason::Refused(HANDSHAKE_FAILURE));
        assert_eq!(world.closed(Up), refused);
        assert_eq!(world.established(Down), None);
    }
}
