use lasthop_contract::Direction::{Down, Up};
use lasthop_units::{Duration, Instant};

use crate::world::{DELAY, Setting};

fn after(delays: u64) -> Instant {
    Instant::ZERO + Duration::from_nanos(DELAY.as_nanos() * delays)
}

#[test]
fn a_handshake_takes_two_round_trips_and_one_more_for_the_cookie() {
    for (asks_for_cookie, delays) in [(true, 6), (false, 4)] {
        let setting = Setting {
            asks_for_cookie,
            ..Setting::new(1)
        };
        let mut world = setting.world();
        world.connect();
        // The server has it with the last flight of the client.
        assert_eq!(world.established(Down).unwrap().0, after(delays - 1));
        assert_eq!(world.established(Up).unwrap().0, after(delays));
    }
}

#[test]
fn what_is_sent_too_early_leaves_behind_the_handshake_in_its_order() {
    let mut world = Setting::new(1).world();
    let id = world.open();
    world.send(Up, id, b"first");
    world.send(Up, id, b"second");
    world.run(2);
    let (_, there) = world.established(Down).unwrap();
    assert_eq!(world.received(Down, there), [&b"first"[..], b"second"]);
    world.send(Down, there, b"back");
    world.run(2);
    assert_eq!(world.received(Up, id), [b"back"]);
}

#[test]
fn two_runs_of_a_seed_agree_in_every_byte_and_two_seeds_do_not() {
    let bytes = |seed| {
        let mut world = Setting::new(seed).world();
        world.ends.lost = vec![(Up, 1), (Down, 1), (Up, 4)];
        let (here, there) = {
            let id = world.open();
            world.run(60);
            (id, world.established(Down).unwrap().1)
        };
        world.send(Up, here, &[1; 400]);
        world.send(Down, there, &[2; 400]);
        world.run(1);
        (world.sent(Up), world.sent(Down))
    };
    assert_eq!(bytes(1), bytes(1));
    assert_ne!(bytes(1), bytes(2));
}

#[test]
fn a_lost_flight_is_sent_again_after_its_timer_and_twice_as_late_each_time() {
    for first in [1, 9] {
        let mut setting = Setting::new(3);
        setting.common.first_timeout = Duration::from_secs(first);
        let mut world = setting.world();
        world.ends.lost = (0..4).map(|number| (Up, number)).collect();
        world.open();
        world.run(300);
        let sent: Vec<f64> = world.sent(Up)[..5]
            .iter()
            .map(|it| it.at.as_secs_f64())
            .collect();
        for (number, pair) in sent.windows(2).enumerate() {
            // RFC 6347 section 4.2.4.1; a quarter more or less is the library's.
            let timer = (first << number) as f64;
            let waited = (pair[1] - pair[0]) / timer;
            assert!((0.75..=1.25).contains(&waited), "{waited} of {timer}");
        }
        assert!(world.established(Up).is_some());
    }
}

#[test]
fn every_loss_of_one_datagram_is_made_good() {
    for end in [Up, Down] {
        for number in 0..3 {
            let mut world = Setting::new(5).world();
            world.ends.lost = vec![(end, number)];
            let id = world.open();
            world.run(30);
            assert!(world.established(Up).is_some(), "{end:?} {number}");
            let (_, there) = world.established(Down).unwrap();
            world.send(Up, id, b"over");
            world.run(30);
            assert!(
                world.received(Down, there).contains(&b"over".to_vec()),
                "{end:?} {number}"
            );
        }
    }
}

#[test]
fn a_client_that_was_switched_off_begins_anew_from_its_old_address() {
    let mut world = Setting::new(6).world();
    let (_, old) = world.connect();
    let now = world.ends.now();
    let crash = lasthop_contract::TransportInput::Crash(lasthop_contract::Survives::default());
    lasthop_contract::Transport::handle(&mut world.ends.client, now, crash);
    world.forget();
    let id = world.open();
    world.run(5);
    let (_, new) = world.established(Down).unwrap();
    assert_ne!(old, new);
    world.send(Up, id, b"again");
    world.run(1);
    assert_eq!(world.received(Down, new), [b"again"]);
}

#[test]
fn the_master_secret_is_noted_by_each_end_for_who_asks() {
    let (world, noted) = lasthop_contract::noting_keys(|| {
        let mut world = Setting::new(1).world();
        world.connect();
        world
    });
    let lines: Vec<&str> = noted.lines().collect();
    assert_eq!(lines.len(), 2, "{noted}");
    assert_eq!(lines[0], lines[1]);
    assert_eq!(lines[0].len(), "CLIENT_RANDOM ".len() + 64 + 1 + 96);
    drop(world);
    Setting::new(1).world().connect();
    assert_eq!(lasthop_contract::noting_keys(|| ()).1, "");
}
