use core::cmp::Reverse;
use std::collections::BinaryHeap;

use lasthop_units::{Duration, Instant};

use crate::{MessageLog, MessageRecord};

/// Returns the share of messages, over all flows, that the path did not carry while they were offered.
///
/// Of each flow, from its first due message to its last:
///
/// - A message *waits* from when the fastest message of the flow would have been there until it is there, or given
///   up, or lost for good. So what is merely under way does not wait, whatever the delay of the path.
/// - A message is *turned away* when a queue was full, or went down with its connection or for want of one.
/// - `excess(t)` counts the messages that wait at `t` and those turned away until then.
/// - The flow has *settled* when no message waited at some moment of the last third. Its share is then 0.
/// - Otherwise its share is the least excess of the last third less the least excess from 1/6 to 1/3 of the time, for
///   each message due from 1/6 to 2/3, and not below 0.
///
/// The share of the run is the mean over its flows, each counted as often as it has messages. Flows of less than 20
/// messages say nothing.
///
/// Only messages count that were due before something happened to hosts or hops: what is not carried then is no load's
/// fault.
///
/// The reasons stand in `MODEL.md`.
pub(crate) fn uncarried_share(log: &MessageLog, disturbed: Instant) -> Option<f64> {
    let mut backlog = Backlog::default();
    for records in log.flows() {
        let (records, _) = records.split_at(records.partition_point(|it| it.intended < disturbed));
        backlog.begin(FlowShape::of(records));
        if !backlog.sees_rest(records) {
            for record in records {
                backlog.add(record);
            }
        }
    }
    backlog.uncarried_share()
}

/// With fewer messages, a few that are late decide.
const FEWEST_MESSAGES: usize = 20;

/// Computes the uncarried share from messages that are passed flow by flow and in order, with little memory.
#[derive(Debug, Default)]
pub(crate) struct Backlog {
    flow: Option<FlowBacklog>,
    uncarried: f64,
    messages: usize,
}

/// The properties of a flow that are needed before its messages are read one by one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FlowShape {
    first_due: Instant,
    last_due: Instant,
    fastest: Option<Duration>,
    messages: usize,
}

impl Backlog {
    /// Starts a flow with this shape.
    pub(crate) fn begin(&mut self, shape: Option<FlowShape>) {
        self.end_flow();
        let tells = |shape: &FlowShape| shape.messages >= FEWEST_MESSAGES;
        self.flow = shape.filter(tells).map(FlowBacklog::new);
    }

    /// Adds the next message of the flow.
    pub(crate) fn add(&mut self, record: &MessageRecord) {
        if let Some(flow) = &mut self.flow {
            flow.add(record);
        }
    }

    /// Whether the flow was idle when a message of the last third became due.
    ///
    /// Then the flow has settled and its messages need no count.
    fn sees_rest(&self, records: &[MessageRecord]) -> bool {
        let Some(flow) = &self.flow else {
            return true;
        };
        let mut busy_until = Instant::ZERO;
        for record in records {
            let late = flow.late(record);
            if late > flow.late.to {
                break;
            }
            if late > flow.late.from && busy_until <= late {
                return true;
            }
            let Some(ended) = record.ended() else {
                break;
            };
            busy_until = busy_until.max(ended);
        }
        false
    }

    /// Returns the share over all flows.
    pub(crate) fn uncarried_share(mut self) -> Option<f64> {
        self.end_flow();
        (self.messages > 0).then(|| self.uncarried / self.messages as f64)
    }

    fn end_flow(&mut self) {
        if let Some(flow) = self.flow.take() {
            let messages = flow.shape.messages;
            self.uncarried += flow.uncarried_share() * messages as f64;
            self.messages += messages;
        }
    }
}

impl FlowShape {
    /// Returns the shape of a flow, or `None` without messages.
    pub(crate) fn of<'a>(records: impl IntoIterator<Item = &'a MessageRecord>) -> Option<Self> {
        let mut shape = None;
        for record in records {
            Self::widen(&mut shape, record);
        }
        shape
    }

    /// Adds the next message to the shape.
    pub(crate) fn widen(shape: &mut Option<Self>, record: &MessageRecord) {
        let shape = shape.get_or_insert(Self {
            first_due: record.intended,
            last_due: record.intended,
            fastest: None,
            messages: 0,
        });
        shape.last_due = record.intended;
        if let Some(latency) = record.latency() {
            shape.fastest = Some(shape.fastest.map_or(latency, |it| it.min(latency)));
        }
        shape.messages += 1;
    }
}

/// The messages of a flow, as far as they were looked at.
#[derive(Debug)]
struct FlowBacklog {
    shape: FlowShape,
    early: Window,
    late: Window,
    /// Messages due from the beginning of the early window to that of the late one.
    due_between: usize,
    waits_late: Least,
    excess_early: Least,
    excess_late: Least,
}

/// A part of the time of sending.
#[derive(Clone, Copy, Debug)]
struct Window {
    from: Instant,
    to: Instant,
}

