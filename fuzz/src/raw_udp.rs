use core::net::SocketAddr;

use lasthop_contract::{DeviceId, Direction, RandomStream};
use lasthop_traffic::Reaction;
use lasthop_traffic::raw_udp::{Frame, PORT, RawUdpClient, RawUdpServer, RetransmissionPolicy};
use lasthop_units::Duration;

use crate::exchange::{CLIENT_PORT, Exchange, PEER, round_trips, three_messages};
use crate::script::Script;

/// The frames of `raw_udp`: the bytes as one datagram, and as a script for a server and a client.
///
/// Of the script the first byte says who gets it (1: the client, 2: with messages of its own, 4: with
/// acknowledgements, 8: the server echoes, or the client greets).
pub fn raw_udp(data: &[u8]) {
    if let Ok(frame) = Frame::parse(data) {
        assert_eq!(&data[..Frame::LENGTH], frame.to_bytes());
    }
    let mut script = Script::new(data);
    let flags = script.byte();
    let side = if flags & 1 == 0 {
        Direction::Down
    } else {
        Direction::Up
    };
    let traffic = (flags & 2 != 0).then(|| three_messages(side));
    let policy = (flags & 4 != 0).then_some(RetransmissionPolicy {
        timeout: Duration::from_secs(2),
        random_factor: 1.5,
        max_retransmit: 2,
    });
    let stream = RandomStream::named(1, "ack_timeout");
    let (mut exchange, peer_port) = if flags & 1 == 0 {
        let reaction = if flags & 8 == 0 {
            Reaction::Deliver
        } else {
            Reaction::AsPlanned(round_trips())
        };
        let server = RawUdpServer::new(policy, stream);
        (Exchange::new(server, PORT, traffic, reaction), CLIENT_PORT)
    } else {
        let server = SocketAddr::new(PEER, PORT);
        let client = RawUdpClient::new(server, DeviceId(7), policy, flags & 8 != 0, stream);
        let exchange = Exchange::new(client, CLIENT_PORT, traffic, Reaction::Deliver);
        (exchange, PORT)
    };
    exchange.play(&mut script, peer_port);
}
