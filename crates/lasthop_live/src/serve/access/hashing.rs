use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io;
use std::os::unix::net::UnixDatagram;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use lasthop_broker::{Holder, Readiness};
use sha2::{Digest, Sha256};

use super::failures::Who;
use super::passwords::Secret;
use crate::serve::bell_and_ringer;

/// Checks passwords in a thread of its own, so that clients who guess do not make the others wait.
///
/// Addresses take turns, however much each of them asks. Of one name from one address, one password is checked at a time, so
/// that the delays behind wrong ones hold.
#[derive(Debug)]
pub(crate) struct Hashing {
    desk: Arc<Desk>,
    bell: Arc<UnixDatagram>,
    thread: Option<JoinHandle<()>>,
}

/// A password that somebody has shown.
pub(super) struct Check {
    pub(super) who: Who,
    pub(super) shown: Box<[u8]>,
    /// What it is to be; without one nobody is called so.
    pub(super) secret: Option<Arc<Secret>>,
    /// How many hashes a wrong one costs.
    pub(super) effort: u32,
}

/// What the thread shares with the server.
#[derive(Debug, Default)]
struct Desk {
    queue: Mutex<Queue>,
    has_work: Condvar,
    done: AtomicU64,
}

#[derive(Debug, Default)]
struct Queue {
    /// By address, in the order of their turns.
    waiting: VecDeque<(Holder, VecDeque<Check>)>,
    /// Those of which a password waits or is being checked.
    busy: BTreeSet<Who>,
    results: BTreeMap<Key, bool>,
    /// The keys of the results, the oldest first; some may have been taken.
    kept: VecDeque<Key>,
    is_over: bool,
}

/// Who shows something, and a hash of what.
type Key = (Who, [u8; 32]);

/// So many of one address wait.
const MOST_OF_AN_ADDRESS: usize = 16;
/// So many addresses have one that waits.
const MOST_ADDRESSES: usize = 1_000;
/// So many results are kept for those who have not come back for them.
const MOST_RESULTS: usize = 1_000;

impl Hashing {
    /// Starts the thread.
    ///
    /// # Errors
    /// If there is no socket or thread to be had.
    pub(crate) fn start() -> io::Result<Self> {
        let (bell, rings) = bell_and_ringer()?;
        let desk = Arc::<Desk>::default();
        let its = Arc::clone(&desk);
        let thread = thread::Builder::new().name("passwords".into());
        let thread = thread.spawn(move || its.work(&rings))?;
        Ok(Self {
            desk,
            bell: Arc::new(bell),
            thread: Some(thread),
        })
    }

    /// Rings when a check is over.
    pub(crate) fn bell(&self) -> Arc<UnixDatagram> {
        Arc::clone(&self.bell)
    }

    /// How many checks are over.
    pub(super) fn done(&self) -> u64 {
        self.desk.done.load(Ordering::Acquire)
    }

    /// Whether a check is over; where it has not begun, it begins.
    pub(super) fn ask(&self, check: Check) -> Readiness {
        let readiness = self.desk.queue().ask(check);
        self.desk.has_work.notify_one();
        readiness
    }

    /// What a check came to, once.
    pub(super) fn take(&self, who: Who, shown: &[u8]) -> Option<bool> {
        self.desk.queue().results.remove(&key(who, shown))
    }
}

impl Drop for Hashing {
    fn drop(&mut self) {
        self.desk.queue().is_over = true;
        self.desk.has_work.notify_one();
        if let Some(thread) = self.thread.take() {
            let _ended = thread.join();
        }
    }
}

