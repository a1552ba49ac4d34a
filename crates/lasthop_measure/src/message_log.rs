use std::collections::VecDeque;

use lasthop_contract::{
    Cause, DeviceId, Direction, DiscardReason, DropReason, FlowId, MessageEvent, MessageId, Packet,
    Span,
};
use lasthop_units::{DataSize, Duration, Instant};

use crate::message_change::MessageChange;
use crate::message_flow::MessageFlow;
use crate::message_spill::MessageSpill;
use crate::{MessageRecord, MessageStatus};

/// A record a message, by flow and number.
///
/// A flow is closed when nobody is there any more that could say something of it. The log may forget such flows: then
/// it holds no more than those from the first open one on. Or it forgets messages that have ended, each for itself; of
/// these it only counts what arrives once more.
#[derive(Debug)]
pub struct MessageLog {
    /// By their channel.
    channels: Vec<Channel>,
    keeps: Keeps,
    payload_first_sent: u64,
    retransmissions: u64,
    /// Arrivals of measured messages that were forgotten.
    late_arrivals: u64,
    /// Messages that have ended at a moment, unless something is still said of them at it.
    ended: Vec<MessageId>,
    ended_at: Instant,
    /// When to look for messages that nothing is heard of.
    next_look: Instant,
    /// Where messages go that have ended.
    spill: Option<MessageSpill>,
}

/// Which records a log keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keeps {
    /// All.
    All,
    /// Those of flows that are open.
    OpenFlows,
    /// Those of messages that have not ended.
    OpenMessages,
}

/// How often messages are looked for that nothing is heard of.
const LOOK_EVERY: Duration = Duration::from_secs(3600);

/// The flows of one channel, a device each.
#[derive(Clone, Debug, Default)]
struct Channel {
    /// Those from the device `first` on.
    flows: VecDeque<MessageFlow>,
    first: u32,
}

impl MessageLog {
    /// A log that keeps the records of all flows.
    #[must_use]
    pub fn keeping_all() -> Self {
        Self::new(Keeps::All)
    }

    /// A log that keeps these.
    pub(crate) const fn new(keeps: Keeps) -> Self {
        Self {
            channels: Vec::new(),
            keeps,
            payload_first_sent: 0,
            retransmissions: 0,
            late_arrivals: 0,
            ended: Vec::new(),
            ended_at: Instant::ZERO,
            next_look: Instant::ZERO,
            spill: None,
        }
    }

    /// A log that keeps the records of messages that have not ended, and gives the others to a spill.
    pub(crate) fn spilling(spill: MessageSpill) -> Self {
        Self {
            spill: Some(spill),
            ..Self::new(Keeps::OpenMessages)
        }
    }

    /// Whether every record is kept.
    pub(crate) fn keeps_all(&self) -> bool {
        self.keeps == Keeps::All
    }

    /// Whether messages are forgotten one by one, as they end.
    pub(crate) fn keeps_open_messages(&self) -> bool {
        self.keeps == Keeps::OpenMessages
    }

