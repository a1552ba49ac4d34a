use lasthop_contract::testing::{STREAM, WireEnd};
use lasthop_contract::{
    Cause, Direction, Layer, RandomStream, Transport, TransportEvent, TransportOutput,
};
use lasthop_units::Instant;
use lasthop_websocket::{WebSocket, WebSocketConfig};

use crate::world::{PAYLOAD, World, chunk, read};

#[test]
fn bytes_arrive_whole_both_ways_in_one_piece_or_many() {
    let mut world = World::new();
    let (here, there) = world.connect();
    let long: Vec<u8> = (0..200_000u32).map(|it| (it % 251) as u8).collect();
    let (mut up, mut down) = (Vec::new(), Vec::new());
    let parts: Vec<&[u8]> = long.chunks(7_001).collect();
    let mut next = [0, 0];
    for _ in 0..200 {
        let now = world.ends.now();
        let ends: [(&mut dyn Transport, _); 2] = [
            (&mut world.ends.client, here),
            (&mut world.ends.server, there),
        ];
        for ((end, id), next) in ends.into_iter().zip(&mut next) {
            while let Some(part) = parts.get(*next) {
                match end.write(now, id, STREAM, &[chunk(part)]).unwrap() {
                    0 => break,
                    taken => assert_eq!(taken, part.len(), "a message is taken whole"),
                }
                *next += 1;
            }
        }
        world.run(1);
        let now = world.ends.now();
        up.extend(read(&mut world.ends.server, now, there).0);
        down.extend(read(&mut world.ends.client, now, here).0);
    }
    assert!(up == long && down == long, "{} {}", up.len(), down.len());
}

#[test]
fn losses_below_are_not_seen_above() {
    let mut world = World::new();
    world.ends.lost = (0..60)
        .filter(|n| n % 4 == 1)
        .flat_map(|n| [(Direction::Up, n), (Direction::Down, n)])
        .collect();
    let id = world.open(b"");
    let there = world.run(30);
    let there = there.iter().find(|it| it.0 == Direction::Down).unwrap().1;
    let mut all = Vec::new();
    for number in 0..20u8 {
        let now = world.ends.now();
        let message = [number; 300];
        let taken = world.ends.client.write(now, id, STREAM, &[chunk(&message)]);
        assert_eq!(taken, Ok(300));
        world.run(10);
        let now = world.ends.now();
        all.extend(read(&mut world.ends.server, now, there).0);
    }
    let expected: Vec<u8> = (0..20u8).flat_map(|number| [number; 300]).collect();
    assert_eq!(all, expected);
}

#[test]
fn nothing_is_taken_while_the_stream_below_is_full_and_the_one_above_is_told_when_it_is_not() {
    let (below_client, below_server, wire) = WireEnd::pair();
    let config = std::sync::Arc::new(WebSocketConfig::new("mqtt"));
    let stream = |name| RandomStream::named(7, name);
    let mut client = WebSocket::new(below_client, config.clone(), Some(stream("client")));
    let mut server = WebSocket::new(below_server, config, Some(stream("server")));
    let now = Instant::ZERO;
    let id = client.open(now, crate::world::server(), &[]).unwrap();
    let events = |end: &mut dyn Transport| {
        let mut events = Vec::new();
        while let TransportOutput::Event(_, event) = end.poll(now) {
            events.push(event);
        }
        events
    };
    events(&mut server);
    events(&mut client);
    wire.borrow_mut().set_room([100; 2]);
    let write = |end: &mut WebSocket<_>| end.write(now, id, STREAM, &[chunk(&[1; 250])]);
    assert_eq!(write(&mut client), Ok(250));
    assert_eq!(write(&mut client), Ok(0));
    let (mut all, mut told_at) = (Vec::new(), Vec::new());
    while all.len() < 250 {
        all.extend(read(&mut server, now, id).0);
        if events(&mut client).contains(&TransportEvent::Writable(STREAM)) {
            told_at.push(all.len());
        }
    }
    // Of 258 bytes 100 are on the way at a time.
    assert_eq!(told_at, [192], "once the last ones have left");
    assert_eq!(all, [1; 250]);
    assert_eq!(write(&mut client), Ok(250));
    // What was written is accounted for, to the byte.
    wire.borrow_mut().set_room([usize::MAX; 2]);
    read(&mut server, now, id);
    events(&mut client);
    let wire = wire.borrow();
    let bytes_of = |layer, cause| -> usize {
        let all = wire.written[0].iter();
        let of = all.filter(|(it, _)| it.layer == layer && it.cause == cause);
        of.map(|(_, bytes)| bytes.len()).sum()
    };
    let request = "GET /mqtt HTTP/1.1\r\nHost: 192.0.2.1:80\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
                   Sec-WebSocket-Key: 0123456789012345678901==\r\nSec-WebSocket-Version: 13\r\n\
                   Sec-WebSocket-Protocol: mqtt\r\n\r\n";
    assert_eq!(
        bytes_of(Layer::WebSocket, Cause::SessionSetUp),
        request.len()
    );
    assert_eq!(bytes_of(Layer::WebSocket, Cause::Header), 2 * 8);
    assert_eq!(bytes_of(PAYLOAD.layer, PAYLOAD.cause), 2 * 250);
}

#[test]
fn many_chunks_are_one_message() {
    let mut world = World::new();
    let (here, there) = world.connect();
    let parts: Vec<[u8; 3]> = (0..100).map(|it| [it; 3]).collect();
    let chunks: Vec<_> = parts.iter().map(|it| chunk(it)).collect();
    let now = world.ends.now();
    assert_eq!(world.ends.client.write(now, here, STREAM, &chunks), Ok(300));
    assert_eq!(world.ends.client.write(now, here, STREAM, &[]), Ok(0));
    world.run(1);
    let now = world.ends.now();
    let (bytes, _) = read(&mut world.ends.server, now, there);
    assert_eq!(bytes, parts.concat());
}
