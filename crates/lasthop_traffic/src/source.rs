use core::num::NonZeroU32;
use std::sync::Arc;

use lasthop_contract::message_text::MAX_PART;
use lasthop_contract::{
    Direction, FlowId, LookupSet, MessageEvent, MessageId, RandomStream, TimerQueue,
};
use lasthop_units::{Duration, Instant};
use smallvec::SmallVec;

use crate::schedule::Waiting;
use crate::{Origin, PlannedFlows, Schedule, TrafficPlan};

/// Makes the messages of flows when they are due.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) plan: Arc<TrafficPlan>,
    side: Direction,
    /// A device has one most often.
    flows: SmallVec<[Flow; 1]>,
    /// Those after the first, for which no set is needed.
    started: Option<Box<LookupSet<FlowId>>>,
    /// When the next message of each flow is due.
    due: TimerQueue<u32>,
    /// Messages without an answer that were sent at the last moment at which one was; an end that goes on to the next
    /// has given those before it up.
    unanswered: (Instant, SmallVec<[MessageId; 1]>),
    /// The host is off: nobody is there who would say anything.
    pub(crate) is_paused: bool,
}

#[derive(Debug)]
struct Flow {
    id: FlowId,
    schedule: Schedule,
    sent: u32,
}

impl Flow {
    /// When its next message is due, as far as that is known.
    fn next_due(&self) -> Option<Instant> {
        let most = self.schedule.pausing().map_or(MAX_PART, |it| it.messages);
        let goes_on = self.sent < most.min(MAX_PART);
        self.schedule.next_due().filter(|_| goes_on)
    }

    /// When something is to be done: to send, to give a message up, or to end.
    fn next_deadline(&self) -> Option<Instant> {
        let next = self.next_due()?;
        let waiting = self.schedule.waiting();
        Some(waiting.map_or(next, |it| it.until.min(self.schedule.end())))
    }

    /// A closed loop goes on after its pause: what it waited for has ended.
    fn go_on(&mut self, now: Instant) {
        self.schedule.wait_for(None);
        if let Some(pausing) = self.schedule.pausing() {
            self.schedule.go_on_at(now + pausing.pause);
        }
    }
}

/// What is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Due {
    /// A message, with the index of its flow, which is to be armed again.
    Message(MessageId, usize),
    /// The end of a flow.
    End(FlowId),
}

impl Source {
    /// No flow yet.
    pub(crate) fn new(Origin { plan, side }: Origin) -> Self {
        Self {
            plan,
            side,
            flows: SmallVec::new(),
            started: None,
            due: TimerQueue::new(),
            unanswered: (Instant::ZERO, SmallVec::new()),
            is_paused: false,
        }
    }

    /// Notes a message that is answered.
    pub(crate) fn note_question(&mut self, now: Instant, id: MessageId) {
        let (at, questions) = &mut self.unanswered;
        if *at < now {
            questions.clear();
        }
        *at = now;
        questions.push(id);
    }

    /// Notes that the answer to a message is there, or is not to come.
    pub(crate) fn note_answer(&mut self, id: MessageId) {
        self.unanswered.1.retain(|question| *question != id);
    }

    /// A closed loop goes on where it waited for this message; tells when the flow has ended by that.
    pub(crate) fn note_end(&mut self, now: Instant, id: MessageId) -> Option<MessageEvent> {
        let index = self.flows.iter().position(|flow| flow.id == id.flow)?;
        let flow = &mut self.flows[index];
        flow.schedule
            .waiting()
            .filter(|it| it.number == id.number)?;
        // After the last message the end was told already.
        let armed = flow.next_deadline();
        flow.go_on(now);
        self.due.disarm(armed?, index as u32);
        self.arm(now, index)
    }

    /// How many answers are to come to what was sent last.
    pub(crate) fn unanswered(&self) -> usize {
        self.unanswered.1.len()
    }

