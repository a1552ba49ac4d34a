use lasthop_broker::SessionId;
use lasthop_contract::{
    Cause, Chunk, ConnectionId, LookupMap, MessageId, Outbox, StreamId, Transport,
};
use lasthop_units::{Duration, Instant};

use crate::codec::{Acknowledgement, AcknowledgementKind, Version};
use crate::ledger::message_chunk;
use crate::unconfirmed::Unconfirmed;

/// What belongs to one stream of a connection of a broker, mostly the only one, and goes with it.
#[derive(Debug)]
pub(super) struct Connection {
    pub(super) id: ConnectionId,
    pub(super) role: Role,
    pub(super) phase: Phase,
    pub(super) version: Version,
    /// How many messages of QoS 1 and 2 may be in flight to the client.
    pub(super) window: u16,
    pub(super) outbox: Outbox,
    /// The beginning of a packet whose end has not come.
    pub(super) partial: Vec<u8>,
    /// 1.5 times the keep alive (MQTT-3.1.2-22); zero for any silence.
    pub(super) longest_silence: Duration,
    pub(super) last_heard: Instant,
    /// When what the client showed is worth nothing any more.
    pub(super) ends_at: Option<Instant>,
    /// The deadline that is armed for this connection.
    pub(super) armed: Option<Instant>,
    /// The largest packet that the client takes.
    pub(super) maximum_packet_size: u32,
    /// The packets that have come, and those behind them, are for a later turn.
    pub(super) is_paused: bool,
    /// What is rarely there.
    pub(super) aliases: Option<Box<Aliases>>,
    /// Messages of the server's own.
    pub(super) unconfirmed: Unconfirmed,
}

/// Which of the streams of its connection a stream is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The first: CONNECT comes by it, and the connection ends with it.
    Control,
    /// A further one, of the connection whose first is at this place.
    Data(u32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// CONNECT has not come.
    New,
    /// It serves a session.
    Serving(SessionId),
    /// All is said; the other end is to close.
    Closing,
}

/// The numbers that stand for topics on one connection (MQTT 5 §3.3.2.3.4).
#[derive(Debug, Default)]
pub(super) struct Aliases {
    /// The topics that the client gave numbers, from 1 on.
    pub(super) received: Vec<Box<str>>,
    /// The numbers that we gave topics.
    pub(super) sent: LookupMap<Box<str>, u16>,
    /// How many the client takes.
    pub(super) maximum_to_send: u16,
}

impl Connection {
    pub(super) fn new(id: ConnectionId, role: Role, stream: StreamId, now: Instant) -> Self {
        Self {
            id,
            role,
            phase: Phase::New,
            version: Version::V3_1_1,
            window: 0,
            outbox: Outbox::new(stream),
            partial: Vec::new(),
            longest_silence: Duration::ZERO,
            last_heard: now,
            ends_at: None,
            armed: None,
            maximum_packet_size: u32::MAX,
            is_paused: false,
            aliases: None,
            unconfirmed: Unconfirmed::default(),
        }
    }

    #[inline]
    pub(super) fn write(
        &mut self,
        now: Instant,
        transport: &mut dyn Transport,
        chunks: &[Chunk<'_>],
    ) {
        self.outbox.write(now, transport, self.id, chunks);
    }

    /// Writes a PUBACK, PUBREC, PUBREL or PUBCOMP for a message.
    pub(super) fn acknowledge(
        &mut self,
        now: Instant,
        kind: AcknowledgementKind,
        acknowledgement: Acknowledgement,
        message: Option<MessageId>,
        transport: &mut dyn Transport,
    ) {
        let (bytes, length) = acknowledgement.write(self.version, kind);
        let chunk = message_chunk(&bytes[..length], Cause::Acknowledgement, message);
        self.write(now, transport, &[chunk]);
    }

    /// Sends what waits; whether nothing waits any more.
    pub(super) fn flush(&mut self, now: Instant, transport: &mut dyn Transport) -> bool {
        self.outbox.flush(now, transport, self.id)
    }

    /// Ends the stream, behind what waits.
    pub(super) fn finish(&mut self, now: Instant, transport: &mut dyn Transport) {
        self.phase = Phase::Closing;
        // From here on, its silence counts.
        self.last_heard = now;
        self.partial = Vec::new();
        self.aliases = None;
        self.outbox.finish(now, transport, self.id);
    }

    /// Ends the stream without what waits, which nobody will read.
    pub(super) fn abandon(&mut self, now: Instant, transport: &mut dyn Transport) {
        self.outbox.abandon(now, transport, self.id);
        self.finish(now, transport);
    }

    /// The number that stands for a topic, and whether the client knows it already; 0 for none.
    pub(super) fn alias_for(&mut self, topic: &str) -> (u16, bool) {
        let Some(aliases) = &mut self.aliases else {
            return (0, false);
        };
        if let Some(number) = aliases.sent.get(topic) {
            return (*number, true);
        }
        let used = aliases.sent.len() as u16;
        if used >= aliases.maximum_to_send {
            return (0, false);
        }
        aliases.sent.insert(topic.into(), used + 1);
        (used + 1, false)
    }
}
