use core::fmt;
use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Why an operation on a gateway's data failed.
#[derive(Debug, Error)]
pub enum GatewayError {
    /// The folder or a file in it cannot be used.
    #[error("{0}: {1}")]
    Folder(PathBuf, io::Error),
    /// This machine lacks the socket type for notifications.
    #[error("no socket: {0}")]
    NoBell(io::Error),
    /// Another server uses the data.
    #[error("{0}: another server uses this data; stop it, or write another folder or database")]
    InUse(String),
    /// The database belongs to another program or to a newer version. It is not changed.
    #[error("{0}: {1}")]
    Foreign(String, String),
    /// The operation is not possible, for this reason.
    #[error("{0}")]
    Refused(String),
    /// Its disk has no room.
    #[error(
        "{0}: the disk is full; make room on it, or write: lasthop gateway log trim --older-than 30d --data DIR"
    )]
    Full(String),
    /// The database failed.
    #[error("{0}: {1}")]
    Database(String, String),
}

impl GatewayError {
    /// Creates the error for a database of a newer version of lasthop.
    pub(super) fn newer(database: impl fmt::Display, version: i64, known: i64) -> Self {
        let why = format!(
            "this database has version {version}, and this lasthop knows {known}; use the lasthop that wrote it"
        );
        Self::Foreign(database.to_string(), why)
    }
}
