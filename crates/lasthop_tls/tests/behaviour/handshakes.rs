use lasthop_contract::{Direction, Established, ReadOutcome};
use lasthop_tls::{ClientProfile, Group, Issue, KeyKind, Verify, Version};
use lasthop_units::{Duration, Instant};

use crate::world::{DELAY, Setting};

fn at(round_trips: u64) -> Instant {
    Instant::ZERO + DELAY * (2 * round_trips)
}

#[test]
fn tls13_is_there_after_two_round_trips_and_tls12_after_three() {
    for (version, client, server) in [
        (Version::Tls13, at(2), at(2) + DELAY),
        // The server's Finished is the last word (RFC 5246 section 7.3).
        (Version::Tls12, at(3), at(2) + DELAY),
    ] {
        let mut world = Setting::new(version).world();
        world.open(b"");
        world.run(1);
        let (here, _, how) = world.how(Direction::Up).unwrap();
        let (there, ..) = world.how(Direction::Down).unwrap();
        assert_eq!((here, there), (client, server), "{version:?}");
        assert_eq!(how, Established::Full);
    }
}

#[test]
fn with_fast_open_the_hello_is_in_the_first_packet() {
    let mut setting = Setting::new(Version::Tls13);
    setting.fast_open = true;
    let mut world = setting.world();
    // The first connection gets the cookie.
    world.connect(b"");
    world.forget();
    let opened = world.ends.now();
    world.open(b"");
    world.run(1);
    let (here, ..) = world.how(Direction::Up).unwrap();
    assert_eq!(here, opened + DELAY * 2);
}

#[test]
fn data_goes_both_ways_over_every_key_group_chain_and_version() {
    for kind in [KeyKind::EcdsaP256, KeyKind::Ed25519, KeyKind::Rsa2048] {
        for version in [Version::Tls12, Version::Tls13] {
            for (length, group) in [(1, Group::X25519), (2, Group::P256), (3, Group::X25519)] {
                let mut setting = Setting::of(version, kind, length, 5);
                setting.common.groups = vec![group];
                let mut world = setting.world();
                let (here, there, how) = world.connect(b"");
                assert_eq!(how, [Established::Full; 2], "{kind:?} {version:?} {length}");
                world.write(Direction::Up, here, b"up");
                world.write(Direction::Down, there, b"down");
                world.run(1);
                let (up, _) = world.read(Direction::Down, there);
                let (down, _) = world.read(Direction::Up, here);
                assert_eq!((&up[..], &down[..]), (&b"up"[..], &b"down"[..]));
            }
        }
    }
}

#[test]
fn a_longer_chain_costs_its_certificates() {
    let length_of = |chain| {
        let mut world = Setting::of(Version::Tls13, KeyKind::EcdsaP256, chain, 5).world();
        world.connect(b"");
        world.written()[1].len()
    };
    let [one, two, three] = [1, 2, 3].map(length_of);
    assert!((350..450).contains(&(two - one)), "{one} {two}");
    assert!((350..450).contains(&(three - two)), "{two} {three}");
}

#[test]
fn a_client_shows_its_certificate_to_a_server_that_asks() {
    for version in [Version::Tls12, Version::Tls13] {
        let mut setting = Setting::new(version);
        setting.server.clients = Some(Verify::Against(setting.authority.roots().into()));
        let chain = setting.authority.issue(&Issue::of_client("device.example"));
        setting.client.credentials = Some(chain);
        let mut world = setting.world();
        let (here, there, _) = world.connect(b"");
        world.write(Direction::Up, here, b"it is me");
        world.run(1);
        assert_eq!(world.read(Direction::Down, there).0, b"it is me");
    }
}

#[test]
fn the_same_seed_gives_the_same_bytes_whatever_is_lost() {
    for version in [Version::Tls12, Version::Tls13] {
        let run = |seed: u64, lost: &[(Direction, u64)]| {
            let mut world = Setting::of(version, KeyKind::EcdsaP256, 2, seed).world();
            world.ends.lost = lost.to_vec();
            world.open(b"");
            world.run(30);
            let (_, here, _) = world.how(Direction::Up).expect("it is there");
            world.write(Direction::Up, here, &[7; 5000]);
            world.run(30);
            (world.written(), world.log().to_vec())
        };
        let lost = [
            (Direction::Up, 2),
            (Direction::Down, 1),
            (Direction::Down, 3),
        ];
        let first = run(1, &lost);
        assert!(first == run(1, &lost), "{version:?}");
        assert!(first.0 == run(1, &[]).0, "losses change the times alone");
        assert!(first.1 != run(1, &[]).1);
        assert!(first.0 != run(2, &lost).0);
    }
}

