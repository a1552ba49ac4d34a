use lasthop_gateway::DevicePath;

use super::administration::{ask_for, note, read_path, unknown};
use super::database::Value;
use super::{Administration, GatewayError};

impl Administration {
    /// Binds a device to a gateway device; returns whether it was unbound before.
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
        self.change(|database| {
            ask_for(database, &device)?;
            let find = "SELECT attaches FROM devices WHERE path = $1";
            let found = database.rows(find, &[Value::Text(gateway.text())])?;
            let mut found = found.into_iter().next().ok_or_else(|| unknown(&gateway))?;
            if found.optional_text(0).is_none() {
                return Err(speaks_for_nobody(&gateway));
            }
            let bind =
                "INSERT INTO bindings (gateway, device) VALUES ($1, $2) ON CONFLICT DO NOTHING";
            let names = [gateway.text(), device.text()].map(Value::Text);
            let new = database.execute(bind, &names)?;
            note(database, "bound", &gateway, "", device.text().as_bytes())?;
            Ok(new > 0)
        })
    }

    /// Unbinds a device. If it is attached, it is detached.
    ///
    /// # Errors
    /// When they are not bound.
    pub fn unbind(&mut self, gateway: &str, device: &str) -> Result<(), GatewayError> {
        let (gateway, device) = (read_path(gateway)?, read_path(device)?);
        self.change(|database| {
            let unbind = "DELETE FROM bindings WHERE gateway = $1 AND device = $2";
            let names = [gateway.text(), device.text()].map(Value::Text);
            if database.execute(unbind, &names)? == 0 {
                return Err(GatewayError::Refused(format!(
                    "{device} is not bound to {gateway}; write: lasthop gateway device list --data DIR"
                )));
            }
            note(database, "unbound", &gateway, "", device.text().as_bytes())
        })
    }
}

fn speaks_for_nobody(path: &DevicePath) -> GatewayError {
    GatewayError::Refused(format!(
        "{path} attaches no devices; write: lasthop gateway device add {path} --key FILE --attaches bound --data DIR"
    ))
}
