use std::path::Path;

use lasthop_gateway::{Attaches, DevicePath, Kind, LoggedMessage, MAX_KEYS, PublicKey, UnixTime};

use super::changes::keys_of;
use super::database::{Database, Row, Value, attaches_of};
use super::key_changes::Revoking;
use super::{DataPlace, GatewayError};

/// Changes to a gateway's data outside of its server.
///
/// The database is changed whether or not a server runs, and a running server is notified.
#[derive(Debug)]
pub struct Administration {
    database: Box<dyn Database>,
}

/// A device in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceSummary {
    /// The full resource name.
    pub path: String,
    /// The algorithms of its keys.
    pub algorithms: Vec<&'static str>,
    /// The version of its configuration; 0 for none.
    pub config_version: u64,
    /// Whether and how the device can attach other devices.
    pub attaches: Option<Attaches>,
    /// The full names of the gateway devices to which the device is bound.
    pub bound_to: Vec<String>,
    /// Whether the device is blocked.
    pub is_blocked: bool,
}

/// No command is larger, nor a configuration (Cloud IoT Core).
const MAX_CONFIG_SIZE: usize = 64 << 10;
const MAX_COMMAND_SIZE: usize = 256 << 10;

/// Of the changes that a server was told of, so many are left.
const CHANGES_KEPT: i64 = 10_000;

/// A server that runs is told of so many devices by one change.
const DEVICES_A_CHANGE: usize = 1_000;

impl Administration {
    /// Opens the data of a gateway.
    ///
    /// # Errors
    /// When they are none of this version.
    pub fn open(place: &DataPlace) -> Result<Self, GatewayError> {
        Ok(Self {
            database: place.administered()?,
        })
    }

    /// Opens the data for [`trim_log`](Self::trim_log), which must work on a full disk.
    ///
    /// # Errors
    /// When they are none of this version.
    pub fn open_to_trim(place: &DataPlace) -> Result<Self, GatewayError> {
        Ok(Self {
            database: place.administered_without_room()?,
        })
    }

    /// Adds a device, or replaces its keys and its right to attach others; returns whether it is new.
    ///
    /// # Errors
    /// When a key is none, there are too many, or another registry has a device of this identifier.
    pub fn put_device(
        &mut self,
        path: &str,
        pems: &[String],
        attaches: Option<Attaches>,
        revoking: Revoking,
    ) -> Result<bool, GatewayError> {
        let device = [(path.into(), pems.into())];
        let new = self.put_devices(&device, attaches, revoking, &mut |_| Ok(()))?;
        Ok(new > 0)
    }

    /// Adds many devices with keys, all or none; returns how many are new. `tell` gets the progress.
    ///
    /// # Errors
    /// As with one, or that of `tell`.
    pub fn put_devices(
        &mut self,
        devices: &[(String, Vec<String>)],
        attaches: Option<Attaches>,
        revoking: Revoking,
        tell: &mut dyn FnMut(usize) -> Result<(), GatewayError>,
    ) -> Result<usize, GatewayError> {
        let are_many = devices.len() > 1;
        let devices = devices.iter().map(|(path, pems)| {
            let keys = read_keys(pems).map_err(|error| match error {
                GatewayError::Refused(why) if are_many => {
                    GatewayError::Refused(format!("{path}: {why}"))
                }
                error => error,
            });
            Ok((read_path(path)?, keys?))
        });
        let devices: Vec<(DevicePath, String)> = devices.collect::<Result<_, GatewayError>>()?;
        self.change(|database| {
            let mut new = 0;
            let put = "INSERT INTO devices (path, device, keys, attaches) VALUES ($1, $2, $3, $4)
                ON CONFLICT (path) DO UPDATE SET keys = excluded.keys, attaches = coalesce(excluded.attaches, devices.attaches)";
            let attaches = Value::OptionalText(attaches.map(Attaches::name));
            for (turn, some) in devices.chunks(DEVICES_A_CHANGE).enumerate() {
                let mut gone = Vec::new();
                for (path, keys) in some {
                    let find = "SELECT path, keys FROM devices WHERE device = $1";
                    let known = database.rows(find, &[Value::Text(path.device())])?;
                    let known = known.into_iter().next();
                    let known = known.map(|mut row| (row.text(0), row.text(1)));
                    if let Some((other, _)) = known.as_ref().filter(|(it, _)| it != path.text()) {
                        return Err(namesake(other));
                    }
                    new += usize::from(known.is_none());
                    let before = known.map(|(_, keys)| keys).unwrap_or_default();
                    gone.push((path, before, keys));
                    let names = [path.text(), path.device(), keys].map(Value::Text);
                    let [text, device, keys] = names;
                    database.execute(put, &[text, device, keys, attaches])?;
                }
                if let [(path, _)] = some {
                    note(database, "device", path, "", b"")?;
                } else if let [(first, _), ..] = some {
                    let names: Vec<&str> = some.iter().map(|(path, _)| path.text()).collect();
                    note(database, "devices", first, "", names.join("\n").as_bytes())?;
                }
                for (path, before, after) in gone {
                    revoking.note(database, path, &before, after)?;
                }
                tell(turn * DEVICES_A_CHANGE + some.len())?;
            }
            Ok(new)
        })
    }

