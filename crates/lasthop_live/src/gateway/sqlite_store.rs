use core::sync::atomic::{AtomicBool, Ordering};
use std::collections::VecDeque;
use std::fmt;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixDatagram;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};

use lasthop_broker::Ticket;
use lasthop_gateway::{
    Change, DevicePath, DeviceRecord, Kind, PublicKey, Record, Store, StoreError, UnixTime,
};
use lasthop_units::{Duration, Instant};
use rusqlite::{OptionalExtension, params};
use rustix::thread::nanosleep;
use rustix::time::Timespec;

use super::bell::{Bell, Ring, ringer};
use super::database::{Database, attaches_of};
use super::{DataFolder, GatewayError};
use crate::WallTime;

/// What a gateway keeps in SQLite: messages are written by a thread of its own, in one transaction all that have come while
/// the one before was written, and are settled when that is on the disk.
pub struct SqliteStore {
    database: Database,
    bell: Arc<HeardBell>,
    changes: VecDeque<Change>,
    /// The last change that was taken in.
    last_change: i64,
    records: Option<Sender<Owned>>,
    outcomes: Receiver<Outcome>,
    writer: Option<JoinHandle<()>>,
    tickets: u64,
    settled: VecDeque<(Ticket, Result<(), StoreError>)>,
    /// The sizes of what is not settled.
    waiting: VecDeque<usize>,
    waiting_size: usize,
    _lock: OwnedFd,
}

/// The bell, and whether somebody has changed something since we looked.
#[derive(Debug)]
pub(super) struct HeardBell {
    pub(super) bell: Bell,
    pub(super) has_changed: AtomicBool,
}

/// A record on its way to the disk.
struct Owned {
    device: Box<str>,
    at: UnixTime,
    kind: Kind,
    folder: Box<str>,
    payload: Box<[u8]>,
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

/// From the beginning of a transaction to that of the next one at least: what comes meanwhile is written together. A message
/// that comes alone does not wait.
const BETWEEN_TRANSACTIONS: Duration = Duration::from_millis(5);

/// What a record takes beside its payload.
const RECORD_COST: usize = 256;

impl SqliteStore {
    /// Opens the database of a folder, for the one server that has it.
    ///
    /// # Errors
    /// When another server has it, or it is none of this version.
    pub fn open(folder: &DataFolder) -> Result<Self, GatewayError> {
        let lock = folder.lock()?;
        let database = Database::open(folder)?;
        let writing = Database::open(folder)?;
        let bell = Bell::hang(folder)?;
        let ring =
            ringer(folder).map_err(|error| GatewayError::Folder(folder.file("bell"), error))?;
        let (records, to_write) = channel();
        let (told, outcomes) = channel();
        #[expect(
            clippy::disallowed_methods,
            reason = "a disk is waited for while clients are served"
        )]
        let writer = thread::spawn(move || write_all(writing, &to_write, &told, &ring));
        let mut store = Self {
            database,
            bell: Arc::new(HeardBell {
                bell,
                has_changed: AtomicBool::new(false),
            }),
            changes: VecDeque::new(),
            last_change: 0,
            records: Some(records),
            outcomes,
            writer: Some(writer),
            tickets: 0,
            settled: VecDeque::new(),
            waiting: VecDeque::new(),
            waiting_size: 0,
            _lock: lock,
        };
        let known = store.known();
        store.database.tell(known)?;
        Ok(store)
    }

    pub(super) fn bell(&self) -> Arc<HeardBell> {
        Arc::clone(&self.bell)
    }

    /// All devices and configurations, as changes that were made before anybody looked.
    fn known(&mut self) -> rusqlite::Result<()> {
        let connection = &self.database.connection;
        self.last_change =
            connection.query_row("SELECT coalesce(max(number), 0) FROM changes", [], |row| {
                row.get(0)
            })?;
        let mut devices =
            connection.prepare("SELECT path, keys, attaches FROM devices ORDER BY path")?;
        let devices =
            devices.query_map([], |row| Ok(device(row.get(0)?, row.get(1)?, row.get(2)?)))?;
        for device in devices {
            self.changes.extend(device?.map(Change::Device));
        }
        let mut bindings =
            connection.prepare("SELECT gateway, device FROM bindings ORDER BY gateway, device")?;
        let bindings = bindings.query_map([], |row| {
            let [gateway, device] = [row.get::<_, String>(0)?, row.get(1)?];
            Ok([gateway, device].map(|it| DevicePath::parse(&it)))
        })?;
        for binding in bindings {
            if let [Ok(gateway), Ok(device)] = binding? {
                self.changes.push_back(Change::Bound(gateway, device));
            }
        }
        let mut configs =
            connection.prepare("SELECT path, version, payload FROM configs ORDER BY path")?;
        let mut rows = configs.query([])?;
        while let Some(row) = rows.next()? {
            let (path, version): (String, i64) = (row.get(0)?, row.get(1)?);
            let payload: Vec<u8> = row.get(2)?;
            let path = DevicePath::parse(&path).ok();
            self.changes
                .extend(path.map(|path| Change::Configured(path, version.unsigned_abs(), payload)));
        }
        Ok(())
    }

    /// What others have changed since.
    fn look_up_changes(&mut self) -> rusqlite::Result<()> {
        let connection = &self.database.connection;
        let mut changes = connection.prepare(
            "SELECT number, what, path, folder, payload FROM changes WHERE number > ? ORDER BY number",
        )?;
        let mut rows = changes.query([self.last_change])?;
        while let Some(row) = rows.next()? {
            self.last_change = row.get(0)?;
            let (what, path): (String, String) = (row.get(1)?, row.get(2)?);
            let (folder, payload): (String, Vec<u8>) = (row.get(3)?, row.get(4)?);
            let Ok(path) = DevicePath::parse(&path) else {
                continue;
            };
            let change = match &*what {
                "device" => {
                    let find = "SELECT path, keys, attaches FROM devices WHERE path = ?";
                    let found = connection.query_row(find, [path.text()], |row| {
                        Ok(device(row.get(0)?, row.get(1)?, row.get(2)?))
                    });
                    // One that was removed since is not there.
                    found.optional()?.flatten().map(Change::Device)
                }
                "bound" | "unbound" => {
                    let device = DevicePath::parse(&String::from_utf8_lossy(&payload)).ok();
                    device.map(|device| match &*what {
                        "bound" => Change::Bound(path, device),
                        _ => Change::Unbound(path, device),
                    })
                }
                "removed" => Some(Change::Removed(path)),
                "config" => {
                    let version = "SELECT version FROM configs WHERE path = ?";
                    let version = connection.query_row(version, [path.text()], |row| row.get(0));
                    let version: Option<i64> = version.optional()?;
                    // A device that was removed since has none.
                    version.map(|it| Change::Configured(path, it.unsigned_abs(), payload))
                }
                _ => Some(Change::Commanded(path, folder, payload)),
            };
            self.changes.extend(change);
        }
        Ok(())
    }
}

