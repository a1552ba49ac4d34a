use lasthop_broker::Qos;
use lasthop_contract::message_text::message_id;
use lasthop_contract::{ChannelSet, ConnectionId, Established, MessageId, StreamId};
use lasthop_units::Instant;

use super::keep_alive::KeepAlive;
use super::session::{Exchanges, Session};
use super::stream::{DataStream, Line, Stream};
use crate::codec::Version;
use crate::unconfirmed::Unconfirmed;

/// The state of one connection of a client.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) connection: ConnectionId,
    pub(super) version: Version,
    /// How the connection was established.
    pub(super) established: Established,
    /// The first stream, with which the connection ends.
    pub(super) control: Stream,
    /// Further streams, if the client uses any.
    pub(super) data: Vec<DataStream>,
    pub(super) keep_alive: KeepAlive,
    /// When a new connection replaces this one.
    pub(super) ends_at: Option<Instant>,
    /// The QoS of publications, limited by the broker's maximum.
    pub(super) qos: Qos,
    /// The in-flight window of a stream, in messages.
    pub(super) window: u16,
    /// The largest packet that the broker accepts, in bytes.
    pub(super) maximum_packet_size: u32,
    /// The highest topic alias that the broker accepts on each stream.
    pub(super) topic_alias_maximum: u16,
    pub(super) unconfirmed: Unconfirmed,
    /// Whether messages are sent before the CONNACK arrives.
    pub(super) is_pipelined: bool,
    /// The number of messages published on the connection.
    pub(super) published: u32,
    /// Published messages that are expected to come back.
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

    /// Returns a stream and its messages, if the stream exists. Messages of the first stream belong to the session.
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

    /// Whether a SUBSCRIBE is unanswered.
    pub(super) fn awaits_suback(&self) -> bool {
        let data = self.data.iter().map(|it| &it.stream);
        data.chain([&self.control]).any(|it| it.awaits_suback)
    }

    /// Records a published message if its flow expects it to come back.
    pub(super) fn await_return(&mut self, id: MessageId, awaits: ChannelSet) {
        if awaits.contains(id.flow.channel()) {
            self.awaited.push(id);
        }
    }

    /// Removes a message from the expected ones when it arrives. Returns whether it was expected.
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
