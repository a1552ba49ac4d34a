use lasthop_contract::Direction::{Down, Up};
use lasthop_contract::{
    CloseReason, Direction, Established, Keeping, OpenOptions, Survives, Transport, TransportInput,
};
use lasthop_dtls::{PreSharedKey, Settings, Version};
use lasthop_units::Duration;

use crate::certificates::Ends;
use crate::tap::{CLIENT_HELLO, SERVER_HELLO, is_message, replace};
use crate::world::{DELAY, Setting, World, address};

const HANDSHAKE_FAILURE: u8 = 40;
const DECRYPT_ERROR: u8 = 51;
/// Where a datagram with a hello has the length of its session identifier.
const SESSION: usize = 13 + 12 + 2 + 32;

fn setting(seed: u64) -> Setting {
    Setting {
        resumes: true,
        sessions: 8,
        ..Setting::new(seed)
    }
}

fn certificates(seed: u64, settings: &Settings, cookie: bool, both: bool) -> World {
    let ends = match both {
        true => Ends::both(Version::V1_2, seed),
        false => Ends::usual(Version::V1_2, seed),
    };
    let (client, server) = ends.profiles(settings, cookie);
    World::of(seed, client.resuming(), server.remembering(8))
}

/// A world whose client may resume a session that it has had.
fn with_session(setting: Setting) -> World {
    let mut world = setting.world();
    let (here, _) = world.connect();
    assert_eq!(how(&world), [Established::Full; 2]);
    world.close(here);
    world.forget();
    world
}

fn how(world: &World) -> [Established; 2] {
    [Up, Down].map(|end| world.how(end).expect("both ends have it"))
}

fn crash(world: &mut World, end: Direction, tickets: Keeping) {
    let now = world.ends.now();
    let survives = Survives {
        tickets,
        ..Survives::default()
    };
    world.end(end).handle(now, TransportInput::Crash(survives));
    if end == Down {
        world.ends.server.listen(address().port()).unwrap();
    }
}

#[test]
fn every_later_handshake_resumes_with_keys_and_certificates_cookies_and_connection_ids() {
    for cookie in [true, false] {
        for connection_id in [0, 8] {
            let settings = Settings {
                connection_id,
                ..Settings::default()
            };
            let by_key = Setting {
                common: settings,
                asks_for_cookie: cookie,
                ..setting(1)
            };
            let worlds = [
                by_key.world(),
                certificates(1, &settings, cookie, false),
                certificates(1, &settings, cookie, true),
            ];
            for mut world in worlds {
                let (here, _) = world.connect();
                assert_eq!(how(&world), [Established::Full; 2]);
                world.close(here);
                for _ in 0..5 {
                    let (here, there) = world.connect();
                    assert_eq!(how(&world), [Established::Resumed; 2]);
                    world.send(Up, here, b"there");
                    world.send(Down, there, b"and back");
                    world.run(1);
                    assert_eq!(world.received(Down, there), [b"there"]);
                    assert_eq!(world.received(Up, here), [b"and back"]);
                    world.close(here);
                }
            }
        }
    }
}

#[test]
fn a_resumed_handshake_takes_a_round_trip_less() {
    for (cookie, delays) in [(true, 4), (false, 2)] {
        let mut world = with_session(Setting {
            asks_for_cookie: cookie,
            ..setting(1)
        });
        let begun = world.ends.now();
        let id = world.open();
        world.send(Up, id, b"first");
        world.run(2);
        let after = |delays: u64| begun + Duration::from_nanos(DELAY.as_nanos() * delays);
        assert_eq!(world.established(Up).unwrap().0, after(delays));
        assert_eq!(world.established(Down).unwrap().0, after(delays + 1));
        // What waited leaves right behind the last flight.
        let there = world.established(Down).unwrap().1;
        assert_eq!(world.received(Down, there), [b"first"]);
    }
}

#[test]
fn two_runs_of_a_seed_agree_in_every_byte_of_resumed_handshakes() {
    let bytes = |seed| {
        let mut world = with_session(setting(seed));
        world.ends.lost = vec![(Up, 4), (Down, 4)];
        world.open();
        world.run(60);
        assert_eq!(how(&world), [Established::Resumed; 2]);
        (world.sent(Up), world.sent(Down))
    };
    assert_eq!(bytes(1), bytes(1));
    assert_ne!(bytes(1), bytes(2));
}

