use lasthop_contract::DeviceId;

/// Returns the client ID of a device.
pub(crate) fn client_id_of(prefix: &str, device: DeviceId) -> String {
    format!("{prefix}device-{}", device.0)
}

/// Returns the device with this client ID, if the ID has lasthop's form.
pub(crate) fn device_of(client_id: &str) -> Option<DeviceId> {
    let (_, number) = client_id.rsplit_once("device-")?;
    number.parse().ok().map(DeviceId)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_is_known_by_the_identifier_of_its_client() {
        for (prefix, device) in [("", 0), ("load/", 4_999)] {
            let device = DeviceId(device);
            assert_eq!(device_of(&client_id_of(prefix, device)), Some(device));
        }
        assert_eq!(device_of("device-"), None);
        assert_eq!(device_of("somebody"), None);
    }
}
