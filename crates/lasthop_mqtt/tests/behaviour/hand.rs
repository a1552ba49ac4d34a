//! A broker, and clients of which the test says every byte.

use std::cell::RefCell;
use std::rc::Rc;

use lasthop_broker::{BrokerCore, BrokerService};
use lasthop_contract::testing::STREAM;
use lasthop_contract::{
    ApplicationInput, Cause, Chunk, ConnectionId, Layer, OutgoingMessage, Provenance, RandomStream,
    ReadOutcome, Transport, TransportOutput,
};
use lasthop_mqtt::codec::{Connack, Connect, Frame, PacketType, Publish, PublishHead};
use lasthop_mqtt::{MqttBroker, MqttBrokerConfig, Qos, Version};
use lasthop_units::{Duration, Instant};

use super::world::{Machine, broker_address};
use lasthop_contract::testing::{Wire, WireEnd};

pub(crate) struct Hand {
    pub(crate) broker: Machine<MqttBroker>,
    clients: WireEnd,
    pub(crate) wire: Rc<RefCell<Wire>>,
    pub(crate) now: Instant,
}

/// A packet from the broker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) packet_type: PacketType,
    pub(crate) flags: u8,
    pub(crate) body: Vec<u8>,
}

/// A publication from the broker, as far as tests look at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Got {
    pub(crate) topic: String,
    pub(crate) payload: String,
    pub(crate) qos: u8,
    pub(crate) retain: bool,
    pub(crate) dup: bool,
    pub(crate) ids: Vec<u32>,
    pub(crate) expiry: Option<u32>,
    pub(crate) alias: u16,
    pub(crate) packet_id: u16,
}

impl Hand {
    pub(crate) fn new(config: MqttBrokerConfig) -> Self {
        Self::at(BrokerCore::of_one_service(config.limits), config)
    }

    /// The same as a service of a core.
    pub(crate) fn at(core: BrokerService, config: MqttBrokerConfig) -> Self {
        let random = RandomStream::named(1, "broker");
        Self::of(MqttBroker::at(core, config, random))
    }

    /// The same, where somebody keeps what is published.
    pub(crate) fn of(broker: MqttBroker) -> Self {
        let (clients, far, wire) = WireEnd::pair();
        let mut hand = Self {
            broker: Machine::new(broker, far),
            clients,
            wire,
            now: Instant::ZERO,
        };
        hand.broker.handle(hand.now, ApplicationInput::Start);
        hand
    }

    pub(crate) fn open(&mut self) -> ConnectionId {
        let opened = self.clients.open(self.now, broker_address(), &[]);
        self.broker.drain(self.now);
        opened.unwrap()
    }

    pub(crate) fn send(&mut self, connection: ConnectionId, bytes: &[u8]) {
        let chunk = Chunk {
            bytes,
            provenance: Provenance::new(Layer::Application, Cause::Opaque),
        };
        let _ = self.clients.write(self.now, connection, STREAM, &[chunk]);
        self.broker.drain(self.now);
    }

    /// Sends as many of these bytes as the wire takes.
    pub(crate) fn send_some(&mut self, connection: ConnectionId, bytes: &[u8]) -> usize {
        let chunk = Chunk {
            bytes,
            provenance: Provenance::new(Layer::Application, Cause::Opaque),
        };
        let taken = self.clients.write(self.now, connection, STREAM, &[chunk]);
        self.broker.drain(self.now);
        taken.unwrap()
    }

    pub(crate) fn finish(&mut self, connection: ConnectionId) {
        self.clients.finish(self.now, connection, STREAM);
        self.broker.drain(self.now);
    }

    /// The broker is told to end.
    pub(crate) fn stop(&mut self) {
        self.broker.handle(self.now, ApplicationInput::Stop);
        self.broker.drain(self.now);
    }

    /// All bytes that have come, and whether the broker has ended the stream.
    pub(crate) fn read(&mut self, connection: ConnectionId) -> (Vec<u8>, bool) {
        while !matches!(self.clients.poll(self.now), TransportOutput::WaitUntil(_)) {}
        let mut all = Vec::new();
        let mut buffer = [0; 4096];
        loop {
            let outcome = self.clients.read(self.now, connection, STREAM, &mut buffer);
            match outcome {
                Ok(ReadOutcome::Read(length)) => all.extend_from_slice(&buffer[..length]),
                Ok(ReadOutcome::Blocked) => return (all, false),
                Ok(ReadOutcome::Finished) | Err(_) => return (all, true),
            }
        }
    }

