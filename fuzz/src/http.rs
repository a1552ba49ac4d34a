use lasthop_contract::testing::{STREAM, WireEnd};
use lasthop_contract::{Cause, Chunk, Layer, Provenance, Transport, TransportOutput};
use lasthop_http::http::Response;
use lasthop_http::{Purpose, RequestServer, ServerEvent, ServerLimits};
use lasthop_units::Instant;

/// A server of HTTP, to which any bytes come.
///
/// However the bytes are cut, the server is asked the same and answers the same, and holds no body that is larger than what
/// came.
pub fn http(data: &[u8]) {
    let in_one_go = serve(data, usize::MAX);
    assert_eq!(in_one_go, serve(data, 1), "byte by byte");
    assert_eq!(in_one_go, serve(data, 7), "seven at a time");
}

/// What came of it.
#[derive(Debug, PartialEq, Eq)]
struct Served {
    /// What was asked: method, target and body.
    asked: Vec<(String, Vec<u8>)>,
    answered: Vec<u8>,
}

const NOW: Instant = Instant::ZERO;

fn serve(data: &[u8], piece: usize) -> Served {
    let (mut client, mut server, wire) = WireEnd::pair();
    let mut requests = RequestServer::new(ServerLimits::default());
    let peer = "192.0.2.1:80".parse().expect("it is an address");
    let id = client.open(NOW, peer, &[]).expect("the wire is up");
    let mut asked = Vec::new();
    for bytes in data.chunks(piece.min(data.len().max(1))) {
        let provenance = Provenance::new(Layer::Application, Cause::Payload);
        // Of a connection that is over nothing is taken.
        let _ = client.write(NOW, id, STREAM, &[Chunk { bytes, provenance }]);
        while let TransportOutput::Event(of, event) = server.poll(NOW) {
            requests.handle(NOW, of, event, &mut server);
            while let Some(event) = requests.next_event() {
                if let ServerEvent::Asked { exchange, request } = event {
                    assert!(request.body().len() <= data.len(), "out of nothing");
                    let line = format!("{} {}", request.method(), request.uri());
                    let response = Response::new(request.body().clone());
                    asked.push((line, (*request).into_body()));
                    let purpose = Purpose::whole(Cause::Payload);
                    requests.respond(NOW, exchange, &response, purpose, &mut server);
                }
            }
        }
    }
    let written = &wire.borrow().written[1];
    Served {
        asked,
        answered: written.iter().flat_map(|it| it.1.clone()).collect(),
    }
}
