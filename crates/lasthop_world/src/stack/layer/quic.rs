use core::cell::OnceCell;
use std::sync::Arc;

use lasthop_contract::{RandomStream, Transport};
use lasthop_quic::{Congestion, Quic, QuicClient, QuicServer, QuicSettings};
use lasthop_tls::{
    Authority, ClientProfile, ClientSettings, Group, Issue, KeyKind, Randomness, ServerProfile,
    ServerSettings, Settings, Verify, Version,
};

use super::{Carriage, LayerBuilder, LayerEntry, LayerKind};
use crate::spec::StackSpec;
use crate::stack::builder::Role;
use crate::stack::{Below, HostEnd, OptionEntry, OptionKind, Options};

/// QUIC (RFC 9000).
pub(super) const ENTRY: LayerEntry = LayerEntry {
    name: "quic",
    summary: "secured streams over datagrams",
    carries: &[Carriage::Streams],
    over: &[Carriage::OpenDatagrams],
    options: OPTIONS,
    kind: LayerKind::Transport(|stack, options| Box::new(Secured::new(stack, options))),
};

const OPTIONS: &[OptionEntry] = &[
    OptionEntry::new(
        "resume",
        OptionKind::Word(&["none", "ticket"]),
        "how a session is resumed",
    )
    .default("none"),
    OptionEntry::new(
        "early_data",
        OptionKind::Switch,
        "the first message leaves with the first packet of a resumed session (0-RTT)",
    )
    .default("off")
    .needs("resume", &["ticket"]),
    OptionEntry::new(
        "tickets",
        OptionKind::Count(1, 8),
        "how many tickets a server gives with a handshake, each good once",
    )
    .default("2")
    .needs("resume", &["ticket"]),
    OptionEntry::new(
        "sessions",
        OptionKind::Count(0, 10_000_000),
        "how many sessions a server remembers; the oldest gives way",
    )
    .default("1000000")
    .needs("resume", &["ticket"]),
    OptionEntry::new(
        "key",
        OptionKind::Word(&["ecdsa_p256", "rsa_2048", "ed25519"]),
        "of all certificates",
    )
    .default("ecdsa_p256")
    .credentials(&[
        ("ecdsa_p256", "certificate"),
        ("rsa_2048", "certificate"),
        ("ed25519", "certificate"),
    ]),
    OptionEntry::new(
        "chain",
        OptionKind::Count(1, 3),
        "how many certificates a server shows, the root's not among them",
    )
    .default("1"),
    OptionEntry::new(
        "group",
        OptionKind::Word(&["x25519", "p256"]),
        "of the key exchange",
    )
    .default("x25519"),
    OptionEntry::new(
        "verify",
        OptionKind::Switch,
        "the client believes a valid chain alone",
    )
    .default("on"),
    OptionEntry::new(
        "retry",
        OptionKind::Switch,
        "a server has clients show their address before anything else",
    )
    .default("off"),
    OptionEntry::new(
        "congestion",
        OptionKind::Word(&["cubic", "new_reno"]),
        "how the congestion window changes",
    )
    .default("cubic"),
    OptionEntry::new(
        "initial_window",
        OptionKind::Count(2, 1000),
        "the congestion window at first, in packets of 1200 bytes",
    )
    .default("10"),
    OptionEntry::new(
        "initial_rtt",
        OptionKind::Time,
        "what the round trip is taken for before one was measured",
    )
    .default("333ms"),
    OptionEntry::new(
        "mtu_discovery",
        OptionKind::Switch,
        "larger packets are tried",
    )
    .default("on"),
    OptionEntry::new(
        "keep_alive",
        OptionKind::Seconds(0, 86_400),
        "how often a client sends something where nothing else is sent; 0 s never",
    )
    .default("0s"),
    OptionEntry::new(
        "idle_timeout",
        OptionKind::Seconds(0, 604_800),
        "after how long without a word a connection is over; 0 s never",
    )
    .default("0s"),
];

/// The name of every server of a run.
const SERVER: &str = "server.example";

