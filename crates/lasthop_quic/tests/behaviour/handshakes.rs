use lasthop_contract::{CloseReason, Direction, Established, RandomStream, Transport};
use lasthop_units::{Duration, Instant};

use crate::world::{DELAY, FIRST, Setting, World, address, chunk};

const SECOND: Duration = Duration::from_secs(1);

fn round_trips(count: u64) -> Duration {
    DELAY * (2 * count)
}

#[test]
fn a_handshake_takes_a_round_trip_and_what_was_given_comes_behind_it() {
    let mut world = Setting::new().world();
    let (_, there, how) = world.connect(b"hello");
    assert_eq!(how, [Established::Full; 2]);
    let (at, ..) = world.how(Direction::Up).unwrap();
    assert_eq!(at - Instant::ZERO, round_trips(1));
    assert_eq!(world.read(Direction::Down, there).0, b"hello");
}

#[test]
fn early_data_comes_with_the_first_flight_and_is_answered_at_half_a_round_trip() {
    let mut world = Setting::new().world();
    let (here, there, _) = world.connect(b"hello");
    world.read(Direction::Down, there);
    world.end_both(here, there);
    assert_eq!(world.closed(Direction::Up), Some(CloseReason::Finished));
    assert_eq!(world.closed(Direction::Down), Some(CloseReason::Finished));
    world.forget();

    let start = world.ends.now();
    let here = world.open(b"again");
    world.run(DELAY);
    let (at, there, how) = world.how(Direction::Down).unwrap();
    assert_eq!((at - start, how), (DELAY, Established::Early));
    assert_eq!(world.read(Direction::Down, there).0, b"again");
    assert_eq!(world.write(Direction::Down, there, b"welcome"), 7);
    world.run(DELAY);
    let (at, _, how) = world.how(Direction::Up).unwrap();
    assert_eq!((at - start, how), (round_trips(1), Established::Early));
    assert_eq!(world.read(Direction::Up, here).0, b"welcome");
}

#[test]
fn sessions_are_resumed_twenty_times_over() {
    let mut world = Setting::new().world();
    for round in 0..20 {
        let (here, there, how) = world.connect(b"x");
        let expected = match round {
            0 => Established::Full,
            _ => Established::Early,
        };
        assert_eq!(how, [expected; 2], "round {round}");
        world.read(Direction::Down, there);
        world.end_both(here, there);
    }
}

#[test]
fn a_session_that_the_server_forgot_begins_anew_and_what_was_refused_is_said_again() {
    let mut world = Setting::new().world();
    let (here, there, _) = world.connect(b"hello");
    world.read(Direction::Down, there);
    world.end_both(here, there);
    let now = world.ends.now();
    let crash = lasthop_contract::TransportInput::Crash(lasthop_contract::Survives::default());
    world.ends.server.handle(now, crash);
    world.ends.server.listen(address().port()).unwrap();
    let (_, there, how) = world.connect(b"hello again");
    assert_eq!(how, [Established::Full; 2]);
    assert_eq!(world.read(Direction::Down, there).0, b"hello again");
}

#[test]
fn a_retry_takes_a_further_round_trip() {
    let mut setting = Setting::new();
    setting.retries = true;
    let mut world = setting.world();
    let (_, there, _) = world.connect(b"hello");
    let (at, ..) = world.how(Direction::Up).unwrap();
    assert_eq!(at - Instant::ZERO, round_trips(2));
    assert_eq!(world.read(Direction::Down, there).0, b"hello");
}

fn everything_sent(seed: u64) -> [Vec<Vec<u8>>; 2] {
    let mut world = Setting::of(seed).world();
    world.ends.lost = vec![(Direction::Up, 1), (Direction::Down, 2), (Direction::Up, 7)];
    for _ in 0..2 {
        let (here, there, _) = world.connect(b"hello");
        world.read(Direction::Down, there);
        world.write(Direction::Down, there, &[7; 3000]);
        world.run(SECOND);
        world.read(Direction::Up, here);
        world.end_both(here, there);
    }
    world.sent()
}

#[test]
fn two_runs_of_a_seed_agree_in_every_byte_and_of_two_seeds_do_not() {
    assert_eq!(everything_sent(1), everything_sent(1));
    assert_ne!(everything_sent(1), everything_sent(2));
}

#[test]
fn a_hostile_peer_is_answered_nothing_it_could_use() {
    let mut world = Setting::new().world();
    let now = world.ends.now();
    world.open(b"");
    world.run(Duration::from_millis(1));
    let initial = world.sent()[0][0].clone();
    assert_eq!(initial.len(), 1200);
    assert_eq!(answers_to(&initial[..1199]), 0, "it is too small");
    let mut unknown = initial.clone();
    unknown[1..5].copy_from_slice(&[0x1a, 0x2a, 0x3a, 0x4a]);
    assert_eq!(answers_to(&unknown), 1, "it hears which versions there are");
    let mut random = RandomStream::named(7, "noise");
    for _ in 0..200 {
        let mut noise = initial.clone();
        let place = random.below(1200) as usize;
        noise[place] ^= 1 << random.below(8);
        // Of an Initial that anybody may have sent, one close is the most that there is to say.
        assert!(answers_to(&noise) <= 4, "at {place}");
    }
    let _ = now;
}

/// How many datagrams a server has for one that comes from nowhere.
fn answers_to(datagram: &[u8]) -> usize {
    let World { mut ends, .. } = Setting::new().world();
    let now = ends.now();
    let udp = ends.client.lower().lower();
    let flow = udp.open(now, address(), &[chunk(datagram)]).unwrap();
    assert!(udp.peer(flow).is_some());
    ends.run_for(DELAY);
    ends.server.lower().sent.len()
}

#[test]
fn nobody_who_speaks_another_protocol_is_let_in() {
    let setting = Setting::new();
    let mut other = setting.common.clone();
    other.protocols = vec![b"h3".to_vec()];
    let mut world = setting.world_with(&other);
    world.open(b"hello");
    world.run(SECOND);
    // no_application_protocol (RFC 7301 section 3.2).
    assert_eq!(
        world.closed(Direction::Up),
        Some(CloseReason::PeerAlert(120))
    );
    assert_eq!(world.how(Direction::Down), None);
}

#[test]
fn nobody_answers_and_the_handshake_is_given_up() {
    let mut world = Setting::new().world();
    world.ends.server.lower().is_cut = true;
    let id = world.open(b"hello");
    world.run(Duration::from_secs(126));
    assert_eq!(world.closed(Direction::Up), None);
    world.run(SECOND);
    assert_eq!(world.closed(Direction::Up), Some(CloseReason::TimedOut));
    let now = world.ends.now();
    assert!(
        world
            .ends
            .client
            .write(now, id, FIRST, &[chunk(b"x")])
            .is_err()
    );
}
