use core::num::NonZeroU32;
use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::sync::Arc;

use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, ChannelSet, CloseReason, Established, FlowId,
    MessageEvent, MessageId, OutgoingMessage, RandomStream, Transport, TransportEvent,
};
use lasthop_mqtt::codec::ReasonCode;
use lasthop_mqtt::{MqttClient, MqttClientConfig, Qos, User, Version};
use lasthop_quic::{Quic, QuicClient};
use lasthop_tls::{ClientProfile, Tls};
use lasthop_units::Instant;
use lasthop_websocket::{WebSocket, WebSocketConfig};

use super::asking::{Asking, ClientError, Ending};
use crate::secured::why_it_ended;
use crate::{KernelTcp, KernelUdp, Poller, Tally};

/// The session settings of a client.
#[derive(Clone, Copy, Debug)]
pub struct MqttSession<'a> {
    /// The MQTT version.
    pub version: Version,
    /// The QoS of publications and subscriptions.
    pub qos: Qos,
    /// The client ID.
    pub client_id: &'a str,
    /// The user name and the password.
    pub user: Option<(&'a str, Option<&'a str>)>,
    /// Whether publications are retained.
    pub retain: bool,
    /// The topic to publish to, or the filter to subscribe to.
    pub topic: &'a str,
    /// The TLS profile; `None` for an unsecured connection.
    pub secured: Option<&'a ClientProfile>,
    /// The QUIC profile; `None` for TCP.
    pub quic: Option<&'a QuicClient>,
    /// The host and port for a WebSocket; `None` for plain MQTT.
    pub web_host: Option<&'a str>,
}

/// Publishes one message in each of a number of consecutive sessions. When it returns, the broker has acknowledged all
/// messages, unless their QoS is 0. Returns how each connection was established: a later one can resume the session of
/// an earlier one.
///
/// # Errors
/// When the broker cannot be reached, refuses, or does not answer in time.
pub fn publish(
    asking: &Asking<'_>,
    session: &MqttSession<'_>,
    payload: Vec<u8>,
    sessions: NonZeroU32,
) -> Result<Vec<Established>, ClientError> {
    run(asking, session, Task::Publish(payload), sessions)
}

/// Passes received messages with their topics to `take`, until that returns false.
///
/// # Errors
/// When the broker cannot be reached, refuses or goes, or does not send enough in time.
pub fn subscribe(
    asking: &Asking<'_>,
    session: &MqttSession<'_>,
    take: impl FnMut(&str, &[u8]) -> bool + 'static,
) -> Result<(), ClientError> {
    let task = Task::Subscribe(Box::new(take));
    run(asking, session, task, NonZeroU32::MIN).map(|_| ())
}

enum Task {
    Publish(Vec<u8>),
    Subscribe(Take),
}

/// What takes the topic of a message and the message, and answers whether another one is wanted.
type Take = Box<dyn FnMut(&str, &[u8]) -> bool>;

