use lasthop_gateway::{Change, DevicePath, DeviceRecord, Fingerprint, PublicKey};

use super::GatewayError;
use super::database::{Database, Row, Value, attaches_of};

/// A server's reader of changes to devices. It returns all existing devices first, and then the changes that others
/// have made.
#[derive(Debug)]
pub(super) struct Changes {
    /// The number of the last one that was read.
    last: i64,
}

impl Changes {
    /// Returns all devices, bindings and configurations as new, and a reader of later changes.
    pub(super) fn from_the_start(
        database: &mut dyn Database,
    ) -> Result<(Self, Vec<Change>), GatewayError> {
        // What is changed while this is read is read twice, which changes nothing.
        let last = database.rows("SELECT coalesce(max(number), 0) FROM changes", &[])?;
        let last = last.into_iter().next().map_or(0, |mut row| row.number(0));
        let mut known = Vec::new();
        let devices = "SELECT path, keys, attaches, blocked FROM devices ORDER BY path";
        let devices = database.rows(devices, &[])?.into_iter();
        known.extend(devices.filter_map(device).map(Change::Device));
        let bindings = "SELECT gateway, device FROM bindings ORDER BY gateway, device";
        for mut row in database.rows(bindings, &[])? {
            let ends = [0, 1].map(|column| DevicePath::parse(&row.text(column)));
            if let [Ok(gateway), Ok(device)] = ends {
                known.push(Change::Bound(gateway, device));
            }
        }
        let configs = "SELECT path, version, payload FROM configs ORDER BY path";
        for mut row in database.rows(configs, &[])? {
            if let Ok(path) = DevicePath::parse(&row.text(0)) {
                let version = row.number(1).unsigned_abs();
                known.push(Change::Configured(path, version, row.bytes(2)));
            }
        }
        Ok((Self { last }, known))
    }

    /// Returns the changes that others have made since the last call. After a failure, the next call repeats them.
    pub(super) fn since(
        &mut self,
        database: &mut dyn Database,
    ) -> Result<Vec<Change>, GatewayError> {
        let query = "SELECT number, what, path, folder, payload FROM changes WHERE number > $1 ORDER BY number";
        let mut changes = Vec::new();
        let mut last = self.last;
        for row in database.rows(query, &[Value::Number(self.last)])? {
            last = read(row, database, &mut changes)?;
        }
        self.last = last;
        Ok(changes)
    }
}

/// Reads one change; its number.
fn read(
    mut row: Row,
    database: &mut dyn Database,
    changes: &mut Vec<Change>,
) -> Result<i64, GatewayError> {
    let number = row.number(0);
    let (what, path) = (row.text(1), row.text(2));
    let (folder, payload) = (row.text(3), row.bytes(4));
    let Ok(path) = DevicePath::parse(&path) else {
        return Ok(number);
    };
    let change = match &*what {
        "device" => find_device(path.text(), database)?,
        "devices" => {
            for path in String::from_utf8_lossy(&payload).lines() {
                changes.extend(find_device(path, database)?);
            }
            None
        }
        "revoked" => {
            let gone = String::from_utf8_lossy(&payload);
            let gone = gone.lines().filter_map(Fingerprint::parse);
            Some(Change::Revoked(path, gone.collect()))
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
            let find = "SELECT version FROM configs WHERE path = $1";
            let found = database.rows(find, &[Value::Text(path.text())])?;
            // A device that was removed since has none.
            let version = found.into_iter().next();
            version.map(|mut it| Change::Configured(path, it.number(0).unsigned_abs(), payload))
        }
        _ => Some(Change::Commanded(path, folder, payload)),
    };
    changes.extend(change);
    Ok(number)
}

/// What a device is now; one that was removed since is not there.
fn find_device(path: &str, database: &mut dyn Database) -> Result<Option<Change>, GatewayError> {
    let find = "SELECT path, keys, attaches, blocked FROM devices WHERE path = $1";
    let found = database.rows(find, &[Value::Text(path)])?;
    Ok(found.into_iter().find_map(device).map(Change::Device))
}

fn device(mut row: Row) -> Option<DeviceRecord> {
    let path = DevicePath::parse(&row.text(0)).ok()?;
    Some(DeviceRecord {
        path,
        keys: keys_of(&row.text(1)),
        attaches: attaches_of(row.optional_text(2)),
        is_blocked: row.number(3) != 0,
    })
}

/// Returns the keys of a device from their stored form.
pub(super) fn keys_of(pems: &str) -> Vec<PublicKey> {
    let pems = pems.split_inclusive("-----END PUBLIC KEY-----");
    pems.filter_map(|pem| PublicKey::from_pem(pem).ok())
        .collect()
}
