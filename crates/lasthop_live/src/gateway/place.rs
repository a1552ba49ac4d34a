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

/// What a server has of its data.
pub(super) struct Served {
    /// By which messages are written.
    pub(super) writing: Box<dyn Database>,
    /// By which changes are heard of and read.
    pub(super) hearing: Box<dyn Database>,
    /// Wakes who hears, where that can be.
    pub(super) wakes: Option<Wakes>,
    /// What keeps other servers out, beside the database itself.
    pub(super) lock: Option<OwnedFd>,
}

/// Wakes who hears.
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

    /// A database of a server of PostgreSQL.
    ///
    /// # Errors
    /// When an authority that is to be believed is none.
    pub fn postgres(names: &PostgresNames<'_>) -> Result<Self, GatewayError> {
        PostgresServer::new(names).map(|server| Self::Postgres(Box::new(server)))
    }

    /// A connection of who looks after the data, whether or not a server has them.
    pub(super) fn administered(&self) -> Result<Box<dyn Database>, GatewayError> {
        Ok(match self {
            Self::Folder(folder) => Box::new(SqliteDatabase::open(folder)?),
            Self::Postgres(server) => {
                Box::new(PostgresDatabase::open(server, Role::Administrator)?)
            }
        })
    }

    /// The same for who is to make room on a disk that is full: where the database cannot even be opened, what is kept back
    /// for that is released.
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

    /// What the one server of the data has.
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
