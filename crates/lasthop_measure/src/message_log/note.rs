use core::num::NonZeroU32;

use lasthop_contract::{
    Cause, DeviceId, Direction, DiscardReason, DropReason, FlowId, MessageEvent, MessageId, Packet,
    Span,
};
use lasthop_units::{DataSize, Instant};

use super::channel::Channel;
use super::{Keeps, MessageLog, open_flow};
use crate::MessageRecord;
use crate::message_change::MessageChange;
use crate::message_flow::MessageFlow;
use crate::message_record::FirstCopy;

/// What is heard of messages: from hosts, and from packets with bytes of them.
impl MessageLog {
    /// Records a message event that a host reports. `side` is the side of the host, `origin` returns where the messages
    /// of a flow are sent.
    pub(crate) fn note(
        &mut self,
        now: Instant,
        side: Direction,
        origin: impl FnOnce(FlowId) -> Direction,
        event: &MessageEvent,
    ) {
        match *event {
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
            MessageEvent::Delivered { id, receiver } => {
                if !self.arrive(now, id, receiver) {
                    self.note_late_arrival(id, receiver);
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
            | MessageEvent::Cached { .. }
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
            let flow = self.open_flow(id.flow);
            let audience = flow.as_ref().map_or(1, |flow| flow.audience());
            let mut record = flow.and_then(|flow| flow.leader(id.number));
            // It is said once, and goes down to each.
            let times = match direction {
                Direction::Up => 1,
                Direction::Down => audience,
            };
            let (mut new, mut of_none) = (0, 0);
            let mut span = Some(first);
            while let Some(it) = span {
                if it.provenance.cause == Cause::Payload {
                    match &mut record {
                        Some(record) => {
                            let length = it.length.into();
                            let copy = FirstCopy {
                                direction,
                                length,
                                times,
                            };
                            let first = record.add_first_copy(copy);
                            new += u64::from(first);
                        }
                        None => of_none += u32::from(it.length),
                    }
                }
                span = spans.next_if(|(next, _)| *next == id).map(|(_, it)| it);
            }
            match record {
                Some(record) if audience == 1 => record.add_copy(),
                Some(_) => {
                    self.change_copies(now, id, MessageChange::CopyAdded);
                }
                None => {
                    let sent = FirstCopy {
                        direction,
                        length: of_none,
                        times,
                    };
                    new += u64::from(self.offered_without_record(now, id, sent));
                }
            }
            self.payload_first_sent += new;
        }
    }

    /// Records a packet with bytes of a message that has no record; returns how many bytes are known to be new.
    ///
    /// The message belongs to a bundle or has ended. A server that has sent its state by other means can still send
    /// such a payload for the first time.
    #[cold]
    fn offered_without_record(&mut self, now: Instant, id: MessageId, sent: FirstCopy) -> u32 {
        let of_bundle = self.bundles.add_first_copy(id, sent.length);
        if of_bundle.is_none() && sent.length > 0 {
            let flow = self.open_flow(id.flow);
            let leader = flow.map_or(id.number.get(), |flow| *flow.copies(id.number).start());
            if let (Some(spill), Some(number)) = (&mut self.spill, NonZeroU32::new(leader)) {
                let leader = MessageId { number, ..id };
                spill.follow(now, leader, MessageChange::FirstSent(sent));
            }
        }
        self.change(now, id, MessageChange::CopyAdded);
        of_bundle.unwrap_or_default()
    }

    pub(crate) fn add_copy(&mut self, now: Instant, spans: &[Span]) {
        for id in messages_of(spans) {
            self.change(now, id, MessageChange::CopyAdded);
        }
    }

    #[inline]
    pub(crate) fn arrived(&mut self, now: Instant, packet: &Packet) {
        for id in packet.messages() {
            self.change(now, id, MessageChange::CopyEnded);
        }
    }

    /// Records that an arrived packet waits for its host's processor and so is still in flight.
    pub(crate) fn waiting(&mut self, now: Instant, messages: &[MessageId]) {
        for id in messages {
            self.change(now, *id, MessageChange::CopyAdded);
        }
    }

    /// Records that a host has processed a packet that waited.
    pub(crate) fn served(&mut self, now: Instant, messages: &[MessageId]) {
        for id in messages {
            self.change(now, *id, MessageChange::CopyEnded);
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

    /// Sets the number of devices that the messages of a flow are for, before the first message.
    pub(crate) fn widen(&mut self, flow: FlowId, audience: NonZeroU32) {
        if let Some(flow) = self.make_flow(flow) {
            flow.widen(audience);
        }
    }

    fn begin(&mut self, now: Instant, id: MessageId, payload: DataSize) {
        let Some(flow) = self.make_flow(id.flow) else {
            return;
        };
        if flow.audience() == 1 {
            return flow.begin(MessageRecord::new(now, id.number.get(), payload));
        }
        for number in flow.copies(id.number) {
            flow.begin(MessageRecord::new(now, number, payload));
        }
    }

    /// A flow, from now on.
    #[inline]
    fn make_flow(&mut self, id: FlowId) -> Option<&mut MessageFlow> {
        let (device, number) = id.parts();
        let number = usize::from(number);
        let channel = self.channels.get(number);
        if !channel.is_some_and(|channel| channel.has_room(device)) {
            self.make_room(device, number)?;
        }
        let channel = self.channels.get_mut(number)?;
        let place = channel.place(device)?;
        channel.flows.get_mut(place)
    }

    /// Makes room for a record; `None` for a device whose flow is forgotten.
    #[cold]
    fn make_room(&mut self, device: DeviceId, number: usize) -> Option<()> {
        if self.channels.len() <= number {
            self.channels.resize_with(number + 1, Channel::default);
        }
        let channel = &mut self.channels[number];
        let place = channel.place(device)?;
        channel.flows.resize_with(place + 1, MessageFlow::default);
        Some(())
    }

    /// Notes what happens to a message, and where it has ended by that; `false` where there is no record of it.
    #[expect(
        clippy::inline_always,
        reason = "where it is called, it is known which change it is"
    )]
    #[inline(always)]
    fn change(&mut self, now: Instant, id: MessageId, change: MessageChange) -> bool {
        self.change_or(now, id, change, |log| log.change_copies(now, id, change))
    }

    /// The same, with what is to be done where the message is for several devices.
    #[expect(
        clippy::inline_always,
        reason = "where it is called, it is known which change it is"
    )]
    #[inline(always)]
    fn change_or(
        &mut self,
        now: Instant,
        id: MessageId,
        change: MessageChange,
        of_several: impl FnOnce(&mut Self) -> bool,
    ) -> bool {
        let forgets = self.keeps == Keeps::OpenMessages;
        let flow = self.open_flow(id.flow);
        if flow.as_ref().is_some_and(|flow| flow.audience() > 1) {
            return of_several(self);
        }
        let Some(record) = flow.and_then(|flow| flow.record(id.number)) else {
            return self.follow(now, id, change);
        };
        change.apply(now, record);
        let is_done = forgets && record.is_done();
        if matches!(change, MessageChange::Arrived) && record.deliveries == 1 {
            let due = record.intended;
            self.note_recovery(now, id.flow, due);
        }
        if is_done {
            self.ended.push(id);
            self.ended_at = now;
        }
        true
    }