#[test]
fn every_loss_of_one_or_two_datagrams_of_a_resumed_handshake_is_made_good() {
    let cases = (0..4).flat_map(|number| (0..4).map(move |other| (number, other)));
    for (first, second) in cases
        .flat_map(|it| [(it, [Up, Up]), (it, [Up, Down]), (it, [Down, Down])])
        .map(|((a, b), ends)| ((ends[0], a), (ends[1], b)))
    {
        let mut world = with_session(setting(5));
        let sent = [Up, Down].map(|end| world.ends.sent(end));
        let lost = [first, second].map(|(end, number)| (end, sent[end as usize] + number));
        world.ends.lost = lost.to_vec();
        let id = world.open();
        world.run(60);
        assert_eq!(how(&world), [Established::Resumed; 2], "{lost:?}");
        world.ends.lost.clear();
        let (_, there) = world.established(Down).unwrap();
        world.send(Up, id, b"over");
        world.send(Down, there, b"and out");
        world.run(60);
        assert_eq!(world.received(Down, there), [b"over"], "{lost:?}");
        assert_eq!(world.received(Up, id), [b"and out"], "{lost:?}");
    }
}

#[test]
fn a_client_whose_last_flight_is_lost_sends_it_again_when_the_server_does() {
    let mut world = with_session(Setting {
        asks_for_cookie: false,
        ..setting(1)
    });
    let sent = world.ends.sent(Up);
    world.ends.lost = vec![(Up, sent + 1)];
    world.open();
    world.run(10);
    assert_eq!(how(&world), [Established::Resumed; 2]);
    let waited = world.established(Down).unwrap().0 - world.established(Up).unwrap().0;
    // Once the timer of the server, which the client has none of.
    assert!(waited > Duration::from_millis(700) && waited < Duration::from_millis(1_500));
}

#[test]
fn who_does_not_resume_names_no_session_and_is_given_none_by_who_keeps_none() {
    for (resumes, sessions) in [(true, 0), (false, 8), (false, 0)] {
        let mut world = Setting {
            resumes,
            sessions,
            ..Setting::new(1)
        }
        .world();
        for _ in 0..2 {
            let (here, _) = world.connect();
            assert_eq!(how(&world), [Established::Full; 2]);
            world.close(here);
        }
        let hellos = world.sent(Up).into_iter();
        let hellos = hellos.filter(|it| is_message(&it.bytes, CLIENT_HELLO));
        assert!(hellos.map(|it| it.bytes[SESSION]).all(|it| it == 0));
        let answers = world.sent(Down).into_iter();
        let answers = answers.filter(|it| is_message(&it.bytes, SERVER_HELLO));
        let given = if sessions > 0 { 32 } else { 0 };
        assert!(answers.map(|it| it.bytes[SESSION]).all(|it| it == given));
    }
}

#[test]
fn a_server_that_has_forgotten_makes_a_session_anew_which_is_resumed_then() {
    let mut world = with_session(setting(1));
    crash(&mut world, Down, Keeping::Memory);
    for expected in [Established::Full, Established::Resumed] {
        let (here, _) = world.connect();
        assert_eq!(how(&world), [expected; 2]);
        world.close(here);
    }
}

#[test]
fn sessions_outlive_a_crash_on_flash_alone() {
    for (keeping, expected) in [
        (Keeping::Memory, Established::Full),
        (Keeping::Flash, Established::Resumed),
    ] {
        for end in [Up, Down] {
            let mut world = with_session(setting(1));
            crash(&mut world, end, keeping);
            world.connect();
            assert_eq!(how(&world), [expected; 2], "{end:?}");
        }
    }
}

