mod schema;
mod security;

use core::fmt;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use bytes::BytesMut;
use postgres::error::SqlState;
use postgres::fallible_iterator::FallibleIterator;
use postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};
use postgres::{Client, Config, NoTls, Statement};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::GatewayError;
use super::database::{Cell, Database, Message, Row, Value};
pub use security::PostgresSecurity;

/// The address and role of a PostgreSQL server.
#[derive(Clone)]
pub struct PostgresServer {
    config: Config,
    /// How it is spoken with by TLS, where it is.
    tls: Option<MakeRustlsConnect>,
    /// As it is named to people: without the password.
    name: String,
}

/// The parts of a PostgreSQL database URL.
#[derive(Clone, Copy, Debug)]
pub struct PostgresNames<'a> {
    /// A host name, an address, or the folder of a local socket.
    pub host: &'a str,
    /// The port.
    pub port: u16,
    /// The role.
    pub user: &'a str,
    /// The database.
    pub database: &'a str,
    /// The password of the role, if it has one.
    pub password: Option<&'a str>,
    /// The security of the connection. Local sockets are not secured.
    pub security: PostgresSecurity<'a>,
}

/// A gateway's database on a PostgreSQL server, in a separate schema. Changes notify the listening connections.
pub(super) struct PostgresDatabase {
    server: PostgresServer,
    role: Role,
    session: Option<Session>,
    /// That a change of several steps has begun, which is lost with its connection.
    changes: bool,
}

/// The purpose of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Writes messages of devices. A database has at most one.
    Writer,
    /// Listens for changes.
    Listener,
    /// Changes data without being the server.
    Administrator,
}

struct Session {
    client: Client,
    /// What the server has read already.
    statements: BTreeMap<Box<str>, Statement>,
}

/// What the one server has (`pg_advisory_lock`): "LhGw".
const SERVER_LOCK: i64 = 0x4C68_4777;

/// How long a server may take to answer whoever connects.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// After so long without an answer to what was sent, a server is gone.
const USER_TIMEOUT: Duration = Duration::from_secs(10);

/// How long news are awaited at once.
const NEWS: Duration = Duration::from_secs(1);

impl PostgresServer {
    /// Creates the settings of a server from the parts of its URL.
    ///
    /// # Errors
    /// When an authority is none.
    pub fn new(names: &PostgresNames<'_>) -> Result<Self, GatewayError> {
        let mut config = Config::new();
        let is_socket = names.host.starts_with('/');
        let security = match names.security {
            _ if is_socket => PostgresSecurity::Disable,
            security => security,
        };
        let secured = security.secured()?;
        if is_socket {
            config.host_path(Path::new(names.host));
        } else {
            config.host(names.host);
        }
        config
            .port(names.port)
            .user(names.user)
            .dbname(names.database)
            .application_name("lasthop gateway")
            .ssl_mode(secured.mode)
            .connect_timeout(CONNECT_TIMEOUT)
            .tcp_user_timeout(USER_TIMEOUT);
        if let Some(password) = names.password {
            config.password(password);
        }
        let host = match names.host {
            host if is_socket => host.replace('/', "%2F"),
            host if host.contains(':') => format!("[{host}]"),
            host => host.to_owned(),
        };
        let (user, port, database) = (names.user, names.port, names.database);
        let name = format!("postgresql://{user}@{host}:{port}/{database}");
        Ok(Self {
            config,
            tls: secured.connector,
            name,
        })
    }

    fn failed(&self, error: &postgres::Error) -> GatewayError {
        if error.code() == Some(&SqlState::DISK_FULL) {
            return GatewayError::Full(self.name.clone());
        }
        let told = error.as_db_error().map(|it| it.message().to_owned());
        let cause = || core::error::Error::source(error).map(ToString::to_string);
        let told = told.or_else(|| security::words_of(error));
        let why = told.or_else(cause).unwrap_or_else(|| error.to_string());
        GatewayError::Database(self.name.clone(), why)
    }

    fn foreign(&self, why: &str) -> GatewayError {
        GatewayError::Foreign(self.name.clone(), why.into())
    }
}