    /// Records a change of a message for several devices.
    #[cold]
    fn change_copies(&mut self, now: Instant, id: MessageId, change: MessageChange) -> bool {
        let Some(flow) = open_flow(&mut self.channels, id.flow) else {
            return false;
        };
        let numbers = flow.copies(id.number);
        let Some(copies) = flow.records_of(id.number) else {
            // All of it has ended, and is there.
            if let Some(spill) = &mut self.spill
                && !matches!(change, MessageChange::Transmitted { attempt: None, .. })
            {
                for number in numbers.filter_map(NonZeroU32::new) {
                    spill.follow(now, MessageId { number, ..id }, change);
                }
            }
            return self.spill.is_some();
        };
        for copy in copies.filter(|copy| change.concerns(copy)) {
            change.apply(now, copy);
        }
        self.note_end_of_copies(now, id);
        true
    }

    /// Records that a message arrived at a receiver; returns `false` if it has no record.
    fn arrive(&mut self, now: Instant, id: MessageId, receiver: u32) -> bool {
        self.change_or(now, id, MessageChange::Arrived, |log| {
            log.arrive_at(now, id, receiver)
        })
    }

    /// Records that a message arrived at one of several receivers.
    #[cold]
    fn arrive_at(&mut self, now: Instant, id: MessageId, receiver: u32) -> bool {
        let Some(flow) = self.open_flow(id.flow) else {
            return false;
        };
        let copy = flow.copies(id.number).start() + receiver;
        let copies = flow.records_of(id.number);
        if let Some(copy) = copies.and_then(|mut copies| copies.nth(receiver as usize)) {
            MessageChange::Arrived.apply(now, copy);
            let due = copy.intended;
            self.note_recovery(now, id.flow, due);
            self.note_end_of_copies(now, id);
            return true;
        }
        if let (Some(spill), Some(number)) = (&mut self.spill, NonZeroU32::new(copy)) {
            spill.follow(now, MessageId { number, ..id }, MessageChange::Arrived);
        }
        self.spill.is_some()
    }

    /// Records an arrival for the device of a flow, if some device recovers from an event.
    #[inline]
    fn note_recovery(&mut self, now: Instant, flow: FlowId, due: Instant) {
        if self.recoveries.is_waiting() {
            self.recoveries.note_arrival(now, flow.device(), due);
        }
    }

    /// A message for several devices is forgotten when all of it is done.
    fn note_end_of_copies(&mut self, now: Instant, id: MessageId) {
        if self.keeps == Keeps::OpenMessages && self.copies_of(id).all(MessageRecord::is_done) {
            self.ended.push(id);
            self.ended_at = now;
        }
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

    fn note_late_arrival(&mut self, id: MessageId, receiver: u32) {
        let is_measured = self.open_flow(id.flow).is_some_and(|flow| {
            let copy = match flow.audience() {
                1 => id.number.get(),
                _ => flow.copies(id.number).start() + receiver,
            };
            NonZeroU32::new(copy).is_some_and(|copy| flow.has_measured(copy))
        });
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
