use lasthop_contract::{Cause, ResetReason, Transport};
use lasthop_units::{Duration, Instant};

use super::{MqttClient, Silence};
use crate::codec::pingreq;
use crate::ledger::chunk;

/// The deadline by which a client must send a packet (MQTT-3.1.2-22; in 3.1.1 MQTT-3.1.2-23).
///
/// The deadline stays where it is while packets are sent, and moves when it comes: sending costs one store.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeepAlive {
    last_sent: Instant,
    last_heard: Instant,
    check_at: Instant,
    /// Zero for none.
    interval_seconds: u16,
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
            last_sent: now,
            last_heard: now,
            check_at: now,
            interval_seconds: 0,
            is_waiting: false,
        }
    }

    pub(super) fn start(&mut self, now: Instant, interval_seconds: u16) {
        self.interval_seconds = interval_seconds;
        self.check_at = now + self.interval();
    }

    #[inline]
    pub(super) const fn note_sent(&mut self, now: Instant) {
        self.last_sent = now;
    }

    #[inline]
    pub(super) const fn note_heard(&mut self, now: Instant) {
        self.last_heard = now;
    }

    pub(super) const fn note_answer(&mut self) {
        self.is_waiting = false;
    }

    /// Whether a PINGREQ is unanswered.
    pub(super) const fn is_waiting(&self) -> bool {
        self.is_waiting
    }

    pub(super) fn deadline(&self) -> Option<Instant> {
        (self.interval_seconds > 0).then_some(self.check_at)
    }

    fn interval(&self) -> Duration {
        Duration::from_secs(self.interval_seconds.into())
    }

    fn check(&mut self, now: Instant, ping_after: Silence) -> Verdict {
        if self.interval_seconds == 0 || self.check_at > now {
            return Verdict::Fine;
        }
        // An answer may take as long as a silence may (§3.1.2.10: "a reasonable amount of time").
        if self.is_waiting {
            return Verdict::Dead;
        }
        let silent_since = match ping_after {
            Silence::Own => self.last_sent,
            Silence::Any => self.last_sent.min(self.last_heard),
        };
        let due = silent_since + self.interval();
        if due > now {
            self.check_at = due;
            return Verdict::Fine;
        }
        self.is_waiting = true;
        self.check_at = now + self.interval();
        Verdict::Silent
    }
}

impl MqttClient {
    pub(super) fn keep_alive(&mut self, now: Instant, transport: &mut dyn Transport) {
        let Some(link) = &mut self.link else { return };
        match link.keep_alive.check(now, self.config.ping_after) {
            Verdict::Fine => {}
            Verdict::Silent => {
                self.say(now, &[chunk(&pingreq(), Cause::KeepAlive)], transport);
            }
            Verdict::Dead => self.reset(now, ResetReason::NotNeeded, transport),
        }
    }
}
