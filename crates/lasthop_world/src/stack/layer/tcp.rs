use std::sync::Arc;

use lasthop_contract::Transport;
use lasthop_transport::tcp::{CongestionControl, KeepAlive, PathMtu, Tcp, TcpProfile};
use lasthop_units::Duration;

use super::{Carriage, LayerBuilder, LayerEntry, LayerKind};
use crate::stack::builder::Role;
use crate::stack::shared::Shared;
use crate::stack::{Below, HostEnd, OptionEntry, OptionKind, Options};

/// TCP (RFC 9293).
pub(super) const ENTRY: LayerEntry = LayerEntry {
    name: "tcp",
    summary: "a stream of bytes",
    carries: &[Carriage::Stream],
    over: &[Carriage::Packets],
    options: OPTIONS,
    kind: LayerKind::Transport(|_, options| Box::new(Profiles::new(options))),
};

const OPTIONS: &[OptionEntry] = &[
    OptionEntry::new(
        "profile",
        OptionKind::Word(&["linux", "lwip_esp8266", "larmo_2019"]),
        "which TCP implementation",
    )
    .default("linux"),
    OptionEntry::new("nodelay", OptionKind::Switch, "send small segments at once").default("on"),
    OptionEntry::new("nodelay_client", OptionKind::Switch, "of the device alone")
        .follows("nodelay"),
    OptionEntry::new("nodelay_server", OptionKind::Switch, "of the server alone")
        .follows("nodelay"),
    OptionEntry::new(
        "congestion",
        OptionKind::Word(&["cubic", "reno"]),
        "congestion control",
    )
    .chosen_by(
        "profile",
        &[
            ("linux", "cubic"),
            ("lwip_esp8266", "reno"),
            ("larmo_2019", "reno"),
        ],
    ),
    OptionEntry::new(
        "beta",
        OptionKind::Number(0.1, 0.95),
        "what a loss leaves of the window; that of the congestion control where it is not written (cubic 0.7, reno 0.5)",
    ),
    OptionEntry::new(
        "initial_window",
        OptionKind::Count(1, 64),
        "segments that both ends may send before the first acknowledgement; that of the profile where it is not written",
    ),
    OptionEntry::new("timestamps", OptionKind::Switch, "time stamps of RFC 7323").chosen_by(
        "profile",
        &[
            ("linux", "on"),
            ("lwip_esp8266", "off"),
            ("larmo_2019", "on"),
        ],
    ),
    OptionEntry::new(
        "path_mtu",
        OptionKind::Word(&["icmp", "probing", "unknown"]),
        "how it learns of a hop whose MTU is below that of its interface: told by it, by silence (RFC 4821), or never: a black hole",
    )
    .chosen_by(
        "profile",
        &[
            ("linux", "icmp"),
            ("lwip_esp8266", "unknown"),
            ("larmo_2019", "icmp"),
        ],
    ),
    OptionEntry::new(
        "fast_open",
        OptionKind::Switch,
        "data with the SYN, RFC 7413",
    )
    .default("off"),
    OptionEntry::new(
        "keep_alive",
        OptionKind::Seconds(1, 32_767),
        "after how long without a word the device probes its connection (SO_KEEPALIVE with TCP_KEEPIDLE), which keeps the mapping of a NAT and finds a dead path after nine probes; 0s never, as where it is not written",
    ),
    OptionEntry::new(
        "keep_alive_interval",
        OptionKind::Seconds(1, 32_767),
        "how long the device waits for the answer to such a probe before the next one; 75s, as Linux does, where it is not written",
    ),
];

/// So many probes without an answer end a connection (`tcp_keepalive_probes` of Linux).
const PROBES: u32 = 9;

/// The time between two probes (`tcp_keepalive_intvl` of Linux).
const PROBE_INTERVAL: Duration = Duration::from_secs(75);

/// How TCP behaves at both ends. Hosts share the profiles.
struct Profiles {
    client: Arc<TcpProfile>,
    server: Arc<TcpProfile>,
    /// Of hosts that are devices with little of everything.
    of_devices: Shared<TcpProfile>,
}

impl Profiles {
    fn new(options: Options<'_>) -> Self {
        let (client, server) = match options.word("profile") {
            "larmo_2019" => (TcpProfile::larmo_2019(), TcpProfile::larmo_2019()),
            // Only the device is small.
            "lwip_esp8266" => (TcpProfile::lwip_esp8266(), TcpProfile::linux()),
            _ => (TcpProfile::linux(), TcpProfile::linux()),
        };
        let with = |profile: TcpProfile, nodelay| {
            let fast_open = options.switch("fast_open");
            Arc::new(TcpProfile {
                beta: Some(options.number("beta")).filter(|beta| *beta > 0.0),
                initial_window: match options.integer("initial_window") {
                    0 => profile.initial_window,
                    written => written as u32,
                },
                congestion: match options.word("congestion") {
                    "reno" => CongestionControl::Reno,
                    _ => CongestionControl::Cubic,
                },
                timestamps: options.switch("timestamps"),
                path_mtu: match options.word("path_mtu") {
                    "probing" => PathMtu::Probing,
                    "unknown" => PathMtu::Unknown,
                    _ => PathMtu::Icmp,
                },
                nodelay: options.switch(nodelay),
                fast_open_client: fast_open,
                fast_open_server: fast_open,
                ..profile
            })
        };
        let seconds = |option| match options.integer(option) {
            0 => None,
            seconds => Some(Duration::from_secs(seconds)),
        };
        let client = TcpProfile {
            keep_alive: seconds("keep_alive").map(|idle| KeepAlive {
                idle,
                interval: seconds("keep_alive_interval").unwrap_or(PROBE_INTERVAL),
                probes: PROBES,
            }),
            ..client
        };
        Self {
            client: with(client, "nodelay_client"),
            server: with(server, "nodelay_server"),
            of_devices: Shared::default(),
        }
    }
}

impl LayerBuilder for Profiles {
    fn build(&self, host: &HostEnd<'_>, role: Role, below: Below) -> Box<dyn Transport> {
        let profile = match role {
            Role::Client => &self.client,
            Role::Server => &self.server,
        };
        let (place, _) = below.into_ip();
        let profile = match host.device {
            None => Arc::clone(profile),
            Some(device) => self.of_devices.of(device.tcp().profile(profile)),
        };
        let tcp = Tcp::at(place, profile, host.stream("tcp"));
        Box::new(tcp)
    }
}
