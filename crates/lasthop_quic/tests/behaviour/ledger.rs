use lasthop_contract::{Cause, Direction, Layer};
use lasthop_units::Duration;

use crate::world::Setting;

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
