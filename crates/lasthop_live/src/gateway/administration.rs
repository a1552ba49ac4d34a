use std::os::unix::net::UnixDatagram;

use lasthop_gateway::{Attaches, DevicePath, Kind, LoggedMessage, MAX_KEYS, PublicKey, UnixTime};
use rusqlite::{OptionalExtension, Transaction, TransactionBehavior, params};

use super::bell::{Ring, ringer};
use super::database::{Database, attaches_of};
use super::{DataFolder, GatewayError};

/// What is done to a gateway's data beside its server: the database itself is changed, whether or not a server runs, and one
/// that does is told to look.
#[derive(Debug)]
pub struct Administration {
    database: Database,
    bell: Option<UnixDatagram>,
}

/// A device as it is listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceSummary {
    /// Its full name.
    pub path: String,
    /// The algorithms of its keys.
    pub algorithms: Vec<&'static str>,
    /// The version of its configuration; 0 for none.
    pub config_version: u64,
    /// Whom it may attach.
    pub attaches: Option<Attaches>,
    /// The full names of those that it is bound to.
    pub bound_to: Vec<String>,
}

/// No command is larger, nor a configuration (Cloud IoT Core).
const MAX_CONFIG_SIZE: usize = 64 << 10;
const MAX_COMMAND_SIZE: usize = 256 << 10;

/// Of the changes that a server was told of, so many are left.
const CHANGES_KEPT: i64 = 10_000;

/// So many devices are added at once at most: a server that runs is told of each.
const MAX_DEVICES_AT_ONCE: usize = 5_000;

impl Administration {
    /// Opens the data of a folder.
    ///
    /// # Errors
    /// When it is none of this version.
    pub fn open(folder: &DataFolder) -> Result<Self, GatewayError> {
        Ok(Self {
            database: Database::open(folder)?,
            bell: ringer(folder).ok(),
        })
    }

    /// Adds a device, or gives it these keys in place of those that it has, and this right to speak for others in place of the
    /// one that it has, where one is named; whether it is new.
    ///
    /// # Errors
    /// When a key is none, there are too many, or another registry has a device of this identifier.
    pub fn put_device(
        &mut self,
        path: &str,
        pems: &[String],
        attaches: Option<Attaches>,
    ) -> Result<bool, GatewayError> {
        let new = self.put_devices(&[(path.into(), pems.into())], attaches)?;
        Ok(new > 0)
    }

    /// The same with many devices and their keys, all or none; how many are new.
    ///
    /// # Errors
    /// As with one, or when they are too many for one turn.
    pub fn put_devices(
        &mut self,
        devices: &[(String, Vec<String>)],
        attaches: Option<Attaches>,
    ) -> Result<usize, GatewayError> {
        if devices.len() > MAX_DEVICES_AT_ONCE {
            let count = devices.len();
            let why = format!("{count} devices at once; add at most {MAX_DEVICES_AT_ONCE}");
            return Err(GatewayError::Refused(why));
        }
        let devices = devices.iter();
        let devices = devices.map(|(path, pems)| Ok((read_path(path)?, read_keys(pems)?)));
        let devices: Vec<(DevicePath, String)> = devices.collect::<Result<_, GatewayError>>()?;
        let outcome = self.change(|transaction| {
            let mut new = 0;
            for (path, _) in &devices {
                let find = "SELECT path FROM devices WHERE device = ?";
                let known: Option<String> = transaction
                    .query_row(find, [path.device()], |row| row.get(0))
                    .optional()?;
                if let Some(other) = known.as_ref().filter(|known| *known != path.text()) {
                    return Ok(Err(other.clone()));
                }
                new += usize::from(known.is_none());
            }
            let put = "INSERT INTO devices (path, device, keys, attaches) VALUES (?, ?, ?, ?)
                ON CONFLICT (path) DO UPDATE SET keys = excluded.keys, attaches = coalesce(excluded.attaches, attaches)";
            let attaches = attaches.map(Attaches::name);
            for (path, keys) in &devices {
                transaction.execute(put, params![path.text(), path.device(), keys, attaches])?;
                note(transaction, "device", path, "", b"")?;
            }
            Ok(Ok(new))
        })?;
        outcome.map_err(|known| {
            GatewayError::Refused(format!(
                "{known} has this identifier already, and topics name nothing else; give the device another one"
            ))
        })
    }

