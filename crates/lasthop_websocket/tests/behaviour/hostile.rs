//! A peer that says what it likes, over TCP.

use std::sync::Arc;

use lasthop_contract::testing::{Pair, STREAM};
use lasthop_contract::{
    CloseReason, ConnectionId, Direction, RandomStream, Transport, TransportEvent,
};
use lasthop_transport::Tcp;
use lasthop_units::Duration;
use lasthop_websocket::{WebSocket, WebSocketConfig};

use crate::world::{DELAY, chunk, read, server, tcp};

const KEY: &str = "dGhlIHNhbXBsZSBub25jZQ==";

fn request() -> Vec<u8> {
    format!(
        "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Key: {KEY}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: mqtt\r\n\r\n"
    )
    .into_bytes()
}

struct Attack {
    ends: Pair<Tcp, WebSocket<Tcp>>,
    id: ConnectionId,
    answer: Vec<u8>,
    /// What the server's application was told and read.
    events: Vec<TransportEvent>,
    read: Vec<u8>,
}

impl Attack {
    fn with(bytes: &[u8]) -> Self {
        let config = Arc::new(WebSocketConfig::new("mqtt"));
        let random = RandomStream::named(1, "server/ws");
        let mut listening = WebSocket::new(tcp("192.0.2.1"), config, Some(random));
        listening.listen(server().port()).unwrap();
        let mut ends = Pair::new(tcp("10.0.0.1"), listening, DELAY);
        let id = ends.client.open(ends.now(), server(), &[chunk(bytes)]);
        let mut attack = Self {
            id: id.unwrap(),
            ends,
            answer: Vec::new(),
            events: Vec::new(),
            read: Vec::new(),
        };
        attack.run(1);
        attack
    }

    fn run(&mut self, seconds: u64) {
        self.ends.run_for(Duration::from_secs(seconds));
        let now = self.ends.now();
        for event in self.ends.take_events() {
            match event.end {
                Direction::Up => {}
                Direction::Down => {
                    self.events.push(event.event);
                    let (bytes, _) = read(&mut self.ends.server, now, event.connection);
                    self.read.extend(bytes);
                }
            }
        }
        self.ends.run_for(Duration::from_secs(1));
        let now = self.ends.now();
        let (bytes, is_finished) = read(&mut self.ends.client, now, self.id);
        self.answer.extend(bytes);
        if is_finished {
            self.ends.client.finish(now, self.id, STREAM);
        }
    }

    fn closed(&mut self) -> Option<CloseReason> {
        self.run(1);
        self.run(100);
        self.events.iter().find_map(|it| match it {
            TransportEvent::Closed(reason) => Some(*reason),
            _ => None,
        })
    }

    /// What the server sent behind its part of the handshake.
    fn frames(&self) -> &[u8] {
        let text = String::from_utf8_lossy(&self.answer);
        assert!(text.starts_with("HTTP/1.1 101 "), "{text}");
        let end = self.answer.windows(4).position(|it| it == b"\r\n\r\n");
        &self.answer[end.unwrap() + 4..]
    }
}

fn with_frames(frames: &[u8]) -> Attack {
    Attack::with(&[&request(), frames].concat())
}

#[test]
fn frames_that_cannot_be_are_answered_by_a_close_frame_that_says_why() {
    for (frame, status) in [
        (&[0x82, 0x01, 0x00][..], 1002_u16),
        (&[0xf2, 0x80, 0, 0, 0, 0], 1002),
        (&[0x87, 0x80, 0, 0, 0, 0], 1002),
        (&[0x80, 0x80, 0, 0, 0, 0], 1002),
        (&[0x09, 0x80, 0, 0, 0, 0], 1002),
        (&[0x89, 0xfe, 0, 126, 0, 0, 0, 0], 1002),
        (&[0x82, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], 1002),
        (&[0x81, 0x80, 0, 0, 0, 0], 1003),
        (&[0x88, 0x81, 0, 0, 0, 0, 3], 1002),
        (&[0x88, 0x82, 0, 0, 0, 0, 3, 237], 1002),
        (&[0x88, 0x83, 0, 0, 0, 0, 3, 232, 0xff], 1002),
        // As long as can be said, of which nothing comes.
        (
            &[
                0x82, 0xff, 0x7f, 255, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0, 0x82,
            ],
            0,
        ),
    ] {
        let mut attack = with_frames(frame);
        let [high, low] = status.to_be_bytes();
        let expected = if status == 0 {
            &[][..]
        } else {
            &[0x88, 2, high, low]
        };
        assert_eq!(attack.frames(), expected, "{frame:02x?}");
        let reason = attack.closed();
        let expected = (status != 0).then_some(CloseReason::PeerError);
        assert_eq!(reason, expected, "{frame:02x?}");
    }
}

