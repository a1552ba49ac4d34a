use core::net::SocketAddr;
use std::sync::Arc;

use lasthop_contract::{ChannelSet, FlowId, RandomStream};
use lasthop_mqtt::codec::{Connack, Connect, Frame, Publish, ReasonCode, Subscribe};
use lasthop_mqtt::{
    MqttBroker, MqttBrokerConfig, MqttClient, MqttClientConfig, PORT, Qos, Version,
};

use crate::exchange::PEER;
use crate::script::Script;
use crate::stream_exchange::StreamExchange;

/// MQTT: the bytes as one stream of packets, and as a script for a broker or a client.
///
/// Of the script the first byte says who gets it (1: the client; 2: MQTT 5; 4 and 8: the quality; 16: without the
/// peer's CONNECT or CONNACK, which comes first otherwise; 32: the broker is the destination).
pub fn mqtt(data: &[u8]) {
    check_packets(data);
    let mut script = Script::new(data);
    let flags = script.byte();
    let version = if flags & 2 == 0 {
        Version::V3_1_1
    } else {
        Version::V5
    };
    let qos = Qos::from_number(flags >> 2 & 3).unwrap_or_default();
    let random = RandomStream::named(1, "mqtt");
    if flags & 1 == 0 {
        let config = MqttBrokerConfig {
            is_destination: flags & 32 != 0,
            qos,
            ..MqttBrokerConfig::default()
        };
        let mut connect = Connect::new(version, "device-7");
        connect.clean_start = false;
        connect.session_expiry = 60;
        connect.topic_alias_maximum = 2;
        let greeting = if flags & 16 == 0 {
            connect.write().to_vec()
        } else {
            vec![]
        };
        StreamExchange::new(MqttBroker::new(config, random)).play(&mut script, &greeting);
    } else {
        let config = MqttClientConfig {
            version,
            qos,
            subscribes: match flags & 32 {
                0 => ChannelSet::NONE,
                _ => ChannelSet::of(0),
            },
            topic_alias: true,
            receive_maximum: 10,
            ..MqttClientConfig::new(SocketAddr::new(PEER, PORT))
        };
        let client = MqttClient::new(Arc::new(config), FlowId(7), random);
        let mut exchange = StreamExchange::new(client);
        if flags & 16 == 0 {
            let connack = Connack::new(false, ReasonCode::SUCCESS).write(version);
            exchange.greet(&connack);
        }
        exchange.play(&mut script, &[]);
    }
}

/// What is read can be written, and is read again as the same.
fn check_packets(mut stream: &[u8]) {
    while let Ok(Some(frame)) = Frame::split(stream, usize::MAX) {
        if let Ok(connect) = Connect::read(frame.body) {
            let again = connect.write();
            let read = reread(&again, |frame| {
                let again = Connect::read(frame.body);
                again.is_ok_and(|again| again.client_id == connect.client_id)
            });
            assert!(read, "{connect:?}");
        }
        for version in [Version::V3_1_1, Version::V5] {
            if let Ok(subscribe) = Subscribe::read(version, frame.body) {
                let again = subscribe.write(version);
                let read = reread(&again, |frame| {
                    let again = Subscribe::read(version, frame.body);
                    again.is_ok_and(|again| format!("{again:?}") == format!("{subscribe:?}"))
                });
                assert!(read, "{subscribe:?}");
            }
            if let Ok(connack) = Connack::read(version, frame.body) {
                let again = connack.write(version);
                let read = reread(&again, |frame| {
                    Connack::read(version, frame.body).map(|again| again.session_present)
                });
                assert_eq!(read, Ok(connack.session_present));
            }
            if let Ok(publish) = Publish::read(version, &frame) {
                assert!(publish.payload.len() <= frame.body.len());
            }
        }
        stream = &stream[frame.length..];
    }
}

fn reread<'a, T>(bytes: &'a [u8], read: impl FnOnce(Frame<'a>) -> T) -> T {
    let frame = Frame::split(bytes, usize::MAX);
    let frame = frame.ok().flatten().expect("a packet of ours is whole");
    assert_eq!(frame.length, bytes.len());
    read(frame)
}