    /// Removes a device with its configuration. Its messages stay in the log.
    ///
    /// # Errors
    /// When there is no such device.
    pub fn remove_device(&mut self, path: &str) -> Result<(), GatewayError> {
        let path = read_path(path)?;
        self.change(|database| {
            let name = [Value::Text(path.text())];
            let gone = database.execute("DELETE FROM devices WHERE path = $1", &name)?;
            if gone == 0 {
                return Err(unknown(&path));
            }
            database.execute("DELETE FROM configs WHERE path = $1", &name)?;
            database.execute("DELETE FROM bindings WHERE gateway = $1", &name)?;
            database.execute("DELETE FROM bindings WHERE device = $1", &name)?;
            note(database, "removed", &path, "", b"")
        })
    }

    /// Returns all devices by name.
    ///
    /// # Errors
    /// When the database fails.
    pub fn devices(&mut self) -> Result<Vec<DeviceSummary>, GatewayError> {
        let query = "SELECT devices.path, keys, coalesce(version, 0), attaches, blocked
            FROM devices LEFT JOIN configs ON configs.path = devices.path ORDER BY devices.path";
        let devices = self.database.rows(query, &[])?.into_iter().map(summary);
        let mut devices: Vec<DeviceSummary> = devices.collect();
        // The order of a database's own collation may be another.
        devices.sort_by(|one, other| one.path.cmp(&other.path));
        let bindings = "SELECT gateway, device FROM bindings ORDER BY gateway";
        for mut row in self.database.rows(bindings, &[])? {
            let (gateway, device) = (row.text(0), row.text(1));
            if let Ok(place) = devices.binary_search_by(|it| it.path.cmp(&device)) {
                devices[place].bound_to.push(gateway);
            }
        }
        Ok(devices)
    }

    /// Copies all data consistently into a new file, whether or not a server runs.
    ///
    /// # Errors
    /// When there is such a file, it cannot be written, or the database has tools of its own for that.
    pub fn back_up(&mut self, file: &Path) -> Result<(), GatewayError> {
        self.database.back_up(file)
    }

    /// Sets the configuration of a device and returns its version.
    ///
    /// # Errors
    /// When there is no such device, or it is too much.
    pub fn set_config(&mut self, path: &str, payload: &[u8]) -> Result<u64, GatewayError> {
        let path = read_path(path)?;
        check_size("a configuration", payload, MAX_CONFIG_SIZE)?;
        self.change(|database| {
            ask_for(database, &path)?;
            let set = "INSERT INTO configs (path, version, payload) VALUES ($1, 1, $2)
                ON CONFLICT (path) DO UPDATE SET version = configs.version + 1, payload = excluded.payload
                RETURNING version";
            let set = database.rows(set, &[Value::Text(path.text()), Value::Bytes(payload)])?;
            let version = set.into_iter().next().map_or(0, |mut row| row.number(0));
            note(database, "config", &path, "", payload)?;
            Ok(version.unsigned_abs())
        })
    }

