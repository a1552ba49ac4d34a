use core::net::SocketAddr;
use std::cell::{Cell, RefCell};
use std::io;
use std::rc::Rc;

use lasthop_units::{Duration, Instant};
use serde_json::{Value, json};

use super::Panic;
use crate::Poller;
use crate::gateway::{LogForm, LogLines};

/// Counts and logs panics of a server or load, and clients that a server refused. Each has one line.
#[derive(Debug)]
pub(crate) struct Failures {
    poller: Rc<Poller>,
    form: LogForm,
    /// Made for the first one.
    log: RefCell<Option<LogLines>>,
    count: Cell<u64>,
    /// Clients of a load that were not let in.
    refused: Cell<u64>,
    /// Those that belong to no connection: since when, and how many.
    unowned: Cell<(Instant, u32)>,
}

/// Refused clients that have a line each.
const MOST_REFUSED: u64 = 10;
/// Panics that belong to no connection, in a second: there are more only where the same one comes again and again.
const MOST_UNOWNED: u32 = 1_000;
const SECOND: Duration = Duration::from_secs(1);

impl Failures {
    pub(crate) fn new(poller: &Rc<Poller>, form: LogForm) -> Rc<Self> {
        Rc::new(Self {
            poller: Rc::clone(poller),
            form,
            log: RefCell::default(),
            count: Cell::default(),
            refused: Cell::default(),
            unowned: Cell::new((Instant::ZERO, 0)),
        })
    }

    /// Returns the number of failures.
    pub(crate) fn count(&self) -> u64 {
        self.count.get()
    }

    /// Records a panic that ended the connection to a peer.
    pub(crate) fn closed(&self, peer: SocketAddr, layer: &str, panic: &Panic) {
        let parts = vec![("peer", json!(peer.to_string())), ("layer", json!(layer))];
        self.note("connection_failed", parts, panic);
    }

    /// Records a panic that ended a client of a load.
    pub(crate) fn ended_client(&self, number: u32, panic: &Panic) {
        self.note("client_failed", vec![("client", json!(number))], panic);
    }

    /// Records a panic that belongs to no open connection. If such panics do not stop, the server ends.
    pub(crate) fn unowned(&self, now: Instant, layer: &str, panic: &Panic) {
        let (since, count) = self.unowned.get();
        let (since, count) = match now - since < SECOND {
            true => (since, count + 1),
            false => (now, 1),
        };
        self.unowned.set((since, count));
        let parts = vec![("peer", json!("unknown")), ("layer", json!(layer))];
        self.note("connection_failed", parts, panic);
        if count >= MOST_UNOWNED {
            let words = format!("{layer} fails again and again: {panic}");
            self.poller.fail(io::Error::other(words));
        }
    }

    /// Records a client of a load that the server refused although it accepted others.
    pub(crate) fn refused_client(&self, client: &str, server: SocketAddr, why: &str) {
        self.refused.set(self.refused.get() + 1);
        if self.refused.get() <= MOST_REFUSED {
            let server = server.to_string();
            let parts = vec![
                ("client", json!(client)),
                ("server", json!(server)),
                ("why", json!(why)),
            ];
            self.tell("client_refused", parts);
        }
    }

    fn note(&self, name: &str, mut parts: Vec<(&str, Value)>, panic: &Panic) {
        self.count.set(self.count.get() + 1);
        parts.extend([("at", json!(panic.place)), ("panic", json!(panic.what))]);
        self.tell(name, parts);
    }

    fn tell(&self, name: &str, parts: Vec<(&str, Value)>) {
        let mut log = self.log.borrow_mut();
        let log = log.get_or_insert_with(|| LogLines::new(self.form));
        log.tell_of(name, parts);
    }
}

impl Drop for Failures {
    /// Says how many there were, if there was one.
    fn drop(&mut self) {
        let counts = [
            ("refused", self.refused.get(), MOST_REFUSED),
            ("failed", self.count(), 0),
        ];
        for (name, count, shown) in counts {
            if let Some(log) = self.log.get_mut()
                && count > shown
            {
                log.tell_of(name, vec![("times", json!(count))]);
            }
        }
    }
}
