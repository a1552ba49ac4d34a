use core::cmp::Reverse;
use core::num::NonZeroU32;
use std::collections::BinaryHeap;
use std::sync::Arc;

use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, FlowId, LookupSet, MessageEvent, MessageId,
    OutgoingMessage, RandomStream, Received, ShortQueue, Transport,
};
use lasthop_units::{Duration, Instant};
use smallvec::SmallVec;

use crate::{Arrivals, PayloadTemplate, Schedule};
use lasthop_contract::message_text::{MAX_PART, message_id};

/// The end of a flow above its protocol: makes messages when they are due, and reacts to those that arrive.
#[derive(Debug)]
pub struct Traffic<P> {
    protocol: P,
    reaction: Reaction,
    /// What makes the messages, where some are made.
    source: Option<Box<Source>>,
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

#[derive(Debug)]
struct Source {
    plan: Arc<TrafficPlan>,
    /// A device has one.
    flows: SmallVec<[Flow; 1]>,
    started: LookupSet<FlowId>,
    /// When the next message of each flow is due.
    due: BinaryHeap<Reverse<(Instant, u32)>>,
}

#[derive(Debug)]
struct Flow {
    id: FlowId,
    schedule: Schedule,
    sent: u32,
}

impl<P: Application> Traffic<P> {
    /// Traffic over a protocol. Without a plan it only reacts.
    pub fn new(protocol: P, plan: Option<Arc<TrafficPlan>>, reaction: Reaction) -> Self {
        Self {
            protocol,
            reaction,
            source: plan.map(|plan| Box::new(Source::new(plan))),
            events: ShortQueue::new(),
        }
    }

    fn start_flow(&mut self, now: Instant, id: FlowId) {
        let Some(source) = &mut self.source else {
            return;
        };
        if !source.started.insert(id) {
            return;
        }
        self.events.push(MessageEvent::TrafficStarted { flow: id });
        let index = source.begin(now, id);
        if let Some(ended) = source.arm(index) {
            self.events.push(ended);
        }
    }

    fn send_due(&mut self, now: Instant, transport: &mut dyn Transport) {
        let Some(source) = &mut self.source else {
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

impl Source {
    fn new(plan: Arc<TrafficPlan>) -> Self {
        Self {
            plan,
            flows: SmallVec::new(),
            started: LookupSet::new(),
            due: BinaryHeap::with_capacity(1),
        }
    }

    /// Begins the schedule of a flow; gives its index.
    fn begin(&mut self, now: Instant, id: FlowId) -> usize {
        let plan = &self.plan;
        let stream = |purpose: &str| {
            RandomStream::named(plan.seed, format_args!("device/{}/traffic/{purpose}", id.0))
        };
        let offset = if plan.spread > Duration::ZERO {
            stream("start").uniform(Duration::ZERO, plan.spread)
        } else {
            Duration::ZERO
        };
        let start = now + plan.start + offset;
        let end = start + plan.duration;
        self.flows.push(Flow {
            id,
            schedule: Schedule::new(plan.arrivals, plan.burst, start, end, stream("arrivals")),
            sent: 0,
        });
        self.flows.len() - 1
    }

    /// Notes when the flow is due next; tells when it has ended.
    fn arm(&mut self, index: usize) -> Option<MessageEvent> {
        let flow = &self.flows[index];
        match flow.schedule.next_due() {
            Some(at) if flow.sent < MAX_PART => {
                self.due.push(Reverse((at, index as u32)));
                None
            }
            _ => Some(MessageEvent::TrafficEnded { flow: flow.id }),
        }
    }

    /// Takes the next message that is due, with the index of its flow, which is to be armed again.
    fn next_due(&mut self, now: Instant) -> Option<(MessageId, usize)> {
        if self.next_deadline()? > now {
            return None;
        }
        let Reverse((_, index)) = self.due.pop()?;
        let flow = &mut self.flows[index as usize];
        flow.schedule.advance();
        flow.sent += 1;
        let number = NonZeroU32::new(flow.sent).expect("counted from 1");
        let id = MessageId {
            flow: flow.id,
            number,
        };
        Some((id, index as usize))
    }

    fn next_deadline(&self) -> Option<Instant> {
        self.due.peek().map(|Reverse((at, _))| *at)
    }
}

impl<P: Application> Application for Traffic<P> {
    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport) {
        if matches!(input, ApplicationInput::Timeout) {
            self.send_due(now, transport);
        }
        self.protocol.handle(now, input, transport);
    }

    fn poll(&mut self, now: Instant, transport: &mut dyn Transport) -> ApplicationOutput {
        loop {
            if let Some(event) = self.events.pop() {
                return ApplicationOutput::Event(event);
            }
            match self.protocol.poll(now, transport) {
                ApplicationOutput::Ready(flow) => self.start_flow(now, flow),
                ApplicationOutput::Received(received) => self.react(now, &received, transport),
                ApplicationOutput::WaitUntil(deadline) if self.events.is_empty() => {
                    let due = self.source.as_ref().and_then(|s| s.next_deadline());
                    let next = [deadline, due].into_iter().flatten().min();
                    return ApplicationOutput::WaitUntil(next);
                }
                ApplicationOutput::WaitUntil(_) => {}
                event @ ApplicationOutput::Event(_) => return event,
            }
        }
    }
}
