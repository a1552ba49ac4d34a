use std::sync::Arc;

use lasthop_contract::message_text::{ID_LENGTH, message_id, write_id};
use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, Awaited, ChannelSet, DeviceId, Direction,
    FlowId, MessageEvent, MessageId, OutgoingMessage, Received, Refusal, ShortQueue, Transport,
};
use lasthop_units::{Duration, Instant};

use crate::reaction::{Reacting, Turn};
use crate::report::Report;
use crate::source::{Due, Source};
use crate::{PayloadTemplate, Reaction, TrafficPlan};

/// An application on a protocol that sends messages when they are due and reacts to received ones.
#[derive(Debug)]
pub struct Traffic<P> {
    protocol: P,
    /// What to do with a message that arrives, unless it is where it was meant to go in any case.
    reaction: Option<Box<Reacting>>,
    /// What makes the messages, where some are made.
    origin: Option<Box<MessageSource>>,
    events: ShortQueue<MessageEvent>,
    /// Its place among the devices that a message is for.
    receiver: u32,
}

/// The source of messages at one end.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The traffic plan of the run.
    pub plan: Arc<TrafficPlan>,
    /// The end that sends: `Up` for a device, `Down` for a server. It sends the messages of flows that begin at this
    /// end.
    pub side: Direction,
}

/// What makes messages.
#[derive(Debug)]
enum MessageSource {
    /// Schedules.
    Schedules(Source),
    /// One message, due from the start on.
    Report(Report),
}

impl<P: Application> Traffic<P> {
    /// Creates traffic over a protocol. Without an origin, this end only reacts to received messages.
    pub fn new(protocol: P, origin: Option<Origin>, reaction: Reaction) -> Self {
        let receiver = reaction.receiver();
        Self {
            protocol,
            reaction: match reaction {
                Reaction::Deliver | Reaction::DeliverAs(_) => None,
                Reaction::AsPlanned(planned) => Some(Box::new(Reacting::new(planned))),
            },
            origin: origin.map(|origin| Box::new(MessageSource::Schedules(Source::new(origin)))),
            events: ShortQueue::new(),
            receiver,
        }
    }

    /// Creates the traffic of a device with one message, due at the start and sent as soon as the protocol can send it.
    pub fn of_one_report(protocol: P, payload: PayloadTemplate, flow: FlowId) -> Self {
        Self {
            protocol,
            reaction: None,
            origin: Some(Box::new(MessageSource::Report(Report::new(payload, flow)))),
            events: ShortQueue::new(),
            receiver: 0,
        }
    }

    #[cold]
    fn start_flows(
        &mut self,
        now: Instant,
        device: DeviceId,
        flows: ChannelSet,
        transport: &mut dyn Transport,
    ) {
        match self.origin.as_deref_mut() {
            None => {}
            Some(MessageSource::Schedules(source)) => {
                let plan = Arc::clone(&source.plan);
                let of_device = plan.flows_of(device);
                for flow in of_device.filter(|flow| flows.contains(flow.channel())) {
                    let Some(index) = source.start(now, flow) else {
                        continue;
                    };
                    self.events.push(MessageEvent::TrafficStarted { flow });
                    if let Some(ended) = source.arm(now, index) {
                        self.events.push(ended);
                    }
                }
            }
            Some(MessageSource::Report(report)) => {
                if let Some(message) = report.take() {
                    let input = ApplicationInput::Send(message.as_outgoing());
                    self.protocol.handle(now, input, transport);
                }
            }
        }
    }

    fn send_due(&mut self, now: Instant, transport: &mut dyn Transport) {
        let Some(MessageSource::Schedules(source)) = self.origin.as_deref_mut() else {
            return;
        };
        if source.is_paused {
            // Nobody is there who would say anything.
            let passed = source.pass_to(now + Duration::from_nanos(1));
            passed.into_iter().for_each(|ended| self.events.push(ended));
            return;
        }
        while let Some(due) = source.next_due(now) {
            let (id, index) = match due {
                Due::Message(id, index) => (id, index),
                Due::End(flow) => {
                    self.events.push(MessageEvent::TrafficEnded { flow });
                    continue;
                }
            };
            let Some(flows) = source.plan.of(id.flow) else {
                continue;
            };
            let (asks, is_answered) = (flows.kind.asks(), flows.kind.is_answered());
            let payload = if asks {
                let mut question = [0; ID_LENGTH];
                write_id(id.flow, id.number.get(), &mut question);
                question.to_vec()
            } else {
                flows.payload.payload(id.flow, id.number.get())
            };
            self.events.push(MessageEvent::Intended {
                id,
                payload: flows.payload.size(),
            });
            let message = OutgoingMessage {
                id,
                payload: &payload,
                asks,
            };
            self.protocol
                .handle(now, ApplicationInput::Send(message), transport);
            if is_answered {
                source.note_question(now, id);
            }
            if let Some(ended) = source.arm(now, index) {
                self.events.push(ended);
            }
        }
    }

    fn pause(&mut self) {
        if let Some(MessageSource::Schedules(source)) = self.origin.as_deref_mut() {
            source.is_paused = true;
        }
    }

