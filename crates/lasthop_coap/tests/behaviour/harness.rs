//! Two applications over two transports, and the wire between them, driven in virtual time.

use core::net::{IpAddr, SocketAddr};
use std::collections::BTreeMap;
use std::sync::Arc;

use lasthop_coap::{
    Carrier, CoapClient, CoapClientConfig, CoapParameters, CoapServer, CoapServerConfig,
    MessageType, PORT, Push,
};
use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, DeviceId, Direction, Expectation,
    FailureReason, FlowId, MessageEvent, MessageId, OutgoingMessage, Packet, RandomStream,
    Transport, TransportInput, TransportOutput, message_text,
};
use lasthop_transport::Udp;
use lasthop_units::{Duration, Instant, Probability};

pub(crate) const FLOW: FlowId = FlowId(7);

/// One end.
pub(crate) struct End<T, A> {
    pub(crate) transport: T,
    pub(crate) application: A,
    /// What the application said, in order.
    pub(crate) said: Vec<(Instant, Said)>,
    deadlines: [Option<Instant>; 2],
}

/// What an application said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Said {
    Ready(DeviceId),
    Event(MessageEvent),
    Received(Vec<u8>),
}

/// What a wire does to packets.
pub(crate) struct Wire {
    pub(crate) delay: Duration,
    /// Each packet comes later by up to this much.
    pub(crate) jitter: Duration,
    pub(crate) loss: Probability,
    pub(crate) duplication: Probability,
    /// Packets that are lost whatever the probability: by direction, counted from 0.
    pub(crate) lost: Vec<(Direction, u64)>,
    stream: RandomStream,
    sent: [u64; 2],
    under_way: BTreeMap<(Instant, u64), (Direction, Packet)>,
    /// Every packet that was sent, with its time.
    pub(crate) log: Vec<(Instant, Direction, Packet)>,
}

pub(crate) struct Pair<T, C, S> {
    pub(crate) client: End<T, C>,
    pub(crate) server: End<T, S>,
    pub(crate) wire: Wire,
    pub(crate) now: Instant,
}

pub(crate) type UdpPair = Pair<Udp, CoapClient, CoapServer>;

#[derive(Clone)]
pub(crate) struct Setting {
    pub(crate) kind: MessageType,
    pub(crate) push: Push,
    pub(crate) receives: bool,
    pub(crate) carrier: Carrier,
    pub(crate) parameters: CoapParameters,
    pub(crate) seed: u64,
}

pub(crate) const CON: MessageType = MessageType::Confirmable;
pub(crate) const NON: MessageType = MessageType::NonConfirmable;

impl Setting {
    pub(crate) fn reports(kind: MessageType) -> Self {
        Self {
            kind,
            push: Push::Post,
            receives: false,
            carrier: Carrier::Datagrams,
            parameters: CoapParameters::default(),
            seed: 1,
        }
    }

    pub(crate) fn pushes(kind: MessageType, push: Push) -> Self {
        Self {
            push,
            receives: true,
            ..Self::reports(kind)
        }
    }

    pub(crate) fn client(&self) -> CoapClient {
        let config = CoapClientConfig {
            answers: false,
            server: SocketAddr::new(server_address(), PORT),
            device: FLOW.device(),
            kind: self.kind,
            push: self.push,
            receives: self.receives,
            carrier: self.carrier,
            parameters: Arc::new(self.parameters),
        };
        CoapClient::new(config, RandomStream::named(self.seed, "client"))
    }

    pub(crate) fn server(&self) -> CoapServer {
        let config = CoapServerConfig {
            answers: false,
            kind: self.kind,
            push: self.push,
            carrier: self.carrier,
            parameters: Arc::new(self.parameters),
        };
        CoapServer::new(config, RandomStream::named(self.seed, "server"))
    }

    /// Both ends, 100 ms apart, started.
    pub(crate) fn pair(&self) -> UdpPair {
        let mut pair = Pair::new(
            (Udp::new(client_address()), self.client()),
            (Udp::new(server_address()), self.server()),
            self.seed,
        );
        pair.start();
        pair
    }
}

pub(crate) fn client_address() -> IpAddr {
    IpAddr::from([10, 0, 0, 1])
}

