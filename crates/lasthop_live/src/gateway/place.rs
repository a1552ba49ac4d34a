use core::fmt;
use std::os::fd::OwnedFd;
use std::path::Path;

use super::bell::ringer;
use super::database::Database;
use super::postgres::{PostgresDatabase, PostgresNames, PostgresServer, Role};
use super::sqlite::SqliteDatabase;
use super::{DataFolder, GatewayError};

/// The location of a gateway's data.
#[derive(Clone, Debug)]
pub enum DataPlace {
    /// In a folder of this machine.
    Folder(DataFolder),
    /// On a server of PostgreSQL.
    Postgres(Box<PostgresServer>),
}

/// The connections and locks that a server has on its data.
pub(super) struct Served {
    /// The connection that writes messages.
    pub(super) writing: Box<dyn Database>,
    /// The connection that listens for changes and reads them.
    pub(super) hearing: Box<dyn Database>,
    /// Wakes the listening thread, if possible.
    pub(super) wakes: Option<Wakes>,
    /// The lock against other servers, if the database has none itself.
    pub(super) lock: Option<OwnedFd>,
}

/// A socket that wakes the listening thread.
pub(super) type Wakes = std::os::unix::net::UnixDatagram;

impl fmt::Display for DataPlace {
    /// Tells no password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(folder) => write!(f, "{}", folder.file("").display()),
            Self::Postgres(server) => write!(f, "{server:?}"),
        }
    }
}

impl DataPlace {
    /// Uses a folder and creates it if it is missing.
    ///
    /// # Errors
    /// When it is none and cannot be made.
    pub fn folder(path: &Path) -> Result<Self, GatewayError> {
        DataFolder::open(path).map(Self::Folder)
    }

    /// Uses a database on a PostgreSQL server.
    ///
    /// # Errors
    /// When an authority that is to be believed is none.
    pub fn postgres(names: &PostgresNames<'_>) -> Result<Self, GatewayError> {
        PostgresServer::new(names).map(|server| Self::Postgres(Box::new(server)))
    }

    /// Opens a connection for administration, whether or not a server uses the data.
    pub(super) fn administered(&self) -> Result<Box<dyn Database>, GatewayError> {
        Ok(match self {
            Self::Folder(folder) => Box::new(SqliteDatabase::open(folder)?),
            Self::Postgres(server) => {
                Box::new(PostgresDatabase::open(server, Role::Administrator)?)
            }
        })
    }

    /// Opens a connection for administration that must free space on a full disk. If the database cannot be opened, the
    /// reserved space is released.
    pub(super) fn administered_without_room(&self) -> Result<Box<dyn Database>, GatewayError> {
        let opened = self.administered();
        match (self, &opened) {
            (
                Self::Folder(folder),
                Err(GatewayError::Full(_) | GatewayError::Database(..) | GatewayError::Folder(..)),
            ) if folder.release_reserve()? => self.administered(),
            _ => opened,
        }
    }

    /// Opens the connections of the data's only server.
    pub(super) fn served(&self) -> Result<Served, GatewayError> {
        Ok(match self {
            Self::Folder(folder) => {
                let lock = Some(folder.lock()?);
                // Without it the server serves as well.
                let _ = folder.keep_reserve();
                let hearing = SqliteDatabase::open(folder)?.hearing()?;
                let fail = |error| GatewayError::Folder(folder.file("bell"), error);
                Served {
                    writing: Box::new(SqliteDatabase::open(folder)?),
                    hearing: Box::new(hearing),
                    wakes: Some(ringer(folder).map_err(fail)?),
                    lock,
                }
            }
            Self::Postgres(server) => Served {
                writing: Box::new(PostgresDatabase::open(server, Role::Writer)?),
                hearing: Box::new(PostgresDatabase::open(server, Role::Listener)?),
                wakes: None,
                lock: None,
            },
        })
    }
}
