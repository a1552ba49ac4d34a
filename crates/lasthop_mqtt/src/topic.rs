use lasthop_contract::DeviceId;

/// The identifier of a device's client.
pub(crate) fn client_id_of(prefix: &str, device: DeviceId) -> String {
    format!("{prefix}device-{}", device.0)
}
