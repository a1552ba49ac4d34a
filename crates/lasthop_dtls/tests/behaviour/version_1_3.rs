//! DTLS 1.3 (RFC 9147): what is not as in DTLS 1.2.

use std::collections::BTreeMap;

use lasthop_contract::Direction::{Down, Up};
use lasthop_contract::{Cause, CloseReason, Layer, ResetReason, Transport};
use lasthop_dtls::{ClientProfile, ServerProfile, Settings, Version};
use lasthop_units::{Duration, Instant};

use crate::certificates::Ends;
use crate::tap::{CLIENT_HELLO, replace};
use crate::world::{DELAY, World};

const NEW: Version = Version::V1_3;

fn after(delays: u64) -> Instant {
    Instant::ZERO + Duration::from_nanos(DELAY.as_nanos() * delays)
}

fn without_cookie(seed: u64) -> World {
    Ends::usual(NEW, seed).world_of(seed, &Settings::default(), false)
}

#[test]
fn a_handshake_takes_one_round_trip_and_one_more_for_the_cookie() {
    for (mut world, delays) in [(Ends::usual(NEW, 1).world(1), 4), (without_cookie(1), 2)] {
        world.connect();
        // The server has it with the last flight of the client.
        assert_eq!(world.established(Up).unwrap().0, after(delays));
        assert_eq!(world.established(Down).unwrap().0, after(delays + 1));
    }
}

#[test]
fn every_loss_of_one_datagram_is_made_good() {
    for both in [false, true] {
        for end in [Up, Down] {
            for number in 0..3 {
                let ends = if both { Ends::both } else { Ends::usual };
                let mut world = ends(NEW, 5).world(5);
                world.ends.lost = vec![(end, number)];
                let id = world.open();
                world.run(30);
                let name = format!("{both} {end:?} {number}");
                assert!(world.established(Up).is_some(), "{name}");
                let (_, there) = world.established(Down).expect(&name);
                world.send(Up, id, b"over");
                world.run(30);
                let received = world.received(Down, there);
                assert!(received.contains(&b"over".to_vec()), "{name}");
            }
        }
    }
}

#[test]
fn a_lost_flight_is_sent_again_after_its_timer_and_what_was_acknowledged_is_not() {
    // The flight of the server in many datagrams, one of which is lost: what came is acknowledged, the rest alone is sent
    // again (RFC 9147 section 7.1).
    let settings = Settings {
        largest_datagram: 250,
        ..Settings::default()
    };
    let sent = |lost: Vec<_>| {
        let mut world = Ends::usual(NEW, 1).world_of(1, &settings, true);
        world.ends.lost = lost;
        world.open();
        world.run(30);
        assert!(world.established(Up).is_some());
        world.sent(Down)
    };
    let whole = sent(Vec::new());
    let flight = whole.len();
    let with_loss = sent(vec![(Down, 3)]);
    let again: Vec<_> = with_loss
        .iter()
        .flat_map(|it| &it.spans)
        .filter(|(it, _)| it.cause == Cause::Retransmission)
        .map(|(_, length)| length)
        .collect();
    assert!(!again.is_empty());
    assert!(
        with_loss.len() < 2 * flight - 2,
        "{} of {flight} were sent once more",
        with_loss.len()
    );
}

type Sums = BTreeMap<(Layer, Cause), usize>;

fn sums(world: &mut World, end: lasthop_contract::Direction) -> Sums {
    let mut sums = Sums::new();
    for datagram in world.sent(end) {
        let labelled: usize = datagram.spans.iter().map(|(_, length)| length).sum();
        assert_eq!(labelled, datagram.bytes.len());
        for (it, length) in datagram.spans {
            *sums.entry((it.layer, it.cause)).or_default() += length;
        }
    }
    sums
}

/// Of a record in the clear (RFC 9147 section 4).
const PLAIN: usize = 13;
/// The unified header, the kind behind the content and the tag of GCM.
const SEALED: usize = 1 + 2 + 2 + 1 + 16;
const MESSAGE: usize = 12;
const FINISHED: usize = MESSAGE + 32;
/// The number of a record: epoch and number of 8 bytes each, behind the length of all (RFC 9147 section 7).
const ACK_OF_ONE: usize = 2 + 16;

