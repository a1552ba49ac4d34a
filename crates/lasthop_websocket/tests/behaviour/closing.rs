use lasthop_contract::testing::STREAM;
use lasthop_contract::{
    CloseReason, Direction, ResetReason, StreamError, Survives, Transport, TransportEvent,
    TransportInput,
};

use crate::world::{World, chunk, read};

fn closed(
    events: &[(Direction, lasthop_contract::ConnectionId, TransportEvent)],
    end: Direction,
) -> Option<CloseReason> {
    events.iter().find_map(|it| match it.2 {
        TransportEvent::Closed(reason) if it.0 == end => Some(reason),
        _ => None,
    })
}

#[test]
fn an_end_that_finishes_closes_both_and_what_was_written_before_arrives() {
    for finisher in Direction::ALL {
        let mut world = World::new();
        let (here, there) = world.connect();
        let now = world.ends.now();
        let (end, id): (&mut dyn Transport, _) = match finisher {
            Direction::Up => (&mut world.ends.client, here),
            Direction::Down => (&mut world.ends.server, there),
        };
        end.write(now, id, STREAM, &[chunk(b"last")]).unwrap();
        end.finish(now, id, STREAM);
        end.finish(now, id, STREAM);
        let late = end.write(now, id, STREAM, &[chunk(b"late")]);
        assert_eq!(late, Err(StreamError::NoSuchStream));
        let events = world.run(1);
        // Its peer reads to the end; it need not.
        let now = world.ends.now();
        let (bytes, is_finished) = match finisher {
            Direction::Up => read(&mut world.ends.server, now, there),
            Direction::Down => read(&mut world.ends.client, now, here),
        };
        assert_eq!(bytes, b"last");
        assert!(is_finished);
        let told = TransportEvent::Readable(STREAM);
        assert!(events.iter().any(|it| it.0 != finisher && it.2 == told));
        world.run(1);
        let now = world.ends.now();
        read(&mut world.ends.client, now, here);
        read(&mut world.ends.server, now, there);
        let events = world.run(200);
        for end in Direction::ALL {
            assert_eq!(
                closed(&events, end),
                Some(CloseReason::Finished),
                "{finisher:?}"
            );
        }
    }
}

#[test]
fn both_may_finish_at_once() {
    let mut world = World::new();
    let (here, there) = world.connect();
    let now = world.ends.now();
    world.ends.client.finish(now, here, STREAM);
    world.ends.server.finish(now, there, STREAM);
    world.run(1);
    let now = world.ends.now();
    assert!(read(&mut world.ends.client, now, here).1);
    assert!(read(&mut world.ends.server, now, there).1);
    let events = world.run(200);
    for end in Direction::ALL {
        assert_eq!(closed(&events, end), Some(CloseReason::Finished));
    }
}

#[test]
fn who_never_answers_a_close_frame_is_given_up() {
    let mut world = World::new();
    let (here, _) = world.connect();
    let now = world.ends.now();
    world.ends.client.finish(now, here, STREAM);
    // The server's application never reads, and so its end never sees the frame.
    let events = world.run(59);
    assert_eq!(closed(&events, Direction::Up), None);
    let events = world.run(2);
    assert_eq!(closed(&events, Direction::Up), Some(CloseReason::TimedOut));
}

#[test]
fn a_stream_that_ends_without_a_close_frame_was_cut_off() {
    let mut world = World::new();
    let (here, there) = world.connect();
    let now = world.ends.now();
    world.ends.client.reset(now, here, ResetReason::NotNeeded);
    let events = world.run(1);
    let reset = CloseReason::Reset(ResetReason::NotNeeded);
    assert_eq!(closed(&events, Direction::Up), Some(reset));
    assert_eq!(
        closed(&events, Direction::Down),
        Some(CloseReason::PeerReset)
    );
    let now = world.ends.now();
    assert!(
        world
            .ends
            .server
            .read(now, there, STREAM, &mut [0; 9])
            .is_err()
    );
}

#[test]
fn a_host_that_stops_says_so_to_every_peer() {
    let mut world = World::new();
    let (here, _) = world.connect();
    let now = world.ends.now();
    world.ends.server.handle(now, TransportInput::Stop);
    world.run(1);
    let now = world.ends.now();
    assert!(read(&mut world.ends.client, now, here).1, "going away");
    let events = world.run(200);
    assert_eq!(closed(&events, Direction::Up), Some(CloseReason::Finished));
}

#[test]
fn after_a_crash_nothing_is_known_and_a_new_connection_works() {
    let mut world = World::new();
    world.connect();
    let now = world.ends.now();
    let nothing = Survives::default();
    world
        .ends
        .client
        .handle(now, TransportInput::Crash(nothing));
    let events = world.run(1);
    assert_eq!(closed(&events, Direction::Up), None);
    let id = world.open(b"again");
    let events = world.run(2);
    let told = |it: &&(Direction, _, TransportEvent)| {
        it.0 == Direction::Up && it.1 == id && matches!(it.2, TransportEvent::Established(_))
    };
    assert!(events.iter().find(told).is_some(), "{events:?}");
}
