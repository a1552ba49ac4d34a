//! The same promises over our TCP, on a path that loses packets, with connections that end at random moments.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;

use lasthop_contract::message_text::message_id;
use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, ChannelSet, ConnectionId, FlowId,
    MessageEvent, OutgoingMessage, Packet, RandomStream, ResetReason, Transport, TransportEvent,
    TransportInput, TransportOutput,
};
use lasthop_mqtt::{MqttBroker, MqttBrokerConfig, MqttClient, MqttClientConfig, Qos, Version};
use lasthop_transport::{Tcp, TcpProfile};
use lasthop_units::{Duration, Instant, Probability};

use super::world::{broker_address, client_config, id, payload};

/// An application over TCP, and what it said.
struct Node<A> {
    application: A,
    tcp: Tcp,
    deadlines: [Option<Instant>; 2],
    connection: Option<ConnectionId>,
    received: BTreeMap<u32, usize>,
    acknowledged: usize,
}

struct TcpWorld {
    client: Node<MqttClient>,
    broker: Node<MqttBroker>,
    now: Instant,
    random: RandomStream,
    loss: Probability,
    /// Packets on their way, to the broker or to the client.
    wire: BTreeMap<(Instant, u64), (bool, Packet)>,
    sent: u64,
}

const DELAY: Duration = Duration::from_millis(50);

impl<A: Application> Node<A> {
    fn new(application: A, address: IpAddr, seed: u64) -> Self {
        let profile = Arc::new(TcpProfile::linux());
        Self {
            application,
            tcp: Tcp::new(address, profile, RandomStream::named(seed, "tcp")),
            deadlines: [None; 2],
            connection: None,
            received: BTreeMap::new(),
            acknowledged: 0,
        }
    }

    fn inform(&mut self, now: Instant, input: ApplicationInput<'_>) {
        self.application.handle(now, input, &mut self.tcp);
    }

    fn timeout(&mut self, now: Instant) {
        let [application, transport] = self.deadlines;
        if transport.is_some_and(|at| at <= now) {
            self.tcp.handle(now, TransportInput::Timeout);
        }
        if application.is_some_and(|at| at <= now) {
            self.inform(now, ApplicationInput::Timeout);
        }
    }

    /// Polls both until they wait; gives the packets that leave.
    fn drain(&mut self, now: Instant) -> Vec<Packet> {
        let mut packets = Vec::new();
        loop {
            match self.application.poll(now, &mut self.tcp) {
                ApplicationOutput::Ready(..) => {}
                ApplicationOutput::Event(MessageEvent::Acknowledged { .. }) => {
                    self.acknowledged += 1;
                }
                ApplicationOutput::Event(_) => {}
                ApplicationOutput::Received(received) => {
                    let number = message_id(&received.payload).unwrap().number.get();
                    *self.received.entry(number).or_default() += 1;
                }
                ApplicationOutput::WaitUntil(deadline) => {
                    self.deadlines[0] = deadline;
                    match self.tcp.poll(now) {
                        TransportOutput::Transmit(packet) => packets.push(packet),
                        TransportOutput::Event(connection, event) => {
                            match event {
                                TransportEvent::Established(_) => {
                                    self.connection = Some(connection);
                                }
                                TransportEvent::Closed(_)
                                    if self.connection == Some(connection) =>
                                {
                                    self.connection = None;
                                }
                                _ => {}
                            }
                            self.inform(now, ApplicationInput::Transport(connection, event));
                        }
                        TransportOutput::Discard(..) | TransportOutput::Evicted => {}
                        TransportOutput::WaitUntil(deadline) => {
                            self.deadlines[1] = deadline;
                            return packets;
                        }
                    }
                }
            }
        }
    }
}

impl TcpWorld {
    fn new(client: MqttClientConfig, broker: MqttBrokerConfig, loss: f64, seed: u64) -> Self {
        let stream = |name| RandomStream::named(seed, name);
        let client = MqttClient::new(Arc::new(client), FlowId(7), stream("client"));
        let broker = MqttBroker::new(broker, stream("broker"));
        let mut world = Self {
            client: Node::new(client, IpAddr::from([198, 18, 0, 2]), seed),
            broker: Node::new(broker, broker_address().ip(), seed + 1),
            now: Instant::ZERO,
            random: stream("loss"),
            loss: Probability::new(loss).unwrap(),
            wire: BTreeMap::new(),
            sent: 0,
        };
        world.broker.inform(world.now, ApplicationInput::Start);
        world.client.inform(world.now, ApplicationInput::Start);
        world
    }

    fn settle(&mut self) {
        let up = self
            .client
            .drain(self.now)
            .into_iter()
            .map(|packet| (true, packet));
        let down = self
            .broker
            .drain(self.now)
            .into_iter()
            .map(|packet| (false, packet));
        for (is_up, packet) in up.chain(down).collect::<Vec<_>>() {
            self.sent += 1;
            if !self.random.chance(self.loss) {
                self.wire
                    .insert((self.now + DELAY, self.sent), (is_up, packet));
            }
        }
    }

