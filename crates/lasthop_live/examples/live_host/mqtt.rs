use core::error::Error;
use core::net::{IpAddr, SocketAddr};
use core::num::NonZeroU32;
use std::sync::Arc;

use lasthop_contract::message_text::{ID_LENGTH, write_id};
use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, ChannelSet, FlowId, MessageEvent, MessageId,
    OutgoingMessage, RandomStream, Transport,
};
use lasthop_mqtt::{
    MqttBroker, MqttBrokerConfig, MqttClient, MqttClientConfig, PORT, Qos, Version, WillMessage,
};
use lasthop_transport::{Tcp, TcpProfile};
use lasthop_units::{Duration, Instant};
use serde_json::json;

use crate::{Options, Outcome, run_host};

/// A device that sends some messages, and awaits some.
struct Device {
    client: MqttClient,
    to_send: u32,
    to_receive: u32,
    /// How many messages have a fate that the client comes to know: none at QoS 0.
    to_end: u32,
    sent: u32,
    received: u32,
    ended: u32,
    is_ready: bool,
    outcome: Outcome,
}

const FLOW: FlowId = FlowId(1);

/// So short that a broker soon notices a client that is gone.
const KEEP_ALIVE_SECONDS: u16 = 2;

pub(crate) fn run_broker(options: &Options, words: &[String]) -> Result<(), Box<dyn Error>> {
    if !words.is_empty() {
        return Err("mqtt-broker takes nothing".into());
    }
    let config = MqttBrokerConfig {
        is_destination: false,
        ..MqttBrokerConfig::default()
    };
    let broker = MqttBroker::new(config, RandomStream::named(options.seed, "broker"));
    run_host(options, tcp(options), broker, &Outcome::never())
}

pub(crate) fn run_client(options: &Options, words: &[String]) -> Result<(), Box<dyn Error>> {
    let [broker, version, qos, to_send, to_receive] = words else {
        return Err("mqtt-client takes a broker, a version, a QoS and two numbers".into());
    };
    let broker: IpAddr = broker.parse()?;
    let config = MqttClientConfig {
        version: match version.as_str() {
            "3.1.1" => Version::V3_1_1,
            "5" => Version::V5,
            other => return Err(format!("there is no MQTT {other}").into()),
        },
        qos: match qos.as_str() {
            "0" => Qos::AtMostOnce,
            "1" => Qos::AtLeastOnce,
            "2" => Qos::ExactlyOnce,
            other => return Err(format!("there is no QoS {other}").into()),
        },
        subscribes: ChannelSet::of(0),
        keep_alive_seconds: KEEP_ALIVE_SECONDS,
        will: Some(WillMessage {
            topic: "will".into(),
            payload: b"gone".as_slice().into(),
            qos: Qos::AtLeastOnce,
            retain: true,
            delay: Duration::ZERO,
        }),
        ..MqttClientConfig::new(SocketAddr::new(broker, PORT))
    };
    let outcome = Outcome::awaited();
    let to_send = to_send.parse()?;
    let to_end = if config.qos == Qos::AtMostOnce {
        0
    } else {
        to_send
    };
    let device = Device {
        client: MqttClient::new(
            Arc::new(config),
            FLOW,
            RandomStream::named(options.seed, "reconnect"),
        ),
        to_send,
        to_receive: to_receive.parse()?,
        to_end,
        sent: 0,
        received: 0,
        ended: 0,
        is_ready: false,
        outcome: outcome.clone(),
    };
    run_host(options, tcp(options), device, &outcome)
}

fn tcp(options: &Options) -> Tcp {
    let profile = TcpProfile {
        nodelay: true,
        ..TcpProfile::linux()
    };
    let stream = RandomStream::named(options.seed, "tcp");
    Tcp::new(options.address, Arc::new(profile), stream)
}

impl Device {
    fn send_next(&mut self, now: Instant, transport: &mut dyn Transport) {
        while self.is_ready && self.sent < self.to_send {
            self.sent += 1;
            let Some(number) = NonZeroU32::new(self.sent) else {
                return;
            };
            let mut id = [0; ID_LENGTH];
            write_id(FLOW, self.sent, &mut id);
            let mut payload = id.to_vec();
            payload.extend_from_slice(format!(" message {}", self.sent).as_bytes());
            let message = OutgoingMessage {
                id: MessageId { flow: FLOW, number },
                payload: &payload,
                asks: false,
            };
            self.client
                .handle(now, ApplicationInput::Send(message), transport);
        }
    }

    /// Tells what happened, and whether that was all.
    fn note(&mut self, output: &ApplicationOutput) {
        match output {
            ApplicationOutput::Ready(..) => {
                self.is_ready = true;
                println!("{}", json!({ "ready": true }));
            }
            ApplicationOutput::Received(received) => {
                self.received += 1;
                let text = String::from_utf8_lossy(&received.payload).into_owned();
                println!("{}", json!({ "received": text }));
            }
            ApplicationOutput::Event(event) => match event {
                MessageEvent::Acknowledged { .. } => self.ended += 1,
                MessageEvent::Failed { reason, .. } => {
                    self.ended += 1;
                    println!("{}", json!({ "failed": reason.name() }));
                }
                _ => {}
            },
            ApplicationOutput::WaitUntil(_) => {}
        }
        if self.is_ready && self.ended >= self.to_end && self.received >= self.to_receive {
            self.outcome.set_done();
        }
    }
}

impl Application for Device {
    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport) {
        self.client.handle(now, input, transport);
    }

    fn poll(&mut self, now: Instant, transport: &mut dyn Transport) -> ApplicationOutput {
        loop {
            let output = self.client.poll(now, transport);
            self.note(&output);
            match output {
                ApplicationOutput::Ready(..) => self.send_next(now, transport),
                ApplicationOutput::Received(_) => {}
                output => return output,
            }
        }
    }
}
