use core::error::Error;
use core::net::{IpAddr, SocketAddr};
use core::num::NonZeroU32;
use std::sync::Arc;

use lasthop_contract::message_text::{ID_LENGTH, write_id};
use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, DeviceId, FlowId, MessageEvent, MessageId,
    OutgoingMessage, RandomStream, Transport,
};
use lasthop_dds::{Carrier, DdsClient, DdsClientConfig, DdsConfig, PORT, Reliability, RtpsTcp};
use lasthop_transport::{Tcp, TcpProfile, Udp};
use lasthop_units::{Duration, Instant};
use serde_json::json;

use crate::{Options, Outcome, run_host};

/// A participant that sends some messages, one after the other, and awaits some.
struct Sender<A> {
    participant: A,
    plan: Plan,
    sent: u32,
    received: u32,
    /// Messages of which it knows that the other has them, or that they have failed.
    ended: u32,
    next: Option<Instant>,
    outcome: Outcome,
}

/// What one is to do.
struct Plan {
    settings: Arc<DdsConfig>,
    to_send: u32,
    to_receive: u32,
    bytes: usize,
}

const DEVICE: DeviceId = DeviceId(1);

/// Until the other has matched as well, who would miss what is sent best-effort.
const BEFORE_THE_FIRST: Duration = Duration::from_secs(1);

const BETWEEN: Duration = Duration::from_millis(20);

pub(crate) fn run_device(options: &Options, words: &[String]) -> Result<(), Box<dyn Error>> {
    let [server, plan @ ..] = words else {
        return Err("dds-device takes a server".into());
    };
    let server: IpAddr = server.parse()?;
    let plan = Plan::read(plan)?;
    let config = DdsClientConfig {
        address: options.address,
        server: SocketAddr::new(server, PORT),
        device: DEVICE,
        speaks: plan.to_send > 0,
        hears: (plan.to_receive > 0)
            .then_some(DEVICE)
            .into_iter()
            .collect(),
        settings: Arc::clone(&plan.settings),
    };
    let participant = DdsClient::new(config, identities(options));
    run(options, participant, plan)
}

fn identities(options: &Options) -> RandomStream {
    RandomStream::named(options.seed, "dds")
}

fn run(
    options: &Options,
    participant: impl Application + 'static,
    plan: Plan,
) -> Result<(), Box<dyn Error>> {
    let transport = transport_of(options, &plan.settings);
    let outcome = Outcome::awaited();
    let sender = Sender {
        participant,
        plan,
        sent: 0,
        received: 0,
        ended: 0,
        next: None,
        outcome: outcome.clone(),
    };
    run_host(options, transport, sender, &outcome)
}

/// The transport of a participant with these settings.
pub(crate) fn transport_of(options: &Options, settings: &DdsConfig) -> Box<dyn Transport> {
    let address = options.address;
    if settings.carrier == Carrier::Udp {
        return Box::new(Udp::new(address));
    }
    let profile = TcpProfile {
        nodelay: true,
        ..TcpProfile::linux()
    };
    let stream = RandomStream::named(options.seed, "tcp");
    let tcp = Tcp::new(address, Arc::new(profile), stream);
    Box::new(RtpsTcp::new(tcp, address))
}

/// The settings of these words, with room for all messages of a test.
pub(crate) fn settings_of(words: &str) -> DdsConfig {
    let has = |word: &str| words.split(',').any(|it| it == word);
    DdsConfig {
        carrier: match has("tcp") {
            true => Carrier::Tcp,
            false => Carrier::Udp,
        },
        reliability: if has("reliable") {
            Reliability::Reliable
        } else {
            Reliability::BestEffort
        },
        has_type_information: !has("untyped"),
        history_depth: 1000,
        max_blocking_time: Duration::from_secs(10),
        ..DdsConfig::default()
    }
}

impl Plan {
    fn read(words: &[String]) -> Result<Self, Box<dyn Error>> {
        let [settings, to_send, to_receive, bytes] = words else {
            return Err("dds takes settings and three numbers".into());
        };
        Ok(Self {
            settings: Arc::new(settings_of(settings)),
            to_send: to_send.parse()?,
            to_receive: to_receive.parse()?,
            bytes: bytes.parse()?,
        })
    }

    fn is_reliable(&self) -> bool {
        self.settings.reliability == Reliability::Reliable
    }
}

impl<A: Application> Sender<A> {
    fn send_next(&mut self, now: Instant, transport: &mut dyn Transport) {
        self.sent += 1;
        let Some(number) = NonZeroU32::new(self.sent) else {
            return;
        };
        let flow = FlowId::of(DEVICE, 0);
        let mut payload = vec![b'.'; self.plan.bytes.max(ID_LENGTH)];
        if let Some(id) = payload.first_chunk_mut() {
            write_id(flow, self.sent, id);
        }
        let message = OutgoingMessage {
            id: MessageId { flow, number },
            payload: &payload,
            asks: false,
        };
        let message = ApplicationInput::Send(message);
        self.participant.handle(now, message, transport);
        self.next = (self.sent < self.plan.to_send).then(|| now + BETWEEN);
    }

    /// Tells what happened, and whether that was all.
    fn note(&mut self, now: Instant, output: &ApplicationOutput) {
        match output {
            ApplicationOutput::Ready(..) => {
                println!("{}", json!({ "ready": true }));
                self.next = (self.plan.to_send > 0).then(|| now + BEFORE_THE_FIRST);
            }
            ApplicationOutput::Received(received) => {
                self.received += 1;
                let text = String::from_utf8_lossy(&received.payload);
                let id: String = text.chars().take(ID_LENGTH).collect();
                println!("{}", json!({ "received": id, "bytes": text.len() }));
            }
            ApplicationOutput::Event(MessageEvent::Acknowledged { .. }) => self.ended += 1,
            ApplicationOutput::Event(MessageEvent::Failed { reason, .. }) => {
                self.ended += 1;
                println!("{}", json!({ "failed": reason.name() }));
            }
            ApplicationOutput::Event(_) | ApplicationOutput::WaitUntil(_) => {}
        }
        let ended = match self.plan.is_reliable() {
            true => self.ended,
            false => self.sent,
        };
        if ended >= self.plan.to_send && self.received >= self.plan.to_receive {
            self.outcome.set_done();
        }
    }
}

impl<A: Application> Application for Sender<A> {
    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport) {
        self.participant.handle(now, input, transport);
        if self.next.is_some_and(|next| next <= now) {
            self.send_next(now, transport);
        }
    }

    fn poll(&mut self, now: Instant, transport: &mut dyn Transport) -> ApplicationOutput {
        loop {
            let output = self.participant.poll(now, transport);
            self.note(now, &output);
            match output {
                ApplicationOutput::Received(_) | ApplicationOutput::Ready(..) => {}
                ApplicationOutput::WaitUntil(deadline) => {
                    let next = deadline.into_iter().chain(self.next).min();
                    return ApplicationOutput::WaitUntil(next);
                }
                output @ ApplicationOutput::Event(_) => return output,
            }
        }
    }
}
