use lasthop_contract::{
    Cause, Direction, DiscardReason, DropReason, FlowId, MessageEvent, MessageId, Packet, Span,
};
use lasthop_units::{DataSize, Instant};

use super::channel::Channel;
use super::{Keeps, MessageLog};
use crate::MessageRecord;
use crate::message_change::MessageChange;
use crate::message_flow::MessageFlow;

/// What is heard of messages: from hosts, and from packets with bytes of them.
impl MessageLog {
    /// Notes what a host says of a message. `side` is where it is said, `origin` tells where the messages of a flow are
    /// made.
    pub(crate) fn note(
        &mut self,
        now: Instant,
        side: Direction,
        origin: impl FnOnce(FlowId) -> Direction,
        event: MessageEvent,
    ) {
        match event {
            MessageEvent::Intended { id, payload } => self.begin(now, id, payload),
            MessageEvent::Transmitted {
                id, attempt, last, ..
            } => {
                self.retransmissions += u64::from(attempt > 1);
                let attempt = (side == origin(id.flow)).then_some(attempt);
                let sent = MessageChange::Transmitted {
                    side,
                    last,
                    attempt,
                };
                self.change(now, id, sent);
            }
            MessageEvent::Taken { id } => {
                // As if it had been sent there already, and would be again.
                let held = MessageChange::Transmitted {
                    side,
                    last: false,
                    attempt: None,
                };
                self.change(now, id, held);
            }
            MessageEvent::Bundled {
                id,
                bundle,
                payload_bytes,
            } => {
                let payload = DataSize::from_bytes(payload_bytes.into());
                self.bundles.put(now, id, (bundle, payload));
            }
            MessageEvent::Delivered { id } => {
                if !self.change(now, id, MessageChange::Arrived) {
                    self.note_late_arrival(id);
                }
            }
            MessageEvent::Acknowledged { id } => {
                let origin = origin(id.flow);
                self.change(now, id, MessageChange::Acknowledged { side, origin });
            }
            MessageEvent::Failed { id, reason } => {
                self.change(now, id, MessageChange::Failed { side, reason });
            }
            MessageEvent::TrafficStarted { .. }
            | MessageEvent::TrafficEnded { .. }
            | MessageEvent::Session(_) => {}
        }
    }

    pub(crate) fn offered(&mut self, now: Instant, packet: &Packet) {
        let direction = packet.direction();
        let spans = packet.spans().iter();
        let mut spans = spans
            .filter_map(|span| Some((span.provenance.message?, span)))
            .peekable();
        while let Some((id, first)) = spans.next() {
            let mut record = self.record(id);
            let (mut new, mut of_none) = (0, 0);
            let mut span = Some(first);
            while let Some(it) = span {
                if it.provenance.cause == Cause::Payload {
                    match &mut record {
                        Some(record) => {
                            new += u64::from(record.add_first_copy(direction, it.length));
                        }
                        None => of_none += u32::from(it.length),
                    }
                }
                span = spans.next_if(|(next, _)| *next == id).map(|(_, it)| it);
            }
            match record {
                Some(record) => record.add_copy(),
                None => {
                    new += u64::from(self.bundles.add_first_copy(id, of_none));
                    self.follow(now, id, MessageChange::CopyAdded);
                }
            }
            self.payload_first_sent += new;
        }
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
        let (device, number) = id.flow.parts();
        let number = usize::from(number);
        if self.channels.len() <= number {
            self.channels.resize_with(number + 1, Channel::default);
        }
        let channel = &mut self.channels[number];
        let Some(place) = channel.place(device) else {
            return;
        };
        if channel.flows.len() <= place {
            channel.flows.resize_with(place + 1, MessageFlow::default);
        }
        let record = MessageRecord::new(now, id.number.get(), payload);
        channel.flows[place].begin(record);
    }

    /// Notes what happens to a message, and where it has ended by that; `false` where there is no record of it.
    #[expect(
        clippy::inline_always,
        reason = "where it is called, it is known which change it is"
    )]
    #[inline(always)]
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
        if let Some(messages) = self.bundles.messages_in(id) {
            for message in messages {
                self.change(now, message, change);
            }
            return true;
        }
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
}

fn messages_of(spans: &[Span]) -> impl Iterator<Item = MessageId> + '_ {
    let mut previous = None;
    spans
        .iter()
        .filter_map(|span| span.provenance.message)
        .filter(move |id| previous.replace(*id) != Some(*id))
}
