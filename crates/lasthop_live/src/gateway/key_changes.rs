use lasthop_gateway::{DevicePath, Fingerprint, MAX_KEYS, PublicKey};

use super::administration::{ask_for, join_keys, note, read_key, read_path, unknown};
use super::changes::keys_of;
use super::database::{Database, Value};
use super::{Administration, GatewayError};

/// The effect of a removed key on the connections that used it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Revoking {
    /// The connections end.
    Ends,
    /// The connections stay until their tokens expire. No new connection can use the key.
    Keeps,
}

/// A key of a device in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeySummary {
    /// The fingerprint of the key.
    pub fingerprint: Fingerprint,
    /// The signature algorithm of its tokens.
    pub algorithm: &'static str,
}

impl Revoking {
    /// Records the removed keys of a device for a running server, if their connections must end.
    pub(super) fn note(
        self,
        database: &mut dyn Database,
        path: &DevicePath,
        before: &str,
        after: &str,
    ) -> Result<(), GatewayError> {
        let after = keys_of(after);
        let after: Vec<Fingerprint> = after.iter().map(PublicKey::fingerprint).collect();
        let gone = keys_of(before).into_iter();
        let gone = gone.map(|key| key.fingerprint());
        let gone: Vec<String> = gone
            .filter(|key| !after.contains(key))
            .map(|key| key.to_string())
            .collect();
        match self {
            Self::Ends if !gone.is_empty() => {
                note(database, "revoked", path, "", gone.join("\n").as_bytes())
            }
            Self::Ends | Self::Keeps => Ok(()),
        }
    }
}

impl Administration {
    /// Returns the keys of a device.
    ///
    /// # Errors
    /// When there is no such device.
    pub fn keys(&mut self, path: &str) -> Result<Vec<KeySummary>, GatewayError> {
        let path = read_path(path)?;
        let keys = keys_of_device(self.database(), &path)?.into_iter();
        let keys = keys.map(|key| KeySummary {
            fingerprint: key.fingerprint(),
            algorithm: key.algorithm().name(),
        });
        Ok(keys.collect())
    }

    /// Adds a key to a device; returns whether it is new.
    ///
    /// # Errors
    /// When there is no such device, the key is none, or it has as many as it may.
    pub fn add_key(&mut self, path: &str, pem: &str) -> Result<bool, GatewayError> {
        let (path, key) = (read_path(path)?, read_key(pem)?);
        self.change(|database| {
            let mut keys = keys_of_device(database, &path)?;
            let is_new = keys.iter().all(|it| it.fingerprint() != key.fingerprint());
            if is_new {
                if keys.len() == MAX_KEYS {
                    return Err(GatewayError::Refused(format!(
                        "{path} has {MAX_KEYS} keys, and no device has more; write: lasthop gateway key remove {path} --key FILE"
                    )));
                }
                keys.push(key);
                set_keys(database, &path, &join_keys(&keys)?)?;
            }
            Ok(is_new)
        })
    }

    /// Removes a key of a device, given as PEM, fingerprint or prefix of one; returns its fingerprint.
    ///
    /// # Errors
    /// When there is no such device, it has no such key, or it would have none.
    pub fn remove_key(
        &mut self,
        path: &str,
        named: &str,
        revoking: Revoking,
    ) -> Result<Fingerprint, GatewayError> {
        let path = read_path(path)?;
        let named = match named.contains("-----BEGIN") {
            true => read_key(named)?.fingerprint().to_string(),
            false => named.trim().to_ascii_lowercase(),
        };
        self.change(|database| {
            let before = keys_of_device(database, &path)?;
            let is_named = |key: &PublicKey| key.fingerprint().to_string().starts_with(&named);
            let (gone, left): (Vec<_>, Vec<_>) = before.iter().cloned().partition(is_named);
            let [gone] = &gone[..] else {
                let many = if gone.is_empty() { "no key" } else { "several keys" };
                return Err(GatewayError::Refused(format!(
                    "{path} has {many} of fingerprint \"{named}\"; write: lasthop gateway key list {path}"
                )));
            };
            if left.is_empty() {
                return Err(GatewayError::Refused(format!(
                    "this is the only key of {path}; write: lasthop gateway device block {path}, or add its next key before"
                )));
            }
            let (before, after) = (join_keys(&before)?, join_keys(&left)?);
            set_keys(database, &path, &after)?;
            revoking.note(database, &path, &before, &after)?;
            Ok(gone.fingerprint())
        })
    }

    /// Blocks or unblocks a device, whatever credentials it presents. Returns whether that is a change. Its keys,
    /// configuration and messages stay.
    ///
    /// # Errors
    /// When there is no such device.
    pub fn set_blocked(&mut self, path: &str, is_blocked: bool) -> Result<bool, GatewayError> {
        let path = read_path(path)?;
        self.change(|database| {
            ask_for(database, &path)?;
            let set = "UPDATE devices SET blocked = $1 WHERE path = $2 AND blocked <> $1";
            let values = [
                Value::Number(i64::from(is_blocked)),
                Value::Text(path.text()),
            ];
            let changed = database.execute(set, &values)?;
            if changed > 0 {
                note(database, "device", &path, "", b"")?;
            }
            Ok(changed > 0)
        })
    }
}

fn keys_of_device(
    database: &mut dyn Database,
    path: &DevicePath,
) -> Result<Vec<PublicKey>, GatewayError> {
    let find = "SELECT keys FROM devices WHERE path = $1";
    let found = database.rows(find, &[Value::Text(path.text())])?;
    let mut found = found.into_iter().next().ok_or_else(|| unknown(path))?;
    Ok(keys_of(&found.text(0)))
}

fn set_keys(
    database: &mut dyn Database,
    path: &DevicePath,
    keys: &str,
) -> Result<(), GatewayError> {
    let set = "UPDATE devices SET keys = $1 WHERE path = $2";
    database.execute(set, &[Value::Text(keys), Value::Text(path.text())])?;
    note(database, "device", path, "", b"")
}
