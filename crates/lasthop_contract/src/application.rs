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
    /// Takes what happened at `now`.
    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport);

    /// Gives the next thing to do.
    fn poll(&mut self, now: Instant, transport: &mut dyn Transport) -> ApplicationOutput;

    /// What it waits for, between two inputs. An application that cannot tell waits for more.
    fn awaits(&self) -> Awaited {
        Awaited::More
    }

    /// How its server turned it away the last time, if that did. An application whose protocol has no such answer has none.
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

/// What an application is told.
#[derive(Clone, Copy, Debug)]
pub enum ApplicationInput<'a> {
    /// The host is switched on: at the beginning of the run, and again after it stopped or crashed.
    Start,
    /// The service is shut down: say good-bye. The connections end behind that, and what is kept of sessions stays.
    Stop,
    /// The host lost its power. The connections are gone without a word; so is all else but what is named.
    Crash(Survives),
    /// Something happened to a connection.
    Transport(ConnectionId, TransportEvent),
    /// Send this message.
    Send(OutgoingMessage<'a>),
    /// A deadline has come. It may also come early: check the time.
    Timeout,
}

/// A message to be sent.
#[derive(Clone, Copy, Debug)]
pub struct OutgoingMessage<'a> {
    /// Which one it is; its flow says whose device it is for.
    pub id: MessageId,
    /// What it says.
    pub payload: &'a [u8],
    /// Whether it asks the other end for a message of the same id.
    pub asks: bool,
}

/// What an application does.
#[derive(Debug)]
pub enum ApplicationOutput {
    /// Messages of these flows can be sent to this device, or by it, from now on.
    Ready(DeviceId, ChannelSet),
    /// Something happened to a message.
    Event(MessageEvent),
    /// A message arrived.
    Received(Received),
    /// Nothing more before this instant; `None` sleeps until input arrives.
    WaitUntil(Option<Instant>),
}

/// A message that arrived.
#[derive(Debug)]
pub struct Received {
    /// The connection that it came by.
    pub connection: ConnectionId,
    /// What it says.
    pub payload: Payload,
}
