use lasthop_gateway::DevicePath;
use rusqlite::{OptionalExtension, params};

use super::administration::{is_known, note, read_path, unknown};
use super::{Administration, GatewayError};

impl Administration {
    /// Lets a device that speaks for others attach another one; whether it might not before.
    ///
    /// # Errors
    /// When there is no such device, the first does not speak for others, or they are of different registries.
    pub fn bind(&mut self, gateway: &str, device: &str) -> Result<bool, GatewayError> {
        let (gateway, device) = (read_path(gateway)?, read_path(device)?);
        if !gateway.is_beside(&device) || gateway == device {
            return Err(GatewayError::Refused(format!(
                "{device} cannot be bound to {gateway}; name two devices of one registry"
            )));
        }
        self.change(|transaction| {
            if !is_known(transaction, &device)? {
                return Ok(Err(unknown(&device)));
            }
            let find = "SELECT attaches FROM devices WHERE path = ?";
            let found = transaction.query_row(find, [gateway.text()], |row| row.get(0));
            let found: Option<Option<String>> = found.optional()?;
            match found {
                None => return Ok(Err(unknown(&gateway))),
                Some(None) => return Ok(Err(speaks_for_nobody(&gateway))),
                Some(Some(_)) => {}
            }
            let bind = "INSERT OR IGNORE INTO bindings (gateway, device) VALUES (?, ?)";
            let new = transaction.execute(bind, params![gateway.text(), device.text()])?;
            note(transaction, "bound", &gateway, "", device.text().as_bytes())?;
            Ok(Ok(new > 0))
        })?
    }

    /// Takes that right away; a device that is attached is not any more.
    ///
    /// # Errors
    /// When they are not bound.
    pub fn unbind(&mut self, gateway: &str, device: &str) -> Result<(), GatewayError> {
        let (gateway, device) = (read_path(gateway)?, read_path(device)?);
        let was_bound = self.change(|transaction| {
            let unbind = "DELETE FROM bindings WHERE gateway = ? AND device = ?";
            let gone = transaction.execute(unbind, params![gateway.text(), device.text()])?;
            if gone > 0 {
                let device = device.text().as_bytes();
                note(transaction, "unbound", &gateway, "", device)?;
            }
            Ok(gone > 0)
        })?;
        let why = || {
            format!(
                "{device} is not bound to {gateway}; write: lasthop gateway device list --data DIR"
            )
        };
        was_bound
            .then_some(())
            .ok_or_else(|| GatewayError::Refused(why()))
    }
}

fn speaks_for_nobody(path: &DevicePath) -> GatewayError {
    GatewayError::Refused(format!(
        "{path} attaches no devices; write: lasthop gateway device add {path} --key FILE --attaches bound --data DIR"
    ))
}
