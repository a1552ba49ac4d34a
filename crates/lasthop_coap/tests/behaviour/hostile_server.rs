//! What no honest server says to a client.

use lasthop_coap::{CoapClient, CoapRequest, Code, Message, PORT, RequestEvent};
use lasthop_contract::{
    Application, ApplicationInput, Cause, Chunk, ConnectionId, FailureReason, Layer, Provenance,
    Transport, TransportInput, TransportOutput,
};
use lasthop_transport::Udp;
use lasthop_units::Instant;

use crate::harness::{CON, NON, Setting, client_address, server_address};

#[test]
fn a_server_that_answers_nonsense_fails_the_request_and_nothing_else() {
    // A client, and what the other end says to its GET: blocks without end.
    let mut client = ClientAndPeer::new(CoapRequest::new(NON, Code::GET, "x"));
    let mut blocks = 0;
    while let Some(request) = client.next_request() {
        let number = blocks_of(&request);
        assert_eq!(number, blocks, "each is asked for once");
        client.answer(&request, Code::CONTENT, &block_option(number), &[7; 16]);
        blocks += 1;
    }
    assert_eq!(blocks, 65_536 / 16);
    let event = client.event().unwrap();
    assert!(matches!(
        event,
        RequestEvent::Failed {
            reason: FailureReason::TooLarge,
            ..
        }
    ));
}

/// A Block2 option (number 23) of 16 B that says that more follow.
fn block_option(number: u32) -> Vec<u8> {
    let bits = (number << 4 | 8).to_be_bytes();
    [&[0xd3, 23 - 13], &bits[1..]].concat()
}

fn blocks_of(request: &[u8]) -> u32 {
    let message = Message::parse(request).unwrap();
    let mut options = message.content.options(request);
    let block = options.find(|option| option.0 == 23).map(|option| option.1);
    block.map_or(0, |value| {
        value.iter().fold(0, |n, b| n << 8 | u32::from(*b)) >> 4
    })
}

/// A client whose server is the test.
struct ClientAndPeer {
    client: CoapClient,
    transport: Udp,
    server: Udp,
    connection: Option<ConnectionId>,
    next_id: u16,
}

impl ClientAndPeer {
    fn new(request: CoapRequest) -> Self {
        let mut peer = Self {
            client: Setting::reports(CON).client(),
            transport: Udp::new(client_address()),
            server: Udp::new(server_address()),
            connection: None,
            next_id: 1,
        };
        peer.server.listen(PORT).unwrap();
        let now = Instant::ZERO;
        peer.client
            .handle(now, ApplicationInput::Start, &mut peer.transport);
        peer.client
            .request(now, request, &mut peer.transport)
            .unwrap();
        peer
    }

    fn next_request(&mut self) -> Option<Vec<u8>> {
        let now = Instant::ZERO;
        loop {
            match self.transport.poll(now) {
                TransportOutput::Transmit(packet) => {
                    self.server.handle(now, TransportInput::Packet(packet));
                }
                TransportOutput::WaitUntil(_) => break,
                _ => {}
            }
        }
        while let TransportOutput::Event(connection, _) = self.server.poll(now) {
            self.connection = Some(connection);
        }
        Some(self.server.receive_datagram(self.connection?)?.to_vec())
    }

    fn answer(&mut self, request: &[u8], code: Code, options: &[u8], payload: &[u8]) {
        let token_length = request[0] & 15;
        let token = &request[4..4 + usize::from(token_length)];
        let [high, low] = self.next_id.to_be_bytes();
        self.next_id += 1;
        let head = [0x50 | token_length, code.0, high, low];
        let datagram = [&head[..], token, options, &[0xff], payload].concat();
        let chunk = Chunk {
            bytes: &datagram,
            provenance: Provenance::new(Layer::Application, Cause::Opaque),
        };
        let now = Instant::ZERO;
        let connection = self.connection.unwrap();
        self.server
            .send_datagram(now, connection, &[chunk])
            .unwrap();
        loop {
            match self.server.poll(now) {
                TransportOutput::Transmit(packet) => {
                    self.transport.handle(now, TransportInput::Packet(packet));
                }
                TransportOutput::WaitUntil(_) => break,
                _ => {}
            }
        }
        loop {
            match self.transport.poll(now) {
                TransportOutput::Event(connection, event) => {
                    let input = ApplicationInput::Transport(connection, event);
                    self.client.handle(now, input, &mut self.transport);
                }
                TransportOutput::Transmit(packet) => {
                    self.server.handle(now, TransportInput::Packet(packet));
                }
                _ => break,
            }
        }
    }

    fn event(&mut self) -> Option<RequestEvent> {
        self.client.next_event()
    }
}

#[test]
fn a_client_refuses_a_response_with_a_critical_option_that_it_does_not_know() {
    let mut client = ClientAndPeer::new(CoapRequest::new(CON, Code::GET, "x"));
    let request = client.next_request().unwrap();
    client.answer(&request, Code::CONTENT, &[0x90], b"text");
    assert!(client.event().is_none());
    let reset = client.next_request().unwrap();
    assert_eq!(reset[0], 0x70);
    assert_eq!(client.client.counters().bad_options, 1);
}