/// How QUIC behaves at both ends, and the credentials of the run. Hosts share them.
struct Secured {
    common: Settings,
    resumes: bool,
    early_data: bool,
    tickets: u8,
    sessions: usize,
    key: KeyKind,
    chain: u8,
    verify: bool,
    retries: bool,
    settings: QuicSettings,
    profiles: OnceCell<(QuicClient, QuicServer)>,
}

impl Secured {
    fn new(stack: &StackSpec, options: Options<'_>) -> Self {
        let seconds = |name| match options.integer(name) {
            0 => None,
            seconds => Some(lasthop_units::Duration::from_secs(seconds)),
        };
        Self {
            common: Settings {
                randomness: Randomness::OfTheRun,
                version: Version::Tls13,
                groups: vec![match options.word("group") {
                    "p256" => Group::P256,
                    _ => Group::X25519,
                }],
                largest_record: None,
                protocols: vec![stack.application.name.clone().into_bytes()],
            },
            resumes: options.word("resume") == "ticket",
            early_data: options.switch("early_data"),
            tickets: options.small("tickets") as u8,
            sessions: options.integer("sessions") as usize,
            key: match options.word("key") {
                "rsa_2048" => KeyKind::Rsa2048,
                "ed25519" => KeyKind::Ed25519,
                _ => KeyKind::EcdsaP256,
            },
            chain: options.small("chain") as u8,
            verify: options.switch("verify"),
            retries: options.switch("retry"),
            settings: QuicSettings {
                initial_rtt: options.time("initial_rtt"),
                congestion: match options.word("congestion") {
                    "new_reno" => Congestion::NewReno,
                    _ => Congestion::Cubic,
                },
                initial_window: options.small("initial_window"),
                mtu_discovery: options.switch("mtu_discovery"),
                keep_alive: seconds("keep_alive"),
                idle_timeout: seconds("idle_timeout"),
                ..QuicSettings::default()
            },
            profiles: OnceCell::new(),
        }
    }

    /// Both ends with the credentials of a run, which are of its seed.
    fn profiles(&self, seed: u64) -> &(QuicClient, QuicServer) {
        self.profiles.get_or_init(|| {
            let stream = RandomStream::named(seed, "quic/credentials");
            let mut authority = Authority::new(self.key, stream);
            let roots = Arc::new(authority.roots());
            let credentials = authority.issue(&Issue::of_server(SERVER, self.chain));
            let client = ClientProfile::new(
                &self.common,
                ClientSettings {
                    server: SERVER.to_owned(),
                    verify: match self.verify {
                        true => Verify::Against(roots),
                        false => Verify::Nothing,
                    },
                    credentials: None,
                    resumes: self.resumes,
                    sends_early_data: self.early_data,
                },
            );
            let server = ServerProfile::new(
                &self.common,
                ServerSettings {
                    credentials,
                    clients: None,
                    tickets: self.tickets,
                    sessions: self.sessions,
                    // How much it is, is left to flow control (RFC 9001 section 4.6.1).
                    early_data: if self.early_data { u32::MAX } else { 0 },
                    patience: None,
                },
            );
            let fits = "what the catalogue allows fits together";
            let (client, server) = (client.expect(fits), server.expect(fits));
            let of_server = QuicSettings {
                keep_alive: None,
                ..self.settings.clone()
            };
            let client = QuicClient::new(&client, &self.settings).expect(fits);
            let server = QuicServer::new(&server, &of_server, self.retries).expect(fits);
            (client, server)
        })
    }
}

impl LayerBuilder for Secured {
    fn build(&self, host: &HostEnd<'_>, role: Role, below: Below) -> Box<dyn Transport> {
        let (client, server) = self.profiles(host.seed);
        let (client, server) = match role {
            Role::Client => (Some(client.clone()), None),
            Role::Server => (None, Some(server.clone())),
        };
        let lower = below.into_transport();
        Box::new(Quic::new(lower, client, server, Some(host.stream("quic"))))
    }
}
