use lasthop_contract::{Cause, ResetReason, Transport};
use lasthop_units::{Duration, Instant};

use super::MqttClient;
use crate::codec::pingreq;
use crate::ledger::chunk;

/// When a client must say something (MQTT-3.1.2-22; in 3.1.1 MQTT-3.1.2-23).
///
/// The deadline stays where it is while packets are sent, and moves when it comes: sending costs one store.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeepAlive {
    /// Zero for none.
    interval: Duration,
    last_sent: Instant,
    check_at: Instant,
    /// A PINGREQ waits for its answer.
    is_waiting: bool,
}

enum Verdict {
    Fine,
    Silent,
    Dead,
}

impl KeepAlive {
    pub(super) const fn off(now: Instant) -> Self {
        Self {
            interval: Duration::ZERO,
            last_sent: now,
            check_at: now,
            is_waiting: false,
        }
    }

    pub(super) fn start(&mut self, now: Instant, interval: Duration) {
        self.interval = interval;
        self.check_at = now + interval;
    }

    #[inline]
    pub(super) const fn note_sent(&mut self, now: Instant) {
        self.last_sent = now;
    }

    pub(super) const fn note_answer(&mut self) {
        self.is_waiting = false;
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        (self.interval > Duration::ZERO).then_some(self.check_at)
    }

    fn check(&mut self, now: Instant) -> Verdict {
        if self.interval == Duration::ZERO || self.check_at > now {
            return Verdict::Fine;
        }
        // An answer may take as long as a silence may (§3.1.2.10: "a reasonable amount of time").
        if self.is_waiting {
            return Verdict::Dead;
        }
        let due = self.last_sent + self.interval;
        if due > now {
            self.check_at = due;
            return Verdict::Fine;
        }
        self.is_waiting = true;
        self.check_at = now + self.interval;
        Verdict::Silent
    }
}

impl MqttClient {
    pub(super) fn keep_alive(&mut self, now: Instant, transport: &mut dyn Transport) {
        let Some(link) = &mut self.link else { return };
        match link.keep_alive.check(now) {
            Verdict::Fine => {}
            Verdict::Silent => link.write(now, transport, &[chunk(&pingreq(), Cause::KeepAlive)]),
            Verdict::Dead => self.reset(now, ResetReason::NotNeeded, transport),
        }
    }
}
