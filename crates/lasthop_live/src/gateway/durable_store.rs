use core::sync::atomic::{AtomicBool, Ordering};
use std::collections::VecDeque;
use std::fmt;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixDatagram;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};

use lasthop_broker::Ticket;
use lasthop_gateway::{Change, Record, Store, StoreError};
use lasthop_units::{Duration, Instant};
use prometheus_client::metrics::histogram::Histogram;
use rustix::thread::nanosleep;
use rustix::time::Timespec;

use super::changes::Changes;
use super::database::{Database, Message};
use super::place::{Served, Wakes};
use super::store_measures::StoreMeasures;
use super::{DataPlace, GatewayError};
use crate::WallTime;
use crate::serve::bell_and_ringer;

/// The store of a gateway in a database. One thread writes messages: each transaction holds all messages that arrived
/// during the previous one, and they are settled when it is committed. Another thread listens for changes.
pub struct DurableStore {
    changes: VecDeque<Change>,
    news: Receiver<Change>,
    records: Option<Sender<Message>>,
    outcomes: Receiver<Outcome>,
    writer: Option<JoinHandle<()>>,
    listener: Option<JoinHandle<()>>,
    is_over: Arc<AtomicBool>,
    wakes: Option<Wakes>,
    /// At which the threads ring for the server.
    bell: Arc<UnixDatagram>,
    tickets: u64,
    settled: VecDeque<(Ticket, Result<(), StoreError>)>,
    /// The sizes of what is not settled.
    waiting: VecDeque<usize>,
    waiting_size: usize,
    measures: Arc<StoreMeasures>,
    /// Where the data are, for people.
    name: String,
    _lock: Option<OwnedFd>,
}

/// What became of so many records.
struct Outcome {
    records: usize,
    result: Result<(), StoreError>,
}

/// How much may wait to be written.
const MAX_WAITING_SIZE: usize = 64 << 20;

/// How many records are written in one transaction.
const RECORDS_A_TRANSACTION: usize = 4096;

/// What is written in one transaction ends with the record that comes to so many bytes: the journal on the disk stays short.
const SIZE_OF_A_TRANSACTION: usize = 4 << 20;

/// From the beginning of a transaction to that of the next one at least: what comes meanwhile is written together. A message
/// that comes alone does not wait.
const BETWEEN_TRANSACTIONS: Duration = Duration::from_millis(10);

/// How long a database that fails is left alone by who hears of changes.
const AFTER_A_FAILURE: Duration = Duration::from_secs(1);

/// What a record takes beside its payload.
const RECORD_COST: usize = 256;

impl DurableStore {
    /// Opens the data of a gateway, for the one server that has them.
    ///
    /// # Errors
    /// When another server has them, or they are none of this version.
    #[expect(
        clippy::disallowed_methods,
        reason = "a disk is waited for while clients are served"
    )]
    pub fn open(place: &DataPlace) -> Result<Self, GatewayError> {
        let Served {
            writing,
            mut hearing,
            wakes,
            lock,
        } = place.served()?;
        let (position, known) = Changes::from_the_start(&mut *hearing)?;
        let (bell, ringer) = bell_and_ringer().map_err(GatewayError::NoBell)?;
        let heard = ringer.try_clone().map_err(GatewayError::NoBell)?;
        let (records, to_write) = channel();
        let (told, outcomes) = channel();
        let measures = Arc::new(StoreMeasures::new());
        let commits = measures.commits.clone();
        let writer = thread::spawn(move || {
            write_all(writing, &to_write, &told, &ringer, &commits);
        });
        let (tells, news) = channel();
        let is_over = Arc::new(AtomicBool::new(false));
        let listens = Arc::clone(&is_over);
        let listener = thread::spawn(move || hear_all(hearing, position, &tells, &heard, &listens));
        Ok(Self {
            changes: known.into(),
            news,
            records: Some(records),
            outcomes,
            writer: Some(writer),
            listener: Some(listener),
            is_over,
            wakes,
            bell: Arc::new(bell),
            tickets: 0,
            settled: VecDeque::new(),
            waiting: VecDeque::new(),
            waiting_size: 0,
            measures,
            name: place.to_string(),
            _lock: lock,
        })
    }

    /// Returns the measurements of the store.
    pub(crate) fn measures(&self) -> Arc<StoreMeasures> {
        Arc::clone(&self.measures)
    }

    /// Returns the location of the data, for messages to people.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    fn measure_waiting(&self) {
        self.measures
            .set_waiting(self.waiting.len(), self.waiting_size);
    }

    /// Returns the descriptor that is readable when a message is settled or data has changed.
    pub(crate) fn bell(&self) -> Arc<UnixDatagram> {
        Arc::clone(&self.bell)
    }
}