impl FlowBacklog {
    fn new(shape: FlowShape) -> Self {
        let sixth = (shape.last_due - shape.first_due).as_nanos() / 6;
        // From one sixth of the time of sending to another.
        let window = |from, to| Window {
            from: shape.first_due + Duration::from_nanos(sixth * from),
            to: shape.first_due + Duration::from_nanos(sixth * to),
        };
        let (early, late) = (window(1, 2), window(4, 6));
        Self {
            shape,
            early,
            late,
            due_between: 0,
            waits_late: Least::over(late),
            excess_early: Least::over(early),
            excess_late: Least::over(late),
        }
    }

    /// Returns when the fastest message would have arrived if it had been due at the time of this one.
    fn late(&self, record: &MessageRecord) -> Instant {
        record.intended + self.shape.fastest.unwrap_or(Duration::ZERO)
    }

    fn add(&mut self, record: &MessageRecord) {
        let between = self.early.from..self.late.from;
        self.due_between += usize::from(between.contains(&record.intended));
        let late = self.late(record);
        let ended = record.ended();
        self.waits_late.add(late, ended);
        let ended = ended.filter(|_| !record.was_turned_away());
        self.excess_early.add(late, ended);
        self.excess_late.add(late, ended);
    }

    fn uncarried_share(self) -> f64 {
        if self.waits_late.count() == 0 {
            return 0.0;
        }
        let (before, after) = (self.excess_early.count(), self.excess_late.count());
        after.saturating_sub(before) as f64 / self.due_between.max(1) as f64
    }
}

/// The least number of messages that count at a time, over a window.
#[derive(Debug)]
struct Least {
    window: Window,
    count: u64,
    least: Option<u64>,
    /// When those that count now cease to, in the window.
    ends: BinaryHeap<Reverse<Instant>>,
}

impl Least {
    fn over(window: Window) -> Self {
        Self {
            window,
            count: 0,
            least: None,
            ends: BinaryHeap::new(),
        }
    }

    /// Adds a message from one moment to another, or to never (`None`). Messages must be added in order of `from`.
    #[inline]
    fn add(&mut self, from: Instant, to: Option<Instant>) {
        let Window {
            from: start,
            to: end,
        } = self.window;
        if to.is_none_or(|to| to > from.max(start)) && from <= end {
            self.count_between(from, to);
        }
    }

    fn count_between(&mut self, from: Instant, to: Option<Instant>) {
        let Window {
            from: start,
            to: end,
        } = self.window;
        if from > start {
            // What ends at a moment ends before what begins then.
            self.pass(from);
        }
        self.count += 1;
        self.ends.extend(to.filter(|to| *to <= end).map(Reverse));
    }

    /// The least number over the window, when all are added.
    fn count(mut self) -> u64 {
        self.pass(self.window.to);
        self.least.unwrap_or(self.count)
    }

    /// Removes what ends before a moment.
    fn pass(&mut self, until: Instant) {
        self.least.get_or_insert(self.count);
        while self.ends.peek().is_some_and(|Reverse(end)| *end <= until) {
            self.ends.pop();
            self.count -= 1;
            self.least = self.least.min(Some(self.count));
        }
    }
}

#[cfg(test)]
mod tests {
    use core::num::NonZeroU32;

    use lasthop_contract::{
        Direction, FailureReason, FlowId, MessageEvent, MessageId, RandomStream,
    };
    use lasthop_units::DataSize;

    use super::*;

    const EVERY_MS: u64 = 250;
    const MESSAGES: u64 = 2400;

    /// What becomes of a message, so many milliseconds after it was due.
    enum End {
        Arrives(u64),
        Fails(u64, FailureReason),
        Never,
    }

    /// The share of flows whose messages end as told, by flow and number.
    fn share(flows: u32, messages: u64, end: impl Fn(u32, u64) -> End) -> Option<f64> {
        let mut log = MessageLog::keeping_all();
        let at = |millis: u64| Instant::from_nanos(millis * 1_000_000);
        for flow in 0..flows {
            for index in 0..messages {
                let id = MessageId {
                    flow: FlowId(flow),
                    number: NonZeroU32::new(index as u32 + 1).unwrap(),
                };
                let payload = DataSize::from_bytes(100);
                let due = index * EVERY_MS;
                let mut note = |millis, event| {
                    log.note(at(millis), Direction::Up, |_| Direction::Up, &event);
                };
                note(due, MessageEvent::Intended { id, payload });
                match end(flow, index) {
                    End::Arrives(after) => {
                        note(due + after, MessageEvent::Delivered { id, receiver: 0 });
                    }
                    End::Fails(after, reason) => {
                        note(due + after, MessageEvent::Failed { id, reason });
                    }
                    End::Never => {}
                }
            }
        }
        uncarried_share(&log, Instant::FAR_FUTURE)
    }

    fn assert_share(found: Option<f64>, expected: f64) {
        let found = found.unwrap();
        assert!((found - expected).abs() < 0.005, "{found}");
    }