#[test]
fn pings_are_answered_and_a_flood_of_them_fills_no_memory() {
    let attack = with_frames(&[0x89, 0x82, 1, 2, 3, 4, b'o' ^ 1, b'k' ^ 2]);
    assert_eq!(attack.frames(), [0x8a, 2, b'o', b'k']);
    // More than a megabyte of pings, whose answers nobody reads: the server drops the answers, not its memory.
    let mut attack = with_frames(&[]);
    let ping = [&[0x89, 0xfd, 0, 0, 0, 0][..], &[7; 125]].concat();
    let pings = ping.repeat(500);
    let mut written = 0;
    for _ in 0..20 {
        let now = attack.ends.now();
        let rest = &pings[written % ping.len()..];
        let taken = attack
            .ends
            .client
            .write(now, attack.id, STREAM, &[chunk(rest)]);
        written += taken.unwrap();
        attack.ends.run_for(Duration::from_secs(2));
        let now = attack.ends.now();
        for event in attack.ends.take_events() {
            if event.end == Direction::Down {
                read(&mut attack.ends.server, now, event.connection);
            }
        }
    }
    // Now it reads, until nothing comes any more.
    for _ in 0..100 {
        attack.run(1);
    }
    let (pings, pongs) = (written / ping.len(), attack.frames().len() / 127);
    assert!(pings > 2_000, "{pings}");
    assert!(pongs < pings, "{pongs} of {pings}");
    assert_eq!(attack.frames().len(), pongs * 127, "whole ones");
}

#[test]
fn a_request_for_a_page_is_refused_and_the_application_hears_nothing() {
    let mut attack = Attack::with(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    attack.closed();
    let text = String::from_utf8(attack.answer.clone()).unwrap();
    assert!(
        text.starts_with("HTTP/1.1 426 Upgrade Required\r\n"),
        "{text}"
    );
    assert!(text.contains("\r\nSec-WebSocket-Version: 13\r\n"), "{text}");
    assert_eq!(attack.events, []);
}

#[test]
fn a_request_that_never_ends_is_cut_at_its_limit_and_one_that_stalls_in_time() {
    let mut attack = Attack::with(format!("GET /{}", "a".repeat(9000)).as_bytes());
    attack.closed();
    assert!(attack.answer.starts_with(b"HTTP/1.1 431 "));
    assert_eq!(attack.events, []);
    let mut attack = Attack::with(b"GET / HTT");
    attack.ends.run_for(Duration::from_secs(61));
    let ended = attack.ends.take_events();
    let reset = TransportEvent::Closed(CloseReason::PeerReset);
    assert!(
        ended
            .iter()
            .any(|it| it.end == Direction::Up && it.event == reset)
    );
    assert!(
        !ended.iter().any(|it| it.end == Direction::Down),
        "it was never told"
    );
}

#[test]
fn random_bytes_and_random_changes_end_nothing_but_their_own_connection() {
    let mut random = RandomStream::named(5, "attack");
    let sound = [
        &[0x82, 0x85, 1, 2, 3, 4][..],
        &[9; 5],
        &[0x89, 0x80, 0, 0, 0, 0],
    ]
    .concat();
    for round in 0..300 {
        let mut bytes = [request(), sound.repeat(3)].concat();
        for _ in 0..=random.below(4) {
            let place = random.below(bytes.len() as u64) as usize;
            bytes[place] = random.next_u64() as u8;
        }
        bytes.truncate(random.below(bytes.len() as u64 + 1) as usize);
        let mut attack = Attack::with(&bytes);
        attack.run(1);
        let most = 3 * sound.len();
        assert!(attack.read.len() <= most, "{round}: never written");
    }
}
