use lasthop_units::Duration;

use crate::tariff::Month;
use crate::{DataPlan, MONTH, RoundingUnit};

/// The packets of one SIM in a span of time, as its operator counts them.
///
/// Times count from the beginning of the span. A packet that is told late counts with the last one before it.
#[derive(Clone, Debug, Default)]
pub struct Usage {
    set_up: u64,
    metered: u64,
    /// Rounded bytes less metered ones, of what has ended.
    rounded_up: u64,
    open: Option<Record>,
    session: Option<Session>,
    /// Started minutes of sessions that have ended.
    minutes: u64,
}

/// Packets that are rounded together.
#[derive(Clone, Copy, Debug)]
struct Record {
    /// Its number among those of one length each.
    number: u64,
    began: Duration,
    bytes: u64,
}

/// A data session.
#[derive(Clone, Copy, Debug)]
struct Session {
    began: Duration,
    last: Duration,
}

impl Usage {
    /// Adds a packet that is sent once in the life of a SIM, either before the span or for the set-up.
    pub fn add_set_up(&mut self, plan: &DataPlan, bytes: u32) {
        self.set_up += plan.metered(bytes);
    }

    /// Adds a packet. Returns the number of counted bytes.
    pub fn add(&mut self, plan: &DataPlan, at: Duration, bytes: u32) -> u64 {
        let metered = plan.metered(bytes);
        self.metered += metered;
        let at = self.session.map_or(at, |session| session.last.max(at));
        let begins = self.begin_session(plan, at);
        let number = plan
            .record_interval()
            .map_or(0, |every| at.as_nanos() / every.as_nanos().max(1));
        let ends = |record: &Record| plan.ends_before(record, number, at, begins);
        if let Some(record) = self.open.take_if(|record| ends(record)) {
            self.rounded_up += rounded_up(plan, record.bytes);
        }
        let record = self.open.get_or_insert(Record {
            number,
            began: at,
            bytes: 0,
        });
        record.bytes += metered;
        metered
    }

    /// Whether a packet begins another session.
    fn begin_session(&mut self, plan: &DataPlan, at: Duration) -> bool {
        let is_over = |it: &Session| plan.session_idle.is_some_and(|idle| at - it.last >= idle);
        if let Some(session) = self.session.as_mut().filter(|it| !is_over(it)) {
            session.last = at;
            return false;
        }
        let next = Session {
            began: at,
            last: at,
        };
        let before = self.session.replace(next);
        self.minutes += before.map_or(0, Session::minutes);
        before.is_some()
    }

    /// Extrapolates the use in this span to a month.
    #[must_use]
    pub fn month(&self, plan: &DataPlan, span: Duration) -> Month {
        if span == Duration::ZERO {
            return Month {
                set_up_bytes: self.set_up as f64,
                ..Month::default()
            };
        }
        let months = MONTH.as_secs_f64() / span.as_secs_f64();
        let bytes = self.metered as f64 * months;
        Month {
            bytes,
            billed_bytes: bytes + self.rounding_of_a_month(plan, span, bytes),
            set_up_bytes: self.set_up as f64,
            minutes: self.minutes_of_a_month(plan, months),
        }
    }

    /// Returns the counted bytes of the span.
    #[must_use]
    pub const fn metered(&self) -> u64 {
        self.metered
    }