pub(crate) fn server_address() -> IpAddr {
    IpAddr::from([10, 0, 0, 2])
}

pub(crate) fn message(number: u32) -> MessageId {
    MessageId {
        flow: FLOW,
        number: number.try_into().unwrap(),
    }
}

/// A payload of this length that says which message it is.
pub(crate) fn payload(number: u32, length: usize) -> Vec<u8> {
    let mut id = [0; message_text::ID_LENGTH];
    message_text::write_id(FLOW, number, &mut id);
    id.into_iter()
        .chain((0..).map(|at: u32| at as u8 | 1))
        .take(length)
        .collect()
}

impl<T: Transport, C: Application, S: Application> Pair<T, C, S> {
    pub(crate) fn new(client: (T, C), server: (T, S), seed: u64) -> Self {
        Self {
            client: End::new(client.0, client.1),
            server: End::new(server.0, server.1),
            wire: Wire {
                delay: Duration::from_millis(100),
                jitter: Duration::ZERO,
                loss: Probability::NEVER,
                duplication: Probability::NEVER,
                lost: Vec::new(),
                stream: RandomStream::named(seed, "wire"),
                sent: [0; 2],
                under_way: BTreeMap::new(),
                log: Vec::new(),
            },
            now: Instant::ZERO,
        }
    }

    pub(crate) fn start(&mut self) {
        self.server.inform(self.now, ApplicationInput::Start);
        self.client.inform(self.now, ApplicationInput::Start);
        self.drain();
    }

    /// The device sends a message.
    pub(crate) fn report(&mut self, number: u32, length: usize) {
        let payload = payload(number, length);
        let message = OutgoingMessage {
            id: message(number),
            payload: &payload,
            asks: false,
        };
        self.client
            .inform(self.now, ApplicationInput::Send(message));
        self.drain();
    }

    /// The server sends a message to the device.
    pub(crate) fn push(&mut self, number: u32, length: usize) {
        let payload = payload(number, length);
        let message = OutgoingMessage {
            id: message(number),
            payload: &payload,
            asks: false,
        };
        self.server
            .inform(self.now, ApplicationInput::Send(message));
        self.drain();
    }

    pub(crate) fn run_for(&mut self, span: Duration) {
        let end = self.now + span;
        self.drain();
        while let Some(next) = self.next_instant().filter(|at| *at <= end) {
            self.now = next.max(self.now);
            self.deliver_due();
            self.client.timeout(self.now);
            self.server.timeout(self.now);
            self.drain();
        }
        self.now = end;
    }

    pub(crate) fn run_seconds(&mut self, seconds: u64) {
        self.run_for(Duration::from_secs(seconds));
    }

    pub(crate) fn next_instant(&self) -> Option<Instant> {
        let arrival = self.wire.under_way.keys().next().map(|(at, _)| *at);
        let ends = [self.client.deadlines, self.server.deadlines];
        ends.into_iter().flatten().chain([arrival]).flatten().min()
    }

    fn deliver_due(&mut self) {
        while let Some(entry) = self.wire.under_way.first_entry()
            && entry.key().0 <= self.now
        {
            let (direction, packet) = entry.remove();
            let input = TransportInput::Packet(packet);
            match direction {
                Direction::Up => self.server.transport.handle(self.now, input),
                Direction::Down => self.client.transport.handle(self.now, input),
            }
            self.drain();
        }
    }

    /// Polls both ends until they wait.
    pub(crate) fn drain(&mut self) {
        loop {
            let (up, client_was_busy) = self.client.drain(self.now);
            for packet in up {
                self.wire.send(self.now, Direction::Up, packet);
            }
            let (down, server_was_busy) = self.server.drain(self.now);
            for packet in down {
                self.wire.send(self.now, Direction::Down, packet);
            }
            if !client_was_busy && !server_was_busy {
                return;
            }
        }
    }
}

impl Wire {
    fn send(&mut self, now: Instant, direction: Direction, packet: Packet) {
        let number = self.sent[direction as usize];
        self.sent[direction as usize] += 1;
        self.log.push((now, direction, packet.duplicate()));
        let is_lost = self.stream.chance(self.loss) || self.lost.contains(&(direction, number));
        if is_lost {
            return;
        }
        if self.stream.chance(self.duplication) {
            self.carry(now, direction, packet.duplicate());
        }
        self.carry(now, direction, packet);
    }