    fn run_for(&mut self, span: Duration) {
        let end = self.now + span;
        self.settle();
        loop {
            let deadlines = [self.client.deadlines, self.broker.deadlines];
            let arrival = self.wire.keys().next().map(|(at, _)| *at);
            let next = deadlines
                .into_iter()
                .flatten()
                .chain([arrival])
                .flatten()
                .min();
            let Some(next) = next.filter(|at| *at <= end) else {
                break;
            };
            self.now = next.max(self.now);
            while let Some(entry) = self.wire.first_entry()
                && entry.key().0 <= self.now
            {
                let (is_up, packet) = entry.remove();
                let input = TransportInput::Packet(packet);
                match is_up {
                    true => self.broker.tcp.handle(self.now, input),
                    false => self.client.tcp.handle(self.now, input),
                }
            }
            self.client.timeout(self.now);
            self.broker.timeout(self.now);
            self.settle();
        }
        self.now = end;
    }

    fn send_up(&mut self, number: u32) {
        let payload = payload(number);
        let message = OutgoingMessage {
            id: id(number),
            payload: &payload,
            asks: false,
        };
        self.client
            .inform(self.now, ApplicationInput::Send(message));
        self.settle();
    }

    fn send_down(&mut self, number: u32) {
        let payload = payload(number);
        let message = OutgoingMessage {
            id: id(number),
            payload: &payload,
            asks: false,
        };
        self.broker
            .inform(self.now, ApplicationInput::Send(message));
        self.settle();
    }

    /// One end resets the connection; the other end learns it if the reset arrives, or when it next sends.
    fn cut(&mut self, by_client: bool) {
        let reason = ResetReason::NotNeeded;
        match (by_client, self.client.connection, self.broker.connection) {
            (true, Some(connection), _) => self.client.tcp.reset(self.now, connection, reason),
            (false, _, Some(connection)) => self.broker.tcp.reset(self.now, connection, reason),
            _ => {}
        }
        self.settle();
    }
}

fn configs(version: Version, qos: Qos) -> (MqttClientConfig, MqttBrokerConfig) {
    let client = MqttClientConfig {
        subscribes: ChannelSet::of(0),
        topic_alias: true,
        ..client_config(version, qos)
    };
    let broker = MqttBrokerConfig {
        qos,
        is_destination: true,
        ..MqttBrokerConfig::default()
    };
    (client, broker)
}

#[test]
fn a_message_arrives_in_each_version_and_quality() {
    for version in [Version::V3_1_1, Version::V5] {
        for qos in [Qos::AtMostOnce, Qos::AtLeastOnce, Qos::ExactlyOnce] {
            let (client, broker) = configs(version, qos);
            let mut world = TcpWorld::new(client, broker, 0.1, 1);
            world.run_for(Duration::from_secs(10));
            for number in 1..=50 {
                world.send_up(number);
                world.send_down(1000 + number);
                world.run_for(Duration::from_millis(250));
            }
            world.run_for(Duration::from_secs(60));
            assert_eq!(world.broker.received.len(), 50, "{version:?} {qos:?}");
            assert_eq!(world.client.received.len(), 100, "{version:?} {qos:?}");
        }
    }
}

/// 500 seeds for each version and quality at 10 % loss, with two resets a run in the mean: after draining, QoS 1 has
/// delivered all, QoS 2 all once.
#[test]
fn what_is_promised_is_kept_across_lost_packets_and_connections() {
    for version in [Version::V3_1_1, Version::V5] {
        for qos in [Qos::AtLeastOnce, Qos::ExactlyOnce] {
            for seed in 0..500 {
                reset_at_random(version, qos, seed);
            }
        }
    }
}

fn reset_at_random(version: Version, qos: Qos, seed: u64) {
    let (client, broker) = configs(version, qos);
    let mut world = TcpWorld::new(client, broker, 0.1, seed);
    world.run_for(Duration::from_secs(20));
    let mut random = RandomStream::named(seed, "cuts");
    for number in 1..=10 {
        world.send_up(number);
        world.send_down(1000 + number);
        world.run_for(Duration::from_millis(random.below(400)));
        if random.below(5) == 0 {
            world.cut(random.below(2) == 0);
        }
    }
    world.run_for(Duration::from_secs(900));
    for number in 1..=10 {
        let context = format!("{version:?} {qos:?} seed {seed} number {number}");
        let count =
            |counts: &BTreeMap<u32, usize>, number| counts.get(&number).copied().unwrap_or(0);
        let up = count(&world.broker.received, number);
        let back = count(&world.client.received, number);
        let down = count(&world.client.received, 1000 + number);
        for count in [up, back, down] {
            match qos {
                Qos::ExactlyOnce => assert_eq!(count, 1, "{context}"),
                _ => assert!(count >= 1, "{context}"),
            }
        }
    }
    assert_eq!(world.client.acknowledged, 10);
    assert_eq!(world.broker.acknowledged, 10);
}
