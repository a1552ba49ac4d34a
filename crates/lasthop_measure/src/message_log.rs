use std::collections::VecDeque;

use lasthop_contract::{
    DeviceId, Direction, DiscardReason, DropReason, FailureReason, FlowId, MessageEvent, MessageId,
    Packet, Span,
};
use lasthop_units::{DataSize, Duration, Instant};

/// A record a message, by flow and number.
///
/// A flow is closed when nobody is there any more that could say something of it. The log may forget such flows: then
/// it holds no more than those from the first open one on.
#[derive(Clone, Debug)]
pub struct MessageLog {
    /// By their channel.
    channels: Vec<Channel>,
    forgets: bool,
    payload_first_sent: u64,
    retransmissions: u64,
}

/// The flows of one channel, a device each.
#[derive(Clone, Debug, Default)]
struct Channel {
    /// Those from the device `first` on.
    flows: VecDeque<Flow>,
    first: u32,
}

#[derive(Clone, Debug)]
struct Flow {
    records: Vec<MessageRecord>,
    is_closed: bool,
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
    /// A log that keeps the records of all flows.
    #[must_use]
    pub fn keeping_all() -> Self {
        Self {
            channels: Vec::new(),
            forgets: false,
            payload_first_sent: 0,
            retransmissions: 0,
        }
    }

    /// A log that forgets flows that are closed.
    #[must_use]
    pub fn forgetting() -> Self {
        Self {
            forgets: true,
            ..Self::keeping_all()
        }
    }

    /// The records that are kept, in order of flow and number.
    pub fn records(&self) -> impl Iterator<Item = (FlowId, u32, &MessageRecord)> + '_ {
        self.flows_with_ids().flat_map(|(flow, kept)| {
            let numbered = kept.records.iter().zip(1..);
            numbered.map(move |(record, number)| (flow, number, record))
        })
    }

    /// How many records are kept.
    #[must_use]
    pub fn len(&self) -> usize {
        self.flows().map(<[_]>::len).sum()
    }

    /// Whether no record is kept.
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
    pub(crate) fn flows(&self) -> impl Iterator<Item = &[MessageRecord]> + '_ {
        self.flows_with_ids().map(|(_, flow)| &flow.records[..])
    }

    /// The records of a flow that are kept.
    pub(crate) fn of_flow(&self, flow: FlowId) -> &[MessageRecord] {
        let channel = self.channels.get(usize::from(flow.channel()));
        let flow = channel.and_then(|channel| channel.flows.get(channel.place(flow)?));
        flow.map_or(&[], |flow| &flow.records)
    }

    /// The same with their flow.
    pub(crate) fn open_records_by_flow(
        &self,
    ) -> impl Iterator<Item = (FlowId, &MessageRecord)> + '_ {
        let open = self.flows_with_ids().filter(|(_, kept)| !kept.is_closed);
        open.flat_map(|(flow, kept)| kept.records.iter().map(move |record| (flow, record)))
    }

    /// The records of flows that are not closed.
    pub(crate) fn open_records(&self) -> impl Iterator<Item = &MessageRecord> + '_ {
        self.open_records_by_flow().map(|(_, record)| record)
    }

    /// Whether a message is known to be there; one whose flow is closed is told no more.
    pub(crate) fn is_delivered(&mut self, id: MessageId) -> bool {
        self.record(id)
            .is_none_or(|record| record.delivered.is_some())
    }

    /// Notes that a device went before its messages were there.
    pub(crate) fn give_up(&mut self, now: Instant, flow: FlowId) {
        let Some(flow) = self.open_flow(flow) else {
            return;
        };
        let unfinished = |record: &&mut MessageRecord| record.status() == MessageStatus::Unfinished;
        for record in flow.records.iter_mut().filter(unfinished) {
            record.retrying = [false; 2];
            record.given_up = Some(FailureReason::GaveUp);
            record.last_setback = now;
        }
    }

    /// Notes that the host at one side of a flow is off and knows of its messages no more, unless it sends them later.
    pub(crate) fn forget(
        &mut self,
        now: Instant,
        flow: FlowId,
        side: Direction,
        origin: Direction,
    ) {
        let Some(flow) = self.open_flow(flow) else {
            return;
        };
        for record in &mut flow.records {
            let was_held = record.retrying[side as usize]
                || side == origin && (record.sent.is_none() || record.is_in_no_packet());
            if record.delivered.is_none() && was_held {
                record.retrying[side as usize] = false;
                record.given_up.get_or_insert(FailureReason::HostDown);
                record.last_setback = now;
            }
        }
    }

    /// Closes a flow; gives each of its records for the last time.
    pub(crate) fn close(&mut self, flow: FlowId, mut tell: impl FnMut(&MessageRecord)) {
        let (forgets, channel) = (self.forgets, usize::from(flow.channel()));
        let Some(flow) = self.open_flow(flow) else {
            return;
        };
        flow.records.iter().for_each(&mut tell);
        flow.is_closed = true;
        if forgets {
            flow.records = Vec::new();
            self.channels[channel].forget_closed();
        }
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
                    // It was kept after all.
                    record
                        .given_up
                        .take_if(|why| *why == FailureReason::HostDown);
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
        let number = usize::from(id.flow.channel());
        if self.channels.len() <= number {
            self.channels.resize_with(number + 1, Channel::default);
        }
        let channel = &mut self.channels[number];
        let Some(place) = channel.place(id.flow) else {
            return;
        };
        if channel.flows.len() <= place {
            channel.flows.resize_with(place + 1, Flow::new);
        }
        let records = &mut channel.flows[place].records;
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
        self.open_flow(id.flow)?
            .records
            .get_mut(id.number.get() as usize - 1)
    }

    fn open_flow(&mut self, id: FlowId) -> Option<&mut Flow> {
        let channel = self.channels.get_mut(usize::from(id.channel()))?;
        let place = channel.place(id)?;
        channel.flows.get_mut(place).filter(|flow| !flow.is_closed)
    }

    fn flows_with_ids(&self) -> impl Iterator<Item = (FlowId, &Flow)> + '_ {
        self.channels.iter().zip(0..).flat_map(|(kept, channel)| {
            let flows = kept.flows.iter().zip(kept.first..);
            flows.map(move |(flow, device)| (FlowId::of(DeviceId(device), channel), flow))
        })
    }
}

