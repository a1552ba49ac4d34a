use lasthop_contract::DeviceId;
use lasthop_units::{Duration, Instant};

use crate::Histogram;

/// How long devices take to recover from events: from the end of an event to the first message that is delivered.
///
/// Only messages count that were due since the event began: an older one may still arrive by packets that were under way.
/// Events of a device that end at the same instant are one.
#[derive(Clone, Debug, Default)]
pub(crate) struct RecoveryLog {
    /// By their numbers in the run.
    devices: Vec<Device>,
    /// How many events devices have not recovered from.
    waiting: usize,
    /// By class, the recoveries that are over.
    over: Vec<Histogram>,
}

#[derive(Clone, Debug, Default)]
struct Device {
    /// When its latest message was due.
    last_due: Option<Instant>,
    waiting: Vec<Waiting>,
}

/// An event that a device has not recovered from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Waiting {
    began: Instant,
    ended: Instant,
    class: u32,
}

/// The recoveries of some devices.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecoverySums {
    took: Histogram,
}

impl RecoveryLog {
    /// Records that an event is over for a device, which is of a class and has to recover now.
    pub(crate) fn begin(&mut self, now: Instant, device: DeviceId, began: Instant, class: u32) {
        let waiting = &mut self.device(device).waiting;
        if let Some(same) = waiting.iter_mut().find(|it| it.ended == now) {
            same.began = same.began.min(began);
            return;
        }
        waiting.push(Waiting {
            began,
            ended: now,
            class,
        });
        self.waiting += 1;
    }

    /// Records that a message of a device is due.
    pub(crate) fn note_due(&mut self, now: Instant, device: DeviceId) {
        self.device(device).last_due = Some(now);
    }

    /// Whether a device has not recovered.
    #[inline]
    pub(crate) const fn is_waiting(&self) -> bool {
        self.waiting > 0
    }

    /// Records that a message of a device arrived for the first time.
    pub(crate) fn note_arrival(&mut self, now: Instant, device: DeviceId, due: Instant) {
        let Some(Device { waiting, .. }) = self.devices.get_mut(device.0 as usize) else {
            return;
        };
        let (over, before) = (&mut self.over, waiting.len());
        waiting.retain(|it| {
            let is_over = it.began <= due && it.ended <= now;
            if is_over {
                of_class(over, it.class).record(now - it.ended);
            }
            !is_over
        });
        self.waiting -= before - waiting.len();
    }

    /// Returns the recoveries of each of so many classes at the end of the run.
    ///
    /// A device without a message that was due since the event began had nothing to recover with, and does not count.
    pub(crate) fn at_end(&self, classes: usize) -> Vec<RecoverySums> {
        let mut over = self.over.clone();
        over.resize(classes.max(over.len()), Histogram::new());
        for device in &self.devices {
            let had_something = |it: &&Waiting| device.last_due.is_some_and(|due| it.began <= due);
            for it in device.waiting.iter().filter(had_something) {
                of_class(&mut over, it.class).record_never();
            }
        }
        over.into_iter().map(|took| RecoverySums { took }).collect()
    }

    fn device(&mut self, DeviceId(number): DeviceId) -> &mut Device {
        let number = number as usize;
        if self.devices.len() <= number {
            self.devices.resize_with(number + 1, Device::default);
        }
        &mut self.devices[number]
    }
}

fn of_class(classes: &mut Vec<Histogram>, class: u32) -> &mut Histogram {
    let class = class as usize;
    if classes.len() <= class {
        classes.resize(class + 1, Histogram::new());
    }
    &mut classes[class]
}

impl RecoverySums {
    /// Returns the number of times that a device had to recover.
    #[must_use]
    pub fn due(&self) -> u64 {
        self.took.count()
    }

    /// Returns how often a device recovered before the run ended.
    #[must_use]
    pub fn completed(&self) -> u64 {
        self.took.count() - self.took.never()
    }

    /// Returns the share of recoveries that were completed; `None` without any.
    #[must_use]
    pub fn ratio(&self) -> Option<f64> {
        (self.due() > 0).then(|| self.completed() as f64 / self.due() as f64)
    }

    /// Returns a percentile of the recovery time, to 0.4 %. `None` is infinite, or without any recovery.
    #[must_use]
    pub fn percentile(&self, percent: u64) -> Option<Duration> {
        self.took.percentile(percent)
    }

    /// Returns the longest recovery, if all were completed.
    #[must_use]
    pub fn longest(&self) -> Option<Duration> {
        self.took.percentile(100)
    }

    /// Adds the recoveries of other devices.
    pub(crate) fn add(&mut self, other: &Self) {
        self.took.merge(&other.took);
    }

    pub(crate) const fn took(&self) -> &Histogram {
        &self.took
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64) -> Instant {
        Instant::ZERO + Duration::from_secs(seconds)
    }

    fn seconds(span: Option<Duration>) -> Option<f64> {
        span.map(Duration::as_secs_f64)
    }

    const DEVICE: DeviceId = DeviceId(7);

    #[test]
    fn the_first_message_that_was_due_since_the_event_began_ends_the_recovery() {
        let mut log = RecoveryLog::default();
        assert!(!log.is_waiting());
        log.begin(at(100), DEVICE, at(70), 0);
        assert!(log.is_waiting());
        log.note_arrival(at(101), DEVICE, at(69));
        log.note_arrival(at(101), DeviceId(8), at(80));
        assert!(
            log.is_waiting(),
            "one was under way, one is of another device"
        );
        log.note_arrival(at(112), DEVICE, at(80));
        log.note_arrival(at(113), DEVICE, at(90));
        let [sums] = &log.at_end(1)[..] else {
            panic!("there is one class")
        };
        assert_eq!((sums.due(), sums.completed()), (1, 1));
        assert_eq!(seconds(sums.percentile(50)), Some(12.0));
        assert_eq!(seconds(sums.longest()), Some(12.0));
    }

    #[test]
    fn each_event_has_its_own_recovery_and_those_of_one_instant_are_one() {
        let mut log = RecoveryLog::default();
        log.begin(at(100), DEVICE, at(100), 0);
        log.begin(at(100), DEVICE, at(90), 0);
        log.begin(at(140), DEVICE, at(130), 0);
        log.note_arrival(at(150), DEVICE, at(131));
        let sums = &log.at_end(1)[0];
        assert_eq!((sums.due(), sums.completed()), (2, 2));
        assert_eq!(seconds(sums.longest()), Some(50.0));
        assert!(!log.is_waiting());
    }

    #[test]
    fn a_device_that_never_recovers_is_infinite_and_one_with_nothing_to_say_is_none() {
        let mut log = RecoveryLog::default();
        log.note_due(at(60), DEVICE);
        log.note_due(at(60), DeviceId(8));
        log.begin(at(100), DEVICE, at(50), 1);
        log.begin(at(100), DeviceId(8), at(61), 1);
        let [nobody, sums] = &log.at_end(2)[..] else {
            panic!("there are two classes")
        };
        assert_eq!((sums.due(), sums.completed()), (1, 0));
        assert_eq!(sums.ratio(), Some(0.0));
        assert_eq!(sums.percentile(50), None);
        assert_eq!((nobody.due(), nobody.ratio()), (0, None));
    }
}
