use std::path::PathBuf;
use std::time::Duration;

use lasthop_gateway::Attaches;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use super::{DataFolder, GatewayError};

const NAME: &str = "gateway.sqlite";

/// The version of a database that has been through all of [`STEPS`].
const VERSION: i64 = STEPS.len() as i64;

/// That the file is of a gateway: "LhGw".
const APPLICATION_ID: i64 = 0x4C68_4777;

/// What makes each version of the one before, from an empty database on. What was written here once stays as it is.
///
/// Devices with their keys (PEM, one behind the other); what they are to be like; what they said; who has read how far; and
/// what was changed, for a server that runs. Then: which of them speak for others, and for whom they may.
const STEPS: [&str; 2] = [
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
];

/// A connection to the database of a gateway.
#[derive(Debug)]
pub(super) struct Database {
    pub(super) connection: Connection,
    path: PathBuf,
}

impl Database {
    /// Opens the database of a folder, made where there is none, and brought to this version where it is of an older one. One
    /// of a newer version, or of something else, is refused before anything is written to it.
    pub(super) fn open(folder: &DataFolder) -> Result<Self, GatewayError> {
        let path = folder.file(NAME);
        if path.exists() {
            check_version(&path)?;
        }
        let opened = Connection::open(&path).and_then(|mut connection| {
            // Commands and the server write in turn.
            connection.busy_timeout(Duration::from_secs(5))?;
            connection.pragma_update(None, "journal_mode", "wal")?;
            connection.pragma_update(None, "synchronous", "full")?;
            create(&mut connection)?;
            Ok(connection)
        });
        match opened {
            Ok(connection) => Ok(Self { connection, path }),
            Err(error) => Err(GatewayError::Database(path, error)),
        }
    }

    /// The same with an error of SQLite, and where it happened.
    pub(super) fn tell<T>(&self, outcome: rusqlite::Result<T>) -> Result<T, GatewayError> {
        outcome.map_err(|error| GatewayError::Database(self.path.clone(), error))
    }
}

fn check_version(path: &PathBuf) -> Result<(), GatewayError> {
    let fail = |error| GatewayError::Database(path.clone(), error);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
    let connection = Connection::open_with_flags(path, flags).map_err(fail)?;
    let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let application = pragma("application_id").map_err(fail)?;
    let version = pragma("user_version").map_err(fail)?;
    let why = match (application, version) {
        // A server that died while it made the file.
        (0, 0) | (APPLICATION_ID, 1..=VERSION) => return Ok(()),
        (APPLICATION_ID, _) => format!(
            "this database has version {version}, and this lasthop knows {VERSION}; use the lasthop that wrote it"
        ),
        _ => "this is no database of a gateway; name another folder".into(),
    };
    Err(GatewayError::Foreign(path.clone(), why))
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

/// Whom a device may attach, as the tables have it.
pub(super) fn attaches_of(name: Option<String>) -> Option<Attaches> {
    let name = name?;
    Attaches::ALL.into_iter().find(|it| it.name() == name)
}
