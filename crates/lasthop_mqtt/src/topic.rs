use lasthop_contract::DeviceId;

/// The identifier of a device's client.
pub(crate) fn client_id_of(device: DeviceId) -> String {
    format!("device-{}", device.0)
}