    /// Takes a device out, with its configuration; what it said stays in the log.
    ///
    /// # Errors
    /// When there is no such device.
    pub fn remove_device(&mut self, path: &str) -> Result<(), GatewayError> {
        let path = read_path(path)?;
        let was_there = self.change(|transaction| {
            let gone = transaction.execute("DELETE FROM devices WHERE path = ?", [path.text()])?;
            transaction.execute("DELETE FROM configs WHERE path = ?", [path.text()])?;
            let unbind = "DELETE FROM bindings WHERE gateway = ?1 OR device = ?1";
            transaction.execute(unbind, [path.text()])?;
            note(transaction, "removed", &path, "", b"")?;
            Ok(gone > 0)
        })?;
        was_there.then_some(()).ok_or_else(|| unknown(&path))
    }

    /// All devices, by name.
    ///
    /// # Errors
    /// When SQLite fails.
    pub fn devices(&self) -> Result<Vec<DeviceSummary>, GatewayError> {
        let query = "SELECT devices.path, keys, coalesce(version, 0), attaches,
                (SELECT group_concat(gateway, ' ') FROM
                    (SELECT gateway FROM bindings WHERE device = devices.path ORDER BY gateway))
            FROM devices LEFT JOIN configs ON configs.path = devices.path ORDER BY devices.path";
        let read = || {
            let mut devices = self.database.connection.prepare(query)?;
            let rows = devices.query_map([], |row| {
                let keys: String = row.get(1)?;
                let pems = keys.split_inclusive("-----END PUBLIC KEY-----");
                let keys = pems.filter_map(|pem| PublicKey::from_pem(pem).ok());
                Ok(DeviceSummary {
                    path: row.get(0)?,
                    algorithms: keys.map(|key| key.algorithm().name()).collect(),
                    config_version: row.get::<_, i64>(2)?.unsigned_abs(),
                    attaches: attaches_of(row.get(3)?),
                    bound_to: row
                        .get::<_, Option<String>>(4)?
                        .map_or_else(Vec::new, |it| it.split(' ').map(str::to_owned).collect()),
                })
            })?;
            rows.collect()
        };
        self.database.tell(read())
    }

    /// Says what a device is to be like; the version of that.
    ///
    /// # Errors
    /// When there is no such device, or it is too much.
    pub fn set_config(&mut self, path: &str, payload: &[u8]) -> Result<u64, GatewayError> {
        let path = read_path(path)?;
        check_size("a configuration", payload, MAX_CONFIG_SIZE)?;
        let version = self.change(|transaction| {
            if !is_known(transaction, &path)? {
                return Ok(None);
            }
            let set = "INSERT INTO configs (path, version, payload) VALUES (?, 1, ?)
                ON CONFLICT (path) DO UPDATE SET version = version + 1, payload = excluded.payload
                RETURNING version";
            let version: i64 =
                transaction.query_row(set, params![path.text(), payload], |row| row.get(0))?;
            note(transaction, "config", &path, "", payload)?;
            Ok(Some(version.unsigned_abs()))
        })?;
        version.ok_or_else(|| unknown(&path))
    }

    /// Tells a device to do something now: who is not connected never hears of it.
    ///
    /// # Errors
    /// When there is no such device, it is too much, or no server runs.
    pub fn send_command(
        &mut self,
        path: &str,
        folder: &str,
        payload: &[u8],
    ) -> Result<(), GatewayError> {
        let path = read_path(path)?;
        check_size("a command", payload, MAX_COMMAND_SIZE)?;
        if folder.contains(['+', '#', '\0']) || folder.starts_with('/') || folder.ends_with('/') {
            let why = "a folder is a part of a topic, as door/front".to_owned();
            return Err(GatewayError::Refused(why));
        }
        if self.bell.is_none() {
            let why = "no server runs on this folder, and commands are for devices that are connected; start: lasthop serve gateway --data DIR";
            return Err(GatewayError::Refused(why.into()));
        }
        let is_sent = self.change(|transaction| {
            let known = is_known(transaction, &path)?;
            if known {
                note(transaction, "command", &path, folder, payload)?;
            }
            Ok(known)
        })?;
        is_sent.then_some(()).ok_or_else(|| unknown(&path))
    }

    /// The messages from a place in the log on, at most so many.
    ///
    /// # Errors
    /// When SQLite fails.
    pub fn messages(&self, from: u64, most: u64) -> Result<Vec<LoggedMessage>, GatewayError> {
        let query = "SELECT offset, device, at, kind, folder, payload FROM messages
            WHERE offset >= ? ORDER BY offset LIMIT ?";
        let (from, most) = (bounded(from), bounded(most));
        let read = || {
            let mut messages = self.database.connection.prepare(query)?;
            let rows = messages.query_map([from, most], |row| {
                let kind: String = row.get(3)?;
                Ok(LoggedMessage {
                    offset: row.get::<_, i64>(0)?.unsigned_abs(),
                    device: row.get(1)?,
                    at: UnixTime(row.get::<_, i64>(2)?.unsigned_abs()),
                    kind: if kind == "state" {
                        Kind::State
                    } else {
                        Kind::Event
                    },
                    folder: row.get(4)?,
                    payload: row.get(5)?,
                })
            })?;
            rows.collect()
        };
        self.database.tell(read())
    }

