use std::collections::BTreeSet;

use lasthop_contract::{Cause, ConnectionId, Established, StreamId, StreamKind, TransportEvent};
use lasthop_http::http::Response;
use lasthop_http::{Purpose, RequestServer, ServerEvent, ServerLimits};
use lasthop_units::Instant;

use crate::script::Script;
use crate::streams::Streams;

/// A server of HTTP/3, to whose streams any bytes come.
///
/// A step is a byte for the stream and what befalls it, and what is said there. However that is cut, the server is asked the
/// same, and holds no body that is larger than what came.
pub fn http3(data: &[u8]) {
    let in_one_go = serve(data, usize::MAX);
    assert_eq!(in_one_go, serve(data, 1), "byte by byte");
    assert_eq!(in_one_go, serve(data, 7), "seven at a time");
}

const NOW: Instant = Instant::ZERO;
const CONNECTION: ConnectionId = ConnectionId(0);
const STREAM: u8 = 15;
const ENDS: u8 = 16;
const GIVEN_UP: u8 = 32;
/// An answer is a head and what was asked; each beginning of a stream may be answered by as much.
const MOST_TOLD: usize = 1 << 10;

/// What a server was asked: method, target and body.
type Asked = BTreeSet<(u64, String, Vec<u8>)>;

fn serve(data: &[u8], piece: usize) -> (Asked, bool) {
    let mut end = End {
        streams: Streams::default(),
        requests: RequestServer::new(ServerLimits::default()),
        asked: Asked::new(),
        count: 0,
        most_body: data.len(),
    };
    end.happens(TransportEvent::Established(Established::Full));
    let mut script = Script::new(data);
    let mut steps = 0;
    while !script.is_empty() && !end.streams.is_over {
        let step = script.byte();
        let bytes = script.slice();
        steps += 1;
        end.step(step, bytes, piece);
    }
    let most = data.len() + (steps + 1) * MOST_TOLD;
    assert!(end.streams.told <= most, "a flood: {}", end.streams.told);
    (end.asked, end.streams.is_over)
}

struct End {
    streams: Streams,
    requests: RequestServer,
    asked: Asked,
    count: u64,
    most_body: usize,
}

impl End {
    fn step(&mut self, step: u8, bytes: &[u8], piece: usize) {
        // Those that a client opens: 0, 4, 8.. both ways, 2, 6, 10.. its own way.
        let stream = StreamId(u64::from(step & STREAM) * 2);
        let is_last = step & ENDS != 0;
        let cut = piece.min(bytes.len().max(1));
        let count = bytes.len().div_ceil(cut).max(1);
        for place in 0..count {
            let part = bytes.chunks(cut).nth(place).unwrap_or_default();
            let ends = is_last && place + 1 == count;
            if self.streams.say(stream, part, ends) {
                let kind = match stream.0 & 2 {
                    0 => StreamKind::Bidirectional,
                    _ => StreamKind::Unidirectional,
                };
                self.happens(TransportEvent::StreamOpened(stream, kind));
            }
            self.happens(TransportEvent::Readable(stream));
        }
        if step & GIVEN_UP != 0 {
            let _ = self.streams.say(stream, &[], true);
            self.happens(TransportEvent::StreamReset(stream, 0));
        }
    }

    fn happens(&mut self, event: TransportEvent) {
        if self.streams.is_over {
            return;
        }
        let streams = &mut self.streams;
        self.requests.handle(NOW, CONNECTION, event, streams);
        while let Some(event) = self.requests.next_event() {
            let ServerEvent::Asked { exchange, request } = event else {
                continue;
            };
            assert!(request.body().len() <= self.most_body, "out of nothing");
            let line = format!("{} {}", request.method(), request.uri());
            let response = Response::new(request.body().clone());
            self.asked
                .insert((self.count, line, (*request).into_body()));
            self.count += 1;
            let purpose = Purpose::whole(Cause::Payload);
            (self.requests).respond(NOW, exchange, &response, purpose, streams);
        }
    }
}
