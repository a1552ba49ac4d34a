use std::sync::Arc;

use lasthop_contract::message_text::message_id;
use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, FlowId, MessageEvent, OutgoingMessage,
    Received, ShortQueue, Transport,
};
use lasthop_units::{Duration, Instant};

use crate::report::Report;
use crate::source::Source;
use crate::{Arrivals, PayloadTemplate};

/// The end of a flow above its protocol: makes messages when they are due, and reacts to those that arrive.
#[derive(Debug)]
pub struct Traffic<P> {
    protocol: P,
    reaction: Reaction,
    /// What makes the messages, where some are made.
    origin: Option<Box<Origin>>,
    events: ShortQueue<MessageEvent>,
}

/// What a flow sends. Devices share one plan; each draws from streams of its own.
#[derive(Clone, Debug)]
pub struct TrafficPlan {
    /// What the messages look like.
    pub payload: PayloadTemplate,
    /// How they follow each other.
    pub arrivals: Arrivals,
    /// How many are due at each arrival.
    pub burst: u32,
    /// From the session's set-up to the start of the schedule.
    pub start: Duration,
    /// The start is later by up to this much, uniformly, for each flow.
    pub spread: Duration,
    /// From the start to the end of the schedule.
    pub duration: Duration,
    /// The seed of the run.
    pub seed: u64,
}

/// What to do with a message that arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// It is where it was meant to go.
    Deliver,
    /// Send it back.
    Echo,
}

/// What makes messages.
#[derive(Debug)]
enum Origin {
    /// Schedules.
    Schedules(Source),
    /// One message, due from the start on.
    Report(Report),
}

impl<P: Application> Traffic<P> {
    /// Traffic over a protocol. Without a plan it only reacts.
    pub fn new(protocol: P, plan: Option<Arc<TrafficPlan>>, reaction: Reaction) -> Self {
        Self {
            protocol,
            reaction,
            origin: plan.map(|plan| Box::new(Origin::Schedules(Source::new(plan)))),
            events: ShortQueue::new(),
        }
    }

    /// The traffic of a device that comes with one message: it is due at the start, and leaves as soon as the
    /// protocol can send it.
    pub fn of_one_report(protocol: P, payload: PayloadTemplate, flow: FlowId) -> Self {
        Self {
            protocol,
            reaction: Reaction::Deliver,
            origin: Some(Box::new(Origin::Report(Report::new(payload, flow)))),
            events: ShortQueue::new(),
        }
    }

    fn start_flow(&mut self, now: Instant, id: FlowId, transport: &mut dyn Transport) {
        match self.origin.as_deref_mut() {
            None => {}
            Some(Origin::Schedules(source)) => {
                if !source.start(id) {
                    return;
                }
                self.events.push(MessageEvent::TrafficStarted { flow: id });
                let index = source.begin(now, id);
                if let Some(ended) = source.arm(index) {
                    self.events.push(ended);
                }
            }
            Some(Origin::Report(report)) => {
                if let Some(message) = report.take() {
                    let input = ApplicationInput::Send(message.as_outgoing());
                    self.protocol.handle(now, input, transport);
                }
            }
        }
    }

    fn send_due(&mut self, now: Instant, transport: &mut dyn Transport) {
        let Some(Origin::Schedules(source)) = self.origin.as_deref_mut() else {
            return;
        };
        let mut payload = Vec::new();
        while let Some((id, index)) = source.next_due(now) {
            source
                .plan
                .payload
                .write(id.flow, id.number.get(), &mut payload);
            self.events.push(MessageEvent::Intended {
                id,
                payload: source.plan.payload.size(),
            });
            let message = OutgoingMessage {
                id,
                payload: &payload,
            };
            self.protocol
                .handle(now, ApplicationInput::Send(message), transport);
            if let Some(ended) = source.arm(index) {
                self.events.push(ended);
            }
        }
    }

    fn next_due(&self) -> Option<Instant> {
        match self.origin.as_deref()? {
            Origin::Schedules(source) => source.next_deadline(),
            Origin::Report(_) => None,
        }
    }

    fn react(&mut self, now: Instant, received: &Received, transport: &mut dyn Transport) {
        let Some(id) = message_id(&received.payload) else {
            return;
        };
        match self.reaction {
            Reaction::Deliver => self.events.push(MessageEvent::Delivered { id }),
            Reaction::Echo => {
                let message = OutgoingMessage {
                    id,
                    payload: &received.payload,
                };
                self.protocol
                    .handle(now, ApplicationInput::Send(message), transport);
            }
        }
    }
}

impl<P: Application> Application for Traffic<P> {
    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport) {
        match (input, self.origin.as_deref()) {
            (ApplicationInput::Timeout, _) => self.send_due(now, transport),
            (ApplicationInput::Start, Some(Origin::Report(report))) => {
                self.events.push(report.intended());
            }
            _ => {}
        }
        self.protocol.handle(now, input, transport);
    }

    fn poll(&mut self, now: Instant, transport: &mut dyn Transport) -> ApplicationOutput {
        loop {
            if let Some(event) = self.events.pop() {
                return ApplicationOutput::Event(event);
            }
            match self.protocol.poll(now, transport) {
                ApplicationOutput::Ready(flow) => self.start_flow(now, flow, transport),
                ApplicationOutput::Received(received) => self.react(now, &received, transport),
                ApplicationOutput::WaitUntil(deadline) if self.events.is_empty() => {
                    let due = self.next_due();
                    let next = [deadline, due].into_iter().flatten().min();
                    return ApplicationOutput::WaitUntil(next);
                }
                ApplicationOutput::WaitUntil(_) => {}
                event @ ApplicationOutput::Event(_) => return event,
            }
        }
    }
}
