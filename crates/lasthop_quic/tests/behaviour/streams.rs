use core::net::IpAddr;

use lasthop_contract::{
    Direction, RandomStream, ReadOutcome, StreamError, StreamId, StreamKind, Transport,
    TransportEvent,
};
use lasthop_quic::{Quic, QuicClient};
use lasthop_tls::ClientProfile;
use lasthop_transport::{Column, HostNetwork, TransportSet, Udp};
use lasthop_units::{Duration, Instant};

use crate::world::{FIRST, Setting, address, chunk};

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn a_megabyte_comes_whole_over_losses() {
    let mut world = Setting::new().world();
    let (here, there, _) = world.connect(b"go");
    world.read(Direction::Down, there);
    world.ends.lost = (0..400).map(|it| (Direction::Down, 11 * it)).collect();
    let sent: Vec<u8> = (0..1_000_000_u32).map(|it| (it % 251) as u8).collect();
    let (mut taken, mut read) = (0, Vec::new());
    for _ in 0..3000 {
        taken += world.write(Direction::Down, there, &sent[taken..]);
        world.run(Duration::from_millis(20));
        read.extend(world.read(Direction::Up, here).0);
        if read.len() == sent.len() {
            break;
        }
    }
    assert!(read == sent, "{} of {}", read.len(), sent.len());
}

#[test]
fn streams_do_not_mix_and_one_is_given_up_without_the_others() {
    let mut world = Setting::new().world();
    let (here, there, _) = world.connect(b"zero");
    let now = world.ends.now();
    let both = StreamKind::Bidirectional;
    let client = &mut world.ends.client;
    let streams = [(); 3].map(|()| client.open_stream(now, here, both).unwrap());
    assert_eq!(streams.map(|it| it.0), [4, 8, 12]);
    for (stream, text) in streams.iter().zip(["one", "two", "three"]) {
        client
            .write(now, here, *stream, &[chunk(text.as_bytes())])
            .unwrap();
    }
    world.forget();
    world.run(SECOND);
    let now = world.ends.now();
    let client = &mut world.ends.client;
    client.reset_stream(now, here, streams[1], 77).unwrap();
    let gone = client.write(now, here, streams[1], &[chunk(b"more")]);
    assert_eq!(gone, Err(StreamError::NoSuchStream));
    world.run(SECOND);
    let told = |wanted| move |it| it == wanted;
    let opened = TransportEvent::StreamOpened(streams[2], both);
    assert!(world.first(Direction::Down, told(opened)).is_some());
    let reset = TransportEvent::StreamReset(streams[1], 77);
    assert!(world.first(Direction::Down, told(reset)).is_some());
    assert_eq!(world.read(Direction::Down, there).0, b"zero");
    assert_eq!(
        world.read_from(Direction::Down, there, streams[0]).0,
        b"one"
    );
    assert_eq!(
        world.read_from(Direction::Down, there, streams[2]).0,
        b"three"
    );
}

#[test]
fn either_end_opens_streams_and_only_who_opened_one_of_one_direction_writes_to_it() {
    let mut world = Setting::new().world();
    let (here, there, _) = world.connect(b"hello");
    let now = world.ends.now();
    let one_way = StreamKind::Unidirectional;
    let server = &mut world.ends.server;
    let stream = server.open_stream(now, there, one_way).unwrap();
    server.write(now, there, stream, &[chunk(b"news")]).unwrap();
    server.finish(now, there, stream);
    world.run(SECOND);
    let read = world.read_from(Direction::Up, here, stream);
    assert_eq!(read, (b"news".to_vec(), ReadOutcome::Finished));
    let now = world.ends.now();
    let answer = world
        .ends
        .client
        .write(now, here, stream, &[chunk(b"thanks")]);
    assert_eq!(answer, Err(StreamError::NoSuchStream));
}

#[test]
fn the_first_stream_has_its_number_before_the_handshake_and_carries_what_is_written_after() {
    let mut world = Setting::new().world();
    let now = world.ends.now();
    let here = world.open(b"");
    let client = &mut world.ends.client;
    assert_eq!(client.initial_stream(here), None, "nothing was said yet");
    assert_eq!(client.own_stream(now, here), Ok(FIRST));
    assert_eq!(client.write(now, here, FIRST, &[chunk(b"later")]), Ok(0));
    world.run(SECOND);
    let writable = |it| it == TransportEvent::Writable(FIRST);
    assert!(world.first(Direction::Up, writable).is_some());
    assert_eq!(world.write(Direction::Up, here, b"now"), 3);
    world.run(SECOND);
    let (_, there, _) = world.how(Direction::Down).unwrap();
    assert_eq!(world.read(Direction::Down, there).0, b"now");
    let unknown = world
        .ends
        .client
        .write(now, here, StreamId(4), &[chunk(b"x")]);
    assert_eq!(unknown, Err(StreamError::NoSuchStream));
}