    /// The records that are kept, in order of flow and number.
    pub fn records(&self) -> impl Iterator<Item = (FlowId, u32, &MessageRecord)> + '_ {
        self.flows_with_ids().flat_map(|(flow, kept)| {
            let records = kept.records.iter();
            records.map(move |record| (flow, record.number, record))
        })
    }

    /// How many records are kept.
    #[must_use]
    pub fn len(&self) -> usize {
        let flows = self.flows_with_ids();
        flows.map(|(_, flow)| flow.records.len()).sum()
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

    /// Arrivals, after the first, of measured messages that were forgotten.
    pub(crate) const fn late_arrivals(&self) -> u64 {
        self.late_arrivals
    }

    /// The records of each flow, in the order of their numbers, where all are kept.
    pub(crate) fn flows(&self) -> impl Iterator<Item = &[MessageRecord]> + '_ {
        debug_assert!(self.keeps_all());
        // Nothing was ever taken out, so they are in one piece.
        self.flows_with_ids()
            .map(|(_, flow)| flow.records.as_slices().0)
    }

    /// Whether a message of a flow was served that was due from this moment on.
    pub(crate) fn has_served(&self, flow: FlowId, from: Instant) -> bool {
        let channel = self.channels.get(usize::from(flow.channel()));
        channel
            .and_then(|channel| channel.flows.get(channel.place(flow)?))
            .is_some_and(|flow| flow.has_served(from))
    }

    /// The records of flows that are not closed, with their flow.
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
            record.give_up(now);
        }
    }

    /// Whether what was forgotten could not be kept elsewhere.
    pub(crate) fn has_lost(&self) -> bool {
        self.spill.as_ref().is_some_and(MessageSpill::has_failed)
    }

    /// Gives all messages, where those that have ended are kept elsewhere; nothing is left of them here.
    pub(crate) fn take_spill(&mut self) -> Option<MessageSpill> {
        let mut spill = self.spill.take()?;
        for (channel, number) in self.channels.drain(..).zip(0..) {
            for (flow, device) in channel.flows.into_iter().zip(channel.first..) {
                let id = FlowId::of(DeviceId(device), number);
                for record in flow.records {
                    spill.take(id, record);
                }
            }
        }
        Some(spill)
    }

    /// Whether [`MessageLog::forget_ended`] has something to do.
    #[inline]
    pub(crate) fn has_ended_before(&self, now: Instant) -> bool {
        self.keeps == Keeps::OpenMessages
            && (self.ended_at < now && !self.ended.is_empty() || self.next_look <= now)
    }

    /// Forgets the messages that have ended before now, and those that nothing was heard of for a day; gives each for the
    /// last time, to the spill where there is one. Those due from `measured_from` on are measured.
    pub(crate) fn forget_ended(
        &mut self,
        now: Instant,
        measured_from: Instant,
        mut tell: impl FnMut(FlowId, &MessageRecord),
    ) {
        let mut ended = core::mem::take(&mut self.ended);
        for id in ended.drain(..) {
            let flow = self.open_flow(id.flow);
            if let Some(record) = flow.and_then(|flow| flow.forget(id, measured_from)) {
                match &mut self.spill {
                    Some(spill) => spill.take(id.flow, record),
                    None => tell(id.flow, &record),
                }
            }
        }
        self.ended = ended;
        if self.next_look <= now {
            self.next_look = now + LOOK_EVERY;
            for (channel, number) in self.channels.iter_mut().zip(0..) {
                for (flow, device) in channel.flows.iter_mut().zip(channel.first..) {
                    let id = FlowId::of(DeviceId(device), number);
                    flow.forget_forlorn(now, measured_from, |record| match &mut self.spill {
                        Some(spill) => spill.take(id, record),
                        None => tell(id, &record),
                    });
                }
            }
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
            record.forget(now, side, origin);
        }
    }

    /// Closes a flow; gives each of its records for the last time.
    pub(crate) fn close(&mut self, flow: FlowId, mut tell: impl FnMut(&MessageRecord)) {
        let (forgets, channel) = (!self.keeps_all(), usize::from(flow.channel()));
        let Some(flow) = self.open_flow(flow) else {
            return;
        };
        flow.records.iter().for_each(&mut tell);
        flow.is_closed = true;
        if forgets {
            flow.records = VecDeque::new();
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
                let attempt = (side == origin).then_some(attempt);
                let sent = MessageChange::Transmitted {
                    side,
                    last,
                    attempt,
                };
                self.change(now, id, sent);
            }
            MessageEvent::Delivered { id } => {
                if !self.change(now, id, MessageChange::Arrived) {
                    self.note_late_arrival(id);
                }
            }
            MessageEvent::Acknowledged { id } => {
                self.change(now, id, MessageChange::Acknowledged { side, origin });
            }
            MessageEvent::Failed { id, reason } => {
                self.change(now, id, MessageChange::Failed { side, reason });
            }
            MessageEvent::TrafficStarted { .. } | MessageEvent::TrafficEnded { .. } => {}
        }
    }

    pub(crate) fn offered(&mut self, now: Instant, packet: &Packet) {
        let direction = packet.direction();
        for span in packet.spans() {
            if span.provenance.cause == Cause::Payload {
                self.note_first_copy(direction, span);
            }
        }
        self.add_copy(now, packet.spans());
    }

    pub(crate) fn add_copy(&mut self, now: Instant, spans: &[Span]) {
        for id in messages_of(spans) {
            self.change(now, id, MessageChange::CopyAdded);
        }
    }

    pub(crate) fn arrived(&mut self, now: Instant, packet: &Packet) {
        for id in packet.messages() {
            self.change(now, id, MessageChange::CopyEnded);
        }
    }

    pub(crate) fn dropped(&mut self, now: Instant, packet: &Packet, reason: DropReason) {
        self.arrived(now, packet);
        for id in packet.messages() {
            self.change(now, id, MessageChange::CopyDropped(reason));
        }
    }

    pub(crate) fn discarded(&mut self, now: Instant, packet: &Packet, reason: DiscardReason) {
        for id in packet.messages() {
            self.change(now, id, MessageChange::CopyDiscarded(reason));
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
            channel.flows.resize_with(place + 1, MessageFlow::default);
        }
        let record = MessageRecord::new(now, id.number.get(), payload);
        channel.flows[place].begin(record);
    }

    /// Notes what happens to a message, and where it has ended by that; `false` where there is no record of it.
    #[inline]
    fn change(&mut self, now: Instant, id: MessageId, change: MessageChange) -> bool {
        let forgets = self.keeps == Keeps::OpenMessages;
        let Some(record) = self.record(id) else {
            return self.follow(now, id, change);
        };
        change.apply(now, record);
        if forgets && record.is_done() {
            self.ended.push(id);
            self.ended_at = now;
        }
        true
    }

    #[cold]
    fn follow(&mut self, now: Instant, id: MessageId, change: MessageChange) -> bool {
        if let Some(spill) = &mut self.spill {
            spill.follow(now, id, change);
        }
        self.spill.is_some()
    }

    fn note_late_arrival(&mut self, id: MessageId) {
        let flow = self.open_flow(id.flow);
        let is_measured = flow.is_some_and(|flow| flow.has_measured(id.number));
        self.late_arrivals += u64::from(is_measured);
    }

    fn note_first_copy(&mut self, direction: Direction, span: &Span) {
        if let Some(record) = span.provenance.message.and_then(|id| self.record(id)) {
            let new = record.add_first_copy(direction, span.length);
            self.payload_first_sent += u64::from(new);
        }
    }

    #[inline]
    fn record(&mut self, id: MessageId) -> Option<&mut MessageRecord> {
        self.open_flow(id.flow)?.record(id.number)
    }

    fn open_flow(&mut self, id: FlowId) -> Option<&mut MessageFlow> {
        let channel = self.channels.get_mut(usize::from(id.channel()))?;
        let place = channel.place(id)?;
        channel.flows.get_mut(place).filter(|flow| !flow.is_closed)
    }

    fn flows_with_ids(&self) -> impl Iterator<Item = (FlowId, &MessageFlow)> + '_ {
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