impl Store for SqliteStore {
    fn keep(&mut self, record: Record<'_>) -> Result<Ticket, StoreError> {
        let size = record.payload.len() + RECORD_COST;
        if self.waiting_size + size > MAX_WAITING_SIZE {
            return Err(StoreError::Busy);
        }
        let records = self.records.as_ref().ok_or(StoreError::Failed)?;
        let owned = Owned {
            device: record.device.text().into(),
            at: record.at,
            kind: record.kind,
            folder: record.folder.into(),
            payload: record.payload.into(),
        };
        records.send(owned).map_err(|_| StoreError::Failed)?;
        self.waiting.push_back(size);
        self.waiting_size += size;
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
        }
        self.settled.pop_front()
    }

    fn next_change(&mut self) -> Option<Change> {
        let has_changed = self.bell.has_changed.swap(false, Ordering::Relaxed);
        if has_changed && self.look_up_changes().is_err() {
            // Somebody else writes; it is looked up when the bell rings next.
            self.bell.has_changed.store(true, Ordering::Relaxed);
        }
        self.changes.pop_front()
    }
}

impl Drop for SqliteStore {
    /// What was taken is written before the server ends.
    fn drop(&mut self) {
        self.records = None;
        if let Some(writer) = self.writer.take() {
            // It has told of every failure.
            let _ = writer.join();
        }
    }
}

impl fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SqliteStore").finish_non_exhaustive()
    }
}

#[expect(clippy::needless_pass_by_value, reason = "they are read from a row")]
fn device(path: String, keys: String, attaches: Option<String>) -> Option<DeviceRecord> {
    let path = DevicePath::parse(&path).ok()?;
    let pems = keys.split_inclusive("-----END PUBLIC KEY-----");
    let keys = pems.filter_map(|pem| PublicKey::from_pem(pem).ok());
    let keys = keys.collect();
    Some(DeviceRecord {
        path,
        keys,
        attaches: attaches_of(attaches),
    })
}

/// Writes until nobody has anything to write any more.
fn write_all(
    mut database: Database,
    records: &Receiver<Owned>,
    told: &Sender<Outcome>,
    bell: &UnixDatagram,
) {
    // The bell rings already where it cannot take more.
    let _ = bell.set_nonblocking(true);
    let time = WallTime::of_the_machine();
    let mut rests_until = Instant::ZERO;
    while let Ok(first) = records.recv() {
        let now = time.now();
        if now < rests_until {
            nap(rests_until - now);
        }
        rests_until = time.now() + BETWEEN_TRANSACTIONS;
        let mut batch = vec![first];
        batch.extend(records.try_iter().take(RECORDS_A_TRANSACTION - 1));
        let outcome = Outcome {
            records: batch.len(),
            result: write(&mut database, &batch).map_err(|_| StoreError::Failed),
        };
        if told.send(outcome).is_err() {
            return;
        }
        let _ = bell.send(&[Ring::Settled as u8]);
    }
}

fn nap(length: Duration) {
    let nanos = length.as_nanos();
    let length = Timespec {
        tv_sec: 0,
        tv_nsec: nanos.min(BETWEEN_TRANSACTIONS.as_nanos()) as i64,
    };
    // A signal ends it early, which costs nothing.
    let _ = nanosleep(&length);
}

fn write(database: &mut Database, batch: &[Owned]) -> rusqlite::Result<()> {
    let transaction = database.connection.transaction()?;
    {
        let mut insert = transaction.prepare(
            "INSERT INTO messages (device, at, kind, folder, payload) VALUES (?, ?, ?, ?, ?)",
        )?;
        for record in batch {
            let Owned {
                device,
                at,
                kind,
                folder,
                payload,
            } = record;
            let at = i64::try_from(at.0).unwrap_or(i64::MAX);
            insert.execute(params![device, at, kind.name(), folder, payload])?;
        }
    }
    transaction.commit()
}