    fn carry(&mut self, now: Instant, direction: Direction, packet: Packet) {
        let later = self.stream.uniform(Duration::ZERO, self.jitter);
        let sequence = self.under_way.len() as u64 + (self.sent[0] + self.sent[1]) * 1000;
        let place = (now + self.delay + later, sequence);
        self.under_way.insert(place, (direction, packet));
    }

    /// What the packets that went one way said of what follows them.
    pub(crate) fn expectations(&self, direction: Direction) -> Vec<Option<Expectation>> {
        let way = self.log.iter().filter(|(_, way, _)| *way == direction);
        way.map(|(_, _, packet)| packet.expectation()).collect()
    }

    /// The UDP payloads that went one way over IPv4.
    pub(crate) fn datagrams(&self, direction: Direction) -> Vec<Vec<u8>> {
        let way = self.log.iter().filter(|(_, way, _)| *way == direction);
        way.map(|(_, _, packet)| packet.bytes()[28..].to_vec())
            .collect()
    }
}

impl<T: Transport, A: Application> End<T, A> {
    fn new(transport: T, application: A) -> Self {
        Self {
            transport,
            application,
            said: Vec::new(),
            deadlines: [None; 2],
        }
    }

    pub(crate) fn inform(&mut self, now: Instant, input: ApplicationInput<'_>) {
        self.application.handle(now, input, &mut self.transport);
    }

    fn timeout(&mut self, now: Instant) {
        let due = |deadline: Option<Instant>| deadline.is_some_and(|at| at <= now);
        if due(self.deadlines[0]) {
            self.transport.handle(now, TransportInput::Timeout);
        }
        if due(self.deadlines[1]) {
            self.inform(now, ApplicationInput::Timeout);
        }
    }

    /// What it sends, and whether its transport told it anything.
    fn drain(&mut self, now: Instant) -> (Vec<Packet>, bool) {
        let mut packets = Vec::new();
        let mut is_told = false;
        loop {
            let said = match self.application.poll(now, &mut self.transport) {
                ApplicationOutput::Ready(device, _) => Said::Ready(device),
                ApplicationOutput::Event(event) => Said::Event(event),
                ApplicationOutput::Received(received) => Said::Received(received.payload.to_vec()),
                ApplicationOutput::WaitUntil(deadline) => {
                    self.deadlines[1] = deadline;
                    match self.transport.poll(now) {
                        TransportOutput::Transmit(packet) => packets.push(packet),
                        TransportOutput::Event(connection, event) => {
                            is_told = true;
                            self.inform(now, ApplicationInput::Transport(connection, event));
                        }
                        TransportOutput::Discard(..) | TransportOutput::Evicted => {}
                        TransportOutput::WaitUntil(deadline) => {
                            self.deadlines[0] = deadline;
                            return (packets, is_told);
                        }
                    }
                    continue;
                }
            };
            self.said.push((now, said));
        }
    }

    /// The messages that arrived, by their numbers, in order.
    pub(crate) fn received(&self) -> Vec<u32> {
        let received = self.said.iter().filter_map(|(_, said)| match said {
            Said::Received(payload) => message_text::message_id(payload),
            _ => None,
        });
        received.map(|id| id.number.get()).collect()
    }

    /// The messages that were acknowledged, by their numbers, in order.
    pub(crate) fn acknowledged(&self) -> Vec<u32> {
        let events = self.said.iter().filter_map(|(_, said)| match said {
            Said::Event(MessageEvent::Acknowledged { id }) => Some(id.number.get()),
            _ => None,
        });
        events.collect()
    }

    /// The messages that were given up, in order.
    pub(crate) fn failed(&self) -> Vec<(u32, FailureReason)> {
        let events = self.said.iter().filter_map(|(_, said)| match said {
            Said::Event(MessageEvent::Failed { id, reason }) => Some((id.number.get(), *reason)),
            _ => None,
        });
        events.collect()
    }

    pub(crate) fn is_ready(&self) -> bool {
        self.said
            .iter()
            .any(|(_, said)| *said == Said::Ready(FLOW.device()))
    }
}