impl PostgresDatabase {
    /// Connects to the database and creates its tables if they are missing. Tables of a newer version or of another
    /// program are refused before anything is changed.
    pub(super) fn open(server: &PostgresServer, role: Role) -> Result<Self, GatewayError> {
        let mut database = Self {
            server: server.clone(),
            role,
            session: None,
            changes: false,
        };
        database.session()?;
        Ok(database)
    }

    /// The connection, made anew where it is lost.
    fn session(&mut self) -> Result<&mut Session, GatewayError> {
        let lost = self.session.take_if(|session| session.client.is_closed());
        if lost.is_some() && self.changes {
            let why = "the connection was lost; nothing was changed".into();
            return Err(GatewayError::Database(self.server.name.clone(), why));
        }
        match &mut self.session {
            Some(session) => Ok(session),
            none => Ok(none.insert(connect(&self.server, self.role)?)),
        }
    }

    fn with<T>(
        &mut self,
        work: impl FnOnce(&mut Session) -> Result<T, postgres::Error>,
    ) -> Result<T, GatewayError> {
        let outcome = work(self.session()?);
        outcome.map_err(|error| self.server.failed(&error))
    }
}

impl Database for PostgresDatabase {
    fn back_up(&mut self, _file: &Path) -> Result<(), GatewayError> {
        let why = "a database of PostgreSQL is backed up by its own tools; write: pg_dump --schema lasthop_gateway --file FILE DATABASE";
        Err(GatewayError::Refused(why.into()))
    }

