use core::net::SocketAddr;

use std::sync::Arc;

use lasthop_contract::{ChannelSet, Direction, FlowId};
use lasthop_traffic::Reaction;
use lasthop_traffic::json_udp::{
    Envelope, JsonUdpBroker, JsonUdpClient, JsonUdpClientConfig, PORT,
};
use lasthop_units::Duration;

use crate::exchange::{CLIENT_PORT, Exchange, PEER, three_messages};
use crate::script::Script;

/// The envelopes of `json_udp`: the bytes as one datagram, and as a script for a broker and a client.
///
/// Of the script the first byte says who gets it (1: the client, 2: with messages of its own, 4: the broker is
/// the destination).
pub fn json_udp(data: &[u8]) {
    check_envelope(data);
    let mut script = Script::new(data);
    let flags = script.byte();
    let side = if flags & 1 == 0 {
        Direction::Down
    } else {
        Direction::Up
    };
    let traffic = (flags & 2 != 0).then(|| three_messages(side));
    let (mut exchange, peer_port) = if flags & 1 == 0 {
        let broker = JsonUdpBroker::new(flags & 4 != 0);
        let exchange = Exchange::new(broker, PORT, traffic, Reaction::Deliver);
        (exchange, CLIENT_PORT)
    } else {
        let config = JsonUdpClientConfig {
            broker: SocketAddr::new(PEER, PORT),
            subscribes: ChannelSet::of(0),
            asks: ChannelSet::NONE,
            hears: Box::default(),
            subscribe_timeout: Duration::from_secs(1),
        };
        let client = JsonUdpClient::new(Arc::new(config), FlowId(7));
        let exchange = Exchange::new(client, CLIENT_PORT, traffic, Reaction::Deliver);
        (exchange, PORT)
    };
    exchange.play(&mut script, peer_port);
}

/// An envelope says what its JSON says, and its payload is where it tells.
fn check_envelope(datagram: &[u8]) {
    let Ok(envelope) = Envelope::parse(datagram) else {
        return;
    };
    // A broker does not look into what it forwards; a full reader refuses nesting and numbers beyond its limits.
    let Ok(value) = serde_json::from_slice::<serde_json::Value>(datagram) else {
        return;
    };
    let (operation, topic) = match &envelope {
        Envelope::Challenge { echo } => {
            assert_eq!(value["echo"], **echo);
            return;
        }
        Envelope::Subscribe { topic, .. } => ("sub", topic),
        Envelope::Subscribed { topic } => ("suback", topic),
        Envelope::Unsubscribe { topic } => ("unsub", topic),
        Envelope::Unsubscribed { topic } => ("unsuback", topic),
        Envelope::Publish { topic, data } => {
            check_payload(&datagram[data.clone()], &value["data"]);
            ("pub", topic)
        }
    };
    assert_eq!(value["op"], operation);
    assert_eq!(value["topic"], **topic);
}

/// The bytes of a payload are those of the value: between the quotes of a string, else all of it.
fn check_payload(bytes: &[u8], value: &serde_json::Value) {
    let text = match value {
        serde_json::Value::String(_) => [b"\"", bytes, b"\""].concat(),
        _ => bytes.to_vec(),
    };
    let parsed: serde_json::Value = serde_json::from_slice(&text).expect("a payload is JSON");
    assert_eq!(&parsed, value);
}
