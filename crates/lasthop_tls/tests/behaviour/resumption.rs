use lasthop_contract::{
    Direction, Established, Keeping, ReadOutcome, Survives, Transport, TransportEvent,
    TransportInput,
};
use lasthop_tls::Version;

use crate::world::{DELAY, Setting, World};

fn close(world: &mut World, id: lasthop_contract::ConnectionId) {
    let now = world.ends.now();
    world
        .ends
        .client
        .finish(now, id, lasthop_transport::Tcp::STREAM);
    world.run(1);
}

#[test]
fn every_later_connection_resumes() {
    for version in [Version::Tls12, Version::Tls13] {
        let mut world = Setting::new(version).world();
        assert_eq!(world.connect(b"").2, [Established::Full; 2]);
        for number in 0..20 {
            let (id, _, how) = world.connect(b"");
            assert_eq!(how, [Established::Resumed; 2], "{version:?} {number}");
            close(&mut world, id);
        }
    }
}

#[test]
fn a_resumed_handshake_shows_no_certificate() {
    let mut world = Setting::new(Version::Tls13).world();
    world.connect(b"");
    let full = world.written()[1].len();
    world.connect(b"");
    let resumed = world.written()[1].len() - full;
    assert!(full > 2 * resumed, "{full} {resumed}");
}

#[test]
fn a_ticket_is_good_once() {
    let mut world = Setting::new(Version::Tls13).world();
    world.connect(b"");
    world.forget();
    let opened: Vec<_> = (0..3).map(|_| world.open(b"")).collect();
    world.run(2);
    let log = world.log();
    let how = |id| {
        log.iter().find_map(|it| match it.3 {
            TransportEvent::Established(how) if (it.1, it.2) == (Direction::Up, id) => Some(how),
            _ => None,
        })
    };
    let all: Vec<_> = opened.iter().map(|id| how(*id)).collect();
    let (resumed, full) = (Some(Established::Resumed), Some(Established::Full));
    assert_eq!(all, [resumed, resumed, full], "there were two tickets");
}

#[test]
fn a_server_without_room_for_the_fleet_ends_resumption() {
    let resumed_of = |clients: usize, room: usize| {
        let mut setting = Setting::new(Version::Tls13);
        // One client with as many connections stands for a fleet: a session is a session.
        setting.server.sessions = room;
        setting.server.tickets = 2;
        let mut world = setting.world();
        let all = clients.min(8);
        for _ in 0..all {
            world.open(b"");
        }
        world.run(2);
        world.forget();
        for _ in 0..all {
            world.open(b"");
        }
        world.run(2);
        let resumed = TransportEvent::Established(Established::Resumed);
        let there =
            |it: &&(_, Direction, _, TransportEvent)| it.1 == Direction::Down && it.3 == resumed;
        world.log().iter().filter(there).count()
    };
    assert_eq!(resumed_of(8, 1000), 8);
    assert_eq!(resumed_of(8, 4), 4);
    assert_eq!(resumed_of(8, 0), 0);
}

#[test]
fn early_data_arrives_with_the_hello_and_is_answered_within_the_round_trip() {
    let mut world = Setting::with_early_data().world();
    assert_eq!(world.connect(b"first").2, [Established::Full; 2]);
    world.forget();
    let opened = world.ends.now();
    world.open(b"second");
    // The handshake of TCP, and half a round trip.
    world.ends.run_for(DELAY * 3);
    let (at, there, how) = {
        world.run(0);
        world.how(Direction::Down).expect("the server has it")
    };
    assert_eq!((at, how), (opened + DELAY * 3, Established::Early));
    assert_eq!(world.read(Direction::Down, there).0, b"second");
    assert_eq!(world.write(Direction::Down, there, b"answer"), 6);
    world.ends.run_for(DELAY);
    world.run(0);
    let (at, here, how) = world.how(Direction::Up).expect("the client has it");
    assert_eq!((at, how), (opened + DELAY * 4, Established::Early));
    assert_eq!(world.read(Direction::Up, here).0, b"answer");
    world.run(1);
    assert_eq!(world.write(Direction::Up, here, b"later"), 5);
    world.run(1);
    assert_eq!(
        world.read(Direction::Down, there),
        (b"later".to_vec(), ReadOutcome::Blocked)
    );
}

#[test]
fn early_data_waits_for_the_handshake_where_no_ticket_allows_it() {
    let mut world = Setting::with_early_data().world();
    let (_, there, how) = world.connect(b"first");
    assert_eq!(how, [Established::Full; 2]);
    assert_eq!(world.read(Direction::Down, there).0, b"first");
}

#[test]
fn what_a_ticket_does_not_allow_follows_the_early_data() {
    let mut world = Setting::with_early_data().world();
    world.connect(b"");
    let much: Vec<u8> = (0..9000).map(|at| (at % 251) as u8).collect();
    let (_, there, how) = world.connect(&much);
    assert_eq!(how, [Established::Early; 2]);
    let (mut read, _) = world.read(Direction::Down, there);
    world.run(1);
    read.extend(world.read(Direction::Down, there).0);
    assert!(read == much, "{}", read.len());
}

#[test]
fn early_data_that_a_server_refuses_arrives_once_after_the_handshake() {
    let mut world = Setting::with_early_data().world();
    world.connect(b"");
    // The server forgets its sessions.
    let now = world.ends.now();
    let crash = TransportInput::Crash(Survives::default());
    world.ends.server.handle(now, crash);
    world
        .ends
        .server
        .listen(crate::world::address().port())
        .ok();
    let (_, there, how) = world.connect(b"report");
    assert_eq!(how, [Established::Full; 2]);
    assert_eq!(world.read(Direction::Down, there).0, b"report");
}

#[test]
fn tickets_on_flash_outlive_a_crash_and_others_do_not() {
    for version in [Version::Tls12, Version::Tls13] {
        for (tickets, how) in [
            (Keeping::Flash, Established::Resumed),
            (Keeping::Memory, Established::Full),
        ] {
            let mut world = Setting::new(version).world();
            world.connect(b"");
            let survives = Survives {
                tickets,
                ..Survives::default()
            };
            let now = world.ends.now();
            world
                .ends
                .client
                .handle(now, TransportInput::Crash(survives));
            assert_eq!(world.connect(b"").2[0], how, "{version:?} {tickets:?}");
        }
    }
}
