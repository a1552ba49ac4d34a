//! A client, and a broker of which the test says every byte.

use std::sync::Arc;

use lasthop_contract::testing::STREAM;
use lasthop_contract::{
    ApplicationInput, Cause, Chunk, ConnectionId, FlowId, Layer, Provenance, RandomStream,
    ReadOutcome, Transport, TransportEvent, TransportOutput,
};
use lasthop_mqtt::codec::{Connack, Frame, PacketType, ReasonCode};
use lasthop_mqtt::{MqttClient, MqttClientConfig, Version};
use lasthop_units::{Duration, Instant};

use super::world::{Machine, id, payload};
use lasthop_contract::testing::WireEnd;

pub(crate) struct HandBroker {
    pub(crate) client: Machine<MqttClient>,
    broker: WireEnd,
    version: Version,
    pub(crate) now: Instant,
    /// The connections that the client opened, in order, and when.
    pub(crate) opened: Vec<(Instant, ConnectionId)>,
    closed: Vec<ConnectionId>,
}

impl HandBroker {
    /// A client that has started and waits for its CONNACK.
    pub(crate) fn new(config: MqttClientConfig) -> Self {
        Self::with_seed(config, 1)
    }

    pub(crate) fn with_seed(config: MqttClientConfig, seed: u64) -> Self {
        let (near, broker, _) = WireEnd::pair();
        let version = config.version;
        let random = RandomStream::named(seed, "client");
        let client = MqttClient::new(Arc::new(config), FlowId(7), random);
        let mut hand = Self {
            client: Machine::new(client, near),
            broker,
            version,
            now: Instant::ZERO,
            opened: Vec::new(),
            closed: Vec::new(),
        };
        hand.client.handle(hand.now, ApplicationInput::Start);
        hand.settle();
        hand
    }

    fn settle(&mut self) {
        self.client.drain(self.now);
        while let TransportOutput::Event(connection, event) = self.broker.poll(self.now) {
            match event {
                TransportEvent::Established(_) => self.opened.push((self.now, connection)),
                TransportEvent::Closed(_) => self.closed.push(connection),
                _ => {}
            }
        }
    }

    pub(crate) fn connection(&self) -> ConnectionId {
        self.opened.last().unwrap().1
    }

    /// Sends bytes on the newest connection.
    pub(crate) fn send(&mut self, bytes: &[u8]) {
        let chunk = Chunk {
            bytes,
            provenance: Provenance::new(Layer::Application, Cause::Opaque),
        };
        let connection = self.connection();
        let _ = self.broker.write(self.now, connection, STREAM, &[chunk]);
        self.settle();
    }

    /// All that has come on the newest connection, and whether the client has ended the stream.
    pub(crate) fn read(&mut self) -> (Vec<u8>, bool) {
        let connection = self.connection();
        let mut all = Vec::new();
        let mut buffer = [0; 4096];
        loop {
            match self.broker.read(self.now, connection, STREAM, &mut buffer) {
                Ok(ReadOutcome::Read(length)) => all.extend_from_slice(&buffer[..length]),
                Ok(ReadOutcome::Blocked) => return (all, false),
                Ok(ReadOutcome::Finished) | Err(_) => return (all, true),
            }
        }
    }

    /// The kinds of packets that have come.
    pub(crate) fn kinds(&mut self) -> Vec<PacketType> {
        let (bytes, _) = self.read();
        let mut rest = &bytes[..];
        let mut kinds = Vec::new();
        while let Some(frame) = Frame::split(rest, usize::MAX).unwrap() {
            kinds.push(frame.packet_type);
            rest = &rest[frame.length..];
        }
        kinds
    }

    pub(crate) fn connack(&mut self, connack: &Connack<'_>) {
        let bytes = connack.write(self.version);
        self.send(&bytes);
    }

    /// Accepts the connection with a new session.
    pub(crate) fn accept(&mut self) {
        self.connack(&Connack::new(false, ReasonCode::SUCCESS));
        self.read();
    }

    pub(crate) fn finish(&mut self) {
        let connection = self.connection();
        self.broker.finish(self.now, connection, STREAM);
        self.settle();
    }

    pub(crate) fn cut(&mut self) {
        let connection = self.connection();
        self.broker.reset(
            self.now,
            connection,
            lasthop_contract::ResetReason::NotNeeded,
        );
        self.settle();
    }

    pub(crate) fn send_up(&mut self, number: u32) {
        let payload = payload(number);
        let message = lasthop_contract::OutgoingMessage {
            id: id(number),
            payload: &payload,
            asks: false,
        };
        self.client
            .handle(self.now, ApplicationInput::Send(message));
        self.settle();
    }

    pub(crate) fn run_for(&mut self, span: Duration) {
        let end = self.now + span;
        self.settle();
        while let Some(next) = self.client.deadline.filter(|at| *at <= end) {
            self.now = next;
            self.client.handle(self.now, ApplicationInput::Timeout);
            self.settle();
        }
        self.now = end;
    }
}
