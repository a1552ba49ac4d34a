use lasthop_contract::{CloseReason, Direction, ReadOutcome, ResetReason, Transport};
use lasthop_tls::Version;
use lasthop_transport::Tcp;

use crate::world::Setting;

#[test]
fn both_ends_close_after_each_has_said_so() {
    for version in [Version::Tls12, Version::Tls13] {
        let mut world = Setting::new(version).world();
        let (here, there, _) = world.connect(b"");
        world.write(Direction::Up, here, b"last");
        let now = world.ends.now();
        world.ends.client.finish(now, here, Tcp::STREAM);
        world.run(1);
        let read = world.read(Direction::Down, there);
        assert_eq!(read, (b"last".to_vec(), ReadOutcome::Finished));
        // It may still answer (RFC 8446 section 6.1).
        world.write(Direction::Down, there, b"answer");
        let now = world.ends.now();
        world.ends.server.finish(now, there, Tcp::STREAM);
        world.run(1);
        // What is below may be over by now; what was said is not lost.
        world.run(200);
        let mut room = [0; 10];
        let now = world.ends.now();
        let read = world.ends.client.read(now, here, Tcp::STREAM, &mut room);
        assert_eq!(read, Ok(ReadOutcome::Read(6)), "{version:?}");
        assert_eq!(&room[..6], b"answer");
        world.run(1);
        for end in Direction::ALL {
            assert_eq!(
                world.closed(end),
                Some(CloseReason::Finished),
                "{version:?}"
            );
        }
    }
}

#[test]
fn an_end_without_the_alert_is_a_truncation() {
    let mut world = Setting::new(Version::Tls13).world();
    let (here, _, _) = world.connect(b"");
    let now = world.ends.now();
    world
        .ends
        .client
        .lower()
        .lower()
        .finish(now, here, Tcp::STREAM);
    world.run(1);
    assert_eq!(world.closed(Direction::Down), Some(CloseReason::Truncated));
    assert_eq!(world.closed(Direction::Up), Some(CloseReason::PeerReset));
}

#[test]
fn a_reset_is_told_at_both_ends() {
    let mut world = Setting::new(Version::Tls13).world();
    let (here, ..) = world.connect(b"");
    let now = world.ends.now();
    world.ends.client.reset(now, here, ResetReason::NotNeeded);
    world.run(1);
    let reason = CloseReason::Reset(ResetReason::NotNeeded);
    assert_eq!(world.closed(Direction::Up), Some(reason));
    assert_eq!(world.closed(Direction::Down), Some(CloseReason::PeerReset));
}
