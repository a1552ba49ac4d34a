use lasthop_contract::{
    CloseReason, ConnectionId, Direction, ReadOutcome, ResetReason, Transport, TransportInput,
};
use lasthop_units::Duration;

use crate::world::Setting;

/// Who is stopped closes with code 0, and finishes no stream before that.
#[test]
fn who_closes_without_finishing_is_gone_when_all_is_read_and_who_comes_next_is_another() {
    let mut world = Setting::new().world();
    let mut known = Vec::new();
    for reads_before in [true, false, true] {
        let (_, there, _) = world.connect(b"hello");
        assert!(!known.contains(&there), "it is another's name");
        known.push(there);
        if reads_before {
            let read = world.read(Direction::Down, there);
            assert_eq!(read, (b"hello".to_vec(), ReadOutcome::Blocked));
        }
        let now = world.ends.now();
        world.ends.client.handle(now, TransportInput::Stop);
        world.run(Duration::from_secs(10));
        assert_eq!(world.closed(Direction::Down), None, "it was not read yet");
        let (bytes, outcome) = world.read(Direction::Down, there);
        let expected = if reads_before { &b""[..] } else { b"hello" };
        assert_eq!((&bytes[..], outcome), (expected, ReadOutcome::Finished));
        world.run(Duration::from_secs(1));
        assert_eq!(world.closed(Direction::Down), Some(CloseReason::Finished));
    }
}

#[test]
fn what_nobody_reads_lends_its_name_to_nobody() {
    let mut world = Setting::new().world();
    let (_, first, _) = world.connect(b"hello");
    let now = world.ends.now();
    world.ends.client.handle(now, TransportInput::Stop);
    world.run(Duration::from_secs(10));
    let (_, second, _) = world.connect(b"again");
    assert_ne!(first, second);
    for (id, expected) in [(first, b"hello"), (second, b"again")] {
        assert_eq!(world.read(Direction::Down, id).0, expected);
    }
}

/// Sockets end the flow of a connection over which something panicked.
#[test]
fn a_connection_that_failed_is_dropped_and_another_may_come() {
    let mut world = Setting::new().world();
    let (_, first, _) = world.connect(b"hello");
    let (now, flow) = (world.ends.now(), ConnectionId(0));
    let below = world.ends.server.lower();
    below.reset(now, flow, ResetReason::Failed);
    world.run(Duration::from_secs(1));
    let failed = CloseReason::Reset(ResetReason::Failed);
    assert_eq!(world.closed(Direction::Down), Some(failed));
    let (_, second, _) = world.connect(b"again");
    assert_ne!(first, second);
    assert_eq!(world.read(Direction::Down, second).0, b"again");
}
