//! A client beside the one of the pair.

use core::net::{IpAddr, SocketAddr};

use lasthop_coap::{Code, PORT};
use lasthop_contract::{
    Cause, Chunk, ConnectionId, Layer, Provenance, Transport, TransportInput, TransportOutput,
};
use lasthop_transport::Udp;
use lasthop_units::Instant;

use crate::harness::{UdpPair, server_address};

/// Another client, whose requests reach the server at once.
pub(crate) struct Changer {
    transport: Udp,
    next_id: u8,
    connection: ConnectionId,
}

impl Changer {
    pub(crate) fn new() -> Self {
        let mut transport = Udp::new(IpAddr::from([10, 0, 0, 3]));
        let server = SocketAddr::new(server_address(), PORT);
        let connection = transport.open(Instant::ZERO, server, &[]).unwrap();
        Self {
            transport,
            next_id: 0,
            connection,
        }
    }

    /// Asks for the resource `a` by a non-confirmable request.
    pub(crate) fn says(&mut self, pair: &mut UdpPair, method: Code, payload: &[u8]) {
        self.asks(pair, method, &[], payload);
    }

    /// The same with options behind the path, encoded.
    pub(crate) fn asks(
        &mut self,
        pair: &mut UdpPair,
        method: Code,
        options: &[u8],
        payload: &[u8],
    ) {
        self.next_id += 1;
        let head = [0x50, method.0, 0, self.next_id, 0xb1, b'a'];
        let request = [&head, options, &[0xff], payload].concat();
        let chunk = Chunk {
            bytes: &request,
            provenance: Provenance::new(Layer::Application, Cause::Opaque),
        };
        let sent = self
            .transport
            .send_datagram(pair.now, self.connection, &[chunk]);
        sent.unwrap();
        loop {
            match self.transport.poll(pair.now) {
                TransportOutput::Transmit(packet) => {
                    let input = TransportInput::Packet(packet);
                    pair.server.transport.handle(pair.now, input);
                }
                TransportOutput::WaitUntil(_) => break,
                _ => {}
            }
        }
        pair.drain();
    }
}
