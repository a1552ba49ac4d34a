use lasthop_contract::Direction::{Down, Up};
use lasthop_contract::{Established, InterfaceId, Transport, TransportEvent, TransportInput};
use lasthop_dtls::{ClientProfile, ServerProfile};
use lasthop_units::Duration;

use crate::world::{Setting, World};

/// Longer than a round trip.
const WAITED: Duration = Duration::from_secs(2);

/// A client that makes another session where it heard nothing.
fn world(setting: Setting) -> World {
    let client = ClientProfile::with_key(&setting.common, setting.key).unwrap();
    let client = match setting.resumes {
        true => client.resuming(),
        false => client,
    };
    let server = ServerProfile::with_keys(&setting.common, setting.keys, true).unwrap();
    let server = server.remembering(setting.sessions);
    World::of(setting.seed, client.renewing(), server)
}

fn move_client(world: &mut World) {
    let now = world.ends.now();
    let moved = TransportInput::AddressChanged {
        interface: InterfaceId(0),
        address: "10.0.0.99".parse().unwrap(),
    };
    world.ends.client.handle(now, moved);
}

#[test]
fn a_client_without_an_answer_makes_another_session_by_the_same_connection() {
    let mut world = world(Setting::new(1));
    let (here, there) = world.connect();
    move_client(&mut world);
    world.send(Up, here, b"into the void");
    world.run(3);
    assert_eq!(world.received(Down, there), Vec::<Vec<u8>>::new());
    world.forget();
    let now = world.ends.now();
    world.ends.client.unanswered(now, here, WAITED);
    // What is said meanwhile waits for the end of the handshake.
    world.send(Up, here, b"from there");
    world.run(1);
    assert_eq!(world.established(Up).map(|it| it.1), Some(here));
    let (_, anew) = world.established(Down).unwrap();
    assert_ne!(anew, there);
    assert_eq!(world.received(Down, anew), [b"from there"]);
    world.send(Down, anew, b"back");
    world.run(1);
    assert_eq!(world.received(Up, here), [b"back"]);
}

#[test]
fn the_other_session_goes_on_with_the_first_where_sessions_are_resumed() {
    let mut setting = Setting::new(1);
    (setting.resumes, setting.sessions) = (true, 8);
    let mut world = world(setting);
    let (here, _) = world.connect();
    move_client(&mut world);
    world.run(3);
    world.forget();
    let now = world.ends.now();
    world.ends.client.unanswered(now, here, WAITED);
    world.run(1);
    assert_eq!(world.how(Up), Some(Established::Resumed));
}

#[test]
fn who_has_heard_the_peer_meanwhile_keeps_the_session() {
    let mut world = world(Setting::new(1));
    let (here, there) = world.connect();
    world.run(10);
    world.send(Down, there, b"still here");
    world.run(1);
    world.forget();
    let now = world.ends.now();
    world.ends.client.unanswered(now, here, WAITED);
    world.run(3);
    assert_eq!(world.established(Up), None);
    world.send(Up, here, b"as before");
    world.run(1);
    assert_eq!(world.received(Down, there), [b"as before"]);
}

#[test]
fn a_client_that_does_not_renew_and_a_server_keep_what_they_have() {
    let mut world = Setting::new(1).world();
    let (here, there) = world.connect();
    world.run(10);
    world.forget();
    let now = world.ends.now();
    world.ends.client.unanswered(now, here, WAITED);
    world.ends.server.unanswered(now, there, WAITED);
    world.run(3);
    assert_eq!(world.established(Up), None);
    world.send(Up, here, b"as before");
    world.run(1);
    assert_eq!(world.received(Down, there), [b"as before"]);
}

#[test]
fn a_session_that_nobody_needs_any_more_stays_since_its_peer_has_it() {
    let mut world = Setting::new(1).world();
    let (here, there) = world.connect();
    let now = world.ends.now();
    world.ends.server.forget(now, there);
    world.run(1);
    let is_closed = |it| matches!(it, TransportEvent::Closed(_));
    assert!(world.first(Down, is_closed).is_none());
    world.send(Up, here, b"later");
    world.run(1);
    assert_eq!(world.received(Down, there), [b"later"]);
}
