use lasthop_contract::{Cause, Direction, Layer};
use lasthop_tls::Group;
use lasthop_units::Duration;

use crate::world::{Setting, World};

fn of(world: &mut World, end: Direction, layer: Layer, cause: Cause) -> usize {
    world.ledger(end).get(&(layer, cause)).copied().unwrap_or(0)
}

#[test]
fn every_byte_is_there_for_something() {
    let mut world = Setting::new().world();
    for round in 0..2 {
        let (here, there, _) = world.connect(b"hello");
        world.read(Direction::Down, there);
        world.write(Direction::Down, there, &[7; 3000]);
        world.run(Duration::from_secs(1));
        world.read(Direction::Up, here);
        world.end_both(here, there);
        for end in Direction::ALL {
            let sum: usize = world.ledger(end).values().sum();
            let sent = world.sent();
            let of_end = &sent[end as usize];
            assert_eq!(
                sum,
                of_end.iter().map(Vec::len).sum::<usize>(),
                "{round} {end:?}"
            );
            let opaque = world
                .ledger(end)
                .get(&(Layer::Quic, Cause::Opaque))
                .copied();
            assert_eq!(opaque, None);
        }
    }
    let (up, down) = (world.ledger(Direction::Up), world.ledger(Direction::Down));
    let of = |ledger: &std::collections::BTreeMap<_, usize>, layer, cause| {
        ledger.get(&(layer, cause)).copied().unwrap_or(0)
    };
    assert_eq!(of(&up, Layer::Application, Cause::Payload), 10);
    assert_eq!(of(&down, Layer::Application, Cause::Payload), 6000);
    assert_eq!(of(&up, Layer::Tls, Cause::Certificates), 0);
    assert!(of(&down, Layer::Tls, Cause::Certificates) > 300, "{down:?}");
    for ledger in [&up, &down] {
        for cause in [
            Cause::Header,
            Cause::Acknowledgement,
            Cause::Padding,
            Cause::PathProbe,
        ] {
            assert!(of(ledger, Layer::Quic, cause) > 0, "{cause:?} {ledger:?}");
        }
        assert!(of(ledger, Layer::Tls, Cause::SessionSetUp) > 0);
        assert!(of(ledger, Layer::Quic, Cause::SessionTearDown) > 0);
        assert_eq!(
            of(ledger, Layer::Quic, Cause::Retransmission),
            0,
            "nothing was lost"
        );
    }
}

#[test]
fn handshakes_are_told_apart_by_how_their_session_is_made() {
    for (early, resumes) in [
        (true, Cause::SessionResumptionEarly),
        (false, Cause::SessionResumption),
    ] {
        let mut setting = Setting::new();
        setting.client.sends_early_data = early;
        let mut world = setting.world();
        world.connect(b"");
        for end in Direction::ALL {
            assert!(of(&mut world, end, Layer::Tls, Cause::SessionSetUp) > 200);
            assert_eq!(of(&mut world, end, Layer::Tls, resumes), 0);
        }
        let before = Direction::ALL.map(|it| of(&mut world, it, Layer::Tls, Cause::SessionSetUp));
        world.connect(b"hello");
        for (end, before) in Direction::ALL.into_iter().zip(before) {
            assert_eq!(of(&mut world, end, Layer::Tls, Cause::SessionSetUp), before);
            assert!(of(&mut world, end, Layer::Tls, resumes) > 100, "{end:?}");
        }
    }
}

#[test]
fn a_retry_and_the_token_that_it_asks_for_show_an_address_and_nothing_else_does() {
    for retries in [false, true] {
        let mut setting = Setting::new();
        setting.retries = retries;
        // A hello of two packets: the token goes with each.
        setting.common.groups = vec![Group::X25519MlKem768];
        let mut world = setting.world();
        world.connect(b"");
        // FIPS 203 section 8, table 3.
        for (end, share) in [(Direction::Up, 1184), (Direction::Down, 1088)] {
            assert_eq!(
                of(&mut world, end, Layer::Tls, Cause::PostQuantumShare),
                share
            );
        }
        let up = of(
            &mut world,
            Direction::Up,
            Layer::Quic,
            Cause::AddressValidation,
        );
        let down = of(
            &mut world,
            Direction::Down,
            Layer::Quic,
            Cause::AddressValidation,
        );
        assert_eq!(up > 0, retries);
        assert_eq!(down > 0, retries);
    }
}
