use lasthop_units::{Duration, Instant};

use crate::{MessageLog, MessageRecord};

/// The share of the messages that the path did not carry while they were offered, over all flows.
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
/// The reasons stand in `MODEL.md`.
pub(crate) fn uncarried_share(log: &MessageLog) -> Option<f64> {
    let (mut uncarried, mut messages) = (0.0, 0);
    for records in log.flows() {
        if records.len() >= FEWEST_MESSAGES {
            uncarried += Flow::new(records).uncarried_share() * records.len() as f64;
            messages += records.len();
        }
    }
    (messages > 0).then(|| uncarried / messages as f64)
}

/// With fewer messages, a few that are late decide.
const FEWEST_MESSAGES: usize = 20;

/// The messages of a flow, and what it takes for one to be late.
struct Flow<'a> {
    records: &'a [MessageRecord],
    fastest: Duration,
}

/// A part of the time of sending.
#[derive(Clone, Copy)]
struct Window {
    from: Instant,
    to: Instant,
}

/// When a message begins to count, and when it ceases to; `None` is never.
type Stay = (Instant, Option<Instant>);

impl<'a> Flow<'a> {
    fn new(records: &'a [MessageRecord]) -> Self {
        let fastest = records.iter().filter_map(MessageRecord::latency).min();
        Self {
            records,
            fastest: fastest.unwrap_or(Duration::ZERO),
        }
    }

    fn uncarried_share(&self) -> f64 {
        let (early, late) = (self.window(1, 2), self.window(4, 6));
        if least(self.waits(), late) == 0 {
            return 0.0;
        }
        let (before, after) = (least(self.excess(), early), least(self.excess(), late));
        let due = |until: Instant| self.records.partition_point(|r| r.intended < until);
        let between = due(late.from) - due(early.from);
        after.saturating_sub(before) as f64 / between.max(1) as f64
    }

    /// From one sixth of the time of sending to another.
    fn window(&self, from: u64, to: u64) -> Window {
        let first = self.records.first().map_or(Instant::ZERO, |r| r.intended);
        let last = self.records.last().map_or(Instant::ZERO, |r| r.intended);
        let sixth = (last - first).as_nanos() / 6;
        let at = |sixths| first + Duration::from_nanos(sixth * sixths);
        Window {
            from: at(from),
            to: at(to),
        }
    }

    fn waits(&self) -> impl Iterator<Item = Stay> + '_ {
        self.stays(MessageRecord::ended)
    }

    fn excess(&self) -> impl Iterator<Item = Stay> + '_ {
        self.stays(|record| record.ended().filter(|_| !record.was_turned_away()))
    }

    /// What counts from when it is late, if it does not end before.
    fn stays(&self, end: fn(&MessageRecord) -> Option<Instant>) -> impl Iterator<Item = Stay> + '_ {
        self.records.iter().filter_map(move |record| {
            let (from, to) = (record.intended + self.fastest, end(record));
            to.is_none_or(|to| to > from).then_some((from, to))
        })
    }
}

/// The least number of stays at a time, over a window.
fn least(stays: impl Iterator<Item = Stay>, window: Window) -> u64 {
    let mut count = 0;
    let mut changes = Vec::new();
    for (from, to) in stays {
        if to.is_some_and(|to| to <= window.from) || from > window.to {
            continue;
        }
        if from <= window.from {
            count += 1;
        } else {
            changes.push((from, 1));
        }
        changes.extend(to.filter(|to| *to <= window.to).map(|to| (to, -1)));
    }
    // What ends at a moment ends before what begins then.
    changes.sort_unstable();
    let mut least = count;
    for (_, change) in changes {
        count += change;
        least = least.min(count);
    }
    u64::try_from(least).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use core::num::NonZeroU32;

    use lasthop_contract::{Direction, FailureReason, FlowId, MessageEvent, MessageId};
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
                    log.note(at(millis), Direction::Up, Direction::Up, event);
                };
                note(due, MessageEvent::Intended { id, payload });
                match end(flow, index) {
                    End::Arrives(after) => note(due + after, MessageEvent::Delivered { id }),
                    End::Fails(after, reason) => {
                        note(due + after, MessageEvent::Failed { id, reason });
                    }
                    End::Never => {}
                }
            }
        }
        uncarried_share(&log)
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
    fn few_messages_say_nothing() {
        assert_eq!(share(3, 19, falling_behind), None);
        assert!(share(3, 20, falling_behind).is_some());
    }
}
