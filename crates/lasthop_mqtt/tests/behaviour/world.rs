//! Clients and a broker in virtual time, without packets.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::rc::Rc;
use std::sync::Arc;

use lasthop_contract::message_text::{ID_LENGTH, message_id, write_id};
use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, DeviceId, FlowId, MessageEvent, MessageId,
    OutgoingMessage, RandomStream, SessionEvent, Transport, TransportOutput,
};
use lasthop_mqtt::{MqttBroker, MqttBrokerConfig, MqttClient, MqttClientConfig, Qos, Version};
use lasthop_units::{Duration, Instant};

use lasthop_contract::testing::{Wire, WireEnd};

pub(crate) struct World {
    pub(crate) client: Machine<MqttClient>,
    pub(crate) broker: Machine<MqttBroker>,
    pub(crate) wire: Rc<RefCell<Wire>>,
    pub(crate) now: Instant,
}

/// An application with its end of the wire, and what it said.
pub(crate) struct Machine<A> {
    pub(crate) application: A,
    pub(crate) transport: WireEnd,
    pub(crate) deadline: Option<Instant>,
    pub(crate) ready: Vec<DeviceId>,
    pub(crate) events: Vec<MessageEvent>,
    pub(crate) sessions: Vec<SessionEvent>,
    pub(crate) received: Vec<Vec<u8>>,
}

pub(crate) fn broker_address() -> SocketAddr {
    SocketAddr::from(([198, 18, 0, 1], lasthop_mqtt::PORT))
}

pub(crate) fn client_config(version: Version, qos: Qos) -> MqttClientConfig {
    MqttClientConfig {
        version,
        qos,
        ..MqttClientConfig::new(broker_address())
    }
}

pub(crate) fn payload(number: u32) -> Vec<u8> {
    let mut id = [0; ID_LENGTH];
    write_id(FlowId(7), number, &mut id);
    let mut payload = id.to_vec();
    payload.resize(40, b'.');
    payload
}

pub(crate) fn id(number: u32) -> MessageId {
    MessageId {
        flow: FlowId(7),
        number: NonZeroU32::new(number).unwrap(),
    }
}

impl<A: Application> Machine<A> {
    pub(crate) fn new(application: A, transport: WireEnd) -> Self {
        Self {
            application,
            transport,
            deadline: None,
            ready: Vec::new(),
            events: Vec::new(),
            sessions: Vec::new(),
            received: Vec::new(),
        }
    }

    pub(crate) fn handle(&mut self, now: Instant, input: ApplicationInput<'_>) {
        self.application.handle(now, input, &mut self.transport);
    }

    /// Polls both until they wait; whether anything happened.
    pub(crate) fn drain(&mut self, now: Instant) -> bool {
        let mut has_worked = false;
        loop {
            match self.application.poll(now, &mut self.transport) {
                ApplicationOutput::Ready(device, _) => self.ready.push(device),
                ApplicationOutput::Event(MessageEvent::Session(event)) => self.sessions.push(event),
                ApplicationOutput::Event(event) => self.events.push(event),
                ApplicationOutput::Received(received) => {
                    self.received.push(received.payload.to_vec());
                }
                ApplicationOutput::WaitUntil(deadline) => {
                    self.deadline = deadline;
                    match self.transport.poll(now) {
                        TransportOutput::Event(connection, event) => {
                            has_worked = true;
                            let input = ApplicationInput::Transport(connection, event);
                            self.handle(now, input);
                        }
                        _ => return has_worked,
                    }
                }
            }
        }
    }

    fn timeout(&mut self, now: Instant) {
        if self.deadline.is_some_and(|at| at <= now) {
            self.handle(now, ApplicationInput::Timeout);
            self.drain(now);
            assert!(
                self.deadline.is_none_or(|at| at > now),
                "a deadline that has come is dealt with"
            );
        }
    }

    /// How often each message was received.
    pub(crate) fn received_counts(&self) -> BTreeMap<u32, usize> {
        let mut counts = BTreeMap::new();
        for payload in &self.received {
            let number = message_id(payload).unwrap().number.get();
            *counts.entry(number).or_default() += 1;
        }
        counts
    }

    pub(crate) fn acknowledged(&self) -> Vec<u32> {
        let numbers = self.events.iter().filter_map(|event| match event {
            MessageEvent::Acknowledged { id } => Some(id.number.get()),
            _ => None,
        });
        numbers.collect()
    }
}

impl World {
    pub(crate) fn new(client: MqttClientConfig, broker: MqttBrokerConfig, seed: u64) -> Self {
        let (near, far, wire) = WireEnd::pair();
        let stream = |name| RandomStream::named(seed, name);
        let mut world = Self {
            client: Machine::new(
                MqttClient::new(Arc::new(client), FlowId(7), stream("client")),
                near,
            ),
            broker: Machine::new(MqttBroker::new(broker, stream("broker")), far),
            wire,
            now: Instant::ZERO,
        };
        world.broker.handle(world.now, ApplicationInput::Start);
        world.client.handle(world.now, ApplicationInput::Start);
        world.settle();
        world
    }

    /// Lets both talk until nothing happens at this instant.
    pub(crate) fn settle(&mut self) {
        loop {
            let client = self.client.drain(self.now);
            let broker = self.broker.drain(self.now);
            if !client && !broker {
                return;
            }
        }
    }

    pub(crate) fn run_for(&mut self, span: Duration) {
        let end = self.now + span;
        self.settle();
        loop {
            let deadlines = [self.client.deadline, self.broker.deadline];
            let Some(next) = deadlines
                .into_iter()
                .flatten()
                .min()
                .filter(|at| *at <= end)
            else {
                break;
            };
            self.now = next.max(self.now);
            self.client.timeout(self.now);
            self.broker.timeout(self.now);
            self.settle();
        }
        self.now = end;
    }

    pub(crate) fn send_up(&mut self, number: u32) {
        let payload = payload(number);
        let message = OutgoingMessage {
            id: id(number),
            payload: &payload,
            asks: false,
        };
        self.client
            .handle(self.now, ApplicationInput::Send(message));
    }

    pub(crate) fn send_down(&mut self, number: u32) {
        let payload = payload(number);
        let message = OutgoingMessage {
            id: id(number),
            payload: &payload,
            asks: false,
        };
        self.broker
            .handle(self.now, ApplicationInput::Send(message));
    }

    pub(crate) fn cut(&mut self) {
        self.wire.borrow_mut().cut();
        self.settle();
    }
}