impl Store for DurableStore {
    fn keep(&mut self, record: Record<'_>) -> Result<Ticket, StoreError> {
        let size = record.payload.len() + RECORD_COST;
        if self.waiting_size + size > MAX_WAITING_SIZE {
            return Err(StoreError::Busy);
        }
        let records = self.records.as_ref().ok_or(StoreError::Failed)?;
        let message = Message {
            device: record.device.text().into(),
            at: i64::try_from(record.at.0).unwrap_or(i64::MAX),
            kind: record.kind,
            folder: record.folder.into(),
            payload: record.payload.into(),
        };
        records.send(message).map_err(|_| StoreError::Failed)?;
        self.waiting.push_back(size);
        self.waiting_size += size;
        self.measure_waiting();
        self.tickets += 1;
        Ok(Ticket(self.tickets))
    }

    fn next_settled(&mut self) -> Option<(Ticket, Result<(), StoreError>)> {
        while let Ok(outcome) = self.outcomes.try_recv() {
            let first = self.tickets - self.waiting.len() as u64 + 1;
            let freed: usize = self.waiting.drain(..outcome.records).sum();
            self.waiting_size -= freed;
            let tickets = (first..).take(outcome.records);
            let settled = tickets.map(|ticket| (Ticket(ticket), outcome.result));
            self.settled.extend(settled);
            self.measure_waiting();
        }
        self.settled.pop_front()
    }

    fn next_change(&mut self) -> Option<Change> {
        let known = self.changes.pop_front();
        known.or_else(|| self.news.try_recv().ok())
    }
}

impl Drop for DurableStore {
    /// What was taken is written before the server ends.
    fn drop(&mut self) {
        self.records = None;
        if let Some(writer) = self.writer.take() {
            // It has told of every failure.
            let _ = writer.join();
        }
        self.is_over.store(true, Ordering::Relaxed);
        if let (Some(wakes), Some(listener)) = (&self.wakes, self.listener.take())
            && wakes.send(b"e").is_ok()
        {
            let _ = listener.join();
        }
    }
}

impl fmt::Debug for DurableStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DurableStore").finish_non_exhaustive()
    }
}

/// Writes until nobody has anything to write any more.
fn write_all(
    mut database: Box<dyn Database>,
    records: &Receiver<Message>,
    told: &Sender<Outcome>,
    bell: &UnixDatagram,
    commits: &Histogram,
) {
    let time = WallTime::of_the_machine();
    let mut rests_until = Instant::ZERO;
    while let Ok(first) = records.recv() {
        let now = time.now();
        if now < rests_until {
            nap(rests_until - now);
        }
        rests_until = time.now() + BETWEEN_TRANSACTIONS;
        let mut size = first.payload.len() + RECORD_COST;
        let mut batch = vec![first];
        while batch.len() < RECORDS_A_TRANSACTION
            && size < SIZE_OF_A_TRANSACTION
            && let Ok(next) = records.try_recv()
        {
            size += next.payload.len() + RECORD_COST;
            batch.push(next);
        }
        let began = time.now();
        let written = database.append(&batch);
        commits.observe((time.now() - began).as_secs_f64());
        let outcome = Outcome {
            records: batch.len(),
            result: written.map_err(|error| match error {
                GatewayError::Full(_) => StoreError::Full,
                _ => StoreError::Failed,
            }),
        };
        if told.send(outcome).is_err() {
            return;
        }
        let _ = bell.send(b"s");
    }
}

