//! The contract carries connections of many streams, and an application uses the streams that it is given: the same one
//! over TCP and over a toy that has as many as one likes.

mod toy;

use core::net::{IpAddr, SocketAddr};
use std::collections::BTreeMap;
use std::sync::Arc;

use lasthop_contract::testing::{Pair, PairEvent};
use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, Cause, Chunk, ConnectionId, Direction,
    DiscardReason, JoinError, Layer, OpenOptions, Outbox, Provenance, RandomStream, ReadOutcome,
    StreamError, StreamId, StreamKind, Transport, TransportEvent, TransportInput,
};
use lasthop_transport::{Tcp, TcpProfile, Udp};
use lasthop_units::{Duration, Instant};

use toy::ManyStreams;

const PAYLOAD: Provenance = Provenance::new(Layer::Application, Cause::Payload);
const DELAY: Duration = Duration::from_millis(10);

type Ends = Pair<Box<dyn Transport>, Box<dyn Transport>>;

fn server() -> SocketAddr {
    "192.0.2.1:4433".parse().unwrap()
}

fn device() -> IpAddr {
    "10.0.0.1".parse().unwrap()
}

fn chunk(bytes: &[u8]) -> Chunk<'_> {
    Chunk {
        bytes,
        provenance: PAYLOAD,
    }
}

fn ends(client: Box<dyn Transport>, mut listening: Box<dyn Transport>) -> Ends {
    listening.listen(server().port()).unwrap();
    Pair::new(client, listening, DELAY)
}

fn of_many_streams() -> Ends {
    let end = |address| Box::new(ManyStreams::new(Udp::new(address)));
    ends(end(device()), end(server().ip()))
}

fn of_one_stream() -> Ends {
    let end = |address, seed| {
        let stream = RandomStream::named(seed, "tcp");
        Box::new(Tcp::new(address, Arc::new(TcpProfile::linux()), stream))
    };
    ends(end(device(), 1), end(server().ip(), 2))
}

fn read(
    transport: &mut dyn Transport,
    now: Instant,
    id: ConnectionId,
    stream: StreamId,
) -> (String, ReadOutcome) {
    let (mut all, mut room) = (Vec::new(), [0; 7]);
    loop {
        match transport.read(now, id, stream, &mut room).unwrap() {
            ReadOutcome::Read(count) => all.extend(&room[..count]),
            outcome => return (String::from_utf8(all).unwrap(), outcome),
        }
    }
}

fn at(events: &[PairEvent], end: Direction) -> Vec<(ConnectionId, TransportEvent)> {
    let at_end = events.iter().filter(|event| event.end == end);
    at_end
        .map(|event| (event.connection, event.event))
        .collect()
}

/// A server that sends every stream back on itself, whoever opened it and however it came.
#[derive(Default)]
struct Echo {
    outboxes: BTreeMap<(ConnectionId, StreamId), Outbox>,
}

impl Application for Echo {
    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport) {
        let ApplicationInput::Transport(id, event) = input else {
            return;
        };
        if let Some(stream) = event.new_stream(id, transport) {
            self.outboxes.insert((id, stream), Outbox::new(stream));
        }
        if let TransportEvent::Readable(stream) = event
            && let Some(outbox) = self.outboxes.get_mut(&(id, stream))
        {
            let (text, outcome) = read(transport, now, id, stream);
            outbox.write(now, transport, id, &[chunk(text.as_bytes())]);
            if outcome == ReadOutcome::Finished {
                outbox.finish(now, transport, id);
            }
        }
    }

    fn poll(&mut self, _now: Instant, _transport: &mut dyn Transport) -> ApplicationOutput {
        ApplicationOutput::WaitUntil(None)
    }
}

/// Lets the server's application hear what its transport says, for a while.
fn serve(ends: &mut Ends, echo: &mut Echo) -> Vec<(ConnectionId, TransportEvent)> {
    let mut here = Vec::new();
    for _ in 0..20 {
        ends.run_for(DELAY);
        let (events, now) = (ends.take_events(), ends.now());
        here.extend(at(&events, Direction::Up));
        for (id, event) in at(&events, Direction::Down) {
            let input = ApplicationInput::Transport(id, event);
            echo.handle(now, input, &mut *ends.server);
        }
    }
    here
}

