use core::cell::OnceCell;

use lasthop_contract::{RandomStream, Transport};
use lasthop_device::{FirstMessage, MessageBoundary, Secures};
use lasthop_tls::{ClientProfile, Randomness, ServerProfile, Settings, Tls, Version};

use super::presented::ServerFiles;
use super::tls_handshake::{
    CHAIN, CLIENT_CERTIFICATE, GROUP, KEY, ML_KEM, SESSIONS, TICKETS, TlsHandshake, VERIFY, group,
};
use super::{Carriage, LayerBuilder, LayerEntry, LayerKind};
use crate::spec::{StackSpec, UserCredentials};
use crate::stack::builder::Role;
use crate::stack::negotiated::negotiated_protocols;
use crate::stack::{Below, HostEnd, OptionEntry, OptionKind, Options, SocketServer};

/// TLS 1.2 (RFC 5246) and 1.3 (RFC 8446).
pub(super) const ENTRY: LayerEntry = LayerEntry {
    name: "tls",
    summary: "a secured stream",
    carries: &[Carriage::Stream],
    over: &[Carriage::Stream],
    options: OPTIONS,
    kind: LayerKind::Transport(|stack, options| Box::new(Secured::new(stack, options))),
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
    TICKETS,
    SESSIONS.needs("resume", &["ticket"]),
    OptionEntry::new(
        "session_id",
        OptionKind::Switch,
        "sessions are resumed by their id",
    )
    .default("off")
    .needs("version", &["1.2"]),
    KEY,
    OptionEntry::new(
        "raw_key",
        OptionKind::Switch,
        "the ends show bare public keys, which both know, in place of certificates (RFC 7250)",
    )
    .default("off")
    .needs("version", &["1.3"])
    .credentials(&[("on", "raw public key")]),
    CHAIN.unless("raw_key", &["on"]),
    CLIENT_CERTIFICATE,
    GROUP,
    ML_KEM.needs("version", &["1.3"]),
    VERIFY.unless("raw_key", &["on"]),
    OptionEntry::new(
        "record",
        OptionKind::Word(&["512B", "1024B", "2048B", "4096B", "16384B"]),
        "the most that one record carries, at both ends",
    )
    .default("16384B"),
];

const RECORD_HEADER_LENGTH: u16 = 5;
/// As much as rustls and OpenSSL let a record carry, which is above any first flight of ours.
const EARLY_DATA: u32 = 16_384;

/// How many sessions a server remembers by their ids: more than a run has clients.
const SESSIONS_BY_ID: usize = 1_000_000;

/// How TLS behaves at both ends, and the credentials of the run. Hosts share them.
struct Secured {
    settings: Settings,
    handshake: TlsHandshake,
    profiles: OnceCell<(ClientProfile, ServerProfile)>,
    /// A client of a server that is none of the run.
    outside: Option<ClientProfile>,
}

impl Secured {
    fn new(stack: &StackSpec, options: Options<'_>) -> Self {
        let record: u16 = options
            .word("record")
            .trim_end_matches('B')
            .parse()
            .unwrap_or(16_384);
        let mut handshake = TlsHandshake::new(options);
        handshake.has_raw_keys = options.switch("raw_key");
        if options.switch("session_id") {
            handshake.resumes = true;
            handshake.sessions = SESSIONS_BY_ID;
        }
        Self {
            settings: Settings {
                randomness: Randomness::OfTheRun,
                version: match options.word("version") {
                    "1.2" => Version::Tls12,
                    _ => Version::Tls13,
                },
                groups: vec![group(options)],
                largest_record: Some(record + RECORD_HEADER_LENGTH),
                protocols: negotiated_protocols(stack),
            },
            handshake,
            profiles: OnceCell::new(),
            outside: None,
        }
    }

    /// Returns both ends with the credentials of a run.
    fn profiles(&self, seed: u64) -> &(ClientProfile, ServerProfile) {
        self.profiles.get_or_init(|| {
            let stream = credentials(seed);
            self.handshake.profiles(&self.settings, stream, EARLY_DATA)
        })
    }
}

impl LayerBuilder for Secured {
    fn show(&mut self, given: &UserCredentials) {
        self.handshake.given = given.certificates.clone();
    }

    fn meet(&mut self, server: &SocketServer<'_>) -> Result<(), String> {
        self.outside = Some(self.handshake.client_of(server, &self.settings)?);
        Ok(())
    }

    fn server_files(&self, seed: u64) -> Option<ServerFiles> {
        self.handshake.server_files(credentials(seed))
    }

    /// Returns the record boundary: a header of five bytes, whose last two are the length (RFC 8446 section 5.1).
    fn boundary(&self) -> Option<MessageBoundary> {
        const HEADER: usize = RECORD_HEADER_LENGTH as usize;
        Some(|bytes| {
            let header: &[u8; HEADER] = bytes.first_chunk()?;
            let follows = u16::from_be_bytes([header[3], header[4]]);
            Some(FirstMessage {
                length: HEADER + usize::from(follows),
                is_for_application: header[0] == APPLICATION_DATA,
            })
        })
    }

    fn secures(&self) -> Option<Secures> {
        Some(Secures::ByCertificates)
    }

    fn build(&self, host: &HostEnd<'_>, role: Role, below: Below) -> Box<dyn Transport> {
        let lower = below.into_transport();
        if let Some(client) = &self.outside {
            return Box::new(Tls::new(lower, Some(client.clone()), None, None));
        }
        let (client, server) = self.profiles(host.seed);
        let (client, server) = match role {
            Role::Client => (Some(client.clone()), None),
            Role::Server => (None, Some(server.clone())),
        };
        Box::new(Tls::new(lower, client, server, Some(host.stream("tls"))))
    }
}

/// The content type of records of application data; those of TLS 1.3 all say it but the first.
const APPLICATION_DATA: u8 = 23;

/// Returns the random stream from which credentials are generated.
fn credentials(seed: u64) -> RandomStream {
    RandomStream::named(seed, "tls/credentials")
}