    /// The host is on again. What was due meanwhile was not said.
    fn go_on(&mut self, now: Instant) {
        let Some(MessageSource::Schedules(source)) = self.origin.as_deref_mut() else {
            return;
        };
        for ended in source.resume(now) {
            self.events.push(ended);
        }
    }

    fn next_due(&self) -> Option<Instant> {
        match self.origin.as_deref()? {
            MessageSource::Schedules(source) => source.next_deadline(),
            MessageSource::Report(_) => None,
        }
    }

    /// It is not part of what every poll has to make room for.
    #[inline(never)]
    fn react(&mut self, now: Instant, received: &Received, transport: &mut dyn Transport) {
        let Some(id) = message_id(&received.payload) else {
            return;
        };
        let reaction = self.reaction.as_mut();
        let turn = reaction.map_or(Turn::Deliver, |it| it.turn(id, &received.payload));
        let mut send = |payload: &[u8]| {
            let message = OutgoingMessage {
                id,
                payload,
                asks: false,
            };
            self.protocol
                .handle(now, ApplicationInput::Send(message), transport);
        };
        match turn {
            Turn::Deliver => {
                self.note_over(now, id);
                let receiver = self.receiver;
                self.events.push(MessageEvent::Delivered { id, receiver });
            }
            Turn::Echo => send(&received.payload),
            Turn::Answer(messages) => messages.iter().for_each(|payload| send(payload)),
            Turn::Leave => {}
        }
    }

    /// No answer to a message is to come any more.
    fn note_over(&mut self, now: Instant, id: MessageId) {
        if let Some(MessageSource::Schedules(source)) = self.origin.as_deref_mut() {
            source.note_answer(id);
            if let Some(ended) = source.note_end(now, id) {
                self.events.push(ended);
            }
        }
    }

    /// A message has arrived; that is all that the sender of one without an answer hears of it.
    fn note_acknowledgement(&mut self, now: Instant, id: MessageId) {
        if let Some(MessageSource::Schedules(source)) = self.origin.as_deref_mut()
            && source
                .plan
                .of(id.flow)
                .is_some_and(|it| !it.kind.is_answered())
            && let Some(ended) = source.note_end(now, id)
        {
            self.events.push(ended);
        }
    }

    /// Whether what the protocol tells is to be told: of a message in parts it is the last one that counts.
    fn is_told(&mut self, event: &MessageEvent) -> bool {
        match (event, &mut self.reaction) {
            (MessageEvent::Acknowledged { id }, Some(reaction)) => {
                reaction.is_all_acknowledged(*id)
            }
            _ => true,
        }
    }

    /// What the protocol says next, when there is nothing of its own to tell.
    #[inline(never)]
    fn advance(&mut self, now: Instant, transport: &mut dyn Transport) -> ApplicationOutput {
        loop {
            match self.protocol.poll(now, transport) {
                // Who makes no messages tells that he can hear some.
                ready @ ApplicationOutput::Ready(..) if self.origin.is_none() => return ready,
                ApplicationOutput::Ready(device, flows) => {
                    self.start_flows(now, device, flows, transport);
                }
                ApplicationOutput::Received(received) => self.react(now, &received, transport),
                ApplicationOutput::WaitUntil(deadline) if self.events.is_empty() => {
                    let due = self.next_due();
                    let next = [deadline, due].into_iter().flatten().min();
                    return ApplicationOutput::WaitUntil(next);
                }
                ApplicationOutput::WaitUntil(_) => {}
                ApplicationOutput::Event(event) => {
                    match event {
                        MessageEvent::Failed { id, .. } => self.note_over(now, id),
                        MessageEvent::Acknowledged { id } => self.note_acknowledgement(now, id),
                        _ => {}
                    }
                    if self.is_told(&event) {
                        return ApplicationOutput::Event(event);
                    }
                }
            }
            if let Some(event) = self.events.pop() {
                return ApplicationOutput::Event(event);
            }
        }
    }
}

impl<P: Application> Application for Traffic<P> {
    fn refusal(&self) -> Option<Refusal> {
        self.protocol.refusal()
    }

    /// The answers to what it sent last, and what the protocol waits for besides.
    fn awaits(&self) -> Awaited {
        let own = match self.origin.as_deref() {
            Some(MessageSource::Schedules(source)) => Awaited::messages(source.unanswered()),
            Some(MessageSource::Report(_)) | None => Awaited::Nothing,
        };
        own.and(self.protocol.awaits())
    }

    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport) {
        match (input, self.origin.as_deref()) {
            (ApplicationInput::Timeout, _) => self.send_due(now, transport),
            (ApplicationInput::Stop | ApplicationInput::Crash(_), _) => {
                self.pause();
                if let Some(reaction) = &mut self.reaction {
                    reaction.forget();
                }
            }
            (ApplicationInput::Start, Some(MessageSource::Schedules(_))) => self.go_on(now),
            (ApplicationInput::Start, Some(MessageSource::Report(report))) => {
                self.events.push(report.intended());
            }
            _ => {}
        }
        self.protocol.handle(now, input, transport);
    }

    fn poll(&mut self, now: Instant, transport: &mut dyn Transport) -> ApplicationOutput {
        match self.events.pop() {
            Some(event) => ApplicationOutput::Event(event),
            None => self.advance(now, transport),
        }
    }
}
