use std::collections::BTreeSet;
use std::sync::Arc;

use lasthop_contract::{Application, DeviceId, Direction};
use lasthop_dds::{
    Carrier, DdsClient, DdsClientConfig, DdsConfig, DdsServer, DdsServerConfig, Durability, LEASE,
    MAX_FLOWS, PORT, Reliability,
};
use lasthop_transport::PeerLimit;

use super::{ApplicationBuilder, ApplicationEntry};
use crate::spec::StackSpec;
use crate::stack::{Above, Carriage, ClientEnd, OptionEntry, OptionKind, Options, ServerEnd};

/// DDS over RTPS (OMG DDS 1.4, DDSI-RTPS 2.5).
pub(super) const ENTRY: ApplicationEntry = ApplicationEntry {
    name: "dds",
    summary: "DDS over RTPS, a participant at each end",
    over: &[Carriage::OpenDatagrams, Carriage::Frames],
    port: PORT,
    port_over: &[],
    has_topics: true,
    options: OPTIONS,
    build: Some(|stack, options| Box::new(Dds::new(stack, options))),
};

const OPTIONS: &[OptionEntry] = &[
    OptionEntry::new(
        "reliability",
        OptionKind::Word(&["reliable", "best_effort"]),
        "of readers and writers: whether what is lost is sent again (DDS 1.4 §2.2.3.14)",
    )
    .default("reliable"),
    OptionEntry::new(
        "durability",
        OptionKind::Word(&["volatile", "transient_local"]),
        "whether a reader that comes late gets what its writer still holds (DDS 1.4 §2.2.3.4)",
    )
    .default("volatile"),
    OptionEntry::new(
        "history_depth",
        OptionKind::Count(1, 100_000),
        "samples that a writer holds, and messages that may wait before it (DDS 1.4 §2.2.3.18, `KEEP_LAST`); a volatile writer over TCP holds at least 1000",
    )
    .default("10"),
    OptionEntry::new(
        "max_blocking_time",
        OptionKind::Time,
        "how long a writer waits for room, before a message is given up (DDS 1.4 §2.2.3.14)",
    )
    .default("100ms")
    .needs("reliability", &["reliable"]),
    OptionEntry::new(
        "nack_suppression",
        OptionKind::Time,
        "for how long a fragment that has left is not sent again to a reader that asks for it (DDSI-RTPS 2.5 §8.4.7.1); 0s where it is not written, as in Fast DDS; 5ms resembles the merging of Cyclone DDS",
    )
    .needs("reliability", &["reliable"]),
    OptionEntry::new(
        "nack_response_delay",
        OptionKind::Time,
        "how long a writer waits before it sends what a reader asks for, once for all requests of that time (DDSI-RTPS 2.5 §8.4.7.1); 0s where it is not written, as in Cyclone DDS; Fast DDS has 5ms",
    )
    .needs("reliability", &["reliable"]),
    OptionEntry::new(
        "heartbeat_response_delay",
        OptionKind::Time,
        "how long a reader waits before it answers heartbeats, by one answer to all of that time (DDSI-RTPS 2.5 §8.4.10.1); 0s where it is not written; Fast DDS has 5ms, Cyclone DDS 100ms where it lacks something and 10ms otherwise",
    )
    .needs("reliability", &["reliable"]),
    OptionEntry::new(
        "announcement_interval",
        OptionKind::Time,
        "between two announcements of a participant (DDSI-RTPS 2.5 §8.5.3.4)",
    )
    .default("5s"),
    OptionEntry::new(
        "fragment_size",
        OptionKind::Size(64, 60_000),
        "the most of a sample that one datagram carries, in bytes (DDSI-RTPS 2.5 §8.3.8.3)",
    )
    .default("1344B"),
    OptionEntry::new(
        "type_information",
        OptionKind::Switch,
        "endpoints are announced with a description of their type (DDS-XTypes 1.3 §7.6.3)",
    )
    .default("on"),
];

const PURPOSE: &str = "dds";

struct Dds {
    settings: Arc<DdsConfig>,
}

impl Dds {
    fn new(stack: &StackSpec, options: Options<'_>) -> Self {
        let is_framed = stack.layers.iter().any(|layer| layer.name == "rtps_tcp");
        let mut settings = DdsConfig {
            carrier: match is_framed {
                true => Carrier::Tcp,
                false => Carrier::Udp,
            },
            reliability: match options.word("reliability") {
                "best_effort" => Reliability::BestEffort,
                _ => Reliability::Reliable,
            },
            durability: match options.word("durability") {
                "transient_local" => Durability::TransientLocal,
                _ => Durability::Volatile,
            },
            history_depth: u32::try_from(options.integer("history_depth")).unwrap_or(u32::MAX),
            announcement_interval: options.time("announcement_interval"),
            fragment_size: usize::from(options.small("fragment_size")),
            has_type_information: options.switch("type_information"),
            ..DdsConfig::default()
        };
        let times = [
            ("nack_suppression", &mut settings.nack_suppression),
            ("nack_response_delay", &mut settings.nack_response_delay),
            (
                "heartbeat_response_delay",
                &mut settings.heartbeat_response_delay,
            ),
            ("max_blocking_time", &mut settings.max_blocking_time),
        ];
        for (name, time) in times {
            if options.has(name) {
                *time = options.time(name);
            }
        }
        Self {
            settings: Arc::new(settings),
        }
    }
}

impl ApplicationBuilder for Dds {
    fn client(&self, end: &ClientEnd<'_>, above: Above) -> Box<dyn Application> {
        let mut kinds = end.flows.iter().map(|flow| flow.kind);
        let own = (!end.received().is_empty()).then_some(end.device);
        let hears: BTreeSet<DeviceId> = end
            .hears
            .iter()
            .map(|flow| flow.device())
            .chain(own)
            .collect();
        let config = DdsClientConfig {
            address: end.host.address,
            server: end.server,
            device: end.device,
            // Who is asked answers by the topic of its reports.
            speaks: kinds.any(|kind| kind.origin() == Direction::Up || kind.asks()),
            hears: hears.into_iter().collect(),
            settings: Arc::clone(&self.settings),
        };
        above.over(DdsClient::new(config, end.host.stream(PURPOSE)))
    }

    fn server(&self, end: &ServerEnd<'_>, above: Above) -> Box<dyn Application> {
        let config = DdsServerConfig {
            address: end.host.address,
            port: end.port,
            settings: Arc::clone(&self.settings),
        };
        above.over(DdsServer::new(config, end.host.stream(PURPOSE)))
    }

    fn acknowledges(&self) -> bool {
        self.settings.reliability == Reliability::Reliable
    }

    fn forwards(&self) -> bool {
        false
    }

    fn has_own_ports(&self) -> bool {
        true
    }

    fn passes_on(&self) -> bool {
        false
    }

    fn peer_limit(&self) -> Option<PeerLimit> {
        Some(PeerLimit {
            peers: MAX_FLOWS,
            rest: LEASE,
        })
    }
}
