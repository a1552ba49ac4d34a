use core::cell::OnceCell;

use lasthop_contract::{RandomStream, Transport};
use lasthop_device::Secures;
use lasthop_quic::{Congestion, Quic, QuicClient, QuicServer, QuicSettings};
use lasthop_tls::{Randomness, Settings, Version};

use super::presented::ServerFiles;
use super::tls_handshake::{
    CHAIN, CLIENT_CERTIFICATE, GROUP, KEY, ML_KEM, SESSIONS, TICKETS, TlsHandshake, VERIFY, group,
};
use super::{Carriage, FallsBack, LayerBuilder, LayerEntry, LayerKind};
use crate::spec::{StackSpec, UserCredentials};
use crate::stack::builder::Role;
use crate::stack::negotiated::negotiated_over_quic;
use crate::stack::{Below, HostEnd, OptionEntry, OptionKind, Options, SocketServer};

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
    TICKETS,
    SESSIONS.needs("resume", &["ticket"]),
    KEY,
    CHAIN,
    CLIENT_CERTIFICATE,
    GROUP,
    ML_KEM,
    VERIFY,
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
        "streams",
        OptionKind::Count(1, 60_000),
        "how many streams a client may have open",
    )
    .default("100"),
    OptionEntry::new(
        "fallback",
        OptionKind::Word(&["none", "sequential", "raced"]),
        "a client takes TLS over TCP where QUIC leads nowhere: behind it, or beside it",
    )
    .default("none"),
    OptionEntry::new(
        "fallback_after",
        OptionKind::Time,
        "how long QUIC is tried alone",
    )
    .chosen_by("fallback", &[("sequential", "3s"), ("raced", "250ms")])
    .needs("fallback", &["sequential", "raced"]),
    OptionEntry::new(
        "fallback_memory",
        OptionKind::Seconds(0, 604_800),
        "for how long a client takes TLS at once after that; 0 s for never",
    )
    .default("5min")
    .needs("fallback", &["sequential", "raced"]),
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

/// How QUIC behaves at both ends, and the credentials of the run. Hosts share them.
struct Secured {
    tls: Settings,
    handshake: TlsHandshake,
    retries: bool,
    settings: QuicSettings,
    falls_back: Option<FallsBack>,
    profiles: OnceCell<(QuicClient, QuicServer)>,
    /// A client of a server that is none of the run.
    outside: Option<QuicClient>,
}

impl Secured {
    fn new(stack: &StackSpec, options: Options<'_>) -> Self {
        let seconds = |name| match options.integer(name) {
            0 => None,
            seconds => Some(lasthop_units::Duration::from_secs(seconds)),
        };
        Self {
            tls: Settings {
                randomness: Randomness::OfTheRun,
                version: Version::Tls13,
                groups: vec![group(options)],
                largest_record: None,
                protocols: vec![negotiated_over_quic(stack)],
            },
            handshake: TlsHandshake::new(options),
            retries: options.switch("retry"),
            settings: QuicSettings {
                initial_rtt: options.time("initial_rtt"),
                congestion: match options.word("congestion") {
                    "new_reno" => Congestion::NewReno,
                    _ => Congestion::Cubic,
                },
                initial_window: options.small("initial_window"),
                mtu_discovery: options.switch("mtu_discovery"),
                streams: options.small("streams"),
                keep_alive: seconds("keep_alive"),
                idle_timeout: seconds("idle_timeout"),
                ..QuicSettings::default()
            },
            falls_back: options.has("fallback_after").then(|| FallsBack {
                layers: "tls/tcp",
                after: options.time("fallback_after"),
                races: options.word("fallback") == "raced",
                remembered: lasthop_units::Duration::from_secs(options.integer("fallback_memory")),
            }),
            profiles: OnceCell::new(),
            outside: None,
        }
    }

    /// Returns both ends with the credentials of a run.
    fn profiles(&self, seed: u64) -> &(QuicClient, QuicServer) {
        self.profiles.get_or_init(|| {
            let stream = credentials(seed);
            // How much is early, is left to flow control (RFC 9001 section 4.6.1).
            let (client, server) = self.handshake.profiles(&self.tls, stream, u32::MAX);
            let fits = "what the catalogue allows fits together";
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
    fn show(&mut self, given: &UserCredentials) {
        self.handshake.given = given.certificates.clone();
    }

    fn meet(&mut self, server: &SocketServer<'_>) -> Result<(), String> {
        let client = self.handshake.client_of(server, &self.tls)?;
        let client = QuicClient::new(&client, &self.settings);
        self.outside = Some(client.map_err(|error| error.to_string())?);
        Ok(())
    }

    fn server_files(&self, seed: u64) -> Option<ServerFiles> {
        self.handshake.server_files(credentials(seed))
    }

    fn secures(&self) -> Option<Secures> {
        Some(Secures::ByCertificates)
    }

    fn build(&self, host: &HostEnd<'_>, role: Role, below: Below) -> Box<dyn Transport> {
        let lower = below.into_transport();
        if let Some(client) = &self.outside {
            return Box::new(Quic::new(lower, Some(client.clone()), None, None));
        }
        let (client, server) = self.profiles(host.seed);
        let (client, server) = match role {
            Role::Client => (Some(client.clone()), None),
            Role::Server => (None, Some(server.clone())),
        };
        let quic = Quic::new(lower, client, server, Some(host.stream("quic")));
        Box::new(quic.named(&format!("{}-{}", host.name, host.number)))
    }

    fn falls_back(&self) -> Option<FallsBack> {
        self.falls_back
    }
}

/// Returns the random stream from which credentials are generated.
fn credentials(seed: u64) -> RandomStream {
    RandomStream::named(seed, "quic/credentials")
}
