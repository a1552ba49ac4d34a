//! Applications of the catalogue that are not implemented yet.

use super::ApplicationEntry;
use crate::stack::{Carriage, OptionEntry, OptionKind};

/// MQTT for sensor networks.
pub(super) const MQTT_SN: ApplicationEntry = planned(
    "mqtt_sn",
    "MQTT for sensor networks through a gateway",
    &[Carriage::Datagrams],
    10_000,
    &[OptionEntry::new(
        "qos",
        OptionKind::Word(&["0", "1", "2"]),
        "quality of service",
    )
    .default("1")],
);

const fn planned(
    name: &'static str,
    summary: &'static str,
    over: &'static [Carriage],
    port: u16,
    options: &'static [OptionEntry],
) -> ApplicationEntry {
    ApplicationEntry {
        name,
        summary,
        over,
        port,
        port_over: &[],
        has_topics: false,
        options,
        build: None,
    }
}