/// Hears of changes until the store is gone. Where they cannot be read, they are read later.
fn hear_all(
    mut database: Box<dyn Database>,
    mut position: Changes,
    tells: &Sender<Change>,
    bell: &UnixDatagram,
    is_over: &AtomicBool,
) {
    let mut is_due = false;
    while !is_over.load(Ordering::Relaxed) {
        let heard = if is_due {
            nap(AFTER_A_FAILURE);
            Ok(true)
        } else {
            database.await_news()
        };
        is_due = heard.is_err();
        if !matches!(heard, Ok(true)) {
            continue;
        }
        let Ok(changes) = position.since(&mut *database) else {
            is_due = true;
            continue;
        };
        let is_any = !changes.is_empty();
        for change in changes {
            if tells.send(change).is_err() {
                return;
            }
        }
        if is_any {
            let _ = bell.send(b"c");
        }
    }
}

fn nap(length: Duration) {
    let nanos = length.as_nanos();
    let length = Timespec {
        tv_sec: (nanos / 1_000_000_000) as i64,
        tv_nsec: (nanos % 1_000_000_000) as i64,
    };
    // A signal ends it early, which costs nothing.
    let _ = nanosleep(&length);
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use lasthop_gateway::{DevicePath, Kind, UnixTime};
    use rusqlite::Connection;

    use super::*;

    /// A database that somebody else writes to, in a folder of its own.
    fn blocked(folder: &Path) -> (DurableStore, Connection) {
        let place = DataPlace::folder(folder).expect("it can be made");
        let store = DurableStore::open(&place).expect("nobody has it");
        let other = Connection::open(folder.join("gateway.sqlite")).expect("it is there");
        other.execute_batch("BEGIN IMMEDIATE").expect("it is free");
        (store, other)
    }

    #[test]
    #[expect(
        clippy::disallowed_methods,
        reason = "tests that run side by side have folders of their own"
    )]
    fn what_waits_for_a_database_is_bounded_and_settled_once_it_answers() {
        let name = format!("lasthop-waiting-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let (mut store, other) = blocked(&folder);
        let device = DevicePath::parse("projects/p/locations/l/registries/r/devices/d1");
        let device = device.expect("it is one");
        let payload = vec![7; 1 << 20];
        let record = Record {
            device: &device,
            at: UnixTime(0),
            kind: Kind::Event,
            folder: "",
            payload: &payload,
        };
        let taken = core::iter::from_fn(|| store.keep(record).ok()).count();
        assert_eq!(store.keep(record), Err(StoreError::Busy));
        let measures = store.measures();
        assert_eq!(
            taken,
            (MAX_WAITING_SIZE - 1) / (payload.len() + RECORD_COST)
        );
        assert!(measures.waiting_size() <= MAX_WAITING_SIZE as i64);
        assert_eq!(measures.waiting(), taken as i64);
        other.execute_batch("COMMIT").expect("it has begun");
        let mut settled = 0;
        while settled < taken {
            match store.next_settled() {
                Some((ticket, outcome)) => {
                    settled += 1;
                    assert_eq!((ticket, outcome), (Ticket(settled as u64), Ok(())));
                }
                None => nap(Duration::from_millis(10)),
            }
        }
        assert_eq!((measures.waiting(), measures.waiting_size()), (0, 0));
        assert!(store.keep(record).is_ok(), "there is room again");
        drop(store);
        std::fs::remove_dir_all(&folder).expect("it is ours");
    }
}
