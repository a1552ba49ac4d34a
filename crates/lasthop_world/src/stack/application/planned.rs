//! Applications that have a name and options, and no machine yet.

use super::ApplicationEntry;
use crate::stack::{OptionEntry, OptionKind};

/// MQTT for sensor networks.
pub(super) const MQTT_SN: ApplicationEntry = planned(
    "mqtt_sn",
    "MQTT for sensor networks through a gateway",
    &[&["udp"]],
    10_000,
    &[OptionEntry::new(
        "qos",
        OptionKind::Word(&["0", "1", "2"]),
        "quality of service",
    )
    .default("1")],
);

/// HTTP (RFC 9110).
pub(super) const HTTP: ApplicationEntry = planned(
    "http",
    "HTTP requests",
    &[&["tcp"], &["tls", "tcp"]],
    80,
    &[
        OptionEntry::new("version", OptionKind::Word(&["1.1", "2"]), "of HTTP").default("1.1"),
        super::AUTH,
    ],
);

/// DDS over RTPS.
pub(super) const DDS: ApplicationEntry = planned(
    "dds",
    "DDS over RTPS",
    &[&["udp"]],
    7400,
    &[OptionEntry::new(
        "reliability",
        OptionKind::Word(&["reliable", "best_effort"]),
        "of the topic",
    )
    .default("reliable")],
);

const fn planned(
    name: &'static str,
    summary: &'static str,
    over: &'static [&'static [&'static str]],
    port: u16,
    options: &'static [OptionEntry],
) -> ApplicationEntry {
    ApplicationEntry {
        name,
        summary,
        over,
        built: &[],
        port,
        has_topics: false,
        options,
        build: None,
    }
}