    fn rounding_of_a_month(&self, plan: &DataPlan, span: Duration, bytes: f64) -> f64 {
        let Some(rounding) = plan.rounding else {
            return 0.0;
        };
        let open = self.open.map_or(0, |record| rounded_up(plan, record.bytes));
        let (month, span_s) = (MONTH.as_secs_f64(), span.as_secs_f64());
        match rounding.per {
            RoundingUnit::Packet => 0.0,
            RoundingUnit::Year => (rounding.round_mean(12.0 * bytes) - 12.0 * bytes) / 12.0,
            RoundingUnit::Session if plan.rounds_sessions() => {
                (self.rounded_up + open) as f64 * month / span_s
            }
            RoundingUnit::Session | RoundingUnit::Day | RoundingUnit::Month => {
                let Some(every) = plan.record_interval() else {
                    // One session lasts for the whole month.
                    return rounding.round_mean(bytes) - bytes;
                };
                let (whole, every_s) = (
                    span.as_nanos() / every.as_nanos().max(1),
                    every.as_secs_f64(),
                );
                if whole == 0 {
                    let of_one = self.metered as f64 * every_s / span_s;
                    return (rounding.round_mean(of_one) - of_one) * month / every_s;
                }
                let is_whole = self.open.is_some_and(|record| record.number < whole);
                let rounded_up = self.rounded_up + if is_whole { open } else { 0 };
                rounded_up as f64 / whole as f64 * month / every_s
            }
        }
    }

    /// Started minutes of data sessions; one that stays open is there all the time.
    fn minutes_of_a_month(&self, plan: &DataPlan, months: f64) -> f64 {
        if plan.session_idle.is_none() {
            return MONTH.as_secs_f64() / 60.0;
        }
        let open = self.session.map_or(0, Session::minutes);
        (self.minutes + open) as f64 * months
    }
}

impl Session {
    /// Started minutes.
    fn minutes(self) -> u64 {
        let span = self.last - self.began;
        span.as_nanos().div_ceil(60_000_000_000).max(1)
    }
}

impl DataPlan {
    /// Whether what is rounded together ends before a packet, which may begin a session.
    fn ends_before(&self, record: &Record, number: u64, at: Duration, begins: bool) -> bool {
        let is_next = number != record.number;
        match self.rounding.map(|it| it.per) {
            Some(RoundingUnit::Day) => is_next,
            Some(RoundingUnit::Session) => {
                let is_full = self.record_bytes.is_some_and(|most| record.bytes >= most);
                let is_old = match self.session_idle {
                    // Records of a session that ends by itself count from its beginning.
                    Some(_) => self.record.is_some_and(|every| at - record.began >= every),
                    None => is_next,
                };
                begins || is_full || is_old
            }
            _ => false,
        }
    }
}