    /// Begins the schedule of a flow that can be sent now; gives its index, once, where its messages are made here.
    pub(crate) fn start(&mut self, now: Instant, id: FlowId) -> Option<usize> {
        let plan = Arc::clone(&self.plan);
        let plan = plan.of(id)?;
        let arrivals = plan.arrivals?;
        if plan.kind.origin() != self.side || !self.is_new(id) {
            return None;
        }
        let (group, name) = (&plan.group, &plan.name);
        let number = plan.device(id);
        let stream = |purpose: &str| {
            let name = format_args!("{group}/{number}/{name}/{purpose}");
            RandomStream::named(self.plan.seed, name)
        };
        let offset = if plan.spread > Duration::ZERO {
            stream("start").uniform(Duration::ZERO, plan.spread)
        } else {
            Duration::ZERO
        };
        let start = now.max(plan.not_before) + plan.start + offset;
        let end = start + plan.duration;
        self.flows.push(Flow {
            id,
            schedule: Schedule::new(arrivals, plan.grouping, start, end, stream("arrivals")),
            sent: 0,
        });
        Some(self.flows.len() - 1)
    }

    /// Whether a flow has not been started; it is from now on.
    fn is_new(&mut self, id: FlowId) -> bool {
        match self.flows.first() {
            None => true,
            Some(first) if first.id == id => false,
            Some(_) => self
                .started
                .get_or_insert_with(|| Box::new(LookupSet::new()))
                .insert(id),
        }
    }

    /// Notes when the flow is due next; tells when it has ended.
    ///
    /// A file may take long: flows of files end with the time that they were given, and not with their last message.
    pub(crate) fn arm(&mut self, now: Instant, index: usize) -> Option<MessageEvent> {
        let flow = &self.flows[index];
        let next = flow.next_deadline();
        let is_of_files = || self.plan.of(flow.id).is_some_and(PlannedFlows::is_of_files);
        match next.or_else(|| {
            is_of_files()
                .then(|| flow.schedule.end())
                .filter(|end| now <= *end)
        }) {
            Some(at) => {
                self.due.arm(at, index as u32);
                None
            }
            None => Some(MessageEvent::TrafficEnded { flow: flow.id }),
        }
    }

    /// Takes what is due next.
    pub(crate) fn next_due(&mut self, now: Instant) -> Option<Due> {
        let index = loop {
            let index = self.due.pop_due(now)?;
            let flow = &mut self.flows[index as usize];
            let id = flow.id;
            if flow.next_due().is_none() {
                return Some(Due::End(id));
            }
            if flow.schedule.waiting().is_none() {
                break index;
            }
            if now >= flow.schedule.end() {
                return Some(Due::End(id));
            }
            flow.go_on(now);
            if self.arm(now, index as usize).is_some() {
                return Some(Due::End(id));
            }
        };
        let flow = &mut self.flows[index as usize];
        flow.schedule.advance();
        flow.sent += 1;
        let number = NonZeroU32::new(flow.sent).expect("counted from 1");
        let waiting = flow.schedule.pausing().map(|pausing| Waiting {
            number,
            until: now + pausing.give_up,
        });
        flow.schedule.wait_for(waiting);
        let id = MessageId {
            flow: flow.id,
            number,
        };
        Some(Due::Message(id, index as usize))
    }

    /// Goes on after the host was off: what was due meanwhile was not said, and what waited in its memory to be bundled is
    /// gone. Tells which flows have ended by that.
    pub(crate) fn resume(&mut self, now: Instant) -> Vec<MessageEvent> {
        self.is_paused = false;
        let mut ended = self.pass_to(now);
        self.due = TimerQueue::new();
        for index in 0..self.flows.len() {
            let flow = &mut self.flows[index];
            // A program that starts again sends at once, and waits for nothing.
            flow.schedule.begin_again(now);
            let goes_on = flow.next_due().is_some();
            if goes_on {
                flow.schedule.begin_bundle(now);
            }
            // Of others it was told already that they have ended.
            let waits_for_end = now <= flow.schedule.end()
                && self.plan.of(flow.id).is_some_and(PlannedFlows::is_of_files);
            if goes_on || waits_for_end {
                ended.extend(self.arm(now, index));
            }
        }
        ended
    }

    /// Passes over what was due before an instant; tells which flows have ended by that.
    pub(crate) fn pass_to(&mut self, now: Instant) -> Vec<MessageEvent> {
        let mut ended = Vec::new();
        while self.due.next_deadline().is_some_and(|at| at < now)
            && let Some(index) = self.due.pop_due(now)
        {
            let flow = &mut self.flows[index as usize];
            if flow.schedule.pausing().is_some() {
                // It goes on when the host does; its end is told in any case.
                flow.schedule.wait_for(None);
                if now >= flow.schedule.end() {
                    ended.push(MessageEvent::TrafficEnded { flow: flow.id });
                } else {
                    self.due.arm(flow.schedule.end(), index);
                }
                continue;
            }
            flow.schedule.advance();
            ended.extend(self.arm(now, index as usize));
        }
        ended
    }

