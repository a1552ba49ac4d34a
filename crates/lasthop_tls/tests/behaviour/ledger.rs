use std::collections::BTreeMap;

use lasthop_contract::{Cause, Direction, Layer, Transport};
use lasthop_tls::{Group, KeyKind, Verify, Version};
use lasthop_transport::Tcp;

use crate::world::{Setting, World};

type Sums = BTreeMap<(Layer, Cause), usize>;

/// Bytes by layer and cause that an end wrote.
fn sums(world: &mut World, end: Direction) -> Sums {
    let tap = match end {
        Direction::Up => world.ends.client.lower(),
        Direction::Down => world.ends.server.lower(),
    };
    let mut sums = Sums::new();
    for (provenance, length) in &tap.spans {
        *sums
            .entry((provenance.layer, provenance.cause))
            .or_default() += length;
    }
    assert_eq!(sums.values().sum::<usize>(), tap.written.len());
    sums
}

fn of(sums: &Sums, cause: Cause) -> usize {
    sums.get(&(Layer::Tls, cause)).copied().unwrap_or(0)
}

/// Records that are in a stream of bytes.
fn records(mut stream: &[u8]) -> usize {
    let mut count = 0;
    while let Some((&[_, _, _, high, low], rest)) = stream.split_first_chunk::<5>() {
        stream = &rest[usize::from(u16::from_be_bytes([high, low]))..];
        count += 1;
    }
    assert!(stream.is_empty());
    count
}

#[test]
fn every_byte_is_known_by_what_it_was_before_it_was_sealed() {
    for version in [Version::Tls12, Version::Tls13] {
        for length in [1, 3] {
            let setting = Setting::of(version, KeyKind::EcdsaP256, length, 4);
            let shown = setting.server.credentials.certificates().to_vec();
            let mut world = setting.world();
            let (here, there, _) = world.connect(b"");
            world.write(Direction::Up, here, &[1; 1000]);
            world.write(Direction::Down, there, &[1; 20_000]);
            let now = world.ends.now();
            world.ends.client.finish(now, here, Tcp::STREAM);
            world.run(2);
            let (up, down) = (
                sums(&mut world, Direction::Up),
                sums(&mut world, Direction::Down),
            );
            assert_eq!(up[&(Layer::Application, Cause::Payload)], 1000);
            assert_eq!(down[&(Layer::Application, Cause::Payload)], 20_000);
            // A header and the length of the list, and each with its length; in TLS 1.3 with a context and extensions
            // (RFC 8446 section 4.4.2).
            let ders: usize = shown.iter().map(|it| it.len()).sum();
            let certificates = match version {
                Version::Tls12 => 4 + 3 + shown.len() * 3 + ders,
                _ => 4 + 1 + 3 + shown.len() * (3 + 2) + ders,
            };
            assert_eq!(of(&down, Cause::Certificates), certificates, "{version:?}");
            assert_eq!(of(&up, Cause::Certificates), 0);
            // The alert that closes has two bytes (RFC 8446 section 6).
            assert_eq!(of(&up, Cause::SessionTearDown), 2);
            let all = records(&world.written()[0]);
            let sealed = match version {
                // Finished, data and alert, with a nonce and a tag.
                Version::Tls12 => 3 * (8 + 16),
                // With a kind and a tag.
                _ => 3 * (1 + 16),
            };
            assert_eq!(of(&up, Cause::Header), all * 5 + sealed, "{version:?}");
        }
    }
}

#[test]
fn a_bare_key_costs_its_own_bytes_and_no_certificate() {
    let mut setting = Setting::new(Version::Tls13);
    let bare = setting.server.credentials.bare().unwrap();
    let key = bare.public_key().unwrap();
    let length = key.len();
    setting.client.verify = Verify::Keys(vec![key]);
    setting.server.credentials = bare;
    let mut world = setting.world();
    world.connect(b"");
    let down = sums(&mut world, Direction::Down);
    // A header, a context, the list's length, the key's and its extensions' (RFC 8446 section 4.4.2).
    assert_eq!(of(&down, Cause::Certificates), 4 + 1 + 3 + 3 + length + 2);
}

#[test]
fn early_data_is_payload_and_what_is_sent_twice_is_counted_twice() {
    let mut world = Setting::with_early_data().world();
    world.connect(b"");
    world.connect(&[1; 300]);
    let up = sums(&mut world, Direction::Up);
    assert_eq!(up[&(Layer::Application, Cause::Payload)], 300);
}

/// What the layer itself says, of the first session and of the one after it, at both ends.
fn of_two_sessions(setting: Setting, early: &[u8]) -> [[Sums; 2]; 2] {
    let mut world = setting.world();
    let mut told = || {
        let of = |world: &mut World| [Direction::Up, Direction::Down].map(|end| sums(world, end));
        let before = of(&mut world);
        let early = if before[0].is_empty() { b"" } else { early };
        world.connect(early);
        let mut after = of(&mut world);
        for (after, before) in after.iter_mut().zip(&before) {
            for (cause, bytes) in before {
                *after.get_mut(cause).unwrap() -= bytes;
            }
        }
        after
    };
    [told(), told()]
}

#[test]
fn a_session_that_is_resumed_is_told_from_a_new_one() {
    for version in [Version::Tls12, Version::Tls13] {
        let [new, resumed] = of_two_sessions(Setting::new(version), b"");
        for (new, resumed) in new.iter().zip(&resumed) {
            assert!(of(new, Cause::SessionSetUp) > 100, "{new:?}");
            assert_eq!(of(new, Cause::SessionResumption), 0);
            assert!(of(resumed, Cause::SessionResumption) > 50, "{resumed:?}");
            assert_eq!(of(resumed, Cause::SessionResumptionEarly), 0);
            assert_eq!(of(resumed, Cause::Certificates), 0);
            // Change-cipher-spec alone (RFC 8446 appendix D.4).
            assert!(of(resumed, Cause::SessionSetUp) <= 1, "{resumed:?}");
        }
    }
}

#[test]
fn early_data_makes_another_handshake_of_both_ends() {
    let [_, early] = of_two_sessions(Setting::with_early_data(), &[1; 300]);
    for early in &early {
        assert!(of(early, Cause::SessionResumptionEarly) > 100, "{early:?}");
        assert_eq!(of(early, Cause::SessionResumption), 0);
    }
    assert_eq!(early[0][&(Layer::Application, Cause::Payload)], 300);
}

#[test]
fn a_share_of_ml_kem_stands_apart_from_that_of_its_curve() {
    for group in [Group::X25519MlKem768, Group::P256MlKem768] {
        let mut setting = Setting::new(Version::Tls13);
        setting.common.groups = vec![group];
        let mut world = setting.world();
        world.connect(b"");
        // FIPS 203 section 8, table 3.
        let shares = [(Direction::Up, 1184), (Direction::Down, 1088)];
        for (end, length) in shares {
            assert_eq!(of(&sums(&mut world, end), Cause::PostQuantumShare), length);
        }
    }
}
