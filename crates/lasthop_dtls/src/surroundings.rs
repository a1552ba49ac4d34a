use core::cell::RefCell;
use std::collections::VecDeque;

use lasthop_contract::RandomStream;
use lasthop_tls::Chain;
use ring::rand::{SecureRandom, SystemRandom};

use crate::labels::SealedRecord;

/// What the library is given while it works for one host: it asks through types that know no host.
#[derive(Debug)]
pub(crate) struct Surroundings {
    /// Where random numbers come from; `None` is the system.
    pub(crate) random: Option<RandomStream>,
    /// What it shows to be believed, where it has a certificate.
    pub(crate) credentials: Option<Box<Chain>>,
}

thread_local! {
    static CURRENT: RefCell<Option<Box<Surroundings>>> = const { RefCell::new(None) };
    /// What was sealed for the connection that is worked on. Between two nothing is in it, so all hosts of a thread share it.
    static SEALED: RefCell<VecDeque<SealedRecord>> = const { RefCell::new(VecDeque::new()) };
}

impl Surroundings {
    /// Works for a host, whose surroundings come back.
    pub(crate) fn enter<R>(own: &mut Option<Box<Self>>, work: impl FnOnce() -> R) -> R {
        let before = CURRENT.replace(own.take());
        let result = work();
        *own = CURRENT.replace(before);
        result
    }

    /// Notes what is sealed, as these bytes, where books are kept of what each byte is there for: in a run, not on sockets.
    pub(crate) fn note(plain: &[u8], sealed_as: &[u8]) {
        if Self::is_of_a_run() {
            let record = SealedRecord::of(plain, sealed_as);
            SEALED.with_borrow_mut(|sealed| sealed.push_back(record));
        }
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
