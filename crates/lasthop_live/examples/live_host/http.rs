use core::error::Error;
use core::net::SocketAddr;
use core::num::NonZeroU32;
use std::sync::Arc;

use lasthop_contract::message_text::{ID_LENGTH, write_id};
use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, ChannelSet, DeviceId, FlowId, MessageEvent,
    MessageId, OutgoingMessage, Transport,
};
use lasthop_http::{
    ConnectionPolicy, HttpClient, HttpClientConfig, HttpServer, HttpServerConfig, HttpVersion,
    PORT, ServerLimits,
};
use lasthop_units::{Duration, Instant};
use serde_json::json;

use crate::coap_server::tcp;
use crate::{Options, Outcome, run_host};

/// A device that posts messages, one after the other.
struct Device {
    client: HttpClient,
    to_send: u32,
    sent: u32,
    outcome: Outcome,
}

/// A server that tells what it receives.
struct Telling(HttpServer);

const DEVICE: DeviceId = DeviceId(7);
const FLOW: FlowId = FlowId::of(DEVICE, 0);

const WAIT: Duration = Duration::from_secs(30);

pub(crate) fn run_server(options: &Options, words: &[String]) -> Result<(), Box<dyn Error>> {
    if !words.is_empty() {
        return Err("http-server takes nothing".into());
    }
    let server = HttpServer::new(HttpServerConfig {
        port: PORT,
        limits: ServerLimits::default(),
        hold: WAIT,
        asks_tokens: false,
        unwraps_json: false,
    });
    run_host(options, tcp(options), Telling(server), &Outcome::never())
}

pub(crate) fn run_client(options: &Options, words: &[String]) -> Result<(), Box<dyn Error>> {
    let [server, version, how, to_send] = words else {
        return Err(
            "http-client takes a server, a version, keep or per_message, and a number".into(),
        );
    };
    let server: SocketAddr = server.parse()?;
    let config = HttpClientConfig {
        server,
        authority: server.to_string().into(),
        version: match version.as_str() {
            "1.1" => HttpVersion::One,
            "2" => HttpVersion::Two,
            other => return Err(format!("there is no HTTP/{other}").into()),
        },
        is_secured: false,
        window: 65_535,
        qpack_table: 0,
        remembers_tokens: true,
        policy: match how.as_str() {
            "keep" => ConnectionPolicy::Keep,
            "per_message" => ConnectionPolicy::PerMessage,
            other => return Err(format!("{other} is neither keep nor per_message").into()),
        },
        connections: 1,
        is_chunked: false,
        timeout: WAIT,
        hold: WAIT,
        sends: true,
        receives: false,
        wraps_in_json: false,
        echoed: ChannelSet::NONE,
    };
    let outcome = Outcome::awaited();
    let device = Device {
        client: HttpClient::new(Arc::new(config), DEVICE),
        to_send: to_send.parse()?,
        sent: 0,
        outcome: outcome.clone(),
    };
    run_host(options, tcp(options), device, &outcome)
}

impl Device {
    fn send_next(&mut self, now: Instant, transport: &mut dyn Transport) {
        if self.sent == self.to_send {
            return self.outcome.set_done();
        }
        self.sent += 1;
        let Some(number) = NonZeroU32::new(self.sent) else {
            return;
        };
        let mut id = [0; ID_LENGTH];
        write_id(FLOW, self.sent, &mut id);
        let text = format!(" message {}", self.sent);
        let message = OutgoingMessage {
            id: MessageId { flow: FLOW, number },
            payload: &[&id, text.as_bytes()].concat(),
            asks: false,
        };
        let input = ApplicationInput::Send(message);
        self.client.handle(now, input, transport);
    }
}

impl Application for Device {
    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport) {
        self.client.handle(now, input, transport);
    }

    fn poll(&mut self, now: Instant, transport: &mut dyn Transport) -> ApplicationOutput {
        loop {
            match self.client.poll(now, transport) {
                ApplicationOutput::Ready(..) => self.send_next(now, transport),
                ApplicationOutput::Event(MessageEvent::Acknowledged { id }) => {
                    println!("{}", json!({ "acknowledged": id.number }));
                    self.send_next(now, transport);
                }
                ApplicationOutput::Event(MessageEvent::Failed { id, reason }) => {
                    println!(
                        "{}",
                        json!({ "failed": id.number, "reason": reason.name() })
                    );
                    self.send_next(now, transport);
                }
                ApplicationOutput::Received(_) => {}
                output => return output,
            }
        }
    }
}

impl Application for Telling {
    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport) {
        self.0.handle(now, input, transport);
    }

    fn poll(&mut self, now: Instant, transport: &mut dyn Transport) -> ApplicationOutput {
        loop {
            match self.0.poll(now, transport) {
                ApplicationOutput::Received(received) => {
                    let text = String::from_utf8_lossy(&received.payload).into_owned();
                    println!("{}", json!({ "received": text }));
                }
                output => return output,
            }
        }
    }
}
