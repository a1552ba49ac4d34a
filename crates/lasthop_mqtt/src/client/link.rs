use lasthop_broker::Qos;
use lasthop_contract::message_text::message_id;
use lasthop_contract::{
    ChannelSet, Chunk, ConnectionId, Established, MessageId, Outbox, StreamId, Transport,
};
use lasthop_units::Instant;

use super::keep_alive::KeepAlive;
use super::topics::TopicAliases;
use crate::unconfirmed::Unconfirmed;

/// What belongs to one connection of a client, and goes with it.
#[derive(Debug)]
pub(super) struct Link {
    pub(super) connection: ConnectionId,
    /// How it came about.
    pub(super) established: Established,
    pub(super) outbox: Outbox,
    /// The beginning of a packet whose end has not come.
    pub(super) partial: Vec<u8>,
    pub(super) keep_alive: KeepAlive,
    /// When another takes its place.
    pub(super) ends_at: Option<Instant>,
    /// How messages are published: no better than the broker takes.
    pub(super) qos: Qos,
    /// How many messages may be in flight.
    pub(super) window: u16,
    /// The largest packet that the broker takes.
    pub(super) maximum_packet_size: u32,
    /// Which numbers stand for the client's topics.
    pub(super) topic_aliases: TopicAliases,
    /// The topics that the broker gave numbers, from 1 on.
    pub(super) aliases: Vec<Box<str>>,
    pub(super) unconfirmed: Unconfirmed,
    /// How many messages were published by it.
    pub(super) published: u32,
    /// Messages that were published by it and are to come back.
    pub(super) awaited: Vec<MessageId>,
}

impl Link {
    pub(super) fn new(connection: ConnectionId, stream: StreamId, now: Instant) -> Self {
        Self {
            connection,
            established: Established::Full,
            outbox: Outbox::new(stream),
            partial: Vec::new(),
            keep_alive: KeepAlive::off(now),
            ends_at: None,
            qos: Qos::AtMostOnce,
            window: 0,
            maximum_packet_size: u32::MAX,
            topic_aliases: TopicAliases::default(),
            aliases: Vec::new(),
            unconfirmed: Unconfirmed::default(),
            published: 0,
            awaited: Vec::new(),
        }
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

    #[inline]
    pub(super) fn write(
        &mut self,
        now: Instant,
        transport: &mut dyn Transport,
        chunks: &[Chunk<'_>],
    ) {
        self.keep_alive.note_sent(now);
        self.outbox.write(now, transport, self.connection, chunks);
    }

    /// Sends what waits; whether nothing waits any more.
    pub(super) fn flush(&mut self, now: Instant, transport: &mut dyn Transport) -> bool {
        self.outbox.flush(now, transport, self.connection)
    }

    /// Ends the stream, behind what waits.
    pub(super) fn finish(&mut self, now: Instant, transport: &mut dyn Transport) {
        self.outbox.finish(now, transport, self.connection);
    }

    /// Ends the stream without what waits, which nobody will read.
    pub(super) fn abandon(&mut self, now: Instant, transport: &mut dyn Transport) {
        self.outbox.abandon(now, transport, self.connection);
    }
}
