use lasthop_contract::{
    Direction, DiscardReason, DropReason, FailureReason, FlowId, MessageEvent, MessageId, Packet,
    Span,
};
use lasthop_units::{DataSize, Duration, Instant};

/// A record a message, by flow and number.
#[derive(Clone, Debug, Default)]
pub struct MessageLog {
    flows: Vec<Vec<MessageRecord>>,
    payload_first_sent: u64,
    retransmissions: u64,
}

/// What is known of a message.
#[derive(Clone, Debug)]
pub struct MessageRecord {
    /// When it was due.
    pub intended: Instant,
    /// When its first copy left its sender.
    pub sent: Option<Instant>,
    /// When it first was where it was meant to go.
    pub delivered: Option<Instant>,
    /// When its sender first knew that its peer has it.
    pub acknowledged: Option<Instant>,
    /// How often it was given to the transport where it was made.
    pub attempts: u16,
    /// How often it arrived where it was meant to go.
    pub deliveries: u16,
    payload: u32,
    /// Bytes of its payload that have entered the path as a first copy, up and down.
    first_copies: [u32; 2],
    /// Packets with bytes of it on their way.
    copies_on_their_way: u32,
    /// Whether an application may send it again, at the device and at the server.
    retrying: [bool; 2],
    given_up: Option<FailureReason>,
    last_loss: Option<Loss>,
    /// When a copy of it was last lost, or it was given up.
    last_setback: Instant,
}

/// How a message ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageStatus {
    /// It arrived.
    Delivered,
    /// It never will: nobody sends it again and no copy is on its way.
    Failed(&'static str),
    /// It might have, had the run gone on.
    Unfinished,
}

#[derive(Clone, Copy, Debug)]
enum Loss {
    Dropped(DropReason),
    Discarded(DiscardReason),
}

impl MessageLog {
    /// A log for this many flows.
    #[must_use]
    pub fn new(flows: usize) -> Self {
        Self {
            flows: vec![Vec::new(); flows],
            payload_first_sent: 0,
            retransmissions: 0,
        }
    }

    /// The records of all flows, in order of flow and number.
    pub fn records(&self) -> impl Iterator<Item = (FlowId, u32, &MessageRecord)> + '_ {
        self.flows.iter().zip(0..).flat_map(|(records, flow)| {
            records
                .iter()
                .zip(1..)
                .map(move |(record, number)| (FlowId(flow), number, record))
        })
    }

    /// How many messages there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.flows.iter().map(Vec::len).sum()
    }

    /// Whether there is no message.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes of payloads that entered the path, each byte once a direction.
    #[must_use]
    pub fn payload_first_sent(&self) -> u64 {
        self.payload_first_sent
    }

    /// Copies that applications gave to their transport after the first.
    #[must_use]
    pub fn retransmissions(&self) -> u64 {
        self.retransmissions
    }

    /// The records of each flow, in the order of their numbers.
    pub(crate) fn flows(&self) -> &[Vec<MessageRecord>] {
        &self.flows
    }

    /// Notes what a host says of a message. `side` is where it is said, `origin` where messages are made.
    pub(crate) fn note(
        &mut self,
        now: Instant,
        side: Direction,
        origin: Direction,
        event: MessageEvent,
    ) {
        match event {
            MessageEvent::Intended { id, payload } => self.begin(now, id, payload),
            MessageEvent::Transmitted {
                id, attempt, last, ..
            } => {
                self.retransmissions += u64::from(attempt > 1);
                if let Some(record) = self.record(id) {
                    record.retrying[side as usize] = !last;
                    if side == origin {
                        record.sent = record.sent.or(Some(now));
                        record.attempts = record.attempts.max(attempt);
                    }
                }
            }
            MessageEvent::Delivered { id } => {
                if let Some(record) = self.record(id) {
                    record.delivered = record.delivered.or(Some(now));
                    record.deliveries = record.deliveries.saturating_add(1);
                }
            }
            MessageEvent::Acknowledged { id } => {
                if let Some(record) = self.record(id) {
                    record.retrying[side as usize] = false;
                    if side == origin {
                        record.acknowledged = record.acknowledged.or(Some(now));
                    }
                }
            }
            MessageEvent::Failed { id, reason } => {
                if let Some(record) = self.record(id) {
                    record.retrying[side as usize] = false;
                    record.given_up = Some(reason);
                    record.last_setback = now;
                }
            }
            MessageEvent::TrafficStarted { .. } | MessageEvent::TrafficEnded { .. } => {}
        }
    }

    pub(crate) fn offered(&mut self, packet: &Packet) {
        let direction = packet.direction();
        for span in packet.spans() {
            if span.provenance.cause == lasthop_contract::Cause::Payload {
                self.note_first_copy(direction, span);
            }
        }
        self.add_copy(packet.spans());
    }

    pub(crate) fn add_copy(&mut self, spans: &[Span]) {
        for id in messages_of(spans) {
            if let Some(record) = self.record(id) {
                record.copies_on_their_way += 1;
            }
        }
    }

    pub(crate) fn arrived(&mut self, packet: &Packet) {
        for id in packet.messages() {
            if let Some(record) = self.record(id) {
                record.copies_on_their_way = record.copies_on_their_way.saturating_sub(1);
            }
        }
    }

    pub(crate) fn dropped(&mut self, now: Instant, packet: &Packet, reason: DropReason) {
        self.arrived(packet);
        for id in packet.messages() {
            if let Some(record) = self.record(id) {
                record.last_loss = Some(Loss::Dropped(reason));
                record.last_setback = now;
            }
        }
    }

    pub(crate) fn discarded(&mut self, now: Instant, packet: &Packet, reason: DiscardReason) {
        for id in packet.messages() {
            if let Some(record) = self.record(id) {
                record.last_loss = Some(Loss::Discarded(reason));
                record.last_setback = now;
            }
        }
    }

    fn begin(&mut self, now: Instant, id: MessageId, payload: DataSize) {
        let flow = id.flow.0 as usize;
        if self.flows.len() <= flow {
            self.flows.resize_with(flow + 1, Vec::new);
        }
        let records = &mut self.flows[flow];
        debug_assert_eq!(records.len() + 1, id.number.get() as usize);
        records.push(MessageRecord {
            intended: now,
            sent: None,
            delivered: None,
            acknowledged: None,
            attempts: 0,
            deliveries: 0,
            payload: payload.as_bytes() as u32,
            first_copies: [0; 2],
            copies_on_their_way: 0,
            retrying: [false; 2],
            given_up: None,
            last_loss: None,
            last_setback: now,
        });
    }

    fn note_first_copy(&mut self, direction: Direction, span: &Span) {
        let Some(record) = span.provenance.message.and_then(|id| self.record(id)) else {
            return;
        };
        let seen = &mut record.first_copies[direction as usize];
        let new = u32::from(span.length).min(record.payload - *seen);
        *seen += new;
        self.payload_first_sent += u64::from(new);
    }

    fn record(&mut self, id: MessageId) -> Option<&mut MessageRecord> {
        self.flows
            .get_mut(id.flow.0 as usize)?
            .get_mut(id.number.get() as usize - 1)
    }
}