/// A client with one thing to do in each of its sessions.
struct Errand {
    client: MqttClient,
    /// Makes the client of another session.
    anew: Box<dyn Fn() -> MqttClient>,
    /// How many sessions are to come.
    rest: u32,
    established: Rc<RefCell<Vec<Established>>>,
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

fn run(
    asking: &Asking<'_>,
    session: &MqttSession<'_>,
    task: Task,
    sessions: NonZeroU32,
) -> Result<Vec<Established>, ClientError> {
    let config = MqttClientConfig {
        version: session.version,
        qos: session.qos,
        subscribes: match task {
            Task::Subscribe(_) => ChannelSet::of(0),
            _ => ChannelSet::NONE,
        },
        clean_start: true,
        session_expiry: Some(lasthop_units::Duration::ZERO),
        user: session.user.map(|(name, password)| User {
            name: name.into(),
            password: password.map(|password| password.as_bytes().into()),
        }),
        retain: session.retain,
        ..MqttClientConfig::new(asking.server)
    };
    let (config, seed) = (Arc::new(config), asking.seed);
    let (client_id, topic) = (session.client_id.to_owned(), session.topic.to_owned());
    let anew = move || {
        let random = RandomStream::named(seed, "reconnect");
        MqttClient::named(Arc::clone(&config), &client_id, &topic, random).telling_topics()
    };
    let poller = Poller::new()?;
    let (transport, tally) = way(&poller, session);
    let ending = Ending::default();
    let established = Rc::<RefCell<Vec<Established>>>::default();
    let errand = Errand {
        client: anew(),
        anew: Box::new(anew),
        rest: sessions.get() - 1,
        established: Rc::clone(&established),
        task,
        qos: session.qos,
        tally,
        is_ready: false,
        is_leaving: false,
        ending: ending.clone(),
    };
    asking.run(&poller, transport, errand, &ending)?;
    Ok(established.take())
}

/// What carries a session to its broker, and what counts its connections.
fn way(poller: &Rc<Poller>, session: &MqttSession<'_>) -> (Box<dyn Transport>, Rc<Tally>) {
    if let Some(client) = session.quic {
        let udp = KernelUdp::client(poller).never_in_fragments();
        let quic = Quic::new(udp, Some(client.clone()), None, None);
        // Datagrams leave whether somebody listens or not.
        let tally = Rc::<Tally>::default();
        tally.open.set(1);
        return (Box::new(quic), tally);
    }
    let tcp = KernelTcp::client(poller);
    let tally = tcp.tally();
    let stream: Box<dyn Transport> = match session.secured {
        Some(profile) => Box::new(Tls::new(tcp, Some(profile.clone()), None, None)),
        None => Box::new(tcp),
    };
    let transport: Box<dyn Transport> = match session.web_host {
        Some(host) => {
            let config = WebSocketConfig {
                host: Some(host.to_owned()),
                ..WebSocketConfig::new("mqtt")
            };
            Box::new(WebSocket::new(stream, Arc::new(config), None))
        }
        None => stream,
    };
    (transport, tally)
}

impl Errand {
    fn begin(&mut self, now: Instant, transport: &mut dyn Transport) {
        self.is_ready = true;
        if let Task::Publish(payload) = &self.task {
            let message = OutgoingMessage {
                id: MESSAGE,
                payload,
                asks: false,
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
                let refusal = self.client.refusal();
                let text = match refusal {
                    Some(refusal) => format!("the broker refuses the message{}", why(refusal)),
                    None => format!("the message was not published: {}", reason.name()),
                };
                self.ending.fail(ClientError::Refused(text));
            }
            MessageEvent::Transmitted { .. } if self.qos == Qos::AtMostOnce => {
                self.leave(now, transport);
            }
            MessageEvent::Acknowledged { .. } => self.leave(now, transport),
            _ => {}
        }
    }

    fn closed(&mut self, now: Instant, reason: Option<CloseReason>, transport: &mut dyn Transport) {
        if self.is_leaving && self.rest > 0 {
            self.rest -= 1;
            (self.is_ready, self.is_leaving) = (false, false);
            self.client = (self.anew)();
            return self.handle(now, ApplicationInput::Start, transport);
        }
        if self.is_leaving {
            return self.ending.set_done();
        }
        if let Some(why) = reason.and_then(why_it_ended) {
            return self.ending.fail(ClientError::Refused(why));
        }
        let error = self.tally.last_error.take().map(io::Error::from);
        let refused = self.client.refusal().map(why);
        self.ending.fail(match error {
            Some(error) => error.into(),
            None if let Some(why) = refused => {
                ClientError::Refused(format!("the broker refuses the filter{why}"))
            }
            None if self.is_ready => ClientError::Refused("the broker has gone".into()),
            None => ClientError::Refused("the broker refuses the connection".into()),
        });
    }
}

/// What a broker says of its reason; MQTT 3.1.1 has no words for it.
fn why(refusal: ReasonCode) -> String {
    match refusal {
        ReasonCode::UNSPECIFIED => String::new(),
        ReasonCode::NOT_AUTHORIZED => ": not authorized".into(),
        ReasonCode::QUOTA_EXCEEDED => ": quota exceeded".into(),
        ReasonCode(code) => format!(": reason code 0x{code:02x}"),
    }
}

impl Application for Errand {
    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport) {
        self.client.handle(now, input, transport);
        if matches!(input, ApplicationInput::Start) && self.tally.open.get() == 0 {
            self.closed(now, None, transport);
        }
        match input {
            ApplicationInput::Transport(_, TransportEvent::Closed(reason)) => {
                self.closed(now, Some(reason), transport);
            }
            ApplicationInput::Transport(_, TransportEvent::Established(how)) => {
                self.established.borrow_mut().push(how);
            }
            _ => {}
        }
    }

