//! Clients that do not read what they are answered: the server reads no further, and goes on when they do.

use lasthop_http::ServerLimits;
use lasthop_http::http::Response;

use crate::two::{PING, SETTINGS, WINDOW_UPDATE, begin, frame, frames, get};
use crate::world::Served;

const GET: &[u8] = b"GET /a HTTP/1.1\r\nHost: b\r\n\r\n";

/// What the kernel of each end takes.
const ROOM: usize = 64 << 10;

/// A server whose client has a connection and reads nothing.
fn served() -> (Served, lasthop_contract::ConnectionId) {
    let mut served = Served::new(ServerLimits::default());
    let id = served.open();
    served.wire.borrow_mut().set_room([ROOM; 2]);
    (served, id)
}

#[test]
fn requests_of_a_client_that_does_not_read_are_left_unread() {
    let (mut served, id) = served();
    let requests = GET.repeat(100_000);
    let mut taken = served.write_some(id, &requests);
    while let more @ 1.. = served.write_some(id, &requests[taken..]) {
        taken += more;
    }
    let answered = served.asked.len();
    // 256 KiB of answers wait for it, beside what the wire holds.
    assert!(answered * 38 < (256 << 10) + ROOM + 1000, "{answered}");
    assert!(taken < (answered + 1000) * GET.len() + 2 * ROOM, "{taken}");
    let mut heard = served.hear(id).text.len();
    while taken < requests.len() || heard < 38 * 100_000 {
        taken += served.write_some(id, &requests[taken..]);
        let more = served.hear(id).text.len();
        assert!(more > 0, "it stops at {heard}");
        heard += more;
    }
    assert_eq!(served.asked.len(), 100_000);
}

#[test]
fn a_client_that_reads_late_is_waited_for_from_then_on() {
    let (mut served, id) = served();
    let requests = GET.repeat(20_000);
    let mut taken = 0;
    while let more @ 1.. = served.write_some(id, &requests[taken..]) {
        taken += more;
    }
    served.wait(70);
    let mut heard = served.hear(id);
    taken += served.write_some(id, &requests[taken..]);
    served.wait(70);
    while !heard.text.is_empty() {
        assert!(!heard.is_over);
        heard = served.hear(id);
        taken += served.write_some(id, &requests[taken..]);
    }
    assert_eq!(served.asked.len(), 20_000);
}

#[test]
fn a_client_that_sends_pings_and_reads_nothing_is_told_to_calm_down() {
    let (mut served, id) = served();
    served.write(id, &begin());
    let pings = frame(PING, 0, 0, b"12345678").repeat(100_000);
    let mut taken = 0;
    while let more @ 1.. = served.write_some(id, &pings[taken..]) {
        taken += more;
    }
    assert!(taken < 1 << 20, "{taken} bytes were read");
    while served.hear_bytes(id) > 0 {}
    let said = frames(&served);
    let goaway = said.last().expect("it said something");
    assert_eq!(goaway.0, 7, "the last frame is GOAWAY");
    let wire = served.wire.borrow();
    let (_, last) = wire.written[1].last().expect("it said something");
    assert_eq!(last[last.len() - 4..], [0, 0, 0, 0xb], "ENHANCE_YOUR_CALM");
}

#[test]
fn many_pings_of_a_client_that_reads_are_answered() {
    let (mut served, id) = served();
    served.write(id, &begin());
    let ping = frame(PING, 0, 0, b"12345678");
    for _ in 0..100 {
        served.write(id, &ping.repeat(100));
        served.hear_bytes(id);
    }
    let of_ping = frames(&served)
        .iter()
        .filter(|(kind, _)| *kind == PING)
        .count();
    assert_eq!(of_ping, 10_000);
}

#[test]
fn answers_by_http_2_that_nobody_reads_hold_up_the_next_request() {
    let (mut served, id) = served();
    served.answers = false;
    // Windows of 16 MiB, for a stream and for all.
    let settings = frame(SETTINGS, 0, 0, &[0, 4, 1, 0, 0, 0]);
    let update = frame(WINDOW_UPDATE, 0, 0, &[1, 0, 0, 0]);
    served.write(id, &[begin(), settings, update].concat());
    let requests: Vec<u8> = (0..100).flat_map(|number| get(2 * number + 1)).collect();
    served.write(id, &requests);
    assert_eq!(served.asked.len(), 100);
    for place in 0..100 {
        let exchange = served.asked[place].0;
        served.answer(exchange, &Response::new(vec![b'x'; 10_000]));
    }
    served.write(id, &get(201));
    assert_eq!(served.asked.len(), 100, "it is left unread");
    let mut heard = 0;
    while let more @ 1.. = served.hear_bytes(id) {
        heard += more;
    }
    assert!(heard > 100 * 10_000, "{heard}");
    assert_eq!(served.asked.len(), 101);
}

#[test]
fn a_flood_of_requests_by_http_2_is_left_unread() {
    let (mut served, id) = served();
    served.write(id, &begin());
    let requests: Vec<u8> = (0..100_000)
        .flat_map(|number| get(2 * number + 1))
        .collect();
    let mut taken = 0;
    while taken < requests.len() {
        // A hundred at a time are no more than may be under way.
        let end = requests.len().min(taken + 100 * get(1).len());
        match served.write_some(id, &requests[taken..end]) {
            0 => break,
            more => taken += more,
        }
    }
    let answered = served.asked.len();
    assert!(answered < 60_000, "{answered} are answered, none is read");
}

#[test]
fn bodies_of_too_many_bytes_end_the_connection_that_waited_longest() {
    let mut served = Served::new(ServerLimits {
        most_pending: 20_000,
        ..ServerLimits::default()
    });
    let beginning = |length: usize| {
        let mut text = b"POST /a HTTP/1.1\r\nHost: b\r\nContent-Length: 10000\r\n\r\n".to_vec();
        text.extend(vec![b'x'; length]);
        text
    };
    let small = served.open();
    served.write_some(small, &beginning(100));
    let attackers = [(); 4].map(|()| served.open());
    for attacker in attackers {
        served.write_some(attacker, &beginning(9_000));
    }
    let are_over = attackers.map(|attacker| served.hear(attacker).is_over);
    assert_eq!(are_over, [true, true, false, false]);
    for id in [small, attackers[2], attackers[3]] {
        let missing = if id == small { 9_900 } else { 1_000 };
        served.write_some(id, &vec![b'x'; missing]);
    }
    assert_eq!(served.asked.len(), 3);
}