impl MessageRecord {
    /// From when it was due to when it was there; `None` when it never was.
    #[must_use]
    pub fn latency(&self) -> Option<Duration> {
        self.delivered.map(|at| at - self.intended)
    }

    /// How it ended.
    #[must_use]
    pub fn status(&self) -> MessageStatus {
        if self.delivered.is_some() {
            return MessageStatus::Delivered;
        }
        let waits = self.sent.is_none() && self.given_up.is_none();
        if waits || self.copies_on_their_way > 0 || self.retrying.contains(&true) {
            return MessageStatus::Unfinished;
        }
        let reason = match (self.given_up, self.last_loss) {
            (Some(reason), _) => reason.name(),
            (None, Some(Loss::Dropped(reason))) => reason.name(),
            (None, Some(Loss::Discarded(reason))) => reason.name(),
            (None, None) => "not_understood",
        };
        MessageStatus::Failed(reason)
    }

    /// When it arrived, or was known to no one any more that could bring it there; `None` when neither came.
    pub(crate) fn ended(&self) -> Option<Instant> {
        match self.status() {
            MessageStatus::Delivered => self.delivered,
            MessageStatus::Failed(_) => Some(self.last_setback),
            MessageStatus::Unfinished => None,
        }
    }

    /// Whether it never arrived for want of room or of a connection, not by a loss. One that was sent again and again
    /// met what its last copy met.
    pub(crate) fn was_turned_away(&self) -> bool {
        use FailureReason::{ConnectionLost, NoAcknowledgement, NotConnected, QueueFull};

        let met_full_queue = matches!(self.last_loss, Some(Loss::Dropped(DropReason::QueueFull)));
        self.delivered.is_none()
            && match self.given_up {
                Some(ConnectionLost | NotConnected | QueueFull) => true,
                Some(NoAcknowledgement) | None => met_full_queue,
                Some(FailureReason::TooLarge | FailureReason::Rejected) => false,
            }
    }
}

impl MessageStatus {
    /// The name in result tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Delivered => "delivered",
            Self::Failed(_) => "failed",
            Self::Unfinished => "unfinished",
        }
    }
}

fn messages_of(spans: &[Span]) -> impl Iterator<Item = MessageId> + '_ {
    let mut previous = None;
    spans
        .iter()
        .filter_map(|span| span.provenance.message)
        .filter(move |id| previous.replace(*id) != Some(*id))
}