    /// Where every message takes half as long again as there is between two: one in three is too many.
    fn falling_behind(_: u32, index: u64) -> End {
        End::Arrives(100 + index * EVERY_MS / 2)
    }

    #[test]
    fn is_what_part_of_the_load_is_too_much() {
        assert_share(share(1, MESSAGES, falling_behind), 1.0 / 3.0);
        let stuck = |_, index| {
            if index < 10 {
                End::Arrives(100)
            } else {
                End::Never
            }
        };
        assert_share(share(1, MESSAGES, stuck), 1.0);
    }

    #[test]
    fn flows_count_as_often_as_they_have_messages() {
        let one_of_four = |flow, index| match flow {
            0 => falling_behind(flow, index),
            _ => End::Arrives(100),
        };
        assert_share(share(4, MESSAGES, one_of_four), 1.0 / 12.0);
    }

    #[test]
    fn a_long_way_is_no_backlog() {
        assert_eq!(share(1, MESSAGES, |_, _| End::Arrives(60_000)), Some(0.0));
    }

    #[test]
    fn what_is_retransmitted_all_the_time_is_no_backlog() {
        let one_in_three = |_, index| End::Arrives(if index % 3 == 0 { 9_000 } else { 100 });
        assert_eq!(share(1, MESSAGES, one_in_three), Some(0.0));
    }

    #[test]
    fn a_stall_that_is_made_up_for_is_no_backlog() {
        // Nothing arrives in the third quarter, all of it at its end.
        let stalled = |_, index| match index {
            1200..1700 => End::Arrives(100 + (1700 - index) * EVERY_MS),
            _ => End::Arrives(100),
        };
        assert_eq!(share(1, MESSAGES, stalled), Some(0.0));
    }

    #[test]
    fn a_full_queue_is_a_backlog_and_bursts_into_a_small_one_are_not() {
        let full = |wait: u64| {
            move |_, index: u64| match index {
                0 => End::Arrives(100),
                _ if index.is_multiple_of(2) => End::Arrives(100 + wait),
                _ => End::Fails(0, FailureReason::QueueFull),
            }
        };
        assert_share(share(1, MESSAGES, full(3_000)), 0.5);
        assert_eq!(share(1, MESSAGES, full(0)), Some(0.0));
    }

    #[test]
    fn what_goes_down_with_its_connection_was_not_carried() {
        // Every minute the connection ends, and with it all that waits.
        let reset = |_, index: u64| match index {
            0 => End::Arrives(100),
            _ if index.is_multiple_of(10) => End::Arrives(40_000),
            _ => End::Fails(
                60_000 - index % 240 * EVERY_MS,
                FailureReason::ConnectionLost,
            ),
        };
        assert_share(share(1, MESSAGES, reset), 0.9);
    }

    #[test]
    fn what_is_lost_on_the_way_was_carried_there() {
        let lossy = |_, index| match index % 2 {
            0 => End::Arrives(100),
            _ => End::Fails(90_000, FailureReason::NoAcknowledgement),
        };
        assert_eq!(share(1, MESSAGES, lossy), Some(0.0));
    }

    #[test]
    fn who_sees_the_rest_of_a_flow_says_what_counting_says() {
        let mut random = RandomStream::named(1, "flows");
        let mut seen = [0; 2];
        for _ in 0..2_000 {
            let (slowest, stuck) = (1 + random.below(40), random.below(60));
            let mut log = MessageLog::keeping_all();
            for number in 1..=60 {
                let id = MessageId {
                    flow: FlowId(0),
                    number: NonZeroU32::new(number).unwrap(),
                };
                let payload = DataSize::from_bytes(100);
                let due = u64::from(number) * EVERY_MS;
                let mut note = |millis: u64, event| {
                    let at = Instant::from_nanos(millis * 1_000_000);
                    log.note(at, Direction::Up, |_| Direction::Up, &event);
                };
                note(due, MessageEvent::Intended { id, payload });
                let after = 50 * (1 + random.below(slowest));
                match random.below(60) {
                    0 if stuck < 20 => {}
                    1 => {
                        let reason = FailureReason::QueueFull;
                        note(due + after, MessageEvent::Failed { id, reason });
                    }
                    _ => note(due + after, MessageEvent::Delivered { id, receiver: 0 }),
                }
            }
            let records = log.flows().next().unwrap();
            let mut counted = Backlog::default();
            counted.begin(FlowShape::of(records));
            seen[usize::from(counted.sees_rest(records))] += 1;
            records.iter().for_each(|record| counted.add(record));
            let share = uncarried_share(&log, Instant::FAR_FUTURE);
            assert_eq!(share, counted.uncarried_share());
        }
        assert!(seen.iter().all(|times| *times > 200), "{seen:?}");
    }

    #[test]
    fn few_messages_say_nothing() {
        assert_eq!(share(3, 19, falling_behind), None);
        assert!(share(3, 20, falling_behind).is_some());
    }
}