    fn rows(&mut self, query: &str, values: &[Value<'_>]) -> Result<Vec<Row>, GatewayError> {
        let values: Vec<&(dyn ToSql + Sync)> = values.iter().map(|it| it as _).collect();
        self.with(|session| {
            let query = session.statement(query)?;
            let rows = session.client.query(&query, &values)?;
            let rows = rows.iter().map(|row| {
                let cells = (0..row.len()).map(|column| row.try_get(column));
                Ok(Row::new(cells.collect::<Result<_, _>>()?))
            });
            rows.collect()
        })
    }

    fn execute(&mut self, statement: &str, values: &[Value<'_>]) -> Result<u64, GatewayError> {
        let values: Vec<&(dyn ToSql + Sync)> = values.iter().map(|it| it as _).collect();
        self.with(|session| {
            let statement = session.statement(statement)?;
            session.client.execute(&statement, &values)
        })
    }

    fn begin(&mut self) -> Result<(), GatewayError> {
        // Numbers of changes are drawn and seen in one order.
        let begin = "BEGIN; LOCK TABLE lasthop_gateway.changes IN SHARE ROW EXCLUSIVE MODE";
        self.changes = false;
        self.with(|session| session.client.batch_execute(begin))?;
        self.changes = true;
        Ok(())
    }

    fn commit_and_tell(&mut self) -> Result<(), GatewayError> {
        // Told once it is committed, and only then.
        let commit = "NOTIFY lasthop_gateway; COMMIT";
        let done = self.with(|session| session.client.batch_execute(commit));
        self.changes = false;
        done
    }

    fn roll_back(&mut self) {
        self.changes = false;
        // A connection that is lost has undone it.
        if let Some(session) = &mut self.session {
            let _ = session.client.batch_execute("ROLLBACK");
        }
    }

    fn append(&mut self, messages: &[Message]) -> Result<(), GatewayError> {
        let devices: Vec<&str> = messages.iter().map(|it| &*it.device).collect();
        let times: Vec<i64> = messages.iter().map(|it| it.at).collect();
        let kinds: Vec<&str> = messages.iter().map(|it| it.kind.name()).collect();
        let folders: Vec<&str> = messages.iter().map(|it| &*it.folder).collect();
        let payloads: Vec<&[u8]> = messages.iter().map(|it| &*it.payload).collect();
        self.with(|session| {
            let append = session.statement(
                "INSERT INTO messages (device, at, kind, folder, payload)
                SELECT device, at, kind, folder, payload
                FROM unnest($1::TEXT[], $2::BIGINT[], $3::TEXT[], $4::TEXT[], $5::BYTEA[])
                    WITH ORDINALITY AS them (device, at, kind, folder, payload, place)
                ORDER BY place",
            )?;
            let values: [&(dyn ToSql + Sync); 5] = [&devices, &times, &kinds, &folders, &payloads];
            session.client.execute(&append, &values).map(drop)
        })
    }

    fn is_served(&mut self) -> Result<bool, GatewayError> {
        let holders = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted
            AND classid::BIGINT = 0 AND objid::BIGINT = $1 AND objsubid = 1
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
        let mut found = self.rows(holders, &[Value::Number(SERVER_LOCK)])?;
        Ok(found.first_mut().is_some_and(|row| row.number(0) > 0))
    }

    fn await_news(&mut self) -> Result<bool, GatewayError> {
        // What happened while nobody listened is news.
        let was_lost = self
            .session
            .as_ref()
            .is_none_or(|session| session.client.is_closed());
        let heard = self.with(|session| {
            let mut news = session.client.notifications();
            let wait = if was_lost { Duration::ZERO } else { NEWS };
            let mut is_new = news.timeout_iter(wait).next()?.is_some();
            // Many at once are one.
            while news.iter().next()?.is_some() {
                is_new = true;
            }
            Ok(is_new)
        })?;
        Ok(heard || was_lost)
    }
}

impl Session {
    fn statement(&mut self, text: &str) -> Result<Statement, postgres::Error> {
        if let Some(known) = self.statements.get(text) {
            return Ok(known.clone());
        }
        let statement = self.client.prepare(text)?;
        self.statements.insert(text.into(), statement.clone());
        Ok(statement)
    }
}

fn connect(server: &PostgresServer, role: Role) -> Result<Session, GatewayError> {
    let fail = |error| server.failed(&error);
    let connected = match &server.tls {
        Some(tls) => server.config.connect(tls.clone()),
        None => server.config.connect(NoTls),
    };
    let mut client = connected.map_err(fail)?;
    schema::check(server, &mut client)?;
    // Whatever the server's own settings say: what is acknowledged is on its disk.
    client
        .batch_execute("SET search_path TO lasthop_gateway; SET synchronous_commit TO on")
        .map_err(fail)?;
    match role {
        Role::Administrator => {}
        Role::Listener => client
            .batch_execute("LISTEN lasthop_gateway")
            .map_err(fail)?,
        Role::Writer => {
            let lock = "SELECT pg_try_advisory_lock($1)";
            let row = client.query_one(lock, &[&SERVER_LOCK]).map_err(fail)?;
            if !row.try_get::<_, bool>(0).map_err(fail)? {
                return Err(GatewayError::InUse(server.name.clone()));
            }
        }
    }
    Ok(Session {
        client,
        statements: BTreeMap::new(),
    })
}

impl ToSql for Value<'_> {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn core::error::Error + Sync + Send>> {
        match self {
            Self::Text(text) => text.to_sql(kind, out),
            Self::OptionalText(text) => text.to_sql(kind, out),
            Self::Number(number) => number.to_sql(kind, out),
            Self::Bytes(bytes) => bytes.to_sql(kind, out),
        }
    }

    fn accepts(kind: &Type) -> bool {
        [Type::TEXT, Type::INT8, Type::BYTEA].contains(kind)
    }

    to_sql_checked!();
}

impl<'a> FromSql<'a> for Cell {
    fn from_sql(
        kind: &Type,
        raw: &'a [u8],
    ) -> Result<Self, Box<dyn core::error::Error + Sync + Send>> {
        Ok(match *kind {
            Type::INT8 => Self::Number(i64::from_sql(kind, raw)?),
            Type::BYTEA => Self::Bytes(raw.into()),
            _ => Self::Text(String::from_sql(kind, raw)?),
        })
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn core::error::Error + Sync + Send>> {
        Ok(Self::Nothing)
    }

    fn accepts(kind: &Type) -> bool {
        [Type::TEXT, Type::INT8, Type::BYTEA].contains(kind)
    }
}

impl fmt::Debug for PostgresServer {
    /// Tells no password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

impl fmt::Debug for PostgresDatabase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PostgresDatabase")
            .field(&self.server)
            .finish()
    }
}