#[test]
fn one_application_serves_a_connection_of_one_stream_and_one_of_many() {
    for mut ends in [of_one_stream(), of_many_streams()] {
        let mut echo = Echo::default();
        let now = ends.now();
        let id = ends.client.open(now, server(), &[]).unwrap();
        let stream = ends.client.own_stream(now, id).unwrap();
        serve(&mut ends, &mut echo);
        let now = ends.now();
        ends.client
            .write(now, id, stream, &[chunk(b"over and out")])
            .unwrap();
        ends.client.finish(now, id, stream);
        serve(&mut ends, &mut echo);
        let now = ends.now();
        let heard = read(&mut *ends.client, now, id, stream);
        assert_eq!(heard, ("over and out".to_owned(), ReadOutcome::Finished));
    }
}

#[test]
fn early_data_begins_the_stream_that_a_connection_comes_with() {
    for mut ends in [of_one_stream(), of_many_streams()] {
        let mut echo = Echo::default();
        let now = ends.now();
        let id = ends
            .client
            .open(now, server(), &[chunk(b"hello ")])
            .unwrap();
        let stream = ends.client.initial_stream(id).unwrap();
        assert_eq!(ends.client.own_stream(now, id), Ok(stream));
        ends.client
            .write(now, id, stream, &[chunk(b"there")])
            .unwrap();
        serve(&mut ends, &mut echo);
        let now = ends.now();
        assert_eq!(read(&mut *ends.client, now, id, stream).0, "hello there");
    }
}

#[test]
fn streams_do_not_mix_and_one_is_given_up_without_the_others() {
    let mut ends = of_many_streams();
    let mut echo = Echo::default();
    let now = ends.now();
    let id = ends.client.open(now, server(), &[]).unwrap();
    assert_eq!(ends.client.initial_stream(id), None, "nothing was said yet");
    let both = StreamKind::Bidirectional;
    let streams = [(); 3].map(|()| ends.client.open_stream(now, id, both).unwrap());
    for (stream, text) in streams.iter().zip(["one", "two", "three"]) {
        ends.client
            .write(now, id, *stream, &[chunk(text.as_bytes())])
            .unwrap();
    }
    ends.client.reset_stream(now, id, streams[1], 77).unwrap();
    let gone = ends.client.write(now, id, streams[1], &[chunk(b"more")]);
    assert_eq!(gone, Err(StreamError::NoSuchStream));
    ends.run_for(DELAY);
    let events = at(&ends.take_events(), Direction::Down);
    let there = events[0].0;
    let reset = TransportEvent::StreamReset(streams[1], 77);
    assert!(events.contains(&(there, reset)), "{events:?}");
    let now = ends.now();
    for (id, event) in events {
        let input = ApplicationInput::Transport(id, event);
        if !matches!(event, TransportEvent::Readable(stream) if stream == streams[1]) {
            echo.handle(now, input, &mut *ends.server);
        }
    }
    serve(&mut ends, &mut echo);
    let now = ends.now();
    assert_eq!(read(&mut *ends.client, now, id, streams[0]).0, "one");
    assert_eq!(read(&mut *ends.client, now, id, streams[2]).0, "three");
}

#[test]
fn either_end_opens_streams_and_only_who_opened_one_of_one_direction_writes_to_it() {
    let mut ends = of_many_streams();
    let now = ends.now();
    let id = ends.client.open(now, server(), &[chunk(b"hello")]).unwrap();
    ends.run_for(DELAY);
    let there = at(&ends.take_events(), Direction::Down)[0].0;
    let now = ends.now();
    let one_way = StreamKind::Unidirectional;
    let stream = ends.server.open_stream(now, there, one_way).unwrap();
    ends.server
        .write(now, there, stream, &[chunk(b"news")])
        .unwrap();
    ends.run_for(DELAY);
    let events = at(&ends.take_events(), Direction::Up);
    let opened = TransportEvent::StreamOpened(stream, one_way);
    assert!(events.contains(&(id, opened)), "{events:?}");
    assert_eq!(
        opened.new_stream(id, &ends.client),
        None,
        "there is nothing to answer on"
    );
    let now = ends.now();
    assert_eq!(read(&mut *ends.client, now, id, stream).0, "news");
    let answer = ends.client.write(now, id, stream, &[chunk(b"thanks")]);
    assert_eq!(answer, Err(StreamError::NoSuchStream));
}