    /// Sends a command to a device now. A device without a connection does not receive it.
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
        if !self.database.is_served()? {
            let why = "no server runs on these data, and commands are for devices that are connected; start: lasthop serve gateway --data DIR";
            return Err(GatewayError::Refused(why.into()));
        }
        self.change(|database| {
            ask_for(database, &path)?;
            note(database, "command", &path, folder, payload)
        })
    }

    /// Returns at most `most` messages of the log, starting at a position.
    ///
    /// # Errors
    /// When the database fails.
    pub fn messages(&mut self, from: u64, most: u64) -> Result<Vec<LoggedMessage>, GatewayError> {
        let query = "SELECT \"offset\", device, at, kind, folder, payload FROM messages
            WHERE \"offset\" >= $1 ORDER BY \"offset\" LIMIT $2";
        let bounds = [from, most].map(|it| Value::Number(bounded(it)));
        let rows = self.database.rows(query, &bounds)?.into_iter();
        Ok(rows.map(message).collect())
    }

    /// Returns the position of the first unacknowledged message of a subscription. For an unknown subscription this is
    /// the first message.
    ///
    /// # Errors
    /// When the database fails.
    pub fn next_of(&mut self, subscription: &str) -> Result<u64, GatewayError> {
        let query = "SELECT next FROM subscriptions WHERE name = $1";
        let found = self.database.rows(query, &[Value::Text(subscription)])?;
        let next = found.into_iter().next().map(|mut row| row.number(0));
        Ok(next.map_or(1, i64::unsigned_abs))
    }

    /// Acknowledges all messages before this position for a subscription. Later messages are sent again.
    ///
    /// # Errors
    /// When the database fails.
    pub fn acknowledge(&mut self, subscription: &str, next: u64) -> Result<(), GatewayError> {
        let set = "INSERT INTO subscriptions (name, next) VALUES ($1, $2)
            ON CONFLICT (name) DO UPDATE SET next = excluded.next WHERE subscriptions.next < excluded.next";
        let values = [Value::Text(subscription), Value::Number(bounded(next))];
        self.database.execute(set, &values).map(drop)
    }

    pub(super) fn database(&mut self) -> &mut dyn Database {
        &mut *self.database
    }

    /// Applies a change in one transaction and notifies the running server.
    pub(super) fn change<T>(
        &mut self,
        work: impl FnOnce(&mut dyn Database) -> Result<T, GatewayError>,
    ) -> Result<T, GatewayError> {
        let database = &mut *self.database;
        database.begin()?;
        let outcome = work(database);
        match &outcome {
            Ok(_) => database.commit_and_tell()?,
            Err(_) => database.roll_back(),
        }
        outcome
    }
}

pub(super) fn note(
    database: &mut dyn Database,
    what: &str,
    path: &DevicePath,
    folder: &str,
    payload: &[u8],
) -> Result<(), GatewayError> {
    let insert = "INSERT INTO changes (what, path, folder, payload) VALUES ($1, $2, $3, $4) RETURNING number";
    let [what, path, folder] = [what, path.text(), folder].map(Value::Text);
    let noted = database.rows(insert, &[what, path, folder, Value::Bytes(payload)])?;
    let number = noted.into_iter().next().map_or(0, |mut row| row.number(0));
    let forget = "DELETE FROM changes WHERE number <= $1";
    let old = [Value::Number(number - CHANGES_KEPT)];
    database.execute(forget, &old).map(drop)
}

/// Returns an error if the device does not exist.
pub(super) fn ask_for(database: &mut dyn Database, path: &DevicePath) -> Result<(), GatewayError> {
    let find = "SELECT path FROM devices WHERE path = $1";
    let found = database.rows(find, &[Value::Text(path.text())])?;
    match found.len() {
        0 => Err(unknown(path)),
        _ => Ok(()),
    }
}

fn summary(mut row: Row) -> DeviceSummary {
    let keys = keys_of(&row.text(1)).into_iter();
    DeviceSummary {
        path: row.text(0),
        algorithms: keys.map(|key| key.algorithm().name()).collect(),
        config_version: row.number(2).unsigned_abs(),
        attaches: attaches_of(row.optional_text(3)),
        bound_to: Vec::new(),
        is_blocked: row.number(4) != 0,
    }
}

fn message(mut row: Row) -> LoggedMessage {
    let is_state = row.text(3) == Kind::State.name();
    LoggedMessage {
        offset: row.number(0).unsigned_abs(),
        device: row.text(1),
        at: UnixTime(row.number(2).unsigned_abs()),
        kind: if is_state { Kind::State } else { Kind::Event },
        folder: row.text(4),
        payload: row.bytes(5),
    }
}

/// Keys as they are stored, one behind the other.
fn read_keys(pems: &[String]) -> Result<String, GatewayError> {
    let keys = pems.iter().map(|pem| read_key(pem));
    join_keys(&keys.collect::<Result<Vec<PublicKey>, _>>()?)
}

pub(super) fn read_key(pem: &str) -> Result<PublicKey, GatewayError> {
    PublicKey::from_pem(pem).map_err(|error| GatewayError::Refused(error.to_string()))
}

/// Returns keys in their stored form, if a device may have that many.
pub(super) fn join_keys(keys: &[PublicKey]) -> Result<String, GatewayError> {
    let count = keys.len();
    if count > MAX_KEYS {
        let why = format!("a device has at most {MAX_KEYS} keys, not {count}");
        return Err(GatewayError::Refused(why));
    }
    let keys: Vec<&str> = keys.iter().map(PublicKey::pem).collect();
    Ok(keys.join("\n"))
}

pub(super) fn read_path(path: &str) -> Result<DevicePath, GatewayError> {
    DevicePath::parse(path).map_err(|error| GatewayError::Refused(format!("\"{path}\": {error}")))
}

fn namesake(other: &str) -> GatewayError {
    GatewayError::Refused(format!(
        "{other} has this identifier already, and topics name nothing else; give the device another one"
    ))
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

pub(super) fn bounded(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
