use std::collections::BTreeMap;

use lasthop_contract::{Cause, Direction, Layer, Transport};
use lasthop_tls::{KeyKind, Version};
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
fn early_data_is_payload_and_what_is_sent_twice_is_counted_twice() {
    let mut world = Setting::with_early_data().world();
    world.connect(b"");
    world.connect(&[1; 300]);
    let up = sums(&mut world, Direction::Up);
    assert_eq!(up[&(Layer::Application, Cause::Payload)], 300);
}
