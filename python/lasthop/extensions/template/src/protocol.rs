//! An example: every message is sent several times, and nobody acknowledges.
//!
//! A datagram is a header, the flow's channel in 8 bits and the number of the message in 24, and the payload. The receiver passes on the first copy
//! that arrives. What it leaves out: a copy that comes more than 64 messages late is taken for new.

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;

use lasthop_contract::message_text::read_id;
use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, Cause, ChannelSet, Chunk, ConnectionId,
    DatagramError, DeviceId, FailureReason, MessageEvent, MessageId, OutgoingMessage, Provenance,
    Received, ResetReason, Transport, TransportEvent,
};
use lasthop_units::{Duration, Instant};
use lasthop_world::{
    Above, ApplicationBuilder, ApplicationEntry, Carriage, ClientEnd, OptionEntry, OptionKind,
    Options, ServerEnd,
};

/// The protocol as the notation of stacks has it: `toy_protocol copies=2`.
pub const ENTRY: ApplicationEntry = ApplicationEntry {
    name: "toy_protocol",
    summary: "every message several times, not acknowledged",
    over: &[Carriage::Datagrams],
    port: PORT,
    port_over: &[],
    has_topics: false,
    options: &[
        OptionEntry::new(
            "copies",
            OptionKind::Count(1, 10),
            "how often a message is sent",
        )
        .default("3"),
        OptionEntry::new("apart", OptionKind::Time, "from one copy to the next").default("500ms"),
    ],
    build: Some(|_, options| Box::new(Settings::new(options))),
};

const PORT: u16 = 40_100;
const HEADER_LENGTH: usize = 4;
const REMEMBERED: usize = 64;

/// What both ends are told.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// How often a message is sent.
    pub copies: u16,
    /// From one copy to the next.
    pub apart: Duration,
}

impl Settings {
    fn new(options: Options<'_>) -> Self {
        Self {
            copies: options.small("copies"),
            apart: options.time("apart"),
        }
    }
}

impl ApplicationBuilder for Settings {
    fn client(&self, end: &ClientEnd<'_>, above: Above) -> Box<dyn Application> {
        above.over(Repeater::client(*self, end.server, end.device))
    }

    fn server(&self, end: &ServerEnd<'_>, above: Above) -> Box<dyn Application> {
        above.over(Repeater::server(*self, end.port))
    }

    fn acknowledges(&self) -> bool {
        false
    }

    fn forwards(&self) -> bool {
        false
    }
}

/// Either end: takes messages, repeats them, passes on what is new.
#[derive(Debug)]
pub struct Repeater {
    settings: Settings,
    end: End,
    /// Copies by the instant at which they leave, in the order of their messages.
    waiting: BTreeMap<(Instant, MessageId), Copy>,
    /// The headers that arrived last, by connection.
    seen: BTreeMap<ConnectionId, VecDeque<[u8; HEADER_LENGTH]>>,
    outputs: VecDeque<ApplicationOutput>,
}

#[derive(Debug)]
enum End {
    Client {
        server: SocketAddr,
        device: DeviceId,
        connection: Option<ConnectionId>,
    },
    /// It answers a device where it last heard from it.
    Server {
        port: u16,
        devices: BTreeMap<DeviceId, ConnectionId>,
    },
}

#[derive(Debug)]
struct Copy {
    connection: ConnectionId,
    attempt: u16,
    payload: Vec<u8>,
}

impl Repeater {
    /// The device's end, which sends to this server.
    pub fn client(settings: Settings, server: SocketAddr, device: DeviceId) -> Self {
        Self::new(
            settings,
            End::Client {
                server,
                device,
                connection: None,
            },
        )
    }

    /// The server's end, for any number of devices.
    pub fn server(settings: Settings, port: u16) -> Self {
        Self::new(
            settings,
            End::Server {
                port,
                devices: BTreeMap::new(),
            },
        )
    }

    fn new(settings: Settings, end: End) -> Self {
        Self {
            settings,
            end,
            waiting: BTreeMap::new(),
            seen: BTreeMap::new(),
            outputs: VecDeque::new(),
        }
    }

    fn start(&mut self, now: Instant, transport: &mut dyn Transport) {
        match &mut self.end {
            End::Client {
                server,
                device,
                connection,
            } => {
                *connection = transport.open(now, *server, &[]).ok();
                self.outputs
                    .push_back(ApplicationOutput::Ready(*device, ChannelSet::ALL));
            }
            End::Server { port, .. } => transport
                .listen(*port)
                .expect("nobody else listens on this host"),
        }
    }