    fn poll(&mut self, now: Instant, transport: &mut dyn Transport) -> ApplicationOutput {
        loop {
            match self.client.poll(now, transport) {
                ApplicationOutput::Ready(..) => self.begin(now, transport),
                ApplicationOutput::Event(event) => self.note(now, event, transport),
                ApplicationOutput::Received(received) => {
                    let topic = self.client.take_topic().unwrap_or_default();
                    if let Task::Subscribe(take) = &mut self.task
                        && !self.is_leaving
                        && !take(&topic, &received.payload)
                    {
                        self.leave(now, transport);
                    }
                }
                wait @ ApplicationOutput::WaitUntil(_) => return wait,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use core::net::Ipv4Addr;
    use std::os::fd::AsFd;
    use std::os::unix::net::UnixStream;
    use std::sync::mpsc;
    use std::thread;

    use lasthop_units::Duration;

    use super::*;
    use crate::serve::{Access, Offer, Served, Server};

    /// Has a client speak to a broker of ours that lets everybody read and write what begins with `open`.
    #[expect(
        clippy::disallowed_methods,
        reason = "client and server wait for each other on the wall clock"
    )]
    fn speak(
        version: Version,
        task: impl FnOnce(&Asking<'_>, &MqttSession<'_>) -> Result<(), ClientError>,
    ) -> String {
        let (stop, stopped) = UnixStream::pair().expect("the kernel has sockets");
        let (tells, told) = mpsc::channel();
        let server = thread::spawn(move || {
            let mut access = Access::default();
            access.add_acl_file("topic open/#").expect("it is a rule");
            let offer = Offer {
                access,
                ..Offer::default()
            };
            let anywhere = (Ipv4Addr::LOCALHOST, 0).into();
            let server = Server::bind(&[(Served::Mqtt, vec![anywhere])], offer, 1);
            let server = server.expect("a port is free");
            let (_, address) = server.addresses().next().expect("it listens");
            tells.send(address).expect("the test waits for it");
            server.run(&stopped).expect("the kernel lets it");
        });
        let (_goes_on, stops) = UnixStream::pair().expect("the kernel has sockets");
        let asking = Asking {
            server: told.recv().expect("the server listens"),
            patience: Some(Duration::from_secs(60)),
            stop: stops.as_fd(),
            seed: 1,
        };
        let session = MqttSession {
            version,
            qos: Qos::AtLeastOnce,
            client_id: "tester",
            user: None,
            retain: false,
            topic: "closed/door",
            secured: None,
            quic: None,
            web_host: None,
        };
        let said = task(&asking, &session).map_or_else(|error| error.to_string(), |()| "ok".into());
        drop(stop);
        server.join().expect("the server ends well");
        said
    }

    #[test]
    fn a_refused_filter_is_called_so() {
        for (version, said) in [
            (Version::V3_1_1, "the broker refuses the filter"),
            (Version::V5, "the broker refuses the filter: not authorized"),
        ] {
            let heard = speak(version, |asking, session| {
                subscribe(asking, session, |_, _| true)
            });
            assert_eq!(heard, said);
        }
    }

    #[test]
    fn a_refused_message_is_called_so() {
        let heard = speak(Version::V5, |asking, session| {
            publish(asking, session, b"open".to_vec(), NonZeroU32::MIN).map(|_| ())
        });
        assert_eq!(heard, "the broker refuses the message: not authorized");
        let heard = speak(Version::V5, |asking, session| {
            let topic = "open/door";
            let session = MqttSession { topic, ..*session };
            let sessions = NonZeroU32::new(3).expect("it is not 0");
            let established = publish(asking, &session, b"open".to_vec(), sessions)?;
            assert_eq!(established, [Established::Full; 3]);
            Ok(())
        });
        assert_eq!(heard, "ok");
    }
}