fn messages_of(spans: &[Span]) -> impl Iterator<Item = MessageId> + '_ {
    let mut previous = None;
    spans
        .iter()
        .filter_map(|span| span.provenance.message)
        .filter(move |id| previous.replace(*id) != Some(*id))
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
        let mut log = MessageLog::new(Keeps::OpenFlows);
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
        for mut log in [MessageLog::new(Keeps::OpenFlows), MessageLog::keeping_all()] {
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

    fn id(number: u32) -> MessageId {
        MessageId {
            flow: FlowId(0),
            number: NonZeroU32::new(number).unwrap(),
        }
    }

    /// A log of one flow in which each message is sent once, as it is due; one a second, and measured from 3 on.
    struct OneFlow {
        log: MessageLog,
        told: Vec<(u32, MessageStatus)>,
    }

    impl OneFlow {
        fn new() -> Self {
            Self {
                log: MessageLog::new(Keeps::OpenMessages),
                told: Vec::new(),
            }
        }

        fn note(&mut self, seconds: u64, event: MessageEvent) {
            let now = at(seconds * 1_000_000_000);
            if self.log.has_ended_before(now) {
                let told = &mut self.told;
                self.log.forget_ended(now, at(3_000_000_000), |_, record| {
                    told.push((record.number, record.status()));
                });
            }
            self.log.note(now, Direction::Up, Direction::Up, event);
        }

        fn send(&mut self, seconds: u64, number: u32, last: bool) {
            let (id, payload) = (id(number), DataSize::from_bytes(25));
            self.note(seconds, MessageEvent::Intended { id, payload });
            let sent = MessageEvent::Transmitted {
                id,
                attempt: 1,
                last,
                trigger: None,
            };
            self.note(seconds, sent);
        }
    }

    #[test]
    fn a_message_is_told_and_forgotten_when_time_goes_on_after_its_end() {
        let mut flow = OneFlow::new();
        for second in 1..=1000 {
            flow.send(u64::from(second), second, true);
            flow.note(
                u64::from(second),
                MessageEvent::Delivered { id: id(second) },
            );
            assert_eq!(flow.log.len(), 1);
        }
        let told = flow.told.iter().map(|(number, _)| *number);
        assert!(told.eq(1..1000));
        assert!(flow.log.channels[0].flows[0].records.capacity() <= 8);
    }

    #[test]
    fn who_may_send_it_again_keeps_a_message_that_is_there() {
        let mut flow = OneFlow::new();
        flow.send(1, 1, false);
        flow.note(2, MessageEvent::Delivered { id: id(1) });
        flow.send(3, 2, true);
        assert_eq!((flow.log.len(), flow.told.len()), (2, 0));
        flow.note(4, MessageEvent::Acknowledged { id: id(1) });
        flow.send(5, 3, true);
        assert_eq!(flow.told, [(1, MessageStatus::Delivered)]);
        // What came later is found, though it does not stand where its number says.
        flow.note(6, MessageEvent::Delivered { id: id(3) });
        flow.send(7, 4, true);
        assert_eq!(flow.told[1..], [(3, MessageStatus::Delivered)]);
    }

    #[test]
    fn what_arrives_once_more_counts_if_it_is_measured() {
        let mut flow = OneFlow::new();
        for number in 1..=4 {
            flow.send(number.into(), number, true);
            flow.note(number.into(), MessageEvent::Delivered { id: id(number) });
        }
        flow.send(5, 5, true);
        assert_eq!(flow.told.len(), 4);
        for (number, counted) in [(1, 0), (2, 0), (3, 1), (4, 2), (4, 3)] {
            flow.note(6, MessageEvent::Delivered { id: id(number) });
            assert_eq!(flow.log.late_arrivals(), counted, "{number}");
        }
    }

    #[test]
    fn what_never_arrives_has_failed_after_a_day_of_silence() {
        const DAY: u64 = 24 * 3600;
        let mut flow = OneFlow::new();
        flow.send(1, 1, true);
        let reason = lasthop_contract::FailureReason::NoAcknowledgement;
        flow.note(100, MessageEvent::Failed { id: id(1), reason });
        flow.send(DAY, 2, true);
        assert_eq!((flow.log.len(), flow.told.len()), (2, 0));
        flow.send(DAY + 4000, 3, false);
        assert_eq!(flow.told, [(1, MessageStatus::Failed(reason.name()))]);
        // The second has another hour or so; the third may be sent again, however long that takes.
        flow.send(100 * DAY, 4, true);
        assert_eq!(flow.told.len(), 2);
        assert_eq!(flow.log.len(), 2);
    }
}