impl Channel {
    /// Where a flow stands, unless it is forgotten.
    fn place(&self, flow: FlowId) -> Option<usize> {
        Some(flow.device().0.checked_sub(self.first)? as usize)
    }

    fn forget_closed(&mut self) {
        while self.flows.pop_front_if(|flow| flow.is_closed).is_some() {
            self.first += 1;
        }
    }
}

impl Flow {
    const fn new() -> Self {
        Self {
            records: Vec::new(),
            is_closed: false,
        }
    }
}

impl MessageRecord {
    /// From when it was due to when it was there; `None` when it never was.
    #[must_use]
    pub fn latency(&self) -> Option<Duration> {
        self.delivered.map(|at| at - self.intended)
    }

    /// Whether it arrived in time: a device that waits longer than 20 s is not served (Larmo et al. 2019, 3.2).
    #[must_use]
    pub fn is_served(&self) -> bool {
        const LONGEST_WAIT: Duration = Duration::from_secs(20);
        self.latency()
            .is_some_and(|latency| latency <= LONGEST_WAIT)
    }

    /// The size of its payload.
    #[must_use]
    pub fn payload(&self) -> DataSize {
        DataSize::from_bytes(self.payload.into())
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

    /// Whether its transport has it and nothing has become of it: it waits for room.
    fn is_in_no_packet(&self) -> bool {
        self.copies_on_their_way == 0 && self.given_up.is_none() && self.last_loss.is_none()
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
        use FailureReason::{
            ConnectionLost, GaveUp, HostDown, Incomplete, NoAcknowledgement, NotConnected,
            QueueFull, Rejected, TooLarge,
        };

        let met_full_queue = matches!(self.last_loss, Some(Loss::Dropped(DropReason::QueueFull)));
        self.delivered.is_none()
            && match self.given_up {
                Some(ConnectionLost | NotConnected | QueueFull) => true,
                Some(NoAcknowledgement) | None => met_full_queue,
                Some(TooLarge | Rejected | Incomplete | GaveUp | HostDown) => false,
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

#[cfg(test)]
pub(crate) mod testing {
    use super::*;

    /// A message that left at once, of so many bytes.
    pub(crate) fn record(
        bytes: u32,
        intended: Instant,
        delivered: Option<Instant>,
    ) -> MessageRecord {
        MessageRecord {
            intended,
            sent: Some(intended),
            delivered,
            acknowledged: None,
            attempts: 1,
            deliveries: u16::from(delivered.is_some()),
            payload: bytes,
            first_copies: [bytes, 0],
            copies_on_their_way: 0,
            retrying: [false; 2],
            given_up: None,
            last_loss: None,
            last_setback: intended,
        }
    }
}

#[cfg(test)]
mod tests {
    use core::num::NonZeroU32;

    use super::*;

    fn first(flow: u32) -> MessageId {
        MessageId {
            flow: FlowId(flow),
            number: NonZeroU32::MIN,
        }
    }

    fn at(nanos: u64) -> Instant {
        Instant::from_nanos(nanos)
    }

    fn begin(log: &mut MessageLog, flow: u32) {
        let payload = DataSize::from_bytes(25);
        let event = MessageEvent::Intended {
            id: first(flow),
            payload,
        };
        log.note(at(u64::from(flow)), Direction::Up, Direction::Up, event);
    }

    fn deliver(log: &mut MessageLog, flow: u32) {
        let event = MessageEvent::Delivered { id: first(flow) };
        log.note(at(1_000_000), Direction::Down, Direction::Up, event);
    }

    #[test]
    fn what_is_closed_is_told_once_and_then_forgotten() {
        let mut log = MessageLog::forgetting();
        let mut told = 0;
        for flow in 0..100_000 {
            begin(&mut log, flow);
            if flow >= 10 {
                let oldest = FlowId(flow - 10);
                log.close(oldest, |record| {
                    told += 1;
                    assert_eq!(record.intended, at(u64::from(oldest.0)));
                });
                log.close(oldest, |_| panic!("it was closed"));
            }
            let kept = &log.channels[0].flows;
            assert!(kept.len() <= 11 && kept.capacity() <= 64);
        }
        assert_eq!((told, log.len()), (99_990, 10));
        let flows: Vec<u32> = log.records().map(|(flow, ..)| flow.0).collect();
        assert!(flows.into_iter().eq(99_990..100_000));
    }

    #[test]
    fn a_word_that_comes_too_late_changes_nothing() {
        for mut log in [MessageLog::forgetting(), MessageLog::keeping_all()] {
            begin(&mut log, 0);
            begin(&mut log, 1);
            log.close(FlowId(0), |_| {});
            deliver(&mut log, 0);
            deliver(&mut log, 1);
            let delivered = log.records().filter(|(.., it)| it.delivered.is_some());
            assert_eq!(delivered.map(|(flow, ..)| flow.0).collect::<Vec<_>>(), [1]);
            assert_eq!(log.open_records().count(), 1);
        }
    }

    #[test]
    fn who_goes_gives_up_what_is_not_there() {
        let mut log = MessageLog::keeping_all();
        begin(&mut log, 0);
        begin(&mut log, 1);
        deliver(&mut log, 1);
        for flow in [0, 1] {
            log.give_up(at(2_000_000), FlowId(flow));
        }
        let ends: Vec<_> = log.records().map(|(.., it)| it.status()).collect();
        assert_eq!(
            ends,
            [MessageStatus::Failed("gave_up"), MessageStatus::Delivered]
        );
    }
}