#[test]
fn whoever_hands_a_transport_on_hands_its_first_stream_on() {
    let setting = Setting::new();
    let client = ClientProfile::new(&setting.common, setting.client).unwrap();
    let client = QuicClient::new(&client, &setting.quic).unwrap();
    let mut network = HostNetwork::new(IpAddr::from([10, 0, 0, 1]));
    let (column, local) = network.place();
    let random = Some(RandomStream::named(1, "device"));
    let quic = Quic::new(Udp::at(local), Some(client), None, random);
    let columns = vec![Column::new(column, Box::new(quic))];
    let mut boxed: Box<dyn Transport> = Box::new(TransportSet::new(&network, columns));
    let here = boxed.open(Instant::ZERO, address(), &[]).unwrap();
    assert_eq!(boxed.own_stream(Instant::ZERO, here), Ok(FIRST));
}

#[test]
fn datagrams_come_or_do_not_and_the_stream_goes_on() {
    let mut world = Setting::new().world();
    let (here, there, _) = world.connect(b"hello");
    let now = world.ends.now();
    let client = &mut world.ends.client;
    for text in ["one", "two"] {
        client
            .send_datagram(now, here, &[chunk(text.as_bytes())])
            .unwrap();
    }
    let too_large = client.send_datagram(now, here, &[chunk(&[0; 2000])]);
    assert_eq!(too_large, Err(lasthop_contract::DatagramError::TooLarge));
    world.run(SECOND);
    let server = &mut world.ends.server;
    let mut come = || server.receive_datagram(there).map(|it| it.to_vec());
    assert_eq!(
        [come(), come(), come()],
        [Some(b"one".to_vec()), Some(b"two".to_vec()), None]
    );
}

#[test]
fn a_stream_of_one_direction_is_given_up_by_either_end_and_the_connection_goes_on() {
    for gives_up in Direction::ALL {
        let mut world = Setting::new().world();
        let (here, there, _) = world.connect(b"hello");
        let now = world.ends.now();
        let client = &mut world.ends.client;
        let stream = client.open_stream(now, here, StreamKind::Unidirectional);
        let stream = stream.unwrap();
        client.write(now, here, stream, &[chunk(b"news")]).unwrap();
        world.run(SECOND);
        let (id, other) = match gives_up {
            Direction::Up => (here, Direction::Down),
            Direction::Down => (there, Direction::Up),
        };
        let now = world.ends.now();
        let given_up = world.end(gives_up).reset_stream(now, id, stream, 9);
        given_up.unwrap();
        world.run(SECOND);
        let reset = |it| it == TransportEvent::StreamReset(stream, 9);
        assert!(world.first(other, reset).is_some(), "{gives_up:?}");
        assert_eq!(world.read(Direction::Down, there).0, b"hello");
    }
}

#[test]
fn a_connection_that_outlasts_its_streams_ends_by_a_code_of_the_application() {
    let mut world = Setting::new().world();
    let (here, there, _) = world.connect(b"hello");
    world.ends.client.outlast_streams(here);
    world.ends.server.outlast_streams(there);
    world.end_both(here, there);
    assert_eq!(world.closed(Direction::Up), None);
    assert_eq!(world.closed(Direction::Down), None);
    let now = world.ends.now();
    let client = &mut world.ends.client;
    let opened = client.open_stream(now, here, StreamKind::Bidirectional);
    let stream = opened.unwrap();
    client.write(now, here, stream, &[chunk(b"more")]).unwrap();
    world.run(SECOND);
    assert_eq!(world.read_from(Direction::Down, there, stream).0, b"more");
    let now = world.ends.now();
    world.ends.client.close(now, here, 0x100);
    world.run(SECOND);
    let of_peer = lasthop_contract::CloseReason::PeerReset;
    assert_eq!(world.closed(Direction::Down), Some(of_peer));
}
