use lasthop_contract::FlowId;

const PREFIX: &str = "device/";

/// The topic of a device.
pub(crate) fn topic_of(flow: FlowId) -> String {
    format!("{PREFIX}{}", flow.0)
}

/// The identifier of a device's client.
pub(crate) fn client_id_of(flow: FlowId) -> String {
    format!("device-{}", flow.0)
}

/// The device of a topic.
pub(crate) fn flow_of(topic: &str) -> Option<FlowId> {
    topic.strip_prefix(PREFIX)?.parse().ok().map(FlowId)
}
