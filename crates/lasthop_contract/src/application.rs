use lasthop_units::Instant;

use crate::{
    Awaited, ChannelSet, ConnectionId, DeviceId, MessageEvent, MessageId, Payload, Survives,
    Transport, TransportEvent,
};

/// A protocol that carries messages over a transport, or a source of messages over such a protocol.
///
/// After every [`handle`](Application::handle), call [`poll`](Application::poll) until it answers
/// [`ApplicationOutput::WaitUntil`].
pub trait Application {
    /// Processes an input that happened at `now`.
    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport);

    /// Returns the next output of the application.
    fn poll(&mut self, now: Instant, transport: &mut dyn Transport) -> ApplicationOutput;

    /// Returns which messages the application still expects from its peers.
    ///
    /// An application that cannot know answers [`Awaited::More`].
    fn awaits(&self) -> Awaited {
        Awaited::More
    }

    /// Returns the last refusal by the application's server.
    ///
    /// It is `None` if there was none, or if the protocol has no such answer.
    fn refusal(&self) -> Option<Refusal> {
        None
    }
}

impl<T: Application + ?Sized> Application for Box<T> {
    #[inline]
    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport) {
        (**self).handle(now, input, transport);
    }

    #[inline]
    fn poll(&mut self, now: Instant, transport: &mut dyn Transport) -> ApplicationOutput {
        (**self).poll(now, transport)
    }

    fn awaits(&self) -> Awaited {
        (**self).awaits()
    }

    fn refusal(&self) -> Option<Refusal> {
        (**self).refusal()
    }
}

/// The answer by which a server turns a client away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The return code of a CONNACK (MQTT 3.1.1), or its reason code (MQTT 5).
    Connack(u8),
    /// The status of a response of HTTP: 401 or 403.
    Status(u16),
}

/// An input to an application.
#[derive(Clone, Copy, Debug)]
pub enum ApplicationInput<'a> {
    /// The host starts: at the beginning of the run, or after a stop or a crash.
    Start,
    /// The service shuts down.
    ///
    /// The application ends its sessions politely. Connections close after that, and stored session state survives.
    Stop,
    /// The host loses power.
    ///
    /// All connections are gone without a notice to the peer. Only the named state survives.
    Crash(Survives),
    /// An event of a connection.
    Transport(ConnectionId, TransportEvent),
    /// Send this message.
    Send(OutgoingMessage<'a>),
    /// A deadline has passed.
    ///
    /// It can also come early, so check the time.
    Timeout,
}

/// A message to be sent.
#[derive(Clone, Copy, Debug)]
pub struct OutgoingMessage<'a> {
    /// The message's ID. Its flow identifies the device.
    pub id: MessageId,
    /// The content.
    pub payload: &'a [u8],
    /// Whether the message asks the other end for a message with the same ID.
    pub asks: bool,
}

/// An output of an application.
#[derive(Debug)]
pub enum ApplicationOutput {
    /// Messages of these flows can be sent to this device, or by it, from now on.
    Ready(DeviceId, ChannelSet),
    /// An event of a message.
    Event(MessageEvent),
    /// A message arrived.
    Received(Received),
    /// There is nothing to do before this instant. `None` waits for input.
    WaitUntil(Option<Instant>),
}

/// A message that arrived.
#[derive(Debug)]
pub struct Received {
    /// The connection by which the message arrived.
    pub connection: ConnectionId,
    /// The content.
    pub payload: Payload,
}
