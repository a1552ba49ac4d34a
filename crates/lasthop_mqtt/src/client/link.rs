use lasthop_broker::Qos;
use lasthop_contract::message_text::message_id;
use lasthop_contract::{ChannelSet, ConnectionId, Established, MessageId, StreamId};
use lasthop_units::Instant;

use super::keep_alive::KeepAlive;
use super::session::{Exchanges, Session};
use super::stream::{DataStream, Line, Stream};
use crate::codec::Version;
use crate::unconfirmed::Unconfirmed;

/// What belongs to one connection of a client, and goes with it.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) connection: ConnectionId,
    pub(super) version: Version,
    /// How it came about.
    pub(super) established: Established,
    /// The first stream: the connection ends with it.
    pub(super) control: Stream,
    /// Further streams, where the client uses such.
    pub(super) data: Vec<DataStream>,
    pub(super) keep_alive: KeepAlive,
    /// When another takes its place.
    pub(super) ends_at: Option<Instant>,
    /// How messages are published: no better than the broker takes.
    pub(super) qos: Qos,
    /// How many messages may be in flight on a stream.
    pub(super) window: u16,
    /// The largest packet that the broker takes.
    pub(super) maximum_packet_size: u32,
    /// How many numbers for topics the broker takes, of each stream.
    pub(super) topic_alias_maximum: u16,
    pub(super) unconfirmed: Unconfirmed,
    /// Whether it carries messages before CONNACK has come.
    pub(super) is_pipelined: bool,
    /// How many messages were published by it.
    pub(super) published: u32,
    /// Messages that were published by it and are to come back.
    pub(super) awaited: Vec<MessageId>,
}

impl Link {
    pub(super) fn new(
        connection: ConnectionId,
        stream: StreamId,
        version: Version,
        now: Instant,
    ) -> Self {
        Self {
            connection,
            version,
            established: Established::Full,
            control: Stream::new(stream),
            data: Vec::new(),
            keep_alive: KeepAlive::off(now),
            ends_at: None,
            qos: Qos::AtMostOnce,
            window: 0,
            maximum_packet_size: u32::MAX,
            topic_alias_maximum: 0,
            unconfirmed: Unconfirmed::default(),
            is_pipelined: false,
            published: 0,
            awaited: Vec::new(),
        }
    }

    /// A stream to speak by, if it is there, with the messages of its own. Those of the first one belong to the session.
    #[inline]
    pub(super) fn line<'a>(
        &'a mut self,
        session: &'a mut Session,
        stream: StreamId,
    ) -> Option<(Line<'a>, &'a mut Exchanges)> {
        let (stream, exchanges) = if self.control.id() == stream {
            (&mut self.control, &mut session.exchanges)
        } else {
            let data = self.data.iter_mut().find(|it| it.stream.id() == stream)?;
            (&mut data.stream, &mut data.exchanges)
        };
        let line = Line {
            stream,
            connection: self.connection,
            keep_alive: &mut self.keep_alive,
            version: self.version,
            qos: self.qos,
            window: self.window,
            maximum_packet_size: self.maximum_packet_size,
        };
        Some((line, exchanges))
    }

    /// Whether a subscription has no answer yet.
    pub(super) fn awaits_suback(&self) -> bool {
        let data = self.data.iter().map(|it| &it.stream);
        data.chain([&self.control]).any(|it| it.awaits_suback)
    }

    /// Notes a message that was published, where those of its flow come back.
    pub(super) fn await_return(&mut self, id: MessageId, awaits: ChannelSet) {
        if awaits.contains(id.flow.channel()) {
            self.awaited.push(id);
        }
    }

    /// Whether a message has come that was awaited.
    pub(super) fn take_awaited(&mut self, payload: &[u8]) -> bool {
        if self.awaited.is_empty() {
            return false;
        }
        let before = self.awaited.len();
        let come = message_id(payload);
        self.awaited.retain(|id| Some(*id) != come);
        self.awaited.len() < before
    }
}
