use lasthop_contract::{Direction, RandomStream};
use lasthop_quic::Congestion;
use lasthop_units::{Duration, Probability};

use crate::world::Setting;

/// Of so many handshakes over a path that loses some, with data behind each that fills the window, how many come to no end.
fn stalled(window: u16, congestion: Congestion, loss: f64, count: u64) -> usize {
    let is_stalled = |seed: &u64| {
        let mut setting = Setting::of(*seed);
        setting.quic.initial_window = window;
        setting.quic.congestion = congestion;
        setting.quic.mtu_discovery = false;
        setting.quic.patience = Duration::from_secs(3600);
        let mut world = setting.world();
        let mut random = RandomStream::named(*seed, "loss");
        let probability = Probability::new(loss).unwrap();
        world.ends.lost = Direction::ALL
            .into_iter()
            .flat_map(|direction| (0..2000).map(move |number| (direction, number)))
            .filter(|_| random.chance(probability))
            .collect();
        world.open(&[7; 30_000]);
        world.run(Duration::from_secs(600));
        world.how(Direction::Down).is_none()
    };
    (0..count).filter(is_stalled).count()
}

#[test]
fn no_handshake_waits_for_ever_behind_what_the_server_cannot_read_yet() {
    for congestion in [Congestion::Cubic, Congestion::NewReno] {
        for window in [3, 10] {
            assert_eq!(
                stalled(window, congestion, 0.2, 100),
                0,
                "{window} {congestion:?}"
            );
        }
    }
}

/// Takes minutes: `cargo test --release -p lasthop_quic -- --ignored`.
#[test]
#[ignore = "soak: 10,000 handshakes"]
fn none_of_ten_thousand_handshakes_waits_for_ever() {
    for loss in [0.05, 0.1, 0.2, 0.25, 0.3] {
        for window in [3, 10] {
            assert_eq!(
                stalled(window, Congestion::Cubic, loss, 1000),
                0,
                "{window} {loss}"
            );
        }
    }
}