#[test]
fn a_large_write_is_cut_into_records_and_comes_out_whole() {
    for (largest, version) in [
        (None, Version::Tls13),
        (Some(512), Version::Tls13),
        (Some(32), Version::Tls12),
        (None, Version::Tls12),
    ] {
        let mut setting = Setting::new(version);
        setting.common.largest_record = largest;
        let mut world = setting.world();
        let (here, there, _) = world.connect(b"");
        let sent: Vec<u8> = (0..100_000).map(|at| (at % 251) as u8).collect();
        let mut taken = 0;
        let mut arrived = Vec::new();
        for _ in 0..100 {
            taken += world.write(Direction::Up, here, &sent[taken..]);
            world.ends.run_for(Duration::from_millis(200));
            let (more, outcome) = world.read(Direction::Down, there);
            assert_eq!(outcome, ReadOutcome::Blocked);
            arrived.extend(more);
        }
        assert!(
            arrived == sent,
            "{largest:?} {version:?}: {}",
            arrived.len()
        );
    }
}

#[test]
fn a_receiver_that_does_not_read_stops_the_sender() {
    let mut world = Setting::new(Version::Tls13).world();
    let (here, there, _) = world.connect(b"");
    let mut taken = 0;
    for _ in 0..200 {
        taken += world.write(Direction::Up, here, &[1; 100_000]);
        world.run(1);
    }
    let held = taken;
    taken += world.write(Direction::Up, here, &[1; 100_000]);
    assert_eq!(taken, held, "it is full");
    let mut read = 0;
    for _ in 0..500 {
        read += world.read(Direction::Down, there).0.len();
        world.run(1);
    }
    assert_eq!(read, taken);
    assert!(world.write(Direction::Up, here, b"more") > 0);
}

#[test]
fn one_write_is_one_record_and_one_write_below() {
    let mut world = Setting::new(Version::Tls13).world();
    let (here, ..) = world.connect(b"");
    let before = world.ends.client.lower().writes.len();
    world.write(Direction::Up, here, &[1; 400]);
    let writes = world.ends.client.lower().writes[before..].to_vec();
    // Header, kind and tag (RFC 8446 section 5.2).
    assert_eq!(writes, [400 + 5 + 1 + 16]);
}

#[test]
fn secrets_are_noted_for_who_asks_and_for_nobody_else() {
    let secrets =
        |version| lasthop_contract::noting_keys(|| Setting::new(version).world().connect(b"")).1;
    // Each end notes those of a session.
    let tls13 = secrets(Version::Tls13);
    assert_eq!(tls13.lines().count(), 2 * 5, "{tls13}");
    let tls12 = secrets(Version::Tls12);
    assert!(tls12.starts_with("CLIENT_RANDOM "), "{tls12}");
    assert!(tls12.lines().all(|line| line.len() == 14 + 64 + 1 + 96));
    Setting::new(Version::Tls13).world().connect(b"");
    assert_eq!(lasthop_contract::noting_keys(|| ()).1, "");
}

#[test]
fn ml_kem_beside_a_curve_costs_its_shares_and_no_round_trip() {
    for (plain, hybrid) in [
        (Group::X25519, Group::X25519MlKem768),
        (Group::P256, Group::P256MlKem768),
    ] {
        let run = |group| {
            // Signatures of Ed25519 have one length.
            let mut setting = Setting::of(Version::Tls13, KeyKind::Ed25519, 1, 1);
            setting.common.groups = vec![group];
            let mut world = setting.world();
            let (here, there, how) = world.connect(b"");
            assert_eq!(how, [Established::Full; 2]);
            let (at, ..) = world.how(Direction::Up).unwrap();
            world.write(Direction::Up, here, b"up");
            world.run(1);
            assert_eq!(world.read(Direction::Down, there).0, b"up");
            (at, world.written())
        };
        let ((plain_at, plain), (at, bytes)) = (run(plain), run(hybrid));
        assert_eq!(at, plain_at);
        assert!(bytes == run(hybrid).1, "each byte is the run's");
        // FIPS 203 section 8: a key of 1184 B goes there, a ciphertext of 1088 B comes back.
        let more = [0, 1].map(|end| bytes[end].len() - plain[end].len());
        assert_eq!(more, [1184, 1088], "{hybrid:?}");
    }
}

#[test]
fn a_server_without_ml_kem_takes_the_curve_that_is_offered_beside_it() {
    let mut setting = Setting::new(Version::Tls13);
    setting.common.groups = vec![Group::X25519MlKem768, Group::X25519];
    let client = ClientProfile::new(&setting.common, setting.client.clone()).unwrap();
    setting.common.groups = vec![Group::X25519];
    let mut world = setting.world_with(client);
    assert_eq!(world.connect(b"").2, [Established::Full; 2]);
    // A second hello would have the key of ML-KEM again.
    let [up, down] = world.written();
    assert!((1184..2 * 1184).contains(&up.len()), "{}", up.len());
    assert!(down.len() < 1088, "{}", down.len());
}
