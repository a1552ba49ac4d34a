use core::cell::OnceCell;
use std::sync::Arc;

use lasthop_contract::{RandomStream, Transport};
use lasthop_tls::{
    Authority, ClientProfile, ClientSettings, Group, Issue, KeyKind, Randomness, ServerProfile,
    ServerSettings, Settings, Tls, Verify, Version,
};

use super::{Carriage, LayerBuilder, LayerEntry, LayerKind};
use crate::stack::builder::Role;
use crate::stack::{Below, HostEnd, OptionEntry, OptionKind, Options};

/// TLS 1.2 (RFC 5246) and 1.3 (RFC 8446).
pub(super) const ENTRY: LayerEntry = LayerEntry {
    name: "tls",
    summary: "a secured stream",
    carries: &[Carriage::Stream],
    over: &[Carriage::Stream],
    options: OPTIONS,
    kind: LayerKind::Transport(|_, options| Box::new(Secured::new(options))),
};

const OPTIONS: &[OptionEntry] = &[
    OptionEntry::new("version", OptionKind::Word(&["1.2", "1.3"]), "of TLS").default("1.3"),
    OptionEntry::new(
        "resume",
        OptionKind::Word(&["none", "ticket"]),
        "how a session is resumed",
    )
    .default("none")
    .needs("version", &["1.3"]),
    OptionEntry::new(
        "early_data",
        OptionKind::Switch,
        "the first message leaves with the hello of a resumed session",
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
        "session_id",
        OptionKind::Switch,
        "sessions are resumed by their id",
    )
    .default("off")
    .needs("version", &["1.2"]),
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
        "client_certificate",
        OptionKind::Switch,
        "the client shows one too",
    )
    .default("off")
    .credentials(&[("on", "client certificate")]),
    OptionEntry::new(
        "group",
        OptionKind::Word(&["x25519", "p256"]),
        "of the key exchange",
    )
    .default("x25519"),
    OptionEntry::new(
        "ml_kem",
        OptionKind::Switch,
        "ML-KEM-768 beside the group, against quantum computers",
    )
    .default("off")
    .needs("version", &["1.3"]),
    OptionEntry::new(
        "verify",
        OptionKind::Switch,
        "the client believes a valid chain alone",
    )
    .default("on"),
    OptionEntry::new(
        "record",
        OptionKind::Word(&["512B", "1024B", "2048B", "4096B", "16384B"]),
        "the most that one record carries, at both ends",
    )
    .default("16384B"),
];

/// The name of every server of a run.
const SERVER: &str = "server.example";
const CLIENT: &str = "device.example";

const RECORD_HEADER_LENGTH: u16 = 5;
/// As much as rustls and OpenSSL let a record carry, which is above any first flight of ours.
const EARLY_DATA: u32 = 16_384;

/// How many sessions a server remembers by their ids: more than a run has clients.
const SESSIONS_BY_ID: usize = 1_000_000;

/// How TLS behaves at both ends, and the credentials of the run. Hosts share them.
struct Secured {
    settings: Settings,
    resumes: bool,
    early_data: bool,
    tickets: u8,
    sessions: usize,
    key: KeyKind,
    chain: u8,
    client_certificate: bool,
    verify: bool,
    profiles: OnceCell<(ClientProfile, ServerProfile)>,
}

impl Secured {
    fn new(options: Options<'_>) -> Self {
        let record: u16 = options
            .word("record")
            .trim_end_matches('B')
            .parse()
            .unwrap_or(16_384);
        Self {
            settings: Settings {
                randomness: Randomness::OfTheRun,
                version: match options.word("version") {
                    "1.2" => Version::Tls12,
                    _ => Version::Tls13,
                },
                groups: vec![match (options.word("group"), options.switch("ml_kem")) {
                    ("p256", false) => Group::P256,
                    ("p256", true) => Group::P256MlKem768,
                    (_, false) => Group::X25519,
                    (_, true) => Group::X25519MlKem768,
                }],
                largest_record: Some(record + RECORD_HEADER_LENGTH),
                protocols: Vec::new(),
            },
            resumes: options.word("resume") == "ticket" || options.switch("session_id"),
            early_data: options.switch("early_data"),
            tickets: options.small("tickets") as u8,
            sessions: match options.switch("session_id") {
                true => SESSIONS_BY_ID,
                false => options.integer("sessions") as usize,
            },
            key: match options.word("key") {
                "rsa_2048" => KeyKind::Rsa2048,
                "ed25519" => KeyKind::Ed25519,
                _ => KeyKind::EcdsaP256,
            },
            chain: options.small("chain") as u8,
            client_certificate: options.switch("client_certificate"),
            verify: options.switch("verify"),
            profiles: OnceCell::new(),
        }
    }

    /// Both ends with the credentials of a run, which are of its seed.
    fn profiles(&self, seed: u64) -> &(ClientProfile, ServerProfile) {
        self.profiles.get_or_init(|| {
            let stream = RandomStream::named(seed, "tls/credentials");
            let mut authority = Authority::new(self.key, stream);
            let roots = Arc::new(authority.roots());
            let credentials = authority.issue(&Issue::of_server(SERVER, self.chain));
            let shown = self.client_certificate;
            let client = ClientProfile::new(
                &self.settings,
                ClientSettings {
                    server: SERVER.to_owned(),
                    verify: match self.verify {
                        true => Verify::Against(Arc::clone(&roots)),
                        false => Verify::Nothing,
                    },
                    credentials: shown.then(|| authority.issue(&Issue::of_client(CLIENT))),
                    resumes: self.resumes,
                    sends_early_data: self.early_data,
                },
            );
            let server = ServerProfile::new(
                &self.settings,
                ServerSettings {
                    credentials,
                    clients: shown.then_some(roots),
                    tickets: self.tickets,
                    sessions: self.sessions,
                    early_data: if self.early_data { EARLY_DATA } else { 0 },
                    patience: None,
                },
            );
            let fits = "what the catalogue allows fits together";
            (client.expect(fits), server.expect(fits))
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
        Box::new(Tls::new(lower, client, server, Some(host.stream("tls"))))
    }
}