    /// When the next message is due, or would be.
    pub(crate) fn next_deadline(&self) -> Option<Instant> {
        self.due.next_deadline()
    }
}

#[cfg(test)]
mod tests {
    use lasthop_units::DataSize;

    use super::*;
    use crate::{Arrivals, FlowKind, Grouping, Part, Pausing, PayloadTemplate};

    const SECOND: u64 = 1_000_000_000;

    fn at(seconds: u64) -> Instant {
        Instant::ZERO + Duration::from_secs(seconds)
    }

    /// A device that asks 1 s after each answer, waits 5 s for one, and asks three times within 60 s.
    fn source() -> Source {
        let pausing = Pausing {
            pause: Duration::from_secs(1),
            give_up: Duration::from_secs(5),
            messages: 3,
        };
        let flows = PlannedFlows {
            numbers: 0..1,
            part: Part::ALL,
            group: "clients".into(),
            name: "ask".into(),
            kind: FlowKind::RoundTrip,
            payload: PayloadTemplate::text(DataSize::from_bytes(40)).unwrap(),
            arrivals: Some(Arrivals::Paused(pausing)),
            grouping: Grouping { burst: 1, batch: 1 },
            start: Duration::ZERO,
            not_before: Instant::ZERO,
            spread: Duration::ZERO,
            duration: Duration::from_secs(60),
        };
        let plan = Arc::new(TrafficPlan {
            seed: 1,
            flows: vec![flows],
        });
        let mut source = Source::new(Origin {
            plan,
            side: Direction::Up,
        });
        assert_eq!(source.start(at(0), FlowId(0)), Some(0));
        assert_eq!(source.arm(at(0), 0), None);
        source
    }

    /// Sends what is due at a second, which is a message.
    fn send(source: &mut Source, second: u64) -> (MessageId, Option<MessageEvent>) {
        assert_eq!(source.next_deadline(), Some(at(second)));
        let Some(Due::Message(id, index)) = source.next_due(at(second)) else {
            panic!("no message is due at {second} s");
        };
        let ended = source.arm(at(second), index);
        assert_eq!(source.next_due(at(second)), None);
        (id, ended)
    }

    #[test]
    fn the_next_message_is_due_a_pause_after_the_answer() {
        let mut source = source();
        let (first, _) = send(&mut source, 0);
        assert_eq!(source.next_deadline(), Some(at(5)), "it may be given up");
        assert_eq!(source.note_end(at(2), first), None);
        let (second, _) = send(&mut source, 3);
        // An answer that is late to an earlier message moves nothing.
        assert_eq!(source.note_end(at(4), first), None);
        assert_eq!(source.next_deadline(), Some(at(8)));
        assert_eq!(source.note_end(at(4), second), None);
        let (third, ended) = send(&mut source, 5);
        let flow = FlowId(0);
        assert_eq!(ended, Some(MessageEvent::TrafficEnded { flow }));
        assert_eq!(source.note_end(at(6), third), None, "the end was told");
        assert_eq!(source.next_deadline(), None);
    }

    #[test]
    fn what_is_not_answered_is_given_up_and_the_pause_follows() {
        let mut source = source();
        send(&mut source, 0);
        assert_eq!(source.next_due(at(5)), None);
        send(&mut source, 6);
    }

    #[test]
    fn a_host_that_was_off_sends_at_once_and_tells_its_end_in_any_case() {
        let mut back = source();
        send(&mut back, 0);
        back.is_paused = true;
        assert!(back.resume(at(20)).is_empty());
        send(&mut back, 20);
        let mut away = source();
        send(&mut away, 0);
        away.is_paused = true;
        assert!(away.pass_to(at(30)).is_empty());
        assert_eq!(away.next_deadline(), Some(at(60)));
        let flow = FlowId(0);
        let after = Instant::ZERO + Duration::from_nanos(60 * SECOND + 1);
        assert_eq!(away.pass_to(after), [MessageEvent::TrafficEnded { flow }]);
        assert_eq!(away.next_deadline(), None);
    }
}
