use core::cell::RefCell;
use core::fmt;
use core::net::SocketAddr;
use core::time::Duration;
use std::collections::VecDeque;
use std::thread;

use lasthop_contract::{ClientSessions, RandomStream, ServerSessions};
use lasthop_units::Instant;
use rustls::ContentType;
use rustls::crypto::cipher::OutboundPlainMessage;
use rustls::pki_types::UnixTime;

use crate::labels::SealedRecord;
use crate::stores::Remembered;

/// The default start of runs in seconds since 1970: 1 January 2026, UTC.
pub const RUN_STARTS: u64 = 1_767_225_600;

/// What the library is given while it works for one host: it asks through types that know no host.
#[derive(Debug)]
pub(crate) struct CryptoContext {
    pub(crate) now: Instant,
    /// Where random numbers come from; `None` is the system, which the library asks itself.
    pub(crate) random: Option<RandomStream>,
    /// Whom the connection that is worked on leads to.
    pub(crate) peer: Option<SocketAddr>,
    /// Whether it is to be noted that application data of the connection is sealed.
    pub(crate) notes_data: bool,
    pub(crate) tickets: ClientSessions<SocketAddr, Remembered>,
    /// None where there is room for none.
    pub(crate) sessions: Option<Box<ServerSessions>>,
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

/// A store for so many sessions of clients.
pub(crate) fn store_of(room: usize) -> Option<Box<ServerSessions>> {
    (room > 0).then(|| Box::new(ServerSessions::new(room)))
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

    /// Asks the surroundings of the host that is worked for; `None` outside of [`CryptoContext::enter`].
    pub(crate) fn with<R>(ask: impl FnOnce(&mut Self) -> R) -> Option<R> {
        CURRENT.with_borrow_mut(|current| current.as_deref_mut().map(ask))
    }

    /// Whether books are kept of what each byte is there for, as in a run; on sockets there are none.
    pub(crate) fn keeps_books(&self) -> bool {
        self.random.is_some()
    }

    /// Notes what is sealed; outside of [`CryptoContext::enter`] nobody wants to know, and of application data only books.
    pub(crate) fn note(message: &OutboundPlainMessage<'_>) {
        let is_data = message.typ == ContentType::ApplicationData;
        let wants = CURRENT.with_borrow(|current| {
            let current = current.as_ref();
            current.is_some_and(|it| !is_data || it.notes_data)
        });
        if wants {
            let record = SealedRecord::of(message);
            SEALED.with_borrow_mut(|sealed| sealed.push_back(record));
        }
    }

    /// Reads what was sealed, in its order; what is not read is forgotten.
    pub(crate) fn sealed<R>(read: impl FnOnce(&mut VecDeque<SealedRecord>) -> R) -> R {
        SEALED.with_borrow_mut(|sealed| {
            let result = read(sealed);
            sealed.clear();
            result
        })
    }

    /// The time of a run that starts so many seconds after 1970, on a calendar.
    pub(crate) fn calendar(&self, starts: u64) -> UnixTime {
        let since_start = Duration::from_nanos((self.now - Instant::ZERO).as_nanos());
        UnixTime::since_unix_epoch(Duration::from_secs(starts) + since_start)
    }
}

/// Fills with the numbers of the host that is worked for; whether it has a stream of them.
pub(crate) fn fill(bytes: &mut [u8]) -> bool {
    CryptoContext::with(|it| match &mut it.random {
        Some(stream) => {
            fill_from(stream, bytes);
            true
        }
        None => false,
    })
    .unwrap_or(false)
}

/// Fills with the numbers of a stream.
pub(crate) fn fill_from(stream: &mut RandomStream, bytes: &mut [u8]) {
    for chunk in bytes.chunks_mut(8) {
        let number = stream.next_u64().to_le_bytes();
        chunk.copy_from_slice(&number[..chunk.len()]);
    }
}

/// The calendar of a run, as the library asks for it.
pub(crate) struct Calendar {
    /// When it starts, in seconds since 1970.
    pub(crate) starts: u64,
}

impl fmt::Debug for Calendar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Calendar")
    }
}

impl rustls::time_provider::TimeProvider for Calendar {
    fn current_time(&self) -> Option<UnixTime> {
        CryptoContext::with(|it| it.calendar(self.starts))
    }
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    #[test]
    fn a_host_has_its_surroundings_after_a_panic_within_them() {
        let crypto_context = CryptoContext {
            now: Instant::ZERO,
            random: None,
            peer: None,
            notes_data: true,
            tickets: ClientSessions::new(),
            sessions: None,
        };
        let mut host = Some(Box::new(crypto_context));
        let work = AssertUnwindSafe(|| {
            CryptoContext::enter(&mut host, || -> () { panic!("as a fault does") });
        });
        assert!(catch_unwind(work).is_err());
        assert!(host.is_some(), "other connections need them");
        assert_eq!(CryptoContext::with(|_| ()), None);
    }
}
