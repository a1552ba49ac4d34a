use core::cell::RefCell;
use std::collections::VecDeque;
use std::thread;

use lasthop_contract::RandomStream;
use lasthop_tls::Chain;
use ring::rand::{SecureRandom, SystemRandom};

use crate::labels::SealedRecord;

/// What the library is given while it works for one host: it asks through types that know no host.
#[derive(Debug)]
pub(crate) struct CryptoContext {
    /// Where random numbers come from; `None` is the system.
    pub(crate) random: Option<RandomStream>,
    /// What it shows to be believed, where it has a certificate.
    pub(crate) credentials: Option<Box<Chain>>,
    /// What became of sealed records since it was asked last.
    pub(crate) opening: Opening,
}

/// What became of sealed records of a peer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Opening {
    /// One was opened.
    pub(crate) has_opened: bool,
    /// One could not be opened.
    pub(crate) has_failed: bool,
}

thread_local! {
    static CURRENT: RefCell<Option<Box<CryptoContext>>> = const { RefCell::new(None) };
    /// What was sealed for the connection that is worked on. Between two nothing is in it, so all hosts of a thread share it.
    static SEALED: RefCell<VecDeque<SealedRecord>> = const { RefCell::new(VecDeque::new()) };
}

impl CryptoContext {
    /// Works for a host, whose surroundings come back.
    pub(crate) fn enter<R>(own: &mut Option<Box<Self>>, work: impl FnOnce() -> R) -> R {
        let before = CURRENT.replace(own.take());
        let _entered = Entered { own, before };
        work()
    }

    /// Notes what is sealed, as these bytes, where books are kept of what each byte is there for: in a run, not on sockets.
    pub(crate) fn note(plain: &[u8], sealed_as: &[u8]) {
        if Self::is_of_a_run() {
            let record = SealedRecord::of(plain, sealed_as);
            SEALED.with_borrow_mut(|sealed| sealed.push_back(record));
        }
    }

    /// Notes whether a record of the peer could be opened.
    pub(crate) fn note_opening(is_opened: bool) {
        CURRENT.with_borrow_mut(|current| {
            if let Some(current) = current {
                current.opening.has_opened |= is_opened;
                current.opening.has_failed |= !is_opened;
            }
        });
    }

    /// Reads what was sealed, in its order.
    pub(crate) fn sealed<R>(read: impl FnOnce(&mut VecDeque<SealedRecord>) -> R) -> R {
        SEALED.with_borrow_mut(read)
    }

    /// What the host that is worked for shows.
    pub(crate) fn credentials() -> Option<Chain> {
        CURRENT.with_borrow(|it| it.as_deref()?.credentials.as_deref().cloned())
    }

    /// Whether it is worked for a host of a run: the secrets of sockets are nobody's.
    pub(crate) fn is_of_a_run() -> bool {
        CURRENT.with_borrow(|it| it.as_deref().is_some_and(|it| it.random.is_some()))
    }

    /// Fills with the numbers of a host, or else of the system; whether it could.
    pub(crate) fn fill(&mut self, bytes: &mut [u8]) -> bool {
        match &mut self.random {
            Some(stream) => {
                fill_from(stream, bytes);
                true
            }
            None => SystemRandom::new().fill(bytes).is_ok(),
        }
    }
}

/// Gives the surroundings back to their host, even where the work for one of its connections panics: the others need them.
struct Entered<'a> {
    own: &'a mut Option<Box<CryptoContext>>,
    /// Those of the host that was worked for before.
    before: Option<Box<CryptoContext>>,
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        *self.own = CURRENT.replace(self.before.take());
        if thread::panicking() {
            // They are of a connection that is given up.
            SEALED.with_borrow_mut(VecDeque::clear);
        }
    }
}

/// Fills with the numbers of the host that is worked for; whether it could.
pub(crate) fn fill(bytes: &mut [u8]) -> bool {
    CURRENT.with_borrow_mut(|current| current.as_deref_mut().is_some_and(|it| it.fill(bytes)))
}

/// Fills with the numbers of a stream.
pub(crate) fn fill_from(stream: &mut RandomStream, bytes: &mut [u8]) {
    for chunk in bytes.chunks_mut(8) {
        let number = stream.next_u64().to_le_bytes();
        chunk.copy_from_slice(&number[..chunk.len()]);
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    #[test]
    fn a_host_has_its_surroundings_after_a_panic_within_them() {
        let mut host = Some(Box::new(CryptoContext {
            random: None,
            credentials: None,
            opening: Opening::default(),
        }));
        let work = AssertUnwindSafe(|| {
            CryptoContext::enter(&mut host, || -> () { panic!("as a fault does") });
        });
        assert!(catch_unwind(work).is_err());
        assert!(host.is_some(), "other connections need them");
    }
}
