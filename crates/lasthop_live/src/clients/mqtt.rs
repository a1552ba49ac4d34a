use core::num::NonZeroU32;
use std::io;
use std::rc::Rc;
use std::sync::Arc;

use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, ChannelSet, FlowId, MessageEvent, MessageId,
    OutgoingMessage, RandomStream, Transport, TransportEvent,
};
use lasthop_mqtt::{MqttClient, MqttClientConfig, Qos, Version};
use lasthop_units::Instant;

use super::asking::{Asking, ClientError, Ending};
use crate::{KernelTcp, Poller, Tally};

/// How a client speaks with its broker.
#[derive(Clone, Copy, Debug)]
pub struct MqttSession<'a> {
    /// Which version.
    pub version: Version,
    /// How messages are published, and subscribed to.
    pub qos: Qos,
    /// Who it says it is.
    pub client_id: &'a str,
    /// The topic that it publishes to, or the filter that it subscribes to.
    pub topic: &'a str,
}

/// Publishes one message; when it returns, the broker has it, as far as its QoS tells that.
///
/// # Errors
/// When the broker cannot be reached, refuses, or does not answer in time.
pub fn publish(
    asking: &Asking<'_>,
    session: &MqttSession<'_>,
    payload: Vec<u8>,
) -> Result<(), ClientError> {
    run(asking, session, Task::Publish(payload))
}

/// Gives what comes to the filter to `take`, until that answers false.
///
/// # Errors
/// When the broker cannot be reached, refuses or goes, or does not send enough in time.
pub fn subscribe(
    asking: &Asking<'_>,
    session: &MqttSession<'_>,
    take: impl FnMut(&[u8]) -> bool + 'static,
) -> Result<(), ClientError> {
    run(asking, session, Task::Subscribe(Box::new(take)))
}

enum Task {
    Publish(Vec<u8>),
    Subscribe(Take),
}

/// What takes a message, and answers whether another one is wanted.
type Take = Box<dyn FnMut(&[u8]) -> bool>;

/// A client with one thing to do.
struct Errand {
    client: MqttClient,
    task: Task,
    qos: Qos,
    tally: Rc<Tally>,
    is_ready: bool,
    /// All is done but saying good-bye.
    is_leaving: bool,
    ending: Ending,
}

const MESSAGE: MessageId = MessageId {
    flow: FlowId(0),
    number: NonZeroU32::MIN,
};

fn run(asking: &Asking<'_>, session: &MqttSession<'_>, task: Task) -> Result<(), ClientError> {
    let config = MqttClientConfig {
        version: session.version,
        qos: session.qos,
        subscribes: match task {
            Task::Subscribe(_) => ChannelSet::of(0),
            _ => ChannelSet::NONE,
        },
        clean_start: true,
        session_expiry: Some(lasthop_units::Duration::ZERO),
        ..MqttClientConfig::new(asking.server)
    };
    let random = RandomStream::named(asking.seed, "reconnect");
    let client = MqttClient::named(Arc::new(config), session.client_id, session.topic, random);
    let poller = Poller::new()?;
    let tcp = KernelTcp::client(&poller);
    let ending = Ending::default();
    let errand = Errand {
        client,
        task,
        qos: session.qos,
        tally: tcp.tally(),
        is_ready: false,
        is_leaving: false,
        ending: ending.clone(),
    };
    asking.run(&poller, tcp, errand, &ending)
}

impl Errand {
    fn begin(&mut self, now: Instant, transport: &mut dyn Transport) {
        self.is_ready = true;
        if let Task::Publish(payload) = &self.task {
            let message = OutgoingMessage {
                id: MESSAGE,
                payload,
            };
            let input = ApplicationInput::Send(message);
            self.client.handle(now, input, transport);
        }
    }

    /// Says good-bye; the end follows.
    fn leave(&mut self, now: Instant, transport: &mut dyn Transport) {
        if !self.is_leaving {
            self.is_leaving = true;
            self.client.handle(now, ApplicationInput::Stop, transport);
        }
    }

    fn note(&mut self, now: Instant, event: MessageEvent, transport: &mut dyn Transport) {
        match event {
            MessageEvent::Failed { reason, .. } => {
                let text = format!("the message was not published: {}", reason.name());
                self.ending.fail(ClientError::Refused(text));
            }
            MessageEvent::Transmitted { .. } if self.qos == Qos::AtMostOnce => {
                self.leave(now, transport);
            }
            MessageEvent::Acknowledged { .. } => self.leave(now, transport),
            _ => {}
        }
    }

    fn closed(&self) {
        if self.is_leaving {
            return self.ending.set_done();
        }
        let error = self.tally.last_error.take().map(io::Error::from);
        self.ending.fail(match error {
            Some(error) => error.into(),
            None if self.is_ready => ClientError::Refused("the broker has gone".into()),
            None => ClientError::Refused("the broker refuses the connection".into()),
        });
    }
}

impl Application for Errand {
    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport) {
        self.client.handle(now, input, transport);
        if matches!(input, ApplicationInput::Start) && self.tally.open.get() == 0 {
            self.closed();
        }
        if let ApplicationInput::Transport(_, TransportEvent::Closed(_)) = input {
            self.closed();
        }
    }

    fn poll(&mut self, now: Instant, transport: &mut dyn Transport) -> ApplicationOutput {
        loop {
            match self.client.poll(now, transport) {
                ApplicationOutput::Ready(..) => self.begin(now, transport),
                ApplicationOutput::Event(event) => self.note(now, event, transport),
                ApplicationOutput::Received(received) => {
                    if let Task::Subscribe(take) = &mut self.task
                        && !self.is_leaving
                        && !take(&received.payload)
                    {
                        self.leave(now, transport);
                    }
                }
                wait @ ApplicationOutput::WaitUntil(_) => return wait,
            }
        }
    }
}