    /// The host goes off: all of it is forgotten.
    fn leave(&mut self) {
        self.waiting.clear();
        self.seen.clear();
        match &mut self.end {
            End::Client { connection, .. } => *connection = None,
            End::Server { devices, .. } => devices.clear(),
        }
    }

    fn send(&mut self, now: Instant, message: OutgoingMessage<'_>, transport: &mut dyn Transport) {
        let to = match &self.end {
            End::Client { connection, .. } => *connection,
            End::Server { devices, .. } => devices.get(&message.id.flow.device()).copied(),
        };
        let Some(connection) = to else {
            return self.fail(message.id, FailureReason::NotConnected);
        };
        let copy = Copy {
            connection,
            attempt: 1,
            payload: message.payload.to_vec(),
        };
        self.transmit(now, message.id, copy, transport);
    }

    /// Sends a copy, and has the next one wait for its time.
    fn transmit(&mut self, now: Instant, id: MessageId, copy: Copy, transport: &mut dyn Transport) {
        let [_, high, middle, low] = id.number.get().to_be_bytes();
        let header = [id.flow.channel(), high, middle, low];
        // Every byte says who put it on the wire and why: the ledger is made of that.
        let (of_header, of_payload) = match copy.attempt {
            1 => (Cause::Header, Cause::Payload),
            _ => (Cause::Retransmission, Cause::Retransmission),
        };
        let chunks = [
            Chunk {
                bytes: &header,
                provenance: Provenance::of_message(of_header, id),
            },
            Chunk {
                bytes: &copy.payload,
                provenance: Provenance::of_message(of_payload, id),
            },
        ];
        match transport.send_datagram(now, copy.connection, &chunks) {
            Ok(()) => {}
            Err(DatagramError::TooLarge) => return self.fail(id, FailureReason::TooLarge),
            Err(_) => return self.fail(id, FailureReason::NotConnected),
        }
        let attempt = copy.attempt;
        let last = attempt >= self.settings.copies;
        self.outputs
            .push_back(ApplicationOutput::Event(MessageEvent::Transmitted {
                id,
                attempt,
                last,
                trigger: None,
            }));
        if !last {
            let next = Copy {
                attempt: attempt + 1,
                ..copy
            };
            self.waiting.insert((now + self.settings.apart, id), next);
        }
    }

    fn fail(&mut self, id: MessageId, reason: FailureReason) {
        self.outputs
            .push_back(ApplicationOutput::Event(MessageEvent::Failed {
                id,
                reason,
            }));
    }

    fn receive(&mut self, now: Instant, connection: ConnectionId, transport: &mut dyn Transport) {
        while let Some(datagram) = transport.receive_datagram(connection) {
            // RFC 1122 section 4.1.1: what is not understood is ignored.
            let Some(header) = datagram.first_chunk::<HEADER_LENGTH>().copied() else {
                continue;
            };
            if let End::Server { devices, .. } = &mut self.end
                && let Some((flow, _)) = read_id(&datagram[HEADER_LENGTH..])
                && let Some(before) = devices.insert(flow.device(), connection)
                && before != connection
            {
                self.seen.remove(&before);
                transport.reset(now, before, ResetReason::NotNeeded);
            }
            let seen = self.seen.entry(connection).or_default();
            if seen.contains(&header) {
                continue;
            }
            seen.push_back(header);
            if seen.len() > REMEMBERED {
                seen.pop_front();
            }
            let length = datagram.len();
            self.outputs
                .push_back(ApplicationOutput::Received(Received {
                    connection,
                    payload: datagram.narrowed(HEADER_LENGTH..length),
                }));
        }
    }

    fn timeout(&mut self, now: Instant, transport: &mut dyn Transport) {
        while let Some(first) = self.waiting.first_entry()
            && first.key().0 <= now
        {
            let ((_, id), copy) = first.remove_entry();
            self.transmit(now, id, copy, transport);
        }
    }
}

impl Application for Repeater {
    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport) {
        match input {
            ApplicationInput::Start => self.start(now, transport),
            ApplicationInput::Stop | ApplicationInput::Crash(_) => self.leave(),
            ApplicationInput::Transport(connection, TransportEvent::DatagramReadable) => {
                self.receive(now, connection, transport);
            }
            ApplicationInput::Transport(..) => {}
            ApplicationInput::Send(message) => self.send(now, message, transport),
            ApplicationInput::Timeout => self.timeout(now, transport),
        }
    }

    fn poll(&mut self, _now: Instant, _transport: &mut dyn Transport) -> ApplicationOutput {
        let deadline = self.waiting.keys().next().map(|(at, _)| *at);
        self.outputs
            .pop_front()
            .unwrap_or(ApplicationOutput::WaitUntil(deadline))
    }
}