    /// The place of the first message that a subscription has not acknowledged; one that nobody knows begins at the first.
    ///
    /// # Errors
    /// When SQLite fails.
    pub fn next_of(&self, subscription: &str) -> Result<u64, GatewayError> {
        let query = "SELECT next FROM subscriptions WHERE name = ?";
        let connection = &self.database.connection;
        let next = connection.query_row(query, [subscription], |row| row.get::<_, i64>(0));
        let next = self.database.tell(next.optional())?;
        Ok(next.map_or(1, i64::unsigned_abs))
    }

    /// Notes that a subscription has done with all messages before this place. What it has not comes again.
    ///
    /// # Errors
    /// When SQLite fails.
    pub fn acknowledge(&mut self, subscription: &str, next: u64) -> Result<(), GatewayError> {
        let set = "INSERT INTO subscriptions (name, next) VALUES (?, ?)
            ON CONFLICT (name) DO UPDATE SET next = max(next, excluded.next)";
        let connection = &self.database.connection;
        let set = connection.execute(set, params![subscription, bounded(next)]);
        self.database.tell(set).map(drop)
    }

    /// Changes something in one transaction, and rings.
    pub(super) fn change<T>(
        &mut self,
        work: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
    ) -> Result<T, GatewayError> {
        let connection = &mut self.database.connection;
        let begun = connection.transaction_with_behavior(TransactionBehavior::Immediate);
        let outcome = begun.and_then(|transaction| {
            let outcome = work(&transaction)?;
            transaction.commit()?;
            Ok(outcome)
        });
        let outcome = self.database.tell(outcome)?;
        if let Some(bell) = &self.bell {
            // A server that has just ended reads all when it starts again.
            let _ = bell.send(&[Ring::Changed as u8]);
        }
        Ok(outcome)
    }
}

pub(super) fn note(
    transaction: &Transaction<'_>,
    what: &str,
    path: &DevicePath,
    folder: &str,
    payload: &[u8],
) -> rusqlite::Result<()> {
    let insert = "INSERT INTO changes (what, path, folder, payload) VALUES (?, ?, ?, ?)";
    transaction.execute(insert, params![what, path.text(), folder, payload])?;
    let forget = "DELETE FROM changes WHERE number <= ?";
    transaction.execute(forget, [transaction.last_insert_rowid() - CHANGES_KEPT])?;
    Ok(())
}

pub(super) fn is_known(transaction: &Transaction<'_>, path: &DevicePath) -> rusqlite::Result<bool> {
    let find = "SELECT 1 FROM devices WHERE path = ?";
    let found = transaction
        .query_row(find, [path.text()], |_| Ok(()))
        .optional()?;
    Ok(found.is_some())
}

/// Keys as they are stored, one behind the other.
fn read_keys(pems: &[String]) -> Result<String, GatewayError> {
    let count = pems.len();
    if count > MAX_KEYS {
        let why = format!("a device has at most {MAX_KEYS} keys, not {count}");
        return Err(GatewayError::Refused(why));
    }
    let keys = pems.iter().map(|pem| PublicKey::from_pem(pem));
    let keys: Result<Vec<PublicKey>, _> = keys.collect();
    let keys = keys.map_err(|error| GatewayError::Refused(error.to_string()))?;
    let keys: Vec<&str> = keys.iter().map(PublicKey::pem).collect();
    Ok(keys.join("\n"))
}

pub(super) fn read_path(path: &str) -> Result<DevicePath, GatewayError> {
    DevicePath::parse(path).map_err(|error| GatewayError::Refused(format!("\"{path}\": {error}")))
}

pub(super) fn unknown(path: &DevicePath) -> GatewayError {
    GatewayError::Refused(format!(
        "no device is called {path}; write: lasthop gateway device list --data DIR"
    ))
}

fn check_size(what: &str, payload: &[u8], most: usize) -> Result<(), GatewayError> {
    if payload.len() <= most {
        return Ok(());
    }
    let size = payload.len();
    Err(GatewayError::Refused(format!(
        "{what} has at most {most} bytes; this one has {size}"
    )))
}

fn bounded(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