#[test]
fn every_byte_is_known_by_what_it_was_before_it_was_sealed() {
    let mut world = Ends::usual(NEW, 4).world(4);
    let (here, there) = world.connect();
    world.send(Up, here, &[1; 100]);
    world.send(Up, here, &[1; 200]);
    world.send(Down, there, &[1; 1000]);
    let now = world.ends.now();
    world.ends.client.reset(now, here, ResetReason::NotNeeded);
    world.run(2);
    // Versions, groups, a share of P-256, signatures.
    let share = 2 + 2 + 65;
    let extensions = (4 + 3) + (4 + 2 + 2) + (4 + 2 + share) + (4 + 2 + 4);
    let hello = MESSAGE + 2 + 32 + 1 + 1 + 2 + 2 + 2 + 2 + extensions;
    let (cookie, around_it) = (65, 4 + 2);
    assert_eq!(
        sums(&mut world, Up),
        Sums::from([
            (
                (Layer::Dtls, Cause::SessionSetUp),
                2 * hello + around_it + FINISHED
            ),
            ((Layer::Dtls, Cause::AddressValidation), cookie),
            // Two hellos; finished, two of data, the alert.
            ((Layer::Dtls, Cause::Header), 2 * PLAIN + 4 * SEALED),
            ((Layer::Application, Cause::Payload), 300),
            ((Layer::Dtls, Cause::SessionTearDown), 2),
        ])
    );
    let down = sums(&mut world, Down);
    let retry = MESSAGE + 2 + 32 + 1 + 2 + 1 + 2 + (4 + 2) + 4 + 2 + cookie;
    assert_eq!(down[&(Layer::Dtls, Cause::AddressValidation)], retry);
    assert_eq!(down[&(Layer::Dtls, Cause::Acknowledgement)], ACK_OF_ONE);
    assert_eq!(down[&(Layer::Application, Cause::Payload)], 1000);
}

#[test]
fn a_cookie_that_was_changed_is_none() {
    let mut world = Ends::usual(NEW, 7).world(7);
    world.ends.lost = vec![(Up, 1)];
    world.open();
    world.run_for(Duration::from_millis(150));
    let mut second = world.sent(Up)[1].bytes.clone();
    assert_eq!(world.sent(Down).len(), 1, "the request alone");
    // A bit of the cookie, which is the last extension.
    *second.last_mut().unwrap() ^= 1;
    world.inject(lasthop_contract::ConnectionId(0), &second);
    world.run_for(Duration::from_millis(300));
    assert_eq!(world.sent(Down).len(), 2, "it is asked anew");
    assert!(world.established(Down).is_none());
}

#[test]
fn a_client_that_was_switched_off_begins_anew_from_its_old_address() {
    let mut world = Ends::usual(NEW, 6).world(6);
    let (_, old) = world.connect();
    let now = world.ends.now();
    let crash = lasthop_contract::TransportInput::Crash(lasthop_contract::Survives::default());
    world.ends.client.handle(now, crash);
    world.forget();
    let id = world.open();
    world.run(5);
    let (_, new) = world.established(Down).unwrap();
    assert_ne!(old, new);
    world.send(Up, id, b"again");
    world.run(1);
    assert_eq!(world.received(Down, new), [b"again"]);
}

/// RFC 5246 section 7.2.2.
const PROTOCOL_VERSION: u8 = 70;
const HANDSHAKE_FAILURE: u8 = 40;

#[test]
fn two_versions_do_not_meet_and_the_server_says_so() {
    for (ours, theirs, told) in [
        (Version::V1_2, NEW, PROTOCOL_VERSION),
        // None of its suites is one of the older version.
        (NEW, Version::V1_2, HANDSHAKE_FAILURE),
    ] {
        let settings = Settings::default();
        let client = ClientProfile::with_certificates(&settings, ours, None, None).unwrap();
        let shown = Ends::usual(theirs, 1).server();
        let server = ServerProfile::with_certificate(&settings, theirs, shown, None, false);
        let mut world = World::of(1, client, server.unwrap());
        world.open();
        world.run(300);
        assert!(world.established(Up).is_none());
        assert_eq!(world.closed(Up), Some(CloseReason::PeerAlert(told)));
    }
}

#[test]
fn a_client_without_a_suite_or_group_of_the_server_is_told_so_and_leaves_nothing_behind() {
    // AES-256 alone, integrity without a cipher alone (RFC 9150), and P-384 alone.
    let changes: [fn(&mut Vec<u8>); 3] = [
        |it| replace(it, CLIENT_HELLO, &[0, 2, 0x13, 0x01], &[0, 2, 0x13, 0x02]),
        |it| replace(it, CLIENT_HELLO, &[0, 2, 0x13, 0x01], &[0, 2, 0xc0, 0xb4]),
        |it| {
            replace(
                it,
                CLIENT_HELLO,
                &[0, 10, 0, 4, 0, 2, 0, 23],
                &[0, 10, 0, 4, 0, 2, 0, 24],
            );
        },
    ];
    for change in changes {
        for mut world in [Ends::usual(NEW, 1).world(1), without_cookie(1)] {
            world.ends.client.lower().change = Some(change);
            world.open();
            world.run(60);
            let told = Some(CloseReason::PeerAlert(HANDSHAKE_FAILURE));
            assert_eq!(world.closed(Up), told);
            assert_eq!(world.closed(Down), None);
            let answers = world.sent(Down);
            assert_eq!(answers.len(), 1);
            assert_eq!(answers[0].bytes.len(), PLAIN + 2);
        }
    }
}
