use core::net::IpAddr;
use std::collections::BTreeMap;

use lasthop_broker::{Holder, Identity};
use lasthop_units::{Duration, Instant};
use sha2::{Digest, Sha256};

/// Who has shown wrong passwords lately, and when each of them may try again.
#[derive(Debug, Default)]
pub(super) struct Failures {
    by_who: BTreeMap<Who, Failed>,
}

/// The name that somebody shows, as a hash of one size, and where it is.
pub(super) type Who = ([u8; 32], Holder);

#[derive(Clone, Copy, Debug)]
struct Failed {
    times: u32,
    at: Instant,
}

/// So many wrong passwords in a row cost nothing: people mistype.
const FREE: u32 = 2;
/// Behind the next one nobody is listened to for so long, and twice as long behind each further one.
const FIRST_DELAY: Duration = Duration::from_secs(1);
const LONGEST_DELAY: Duration = Duration::from_secs(60);
/// So long without another try, and all is forgotten.
const FORGOTTEN: Duration = Duration::from_secs(600);
/// So many are remembered; then whoever failed longest ago is forgotten.
const REMEMBERED: usize = 10_000;

impl Failures {
    /// By what somebody is remembered.
    pub(super) fn key(name: &[u8], address: Option<IpAddr>) -> Who {
        let place = Holder::of(Identity::ANONYMOUS, address);
        (Sha256::digest(name).into(), place)
    }

    /// Whether somebody is listened to now.
    pub(super) fn may_try(&mut self, now: Instant, who: &Who) -> bool {
        self.by_who
            .get(who)
            .is_none_or(|failed| failed.at + failed.delay() <= now)
    }

    /// Notes what a try came to.
    pub(super) fn note(&mut self, now: Instant, who: Who, is_right: bool) {
        if is_right {
            self.by_who.remove(&who);
            return;
        }
        if self.by_who.len() >= REMEMBERED && !self.by_who.contains_key(&who) {
            self.forget(now);
        }
        let before = self.by_who.get(&who);
        let before = before.filter(|failed| now - failed.at < FORGOTTEN);
        let times = before.map_or(0, |failed| failed.times) + 1;
        self.by_who.insert(who, Failed { times, at: now });
    }

    fn forget(&mut self, now: Instant) {
        self.by_who.retain(|_, failed| now - failed.at < FORGOTTEN);
        while self.by_who.len() >= REMEMBERED {
            let oldest = self.by_who.iter().min_by_key(|(_, failed)| failed.at);
            let Some(oldest) = oldest.map(|(who, _)| *who) else {
                return;
            };
            self.by_who.remove(&oldest);
        }
    }
}

impl Failed {
    fn delay(&self) -> Duration {
        match self.times.checked_sub(FREE + 1) {
            None => Duration::ZERO,
            Some(more) => {
                let delay = FIRST_DELAY.as_nanos().saturating_mul(1 << more.min(32));
                Duration::from_nanos(delay).min(LONGEST_DELAY)
            }
        }
    }
}