#[test]
fn a_stream_of_tcp_is_its_connection() {
    let mut ends = of_one_stream();
    let now = ends.now();
    let id = ends.client.open(now, server(), &[]).unwrap();
    ends.run_for(DELAY * 4);
    let now = ends.now();
    let further = ends.client.open_stream(now, id, StreamKind::Bidirectional);
    assert_eq!(further, Err(StreamError::NoFurtherStream));
    assert_eq!(
        ends.client.reset_stream(now, id, StreamId(4), 1),
        Err(StreamError::NoSuchStream)
    );
    ends.client.reset_stream(now, id, Tcp::STREAM, 1).unwrap();
    ends.run_for(DELAY * 2);
    let closed = |it: &(ConnectionId, TransportEvent)| matches!(it.1, TransportEvent::Closed(_));
    let events = ends.take_events();
    for end in Direction::ALL {
        assert!(at(&events, end).iter().any(closed), "{end:?}: {events:?}");
    }
}

#[test]
fn a_group_is_heard_where_it_was_joined_and_answered_by_the_receivers_own_address() {
    let group: SocketAddr = "239.255.0.1:7400".parse().unwrap();
    let mut ends = of_many_streams();
    let from = OpenOptions {
        local_port: Some(7410),
        ..OpenOptions::default()
    };
    let now = ends.now();
    ends.client.listen(7410).unwrap();
    let to_all = ends.client.open_with(now, group, from, &[]).unwrap();
    ends.client
        .send_datagram(now, to_all, &[chunk(b"who is there?")])
        .unwrap();
    ends.run_for(DELAY);
    assert_eq!(
        ends.discarded(),
        [DiscardReason::PortUnreachable],
        "nobody joined"
    );
    ends.take_events();

    ends.server.join(group.ip(), group.port()).unwrap();
    let now = ends.now();
    ends.client
        .send_datagram(now, to_all, &[chunk(b"who is there?")])
        .unwrap();
    ends.run_for(DELAY);
    let (id, _) = at(&ends.take_events(), Direction::Down)[0];
    assert_eq!(ends.server.peer(id), Some(SocketAddr::new(device(), 7410)));
    assert_eq!(
        &*ends.server.receive_datagram(id).unwrap(),
        b"who is there?"
    );
    let now = ends.now();
    ends.server.send_datagram(now, id, &[chunk(b"me")]).unwrap();
    ends.run_for(DELAY);
    let (id, _) = at(&ends.take_events(), Direction::Up)[0];
    assert_eq!(
        ends.client.peer(id),
        Some(SocketAddr::new(server().ip(), 7400))
    );
    assert_eq!(&*ends.client.receive_datagram(id).unwrap(), b"me");
}

#[test]
fn what_is_no_group_cannot_be_joined_and_a_crash_leaves_all() {
    let mut udp = Udp::new(device());
    let alone = server().ip();
    assert_eq!(udp.join(alone, 7400), Err(JoinError::NoGroup(alone)));
    let group: IpAddr = "ff02::1".parse().unwrap();
    let mut tcp = of_one_stream().client;
    assert_eq!(tcp.join(group, 7400), Err(JoinError::StreamsOnly(group)));

    let group: SocketAddr = "239.255.0.1:7400".parse().unwrap();
    let mut ends = of_many_streams();
    ends.server.join(group.ip(), group.port()).unwrap();
    let now = ends.now();
    let crash = TransportInput::Crash(lasthop_contract::Survives::default());
    ends.server.handle(now, crash);
    let to_all = ends.client.open(now, group, &[]).unwrap();
    ends.client
        .send_datagram(now, to_all, &[chunk(b"anyone?")])
        .unwrap();
    ends.run_for(DELAY);
    assert_eq!(ends.discarded(), [DiscardReason::PortUnreachable]);
}
