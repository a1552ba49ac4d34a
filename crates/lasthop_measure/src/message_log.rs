mod channel;
mod note;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use lasthop_contract::{DeviceId, Direction, FlowId, MessageId};
use lasthop_units::{Duration, Instant};

use channel::Channel;

use crate::bundles::Bundles;
use crate::message_flow::MessageFlow;
use crate::message_spill::MessageSpill;
use crate::recovery_log::RecoveryLog;
use crate::{MessageRecord, MessageStatus};

/// The log of messages: one record each, by flow and number.
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
    /// What gateways have put together.
    bundles: Bundles,
    /// The devices that recover from events.
    pub(crate) recoveries: RecoveryLog,
}

/// Which records a log keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keeps {
    /// All records.
    All,
    /// The records of open flows.
    OpenFlows,
    /// The records of unfinished messages.
    OpenMessages,
}

/// How often messages are looked for that nothing is heard of.
const LOOK_EVERY: Duration = Duration::from_secs(3600);

impl MessageLog {
    /// Creates a log that keeps the records of all flows.
    #[must_use]
    pub fn keeping_all() -> Self {
        Self::new(Keeps::All)
    }

    /// Creates a log that keeps these records.
    pub(crate) fn new(keeps: Keeps) -> Self {
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
            bundles: Bundles::default(),
            recoveries: RecoveryLog::default(),
        }
    }

    /// Creates a log that keeps the records of unfinished messages, and moves the others to a spill.
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

    /// Whether each message is removed when it is finished.
    pub(crate) fn keeps_open_messages(&self) -> bool {
        self.keeps == Keeps::OpenMessages
    }

    /// Iterates over the kept records, in order of flow and number.
    pub fn records(&self) -> impl Iterator<Item = (FlowId, u32, &MessageRecord)> + '_ {
        self.flows_with_ids().flat_map(|(flow, kept)| {
            let records = kept.records.iter();
            records.map(move |record| (flow, record.number, record))
        })
    }

    /// Returns the number of kept records.
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

    /// Returns the payload bytes that entered the path, each byte once for each direction.
    #[must_use]
    pub fn payload_first_sent(&self) -> u64 {
        self.payload_first_sent
    }

    /// Returns the number of retransmissions by applications.
    #[must_use]
    pub fn retransmissions(&self) -> u64 {
        self.retransmissions
    }

    /// Returns the number of repeated arrivals of measured messages that were removed.
    pub(crate) const fn late_arrivals(&self) -> u64 {
        self.late_arrivals
    }

    /// Iterates over the records of each flow in order, if all records are kept.
    pub(crate) fn flows(&self) -> impl Iterator<Item = &[MessageRecord]> + '_ {
        debug_assert!(self.keeps_all());
        // Nothing was ever taken out, so they are in one piece.
        self.flows_with_ids()
            .map(|(_, flow)| flow.records.as_slices().0)
    }

    /// Whether a message of a flow, due from this instant on, was served.
    pub(crate) fn has_served(&self, flow: FlowId, from: Instant) -> bool {
        let (device, channel) = flow.parts();
        let channel = self.channels.get(usize::from(channel));
        channel
            .and_then(|channel| channel.flows.get(channel.place(device)?))
            .is_some_and(|flow| flow.has_served(from))
    }

    /// Returns the records of open flows, with their flow.
    pub(crate) fn open_records_by_flow(
        &self,
    ) -> impl Iterator<Item = (FlowId, &MessageRecord)> + '_ {
        let open = self.flows_with_ids().filter(|(_, kept)| !kept.is_closed);
        open.flat_map(|(flow, kept)| kept.records.iter().map(move |record| (flow, record)))
    }

    /// Returns the records of open flows.
    pub(crate) fn open_records(&self) -> impl Iterator<Item = &MessageRecord> + '_ {
        self.open_records_by_flow().map(|(_, record)| record)
    }

    /// Whether a message is known to be delivered. Messages of a closed flow get no more events.
    pub(crate) fn is_delivered(&mut self, id: MessageId) -> bool {
        self.copies_of(id).all(|copy| copy.delivered.is_some())
    }

    /// Whether a message was due and is unfinished for all its receivers.
    pub(crate) fn is_under_way(&mut self, id: MessageId) -> bool {
        let mut copies = self.copies_of(id);
        copies.any(|copy| copy.status() == MessageStatus::Unfinished)
    }

    /// Records that a device left before its messages were delivered.
    pub(crate) fn give_up(&mut self, now: Instant, flow: FlowId) {
        let Some(flow) = self.open_flow(flow) else {
            return;
        };
        let unfinished = |record: &&mut MessageRecord| record.status() == MessageStatus::Unfinished;
        for record in flow.records.iter_mut().filter(unfinished) {
            record.give_up(now);
        }
    }

    /// Whether removed records could not be stored.
    pub(crate) fn has_lost(&self) -> bool {
        self.spill.as_ref().is_some_and(MessageSpill::has_failed)
    }

    /// Returns the spill with all records, if the log has one. The log is empty afterwards.
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

    /// Whether [`MessageLog::forget_ended`] has messages to remove.
    #[inline]
    pub(crate) fn has_ended_before(&self, now: Instant) -> bool {
        self.keeps == Keeps::OpenMessages
            && (self.ended_at < now && !self.ended.is_empty() || self.next_look <= now)
    }

    /// Removes the messages that finished before now, and those without an event for a day. Passes each record on, to
    /// the spill if there is one. Messages due from `measured_from` on are measured.
    pub(crate) fn forget_ended(
        &mut self,
        now: Instant,
        measured_from: Instant,
        mut tell: impl FnMut(FlowId, &MessageRecord),
    ) {
        let mut ended = core::mem::take(&mut self.ended);
        for id in ended.drain(..) {
            if let Some(flow) = open_flow(&mut self.channels, id.flow) {
                flow.forget(id, measured_from, |record| match &mut self.spill {
                    Some(spill) => spill.take(id.flow, record),
                    None => tell(id.flow, &record),
                });
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

    /// Records that the host at one side of a flow is off and has lost its messages, unless it sends them later.
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

    /// Closes a flow and passes each of its records on.
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

    fn copies_of(&mut self, id: MessageId) -> impl Iterator<Item = &MessageRecord> {
        let copies = self
            .open_flow(id.flow)
            .and_then(|flow| flow.records_of(id.number));
        copies.into_iter().flatten().map(|copy| &*copy)
    }

    #[inline]
    fn open_flow(&mut self, id: FlowId) -> Option<&mut MessageFlow> {
        open_flow(&mut self.channels, id)
    }

    fn flows_with_ids(&self) -> impl Iterator<Item = (FlowId, &MessageFlow)> + '_ {
        self.channels.iter().zip(0..).flat_map(|(kept, channel)| {
            let flows = kept.flows.iter().zip(kept.first..);
            flows.map(move |(flow, device)| (FlowId::of(DeviceId(device), channel), flow))
        })
    }
}

#[inline]
fn open_flow(channels: &mut [Channel], id: FlowId) -> Option<&mut MessageFlow> {
    let (device, channel) = id.parts();
    let channel = channels.get_mut(usize::from(channel))?;
    let place = channel.place(device)?;
    channel.flows.get_mut(place).filter(|flow| !flow.is_closed)
}
