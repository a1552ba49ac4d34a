//! How many streams a peer allows, and how long it waits for a word.

use lasthop_contract::{
    CloseReason, ConnectionId, Direction, ReadOutcome, StreamError, StreamId, StreamKind, Survives,
    Transport, TransportEvent, TransportInput,
};
use lasthop_units::Duration;

use crate::world::{Setting, World, chunk};

const SECOND: Duration = Duration::from_secs(1);
const BOTH: StreamKind = StreamKind::Bidirectional;
const IDLE: Duration = Duration::from_secs(10);

fn may_open_more(world: &World) -> bool {
    let is_it = |it| it == TransportEvent::StreamsAllowed;
    world.first(Direction::Up, is_it).is_some()
}

/// A world whose client has opened both of the streams that it may, with the connection at both ends and the second stream.
fn with_all_streams_open() -> (World, ConnectionId, ConnectionId, StreamId) {
    let mut setting = Setting::new();
    setting.quic.streams = 2;
    let mut world = setting.world();
    let (here, there, _) = world.connect(b"zero");
    let now = world.ends.now();
    let second = world.ends.client.open_stream(now, here, BOTH).unwrap();
    (world, here, there, second)
}

#[test]
fn who_has_opened_all_streams_is_told_when_there_may_be_another() {
    let (mut world, here, there, second) = with_all_streams_open();
    let now = world.ends.now();
    let more = world.ends.client.open_stream(now, here, BOTH);
    assert_eq!(more, Err(StreamError::NoFurtherStream));
    let client = &mut world.ends.client;
    client.write(now, here, second, &[chunk(b"one")]).unwrap();
    client.finish(now, here, second);
    world.run(SECOND);
    // It is over for one end alone.
    let read = world.read_from(Direction::Down, there, second);
    assert_eq!(read, (b"one".to_vec(), ReadOutcome::Finished));
    world.run(SECOND);
    assert!(!may_open_more(&world));
    let now = world.ends.now();
    let more = world.ends.client.open_stream(now, here, BOTH);
    assert_eq!(more, Err(StreamError::NoFurtherStream));

    world.ends.server.finish(now, there, second);
    world.run(SECOND);
    assert!(may_open_more(&world));
    let now = world.ends.now();
    let third = world.ends.client.open_stream(now, here, BOTH);
    assert_eq!(third, Ok(StreamId(8)));
    let more = world.ends.client.open_stream(now, here, BOTH);
    assert_eq!(more, Err(StreamError::NoFurtherStream));
}

#[test]
fn who_was_not_refused_a_stream_is_not_told_of_more() {
    let (mut world, here, there, second) = with_all_streams_open();
    let now = world.ends.now();
    world.ends.client.finish(now, here, second);
    world.run(SECOND);
    world.read_from(Direction::Down, there, second);
    let now = world.ends.now();
    world.ends.server.finish(now, there, second);
    world.run(SECOND);
    assert!(!may_open_more(&world));
    let now = world.ends.now();
    let third = world.ends.client.open_stream(now, here, BOTH);
    assert_eq!(third, Ok(StreamId(8)));
}

/// A world whose connections end by silence, with one of them.
fn idle(setting: Setting) -> World {
    let mut world = setting.world();
    world.connect(b"hello");
    world.forget();
    world
}

#[test]
fn a_server_forgets_who_died_after_the_idle_time_and_without_one_never() {
    for (timeout, end) in [(Some(IDLE), Some(CloseReason::TimedOut)), (None, None)] {
        let mut setting = Setting::new();
        setting.quic.idle_timeout = timeout;
        let mut world = idle(setting);
        let now = world.ends.now();
        let crash = TransportInput::Crash(Survives::default());
        world.ends.client.handle(now, crash);
        let sent = world.sent().map(|it| it.len());
        // Two seconds of it were spent on connecting.
        world.run(Duration::from_secs(7));
        assert_eq!(world.closed(Direction::Down), None, "{timeout:?}");
        world.run(Duration::from_secs(3600));
        assert_eq!(world.closed(Direction::Down), end, "{timeout:?}");
        assert_eq!(world.sent().map(|it| it.len()), sent, "it ends in silence");
    }
}

#[test]
fn what_is_kept_alive_does_not_end_by_silence_at_either_end() {
    let mut setting = Setting::new();
    setting.quic.idle_timeout = Some(IDLE);
    setting.quic.keep_alive = Some(Duration::from_secs(4));
    let mut world = idle(setting);
    world.run(Duration::from_secs(3600));
    assert_eq!(Direction::ALL.map(|end| world.closed(end)), [None; 2]);
}

#[test]
fn both_ends_end_at_the_idle_time() {
    let mut setting = Setting::new();
    setting.quic.idle_timeout = Some(IDLE);
    let mut world = idle(setting);
    world.run(Duration::from_secs(30));
    for end in Direction::ALL {
        assert_eq!(world.closed(end), Some(CloseReason::TimedOut));
    }
}
