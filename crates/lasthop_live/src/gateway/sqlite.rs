use std::fs::{self, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior, params, params_from_iter};

use super::bell::{Bell, ringer};
use super::database::{Cell, Database, Message, Row, Value};
use super::{DataFolder, GatewayError};

const NAME: &str = "gateway.sqlite";

/// The version of a database that has been through all of [`STEPS`].
const VERSION: i64 = STEPS.len() as i64;

/// That the file is of a gateway: "LhGw".
const APPLICATION_ID: i64 = 0x4C68_4777;

/// What makes each version of the one before, from an empty database on. What was written here once stays as it is.
const STEPS: [&str; 3] = [
    "
    CREATE TABLE devices (path TEXT PRIMARY KEY, device TEXT NOT NULL UNIQUE, keys TEXT NOT NULL) STRICT;
    CREATE TABLE configs (path TEXT PRIMARY KEY, version INTEGER NOT NULL, payload BLOB NOT NULL) STRICT;
    CREATE TABLE messages (
        offset INTEGER PRIMARY KEY AUTOINCREMENT,
        device TEXT NOT NULL, at INTEGER NOT NULL, kind TEXT NOT NULL, folder TEXT NOT NULL, payload BLOB NOT NULL
    ) STRICT;
    CREATE TABLE subscriptions (name TEXT PRIMARY KEY, next INTEGER NOT NULL) STRICT;
    CREATE TABLE changes (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        what TEXT NOT NULL, path TEXT NOT NULL, folder TEXT NOT NULL, payload BLOB NOT NULL
    ) STRICT;
",
    "
    ALTER TABLE devices ADD COLUMN attaches TEXT;
    CREATE TABLE bindings (gateway TEXT NOT NULL, device TEXT NOT NULL, PRIMARY KEY (gateway, device)) STRICT;
",
    "
    ALTER TABLE devices ADD COLUMN blocked INTEGER NOT NULL DEFAULT 0;
",
];

/// A gateway's SQLite database in a folder. Changes are notified by a socket in the folder.
#[derive(Debug)]
pub(super) struct SqliteDatabase {
    connection: Connection,
    path: PathBuf,
    folder: DataFolder,
    /// What a server hears by.
    bell: Option<Bell>,
    /// Where a server hears.
    ringer: Option<UnixDatagram>,
}

impl SqliteDatabase {
    /// Opens the database of a folder. It is created if missing, and an older version is migrated. A database of a
    /// newer version or of another program is refused before anything is written.
    pub(super) fn open(folder: &DataFolder) -> Result<Self, GatewayError> {
        let path = folder.file(NAME);
        if path.exists() {
            check_version(&path)?;
        }
        folder.make_private(NAME)?;
        let opened = Connection::open(&path).and_then(|mut connection| {
            // Commands and the server write in turn.
            connection.busy_timeout(Duration::from_secs(5))?;
            // A new one gives back to the disk what is removed from it; of one that has tables this changes nothing.
            connection.pragma_update(None, "auto_vacuum", "incremental")?;
            connection.pragma_update(None, "journal_mode", "wal")?;
            connection.pragma_update(None, "synchronous", "full")?;
            create(&mut connection)?;
            Ok(connection)
        });
        let connection = opened.map_err(|error| failed(&path, &error))?;
        Ok(Self {
            connection,
            path,
            folder: folder.clone(),
            bell: None,
            ringer: ringer(folder).ok(),
        })
    }

    /// Makes the connection listen for changes. Only the server that holds the lock of the folder may do this.
    pub(super) fn hearing(mut self) -> Result<Self, GatewayError> {
        self.bell = Some(Bell::hang(&self.folder)?);
        Ok(self)
    }

    fn checked<T>(&self, outcome: rusqlite::Result<T>) -> Result<T, GatewayError> {
        outcome.map_err(|error| failed(&self.path, &error))
    }
}

/// So many pages move at once when a database becomes smaller: who writes to it waits for no more.
const PAGES_AT_ONCE: u32 = 256;

impl SqliteDatabase {
    /// Writes the journal into the database, and gives its room back to the disk.
    fn empty_journal(&self) -> rusqlite::Result<()> {
        let mut empty = self.connection.prepare("PRAGMA wal_checkpoint(TRUNCATE)")?;
        // Whoever reads meanwhile only leaves a part of it to the next one.
        empty.query([])?.next().map(drop)
    }

    fn free_pages(&self) -> rusqlite::Result<i64> {
        let count = "freelist_count";
        self.connection
            .pragma_query_value(None, count, |row| row.get(0))
    }

    /// Gives the free pages back to the disk, as far as the database was made for that.
    fn shrink(&self) -> rusqlite::Result<()> {
        loop {
            let before = self.free_pages()?;
            let vacuum = format!("PRAGMA incremental_vacuum({PAGES_AT_ONCE})");
            let mut vacuum = self.connection.prepare(&vacuum)?;
            let mut rows = vacuum.query([])?;
            while rows.next()?.is_some() {}
            self.empty_journal()?;
            if self.free_pages()? >= before {
                return Ok(());
            }
        }
    }
}

