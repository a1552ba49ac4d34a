use lasthop_broker::Qos;
use lasthop_contract::{Cause, Chunk, ConnectionId, MessageId, Outbox, StreamId, Transport};
use lasthop_units::Instant;

use super::keep_alive::KeepAlive;
use super::session::Exchanges;
use super::topics::TopicAliases;
use crate::codec::{Acknowledgement, AcknowledgementKind, MAX_PACKET_SIZE, PublishHead, Version};
use crate::ledger::{message_chunk, publication};

/// The state of one stream of a connection.
#[derive(Debug)]
pub(super) struct Stream {
    pub(super) outbox: Outbox,
    /// The beginning of a packet that is incomplete.
    pub(super) partial: Vec<u8>,
    /// The topic aliases of the client.
    pub(super) topic_aliases: TopicAliases,
    /// The topics of the broker's aliases, from alias 1 on.
    pub(super) aliases: Vec<Box<str>>,
    /// Whether a SUBSCRIBE on this stream is unanswered.
    pub(super) awaits_suback: bool,
}

/// A further stream of a connection. The state of its messages ends with it.
#[derive(Debug)]
pub(super) struct DataStream {
    pub(super) stream: Stream,
    pub(super) exchanges: Exchanges,
    pub(super) carries: Carries,
}

/// The messages that a further stream carries.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Carries {
    /// All messages of a topic.
    Topic(Box<str>),
    /// All messages of a QoS.
    Qos(Qos),
    /// A single message.
    Once,
}

/// A stream together with the state that all streams of its connection share.
pub(super) struct Line<'a> {
    pub(super) stream: &'a mut Stream,
    pub(super) connection: ConnectionId,
    pub(super) keep_alive: &'a mut KeepAlive,
    pub(super) version: Version,
    pub(super) qos: Qos,
    pub(super) window: u16,
    pub(super) maximum_packet_size: u32,
}

impl Stream {
    pub(super) fn new(stream: StreamId) -> Self {
        Self {
            outbox: Outbox::new(stream),
            partial: Vec::new(),
            topic_aliases: TopicAliases::default(),
            aliases: Vec::new(),
            awaits_suback: false,
        }
    }

    pub(super) const fn id(&self) -> StreamId {
        self.outbox.stream()
    }
}

impl DataStream {
    pub(super) fn new(stream: StreamId, carries: Carries, topic_alias_maximum: u16) -> Self {
        let mut stream = Stream::new(stream);
        stream.topic_aliases.maximum = topic_alias_maximum;
        Self {
            stream,
            exchanges: Exchanges::new(),
            carries,
        }
    }

    /// Whether no exchange is in progress on the connection, as far as known.
    pub(super) fn is_idle(&self) -> bool {
        self.exchanges.is_idle() && self.stream.outbox.is_empty()
    }
}

impl Line<'_> {
    /// Whether a message can be sent now: the transport accepts bytes, and the in-flight window has room (§4.9).
    pub(super) fn has_room(&self, exchanges: &Exchanges) -> bool {
        self.stream.outbox.is_empty()
            && (self.qos == Qos::AtMostOnce || exchanges.in_flight.len() < usize::from(self.window))
    }

    #[inline]
    pub(super) fn write(
        &mut self,
        now: Instant,
        transport: &mut dyn Transport,
        chunks: &[Chunk<'_>],
    ) {
        self.keep_alive.note_sent(now);
        self.stream
            .outbox
            .write(now, transport, self.connection, chunks);
    }

    /// Sends waiting data. Returns whether nothing is left.
    pub(super) fn flush(&mut self, now: Instant, transport: &mut dyn Transport) -> bool {
        self.stream.outbox.flush(now, transport, self.connection)
    }

    /// Writes a PUBLISH. Returns false, and writes nothing, if the packet is larger than the broker accepts
    /// (MQTT-3.2.2-15).
    pub(super) fn write_publish(
        &mut self,
        now: Instant,
        head: PublishHead<'_>,
        payload: &[u8],
        id: MessageId,
        attempt: u16,
        transport: &mut dyn Transport,
    ) -> bool {
        let bytes = head.write(self.version);
        let size = bytes.len() + payload.len();
        if size > self.maximum_packet_size as usize || size > MAX_PACKET_SIZE {
            return false;
        }
        let chunks = publication(&bytes, payload, Some(id), attempt > 1);
        self.write(now, transport, &chunks);
        true
    }

    pub(super) fn write_acknowledgement(
        &mut self,
        now: Instant,
        kind: AcknowledgementKind,
        acknowledgement: Acknowledgement,
        id: Option<MessageId>,
        transport: &mut dyn Transport,
    ) {
        let (bytes, length) = acknowledgement.write(self.version, kind);
        let chunk = message_chunk(&bytes[..length], Cause::Acknowledgement, id);
        self.write(now, transport, &[chunk]);
    }
}