#[test]
fn a_session_is_resumed_up_to_its_lifetime_and_not_beyond() {
    let day = 24 * 3_600;
    // The close that ends the first one takes a second, the handshake two.
    for (waited, expected) in [(day - 60, Established::Resumed), (day, Established::Full)] {
        let mut world = with_session(setting(1));
        world.run(waited);
        world.connect();
        assert_eq!(how(&world), [expected; 2], "{waited}");
    }
    // A resumed session is as old as its first handshake.
    let mut world = with_session(setting(1));
    world.run(day - 3_600);
    let (here, _) = world.connect();
    assert_eq!(how(&world), [Established::Resumed; 2]);
    world.close(here);
    world.run(3_600);
    world.connect();
    assert_eq!(how(&world), [Established::Full; 2]);
}

#[test]
fn a_server_remembers_as_many_sessions_as_it_has_room_for() {
    let mut world = Setting {
        sessions: 1,
        ..setting(1)
    }
    .world();
    let device = |seed| {
        let identity = format!("device-{seed}");
        let key = PreSharedKey::of_run(1, &identity);
        Setting {
            key,
            ..setting(seed)
        }
        .world()
        .ends
        .client
    };
    let mut others = [device(2), device(3)];
    for expected in [Established::Full, Established::Full, Established::Full] {
        let (here, _) = world.connect();
        assert_eq!(how(&world), [expected; 2]);
        world.close(here);
        // The session of the next one takes the place of this one's.
        core::mem::swap(&mut world.ends.client, &mut others[0]);
        others.rotate_left(1);
    }
    let (here, _) = world.connect();
    world.close(here);
    world.connect();
    assert_eq!(how(&world), [Established::Resumed; 2]);
}

#[test]
fn a_stolen_identifier_opens_nothing_and_takes_nothing_from_its_owner() {
    let mut world = with_session(setting(1));
    let first = world.sent(Up).len();
    let (here, there) = world.connect();
    assert_eq!(how(&world), [Established::Resumed; 2]);
    // Who has seen the handshake replays it, cookie and all, from the same address.
    let seen = world.sent(Up);
    let seen = &seen[first..];
    assert!(is_message(&seen[1].bytes, CLIENT_HELLO) && seen[1].bytes[SESSION] == 32);
    let local_port = world.ends.server.peer(there).map(|it| it.port());
    world.close(here);
    world.forget();
    let answers = world.sent(Down).len();
    for datagram in seen {
        let options = OpenOptions {
            local_port,
            ..OpenOptions::default()
        };
        let now = world.ends.now();
        let udp = world.ends.client.lower().lower();
        let flow = udp.open_with(now, address(), options, &[]).unwrap();
        world.inject(flow, &datagram.bytes);
        world.run(3);
    }
    let answers = world.sent(Down).split_off(answers);
    assert!(answers.iter().any(|it| is_message(&it.bytes, SERVER_HELLO)));
    world.run(300);
    assert_eq!(world.established(Down), None);
    world.connect();
    assert_eq!(how(&world), [Established::Resumed; 2]);
}

#[test]
fn another_identity_with_the_identifier_has_no_session() {
    let mut world = with_session(setting(1));
    let (here, _) = world.connect();
    let hello = world
        .sent(Up)
        .iter()
        .rfind(|it| is_message(&it.bytes, CLIENT_HELLO))
        .unwrap()
        .clone();
    world.close(here);
    // The other device has a key of its own that the server knows.
    let other = Setting {
        key: PreSharedKey::of_run(1, "device-1"),
        ..setting(1)
    };
    world.ends.client = other.world().ends.client;
    world.ends.client.lower().change = Some(name_session);
    STOLEN.set(hello.bytes[SESSION..SESSION + 33].to_vec());
    world.forget();
    world.open();
    world.run(400);
    assert_eq!((world.how(Up), world.how(Down)), (None, None));
}

thread_local! {
    static STOLEN: core::cell::RefCell<Vec<u8>> = const { core::cell::RefCell::new(Vec::new()) };
}

/// Names the stolen session in a hello that names none.
fn name_session(bytes: &mut Vec<u8>) {
    if is_message(bytes, CLIENT_HELLO) && bytes[SESSION] == 0 {
        bytes.splice(SESSION..=SESSION, STOLEN.with_borrow(Clone::clone));
        for place in [12, 16, 24] {
            bytes[place] += 32;
        }
    }
}

