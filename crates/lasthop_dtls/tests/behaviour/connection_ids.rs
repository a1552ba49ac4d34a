use lasthop_contract::Direction::{Down, Up};
use lasthop_contract::{
    Cause, ConnectionId, InterfaceId, Layer, Transport, TransportEvent, TransportInput,
};

use crate::world::{Setting, World};

fn setting(length: u8) -> Setting {
    let mut setting = Setting::new(1);
    setting.common.connection_id = length;
    setting
}

/// The client gets another address, as behind a translator that has forgotten it.
fn move_client(world: &mut World) {
    let now = world.ends.now();
    let moved = TransportInput::AddressChanged {
        interface: InterfaceId(0),
        address: "10.0.0.99".parse().unwrap(),
    };
    world.ends.client.handle(now, moved);
}

fn rebound(world: &World) -> bool {
    let is_rebound = |it| matches!(it, TransportEvent::Rebound);
    world.first(Down, is_rebound).is_some()
}

#[test]
fn a_session_with_a_connection_id_outlives_an_address_and_one_without_does_not() {
    for length in [0, 1, 8, 32] {
        let mut world = setting(length).world();
        let (here, there) = world.connect();
        let before = world.ends.server.peer(there);
        move_client(&mut world);
        world.send(Up, here, b"from there");
        world.run(1);
        let is_kept = length > 0;
        assert_eq!(rebound(&world), is_kept, "{length}");
        assert_eq!(world.received(Down, there).len(), usize::from(is_kept));
        if is_kept {
            assert_ne!(world.ends.server.peer(there), before);
            world.send(Down, there, b"back");
            world.run(1);
            assert_eq!(world.received(Up, here), [b"back"]);
        }
    }
}

#[test]
fn records_to_the_server_alone_carry_it_and_hide_their_kind() {
    let mut world = setting(8).world();
    let (here, there) = world.connect();
    world.send(Up, here, b"up");
    world.send(Down, there, b"down");
    let (up, down) = (
        world.sent(Up).pop().unwrap(),
        world.sent(Down).pop().unwrap(),
    );
    // Header with the ID, explicit nonce, content, kind, tag (RFC 9146 section 4).
    assert_eq!(up.bytes.len(), 13 + 8 + 8 + 2 + 1 + 8);
    assert_eq!(up.bytes[0], 25);
    let header = up
        .spans
        .iter()
        .filter(|it| (it.0.layer, it.0.cause) == (Layer::Dtls, Cause::Header));
    assert_eq!(header.map(|it| it.1).sum::<usize>(), up.bytes.len() - 2);
    assert_eq!(down.bytes.len(), 13 + 8 + 4 + 8);
    assert_eq!(down.bytes[0], 23);
}

#[test]
fn who_replays_or_changes_a_record_takes_no_session_over() {
    let mut world = setting(8).world();
    let (here, there) = world.connect();
    world.send(Up, here, b"once");
    world.run(1);
    let record = world.sent(Up).pop().unwrap().bytes;
    let before = world.ends.server.peer(there);
    world.received(Down, there);
    move_client(&mut world);
    for bit in 0..record.len() * 8 {
        let mut changed = record.clone();
        changed[bit / 8] ^= 1 << (bit % 8);
        world.inject(ConnectionId(0), &changed);
    }
    for length in 0..=record.len() {
        world.inject(ConnectionId(0), &record[..length]);
    }
    world.run(1);
    assert!(!rebound(&world));
    assert_eq!(world.ends.server.peer(there), before);
    assert_eq!(world.received(Down, there), Vec::<Vec<u8>>::new());
    world.send(Up, here, b"new");
    world.run(1);
    assert!(rebound(&world));
    assert_eq!(world.received(Down, there), [b"new"]);
}

#[test]
fn an_old_record_that_comes_late_from_the_old_address_moves_nothing_back() {
    let mut world = setting(8).world();
    let (here, there) = world.connect();
    // One is lost, and held by somebody.
    world.ends.lost = vec![(Up, 3)];
    world.send(Up, here, b"held");
    world.run(1);
    let held = world.sent(Up).pop().unwrap().bytes;
    move_client(&mut world);
    world.send(Up, here, b"moved");
    world.run(1);
    let moved = world.ends.server.peer(there);
    let now = world.ends.now();
    let back = TransportInput::AddressChanged {
        interface: InterfaceId(0),
        address: "10.0.0.1".parse().unwrap(),
    };
    world.ends.client.handle(now, back);
    world.inject(ConnectionId(0), &held);
    world.run(1);
    assert_eq!(world.received(Down, there), [&b"moved"[..], b"held"]);
    assert_eq!(world.ends.server.peer(there), moved);
}

#[test]
fn a_handshake_with_one_bears_every_loss() {
    for end in [Up, Down] {
        for number in 0..3 {
            let mut world = setting(8).world();
            world.ends.lost = vec![(end, number)];
            world.open();
            world.run(30);
            assert!(world.established(Up).is_some(), "{end:?} {number}");
        }
    }
}

#[test]
fn who_is_told_of_its_address_makes_another_session_unless_it_has_a_connection_id() {
    for length in [0, 8] {
        let mut world = setting(length).world();
        let (here, there) = world.connect();
        world.forget();
        move_client(&mut world);
        let now = world.ends.now();
        world
            .ends
            .client
            .handle(now, TransportInput::AddressNoticed);
        world.run(1);
        let is_kept = length > 0;
        let is_told = world.first(Up, |it| it == TransportEvent::Moved).is_some();
        assert_eq!(is_told, is_kept, "{length}");
        world.send(Up, here, b"from there");
        world.run(1);
        assert_eq!(world.established(Up).is_none(), is_kept, "{length}");
        let at_server = world.established(Down).map_or(there, |it| it.1);
        assert_eq!(world.received(Down, at_server), [b"from there"]);
        world.send(Down, at_server, b"back");
        world.run(1);
        assert_eq!(world.received(Up, here), [b"back"]);
    }
}