impl Desk {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        // Nothing of it is half done when a thread panics.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self, rings: &UnixDatagram) {
        while let Some(check) = self.next() {
            let is_right = check.is_right();
            self.queue().note(&check, is_right);
            self.done.fetch_add(1, Ordering::Release);
            // A bell that is full has not been heard yet.
            let _full = rings.send(&[0]);
        }
    }

    /// The next one, when there is one; `None` at the end.
    fn next(&self) -> Option<Check> {
        let mut queue = self.queue();
        loop {
            if queue.is_over {
                return None;
            }
            if let Some(check) = queue.next() {
                return Some(check);
            }
            queue = self
                .has_work
                .wait(queue)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Queue {
    fn ask(&mut self, check: Check) -> Readiness {
        if self.results.contains_key(&key(check.who, &check.shown)) {
            return Readiness::Ready;
        }
        if self.busy.contains(&check.who) {
            return Readiness::Later;
        }
        let holder = check.who.1;
        let who = check.who;
        let addresses = self.waiting.len();
        let place = self.waiting.iter().position(|(of, _)| *of == holder);
        match place.and_then(|place| self.waiting.get_mut(place)) {
            Some((_, checks)) if checks.len() >= MOST_OF_AN_ADDRESS => return Readiness::Busy,
            Some((_, checks)) => checks.push_back(check),
            None if addresses >= MOST_ADDRESSES => return Readiness::Busy,
            None => self.waiting.push_back((holder, VecDeque::from([check]))),
        }
        self.busy.insert(who);
        Readiness::Later
    }

    fn next(&mut self) -> Option<Check> {
        let (holder, mut checks) = self.waiting.pop_front()?;
        let check = checks.pop_front();
        if !checks.is_empty() {
            self.waiting.push_back((holder, checks));
        }
        check
    }

    fn note(&mut self, check: &Check, is_right: bool) {
        let key = key(check.who, &check.shown);
        self.busy.remove(&check.who);
        self.results.insert(key, is_right);
        self.kept.push_back(key);
        if self.kept.len() > MOST_RESULTS
            && let Some(oldest) = self.kept.pop_front()
        {
            self.results.remove(&oldest);
        }
    }
}

impl Check {
    fn is_right(&self) -> bool {
        Secret::is_or_as_long(self.secret.as_deref(), &self.shown, self.effort)
    }
}

impl core::fmt::Debug for Check {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        // Nothing of what was shown is written anywhere.
        f.debug_struct("Check").finish_non_exhaustive()
    }
}

fn key(who: Who, shown: &[u8]) -> Key {
    (who, Sha256::digest(shown).into())
}

#[cfg(test)]
mod tests {
    use core::net::{IpAddr, Ipv4Addr};

    use lasthop_broker::Identity;

    use super::super::failures::Failures;
    use super::*;

    fn check(name: &str, host: u8, shown: &str) -> Check {
        let address = IpAddr::V4(Ipv4Addr::new(192, 0, 2, host));
        Check {
            who: Failures::key(name.as_bytes(), Some(address)),
            shown: shown.as_bytes().into(),
            secret: None,
            effort: 0,
        }
    }

    #[test]
    fn addresses_take_turns_however_much_one_asks() {
        let mut queue = Queue::default();
        for number in 0..MOST_OF_AN_ADDRESS {
            let asked = queue.ask(check(&format!("name {number}"), 1, "guess"));
            assert_eq!(asked, Readiness::Later);
        }
        assert_eq!(queue.ask(check("one more", 1, "guess")), Readiness::Busy);
        assert_eq!(queue.ask(check("ann", 2, "secret")), Readiness::Later);
        let hosts: Vec<Holder> = (0..3)
            .filter_map(|_| queue.next())
            .map(|it| it.who.1)
            .collect();
        let of = |host| {
            Holder::of(
                Identity::ANONYMOUS,
                Some(IpAddr::V4(Ipv4Addr::new(192, 0, 2, host))),
            )
        };
        assert_eq!(hosts, [of(1), of(2), of(1)]);
    }

    #[test]
    fn of_one_name_from_one_address_one_password_is_checked_at_a_time() {
        let mut queue = Queue::default();
        assert_eq!(queue.ask(check("ann", 1, "first")), Readiness::Later);
        assert_eq!(queue.ask(check("ann", 1, "second")), Readiness::Later);
        let first = queue.next().expect("it waits");
        assert!(queue.next().is_none());
        queue.note(&first, false);
        assert_eq!(queue.ask(check("ann", 1, "first")), Readiness::Ready);
        assert_eq!(queue.ask(check("ann", 1, "second")), Readiness::Later);
        assert!(queue.next().is_some());
    }

    #[test]
    fn results_that_nobody_takes_are_bounded() {
        let mut queue = Queue::default();
        for number in 0..2 * MOST_RESULTS {
            queue.note(&check(&format!("name {number}"), 1, "guess"), false);
        }
        assert_eq!(
            (queue.results.len(), queue.kept.len()),
            (MOST_RESULTS, MOST_RESULTS)
        );
    }

    #[test]
    fn a_check_is_over_when_the_bell_rings() {
        let hashing = Hashing::start().expect("a thread");
        hashing.bell.set_nonblocking(false).expect("a socket");
        assert_eq!(hashing.ask(check("ann", 1, "guess")), Readiness::Later);
        hashing.bell.recv(&mut [0; 8]).expect("it rings");
        assert_eq!(hashing.done(), 1);
        assert_eq!(hashing.ask(check("ann", 1, "guess")), Readiness::Ready);
        let who = check("ann", 1, "guess").who;
        assert_eq!(hashing.take(who, b"guess"), Some(false));
        assert_eq!(hashing.take(who, b"guess"), None);
    }
}