#[test]
fn a_hello_that_names_a_session_without_its_suite_or_its_extended_master_secret_is_refused() {
    let changes: [fn(&mut Vec<u8>); 2] = [
        // Of the suite, ECDHE_ECDSA in place of PSK.
        |it| replace(it, CLIENT_HELLO, &[0, 2, 0xc0, 0xa8], &[0, 2, 0xc0, 0xae]),
        // Of the extension (RFC 7627 section 5.1), one that nobody knows.
        |it| replace(it, CLIENT_HELLO, &[0, 23, 0, 0], &[0xfa, 0xfa, 0, 0]),
    ];
    for change in changes {
        let mut world = with_session(setting(1));
        world.ends.client.lower().change = Some(change);
        world.open();
        world.run(60);
        assert_eq!(
            world.closed(Up),
            Some(CloseReason::PeerAlert(HANDSHAKE_FAILURE))
        );
        assert_eq!(
            world.closed(Down),
            Some(CloseReason::Refused(HANDSHAKE_FAILURE))
        );
        // The client was told by an alert, and begins anew.
        world.ends.client.lower().change = None;
        world.connect();
        assert_eq!(how(&world), [Established::Full; 2]);
    }
}

#[test]
fn a_server_that_resumes_with_another_suite_or_without_extended_master_secret_is_refused() {
    let changes: [fn(&mut Vec<u8>); 2] = [
        |it| replace(it, SERVER_HELLO, &[0xc0, 0xa8, 0], &[0xc0, 0xae, 0]),
        |it| replace(it, SERVER_HELLO, &[0, 23, 0, 0], &[0xfa, 0xfa, 0, 0]),
    ];
    for change in changes {
        let mut world = with_session(setting(1));
        world.ends.server.lower().change = Some(change);
        world.open();
        world.run(60);
        assert_eq!(
            world.closed(Up),
            Some(CloseReason::Refused(HANDSHAKE_FAILURE))
        );
        assert_eq!(world.established(Down), None);
        world.ends.server.lower().change = None;
        world.connect();
        assert_eq!(how(&world), [Established::Full; 2]);
    }
}

#[test]
fn a_client_that_a_server_resumes_with_other_keys_begins_anew_the_next_time() {
    let mut world = with_session(setting(1));
    world.ends.server.lower().change = Some(|bytes| {
        if is_message(bytes, SERVER_HELLO) {
            *bytes.last_mut().unwrap() ^= 1;
        }
    });
    world.open();
    world.run(60);
    assert_eq!(world.closed(Up), Some(CloseReason::Refused(DECRYPT_ERROR)));
    assert_eq!(world.established(Down), None);
    world.ends.server.lower().change = None;
    world.connect();
    assert_eq!(how(&world), [Established::Full; 2]);
}

#[test]
fn a_client_that_nobody_answers_keeps_its_session() {
    let mut world = with_session(setting(1));
    let sent = world.ends.sent(Up);
    world.ends.lost = (sent..sent + 50).map(|number| (Up, number)).collect();
    world.open();
    world.run(400);
    assert_eq!(world.closed(Up), Some(CloseReason::TimedOut));
    world.ends.lost.clear();
    world.connect();
    assert_eq!(how(&world), [Established::Resumed; 2]);
}

#[test]
fn bits_that_flip_in_a_resumed_handshake_end_it_or_are_made_good() {
    for bit in (0..150 * 8).step_by(7) {
        for end in [Up, Down] {
            let mut world = with_session(setting(1));
            BIT.set(bit);
            world.end(end).lower().change = Some(|bytes| {
                let bit = BIT.get();
                if let Some(byte) = bytes.get_mut(bit / 8) {
                    *byte ^= 1 << (bit % 8);
                    BIT.set(usize::MAX);
                }
            });
            let id = world.open();
            world.send(Up, id, b"mine");
            world.run(400);
            if let Some((_, there)) = world.established(Down) {
                let received = world.received(Down, there);
                assert!(received.is_empty() || received == [b"mine"]);
            }
            world.end(end).lower().change = None;
            world.forget();
            world.open();
            world.run(400);
            assert!(world.established(Up).is_some(), "{bit} {end:?}");
        }
    }
}

thread_local! {
    static BIT: core::cell::Cell<usize> = const { core::cell::Cell::new(0) };
}