fn rounded_up(plan: &DataPlan, bytes: u64) -> u64 {
    let rounds = |per| matches!(per, RoundingUnit::Session | RoundingUnit::Day);
    let rounding = plan.rounding.filter(|rounding| rounds(rounding.per));
    rounding.map_or(0, |rounding| rounding.round(bytes) - bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rounding;

    const KILOBYTE: Rounding = Rounding {
        step: 1000,
        minimum: 0,
        per: RoundingUnit::Session,
    };

    fn hours(count: u64) -> Duration {
        Duration::from_secs(3600 * count)
    }

    /// The bytes of a month with 160 B an hour for so many hours.
    fn billed(plan: &DataPlan, hours_seen: u64) -> f64 {
        let mut usage = Usage::default();
        for hour in 0..hours_seen {
            usage.add(plan, hours(hour), 100);
            usage.add(plan, hours(hour) + Duration::from_secs(1), 60);
        }
        usage.month(plan, hours(hours_seen)).billed_bytes
    }

    fn close_to(found: f64, expected: f64) {
        assert!(
            (found - expected).abs() < 1e-6 * expected,
            "{found} is not {expected}"
        );
    }

    #[test]
    fn a_session_for_each_report_is_rounded_each_time() {
        let plan = DataPlan {
            rounding: Some(KILOBYTE),
            session_idle: Some(Duration::from_secs(30)),
            ..DataPlan::default()
        };
        close_to(billed(&plan, 24), 730.5 * 1000.0);
        close_to(billed(&plan, 1), 730.5 * 1000.0);
    }

    #[test]
    fn an_open_session_is_rounded_with_each_record_of_it() {
        // 6 x 160 B = 960 B are 1 kB; 24 x 160 B = 3,840 B are 4 kB.
        for (every, of_a_day) in [(6, 4000.0), (24, 4000.0), (12, 4000.0), (8, 6000.0)] {
            let plan = DataPlan {
                rounding: Some(KILOBYTE),
                record: Some(hours(every)),
                ..DataPlan::default()
            };
            close_to(billed(&plan, 48), 30.4375 * of_a_day);
        }
    }

    #[test]
    fn a_span_shorter_than_a_record_stands_for_the_whole_of_it() {
        let plan = DataPlan {
            rounding: Some(KILOBYTE),
            record: Some(hours(24)),
            ..DataPlan::default()
        };
        close_to(billed(&plan, 6), 30.4375 * 4000.0);
        // What is left of a record at the end is not taken for a whole one.
        close_to(billed(&plan, 30), 30.4375 * 4000.0);
    }

    #[test]
    fn a_session_that_never_ends_is_rounded_once_a_month() {
        let plan = DataPlan {
            rounding: Some(KILOBYTE),
            ..DataPlan::default()
        };
        close_to(billed(&plan, 24), 117_000.0);
    }

    #[test]
    fn a_packet_counts_its_minimum_and_the_headers_of_a_tunnel() {
        let plan = DataPlan {
            packet_minimum: 50,
            ..DataPlan::default()
        };
        assert_eq!(
            [20, 36, 50, 78].map(|bytes| plan.metered(bytes)),
            [50, 50, 50, 78]
        );
        let tunnelled = DataPlan {
            packet_extra: 54,
            ..DataPlan::default()
        };
        close_to(billed(&tunnelled, 24), 730.5 * 268.0);
    }

    #[test]
    fn nothing_is_not_rounded_up() {
        let plan = DataPlan {
            rounding: Some(Rounding {
                minimum: 5000,
                ..KILOBYTE
            }),
            record: Some(hours(1)),
            ..DataPlan::default()
        };
        assert_eq!(billed(&plan, 0), 0.0);
        let mut usage = Usage::default();
        usage.add(&plan, Duration::ZERO, 1);
        // One record of twenty-four has a byte.
        close_to(usage.month(&plan, hours(24)).billed_bytes, 30.4375 * 5000.0);
    }

    #[test]
    fn a_session_is_cut_after_so_many_bytes() {
        let plan = DataPlan {
            rounding: Some(KILOBYTE),
            record_bytes: Some(1500),
            ..DataPlan::default()
        };
        let mut usage = Usage::default();
        for second in 0..4 {
            usage.add(&plan, Duration::from_secs(second), 800);
        }
        // Twice 1,600 B, each 2,000 B.
        close_to(usage.month(&plan, MONTH).billed_bytes, 4000.0);
    }

    #[test]
    fn a_day_is_rounded_whatever_its_sessions() {
        let plan = DataPlan {
            rounding: Some(Rounding {
                step: 5000,
                minimum: 0,
                per: RoundingUnit::Day,
            }),
            session_idle: Some(Duration::from_secs(30)),
            ..DataPlan::default()
        };
        // 24 x 160 B = 3,840 B are 5,000 B.
        close_to(billed(&plan, 48), 30.4375 * 5000.0);
    }

    #[test]
    fn minutes_of_sessions_are_started_ones() {
        let plan = DataPlan {
            session_idle: Some(Duration::from_secs(30)),
            ..DataPlan::default()
        };
        let mut usage = Usage::default();
        for second in [0, 20, 40, 61, 3600] {
            usage.add(&plan, Duration::from_secs(second), 100);
        }
        assert_eq!(usage.month(&plan, MONTH).minutes, 3.0);
    }

    #[test]
    fn the_set_up_is_not_multiplied() {
        let plan = DataPlan::default();
        let mut usage = Usage::default();
        usage.add_set_up(&plan, 3000);
        usage.add(&plan, Duration::ZERO, 100);
        let month = usage.month(&plan, hours(1));
        assert_eq!(month.set_up_bytes, 3000.0);
        close_to(month.bytes, 73_050.0);
    }
}