impl Database for SqliteDatabase {
    fn back_up(&mut self, file: &Path) -> Result<(), GatewayError> {
        let fail = |error| GatewayError::Folder(file.into(), error);
        let mut options = OpenOptions::new();
        let made = options.write(true).create_new(true).mode(0o600).open(file);
        let made = made.map_err(fail)?;
        let Some(name) = file.to_str() else {
            return Err(GatewayError::Refused("a backup has a name in UTF-8".into()));
        };
        let copied = self.connection.execute("VACUUM INTO ?", [name]);
        let synced = self
            .checked(copied)
            .and_then(|_| made.sync_all().map_err(fail));
        if synced.is_err() {
            // It is none, and whoever looks for one is not to find it.
            let _ = fs::remove_file(file);
        }
        synced
    }

    fn make_room(&mut self) -> Result<bool, GatewayError> {
        let is_released = self.folder.release_reserve()?;
        if is_released {
            self.checked(self.empty_journal())?;
        }
        Ok(is_released)
    }

    fn give_back(&mut self) -> Result<Option<bool>, GatewayError> {
        self.checked(self.shrink())?;
        // What was removed is gone, whether or not there is room for that.
        Ok(Some(self.folder.keep_reserve().unwrap_or(false)))
    }

    fn rows(&mut self, query: &str, values: &[Value<'_>]) -> Result<Vec<Row>, GatewayError> {
        let read = || {
            let mut statement = self.connection.prepare(query)?;
            let columns = statement.column_count();
            let rows = statement.query_map(params_from_iter(values), |row| {
                let cells = (0..columns).map(|column| Ok(Cell::from(row.get_ref(column)?)));
                Ok(Row::new(cells.collect::<rusqlite::Result<_>>()?))
            })?;
            rows.collect()
        };
        self.checked(read())
    }

    fn execute(&mut self, statement: &str, values: &[Value<'_>]) -> Result<u64, GatewayError> {
        let prepared = self.connection.prepare(statement);
        let done = prepared.and_then(|mut it| it.execute(params_from_iter(values)));
        self.checked(done).map(|rows| rows as u64)
    }

    fn begin(&mut self) -> Result<(), GatewayError> {
        self.checked(self.connection.execute_batch("BEGIN IMMEDIATE"))
    }

    fn commit_and_tell(&mut self) -> Result<(), GatewayError> {
        self.checked(self.connection.execute_batch("COMMIT"))?;
        if let Some(ringer) = &self.ringer {
            // A server that has just ended reads all when it starts again.
            let _ = ringer.send(b"c");
        }
        Ok(())
    }

    fn roll_back(&mut self) {
        // What fails it has undone it.
        let _ = self.connection.execute_batch("ROLLBACK");
    }

    fn append(&mut self, messages: &[Message]) -> Result<(), GatewayError> {
        let written = append(&mut self.connection, messages);
        self.checked(written)
    }

    fn is_served(&mut self) -> Result<bool, GatewayError> {
        Ok(self.ringer.is_some())
    }

    fn await_news(&mut self) -> Result<bool, GatewayError> {
        let Some(bell) = &self.bell else {
            return Ok(false);
        };
        let fail = |error| GatewayError::Folder(self.path.clone(), error);
        bell.hear().map(|()| true).map_err(fail)
    }
}

impl ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match *self {
            Self::Text(text) | Self::OptionalText(Some(text)) => ValueRef::Text(text.as_bytes()),
            Self::OptionalText(None) => ValueRef::Null,
            Self::Number(number) => ValueRef::Integer(number),
            Self::Bytes(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

impl From<ValueRef<'_>> for Cell {
    fn from(value: ValueRef<'_>) -> Self {
        match value {
            ValueRef::Text(text) => Self::Text(String::from_utf8_lossy(text).into_owned()),
            ValueRef::Integer(number) => Self::Number(number),
            ValueRef::Blob(bytes) => Self::Bytes(bytes.into()),
            // The tables are strict, and no column is of these.
            ValueRef::Null | ValueRef::Real(_) => Self::Nothing,
        }
    }
}

fn append(connection: &mut Connection, messages: &[Message]) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    {
        let mut insert = transaction.prepare(
            "INSERT INTO messages (device, at, kind, folder, payload) VALUES (?, ?, ?, ?, ?)",
        )?;
        for it in messages {
            insert.execute(params![
                it.device,
                it.at,
                it.kind.name(),
                it.folder,
                it.payload
            ])?;
        }
    }
    transaction.commit()
}

fn check_version(path: &PathBuf) -> Result<(), GatewayError> {
    let fail = |error| failed(path, &error);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
    let connection = Connection::open_with_flags(path, flags).map_err(fail)?;
    let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let application = pragma("application_id").map_err(fail)?;
    let version = pragma("user_version").map_err(fail)?;
    let why = match (application, version) {
        // A server that died while it made the file.
        (0, 0) | (APPLICATION_ID, 1..=VERSION) => return Ok(()),
        (APPLICATION_ID, _) => {
            return Err(GatewayError::newer(path.display(), version, VERSION));
        }
        _ => "this is no database of a gateway; name another folder",
    };
    Err(GatewayError::Foreign(
        path.display().to_string(),
        why.into(),
    ))
}

fn create(connection: &mut Connection) -> rusqlite::Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let version: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let done = usize::try_from(version).unwrap_or(STEPS.len());
    if done < STEPS.len() {
        for step in &STEPS[done..] {
            transaction.execute_batch(step)?;
        }
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", VERSION)?;
    }
    transaction.commit()
}

fn failed(path: &Path, error: &rusqlite::Error) -> GatewayError {
    let place = path.display().to_string();
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => GatewayError::Full(place),
        _ => GatewayError::Database(place, error.to_string()),
    }
}