    pub(crate) fn answers(&mut self, connection: ConnectionId) -> Vec<Answer> {
        let (bytes, _) = self.read(connection);
        let mut rest = &bytes[..];
        let mut answers = Vec::new();
        while let Some(frame) = Frame::split(rest, usize::MAX).unwrap() {
            answers.push(Answer {
                packet_type: frame.packet_type,
                flags: frame.flags,
                body: frame.body.to_vec(),
            });
            rest = &rest[frame.length..];
        }
        assert!(rest.is_empty());
        answers
    }

    /// The publications among what has come.
    pub(crate) fn got(&mut self, version: Version, connection: ConnectionId) -> Vec<Got> {
        let answers = self.answers(connection);
        let publications = answers
            .iter()
            .filter(|answer| answer.packet_type == PacketType::Publish);
        publications.map(|answer| got(version, answer)).collect()
    }

    pub(crate) fn connect(&mut self, connect: &Connect<'_>) -> ConnectionId {
        let connection = self.open();
        self.send(connection, &connect.write());
        connection
    }

    /// Connects, and reads the CONNACK.
    pub(crate) fn connected(&mut self, connect: &Connect<'_>) -> ConnectionId {
        let connection = self.connect(connect);
        let answers = self.answers(connection);
        let [connack] = &answers[..] else {
            panic!("{answers:?}");
        };
        let connack = Connack::read(connect.version, &connack.body).unwrap();
        assert_eq!(connack.reason.0, 0);
        connection
    }

    /// Connects, whatever comes with the CONNACK.
    pub(crate) fn connected_again(&mut self, connect: &Connect<'_>) -> ConnectionId {
        let connection = self.connect(connect);
        assert_eq!(self.answers(connection)[0].packet_type, PacketType::Connack);
        connection
    }

    /// Whether the connection is there.
    pub(crate) fn is_there(&mut self, connection: ConnectionId) -> bool {
        self.clients
            .read(self.now, connection, STREAM, &mut [])
            .is_ok()
    }

    pub(crate) fn subscribe(&mut self, version: Version, connection: ConnectionId, filter: &str) {
        self.subscribe_with(version, connection, filter, 2, 0);
    }

    pub(crate) fn subscribe_with(
        &mut self,
        version: Version,
        connection: ConnectionId,
        filter: &str,
        options: u8,
        id: u8,
    ) {
        let mut body = vec![0, 9];
        match (version, id) {
            (Version::V3_1_1, _) => {}
            (Version::V5, 0) => body.push(0),
            (Version::V5, id) => body.extend([2, 11, id]),
        }
        body.extend((filter.len() as u16).to_be_bytes());
        body.extend(filter.bytes());
        body.push(options);
        let length = body.len() as u8;
        self.send(connection, &[&[0x82, length][..], &body].concat());
    }

    pub(crate) fn publish(
        &mut self,
        version: Version,
        connection: ConnectionId,
        topic: &str,
        payload: &str,
        qos: Qos,
    ) {
        let head = PublishHead::new(topic, qos, 77, payload.len());
        self.publish_as(version, connection, head, payload);
    }

    pub(crate) fn publish_as(
        &mut self,
        version: Version,
        connection: ConnectionId,
        head: PublishHead<'_>,
        payload: &str,
    ) {
        let bytes = [&head.write(version)[..], payload.as_bytes()].concat();
        self.send(connection, &bytes);
    }

    pub(crate) fn send_own(&mut self, message: OutgoingMessage<'_>) {
        self.broker
            .handle(self.now, ApplicationInput::Send(message));
        self.broker.drain(self.now);
    }

    pub(crate) fn run_for(&mut self, span: Duration) {
        let end = self.now + span;
        self.broker.drain(self.now);
        while let Some(next) = self.broker.deadline.filter(|at| *at <= end) {
            self.now = next;
            self.broker.handle(self.now, ApplicationInput::Timeout);
            self.broker.drain(self.now);
        }
        self.now = end;
    }
}

pub(crate) fn got(version: Version, answer: &Answer) -> Got {
    let frame = Frame {
        packet_type: answer.packet_type,
        flags: answer.flags,
        body: &answer.body,
        length: 0,
    };
    let publish = Publish::read(version, &frame).unwrap();
    Got {
        topic: publish.topic.into(),
        payload: String::from_utf8(publish.payload.to_vec()).unwrap(),
        qos: publish.qos as u8,
        retain: publish.retain,
        dup: publish.dup,
        ids: publish.subscription_ids.to_vec(),
        expiry: publish.message_expiry,
        alias: publish.topic_alias,
        packet_id: publish.packet_id,
    }
}
