use core::cell::OnceCell;
use std::sync::Arc;

use lasthop_contract::{RandomStream, Transport};
use lasthop_device::Secures;
use lasthop_dtls::{
    ClientProfile, Dtls, PreSharedKey, PreSharedKeys, ServerProfile, Settings, Version,
};
use lasthop_tls::{Given, KeyKind, Trust};

use super::presented::Presented;
use super::tls_handshake::{CLIENT_CERTIFICATE, SESSIONS, VERIFY};
use super::{Carriage, LayerBuilder, LayerEntry, LayerKind};
use crate::spec::UserCredentials;
use crate::stack::builder::Role;
use crate::stack::{Below, HostEnd, OptionEntry, OptionKind, Options, SocketServer};

/// DTLS 1.2 (RFC 6347) and 1.3 (RFC 9147).
pub(super) const ENTRY: LayerEntry = LayerEntry {
    name: "dtls",
    summary: "secured datagrams",
    carries: &[Carriage::Datagrams],
    over: &[Carriage::Datagrams],
    options: OPTIONS,
    kind: LayerKind::Transport(|_, options| Box::new(Secured::new(options))),
};

const OPTIONS: &[OptionEntry] = &[
    OptionEntry::new(
        "auth",
        OptionKind::Word(&["psk", "certificate"]),
        "how the ends show who they are",
    )
    .default("psk")
    .credentials(&[("psk", "pre-shared key"), ("certificate", "certificate")]),
    OptionEntry::new(
        "version",
        OptionKind::Word(&["1.2", "1.3"]),
        "the only one that both ends speak; keys that are shared are those of 1.2",
    )
    .default("1.2")
    .needs("auth", &["certificate"]),
    CLIENT_CERTIFICATE.needs("auth", &["certificate"]),
    VERIFY.needs("auth", &["certificate"]),
    OptionEntry::new(
        "mtu",
        OptionKind::Size(64, 16_384),
        "the largest datagram of a handshake, without the headers of UDP and IP",
    )
    .default("1200B")
    .needs("auth", &["certificate"]),
    OptionEntry::new(
        "cookie",
        OptionKind::Switch,
        "a server holds nothing for a client that has not shown its address",
    )
    .default("on"),
    OptionEntry::new(
        "cid",
        OptionKind::Size(0, 32),
        "length of the connection ID in the records to the server; 0B for none",
    )
    .default("0B")
    .unless("version", &["1.3"]),
    OptionEntry::new(
        "resume",
        OptionKind::Word(&["none", "session_id"]),
        "how a session is resumed",
    )
    .default("none")
    .unless("version", &["1.3"]),
    SESSIONS.needs("resume", &["session_id"]),
    OptionEntry::new(
        "session_lifetime",
        OptionKind::Time,
        "how long after its first handshake a session is resumed, at both ends",
    )
    .default("24h")
    .needs("resume", &["session_id"]),
    OptionEntry::new(
        "unanswered",
        OptionKind::Word(&["handshake", "nothing"]),
        "what a client does when a message was given up and nothing has come since its last copy left",
    )
    .default("handshake"),
    OptionEntry::new(
        "timeout",
        OptionKind::Time,
        "how long a flight of the handshake waits for its answer at first",
    )
    .default("1s"),
    OptionEntry::new(
        "retries",
        OptionKind::Count(0, 20),
        "how often a flight is sent again",
    )
    .default("5"),
];

/// How DTLS behaves at both ends. Hosts share what is of the run.
struct Secured {
    settings: Settings,
    asks_for_cookie: bool,
    has_keys: bool,
    version: Version,
    client_certificate: bool,
    verify: bool,
    resumes: bool,
    renews: bool,
    sessions: usize,
    given: Option<Given>,
    keys: Option<PreSharedKeys>,
    by_keys: OnceCell<ServerProfile>,
    by_certificates: OnceCell<(ClientProfile, ServerProfile)>,
    /// The server is none of the run; its clients are so, where it shows a certificate.
    outside: Option<Outside>,
}

/// A server that is none of the run.
enum Outside {
    /// It presents a certificate to such clients.
    Certified(ClientProfile),
    /// It shares keys with its clients, or one key with all of them.
    Keyed(PreSharedKeys),
}

const FITS: &str = "what the catalogue allows fits together";

impl Secured {
    fn new(options: Options<'_>) -> Self {
        let has_keys = options.word("auth") == "psk";
        let version = match has_keys || options.word("version") == "1.2" {
            true => Version::V1_2,
            false => Version::V1_3,
        };
        let connection_id = match version {
            Version::V1_2 => options.small("cid") as u8,
            Version::V1_3 => 0,
        };
        let usual = Settings::default();
        let largest_datagram = match has_keys {
            true => usual.largest_datagram,
            false => options.small("mtu"),
        };
        Self {
            settings: Settings {
                largest_datagram,
                first_timeout: options.time("timeout"),
                retries: options.small("retries") as u8,
                session_lifetime: options.time("session_lifetime"),
                connection_id,
                ..usual
            },
            asks_for_cookie: options.switch("cookie"),
            has_keys,
            version,
            client_certificate: options.switch("client_certificate"),
            verify: options.switch("verify"),
            resumes: options.word("resume") == "session_id",
            renews: options.word("unanswered") == "handshake",
            sessions: options.integer("sessions") as usize,
            given: None,
            keys: None,
            by_keys: OnceCell::new(),
            by_certificates: OnceCell::new(),
            outside: None,
        }
    }

    fn client(&self, host: &HostEnd<'_>) -> ClientProfile {
        let mut client = self.known_client(host);
        if self.resumes {
            client = client.resuming();
        }
        if self.renews {
            client = client.renewing();
        }
        client
    }

    fn known_client(&self, host: &HostEnd<'_>) -> ClientProfile {
        if let Some(Outside::Certified(client)) = &self.outside {
            return client.clone();
        }
        if !self.has_keys {
            return self.certified(host.seed).0.clone();
        }
        let identity = format!("{}-{}", host.name, host.number);
        // Who is not in a file has no key that its server knows.
        let given = match &self.outside {
            Some(Outside::Keyed(keys)) => keys.key_of(lone(keys).unwrap_or(&identity)),
            _ => self.keys.as_ref().and_then(|keys| keys.key_of(&identity)),
        };
        let key = given.unwrap_or_else(|| PreSharedKey::of_run(host.seed, &identity));
        ClientProfile::with_key(&self.settings, key).expect(FITS)
    }

    /// Returns the profile of a client for an external server with a certificate.
    fn client_of(&self, server: &SocketServer<'_>) -> Result<ClientProfile, String> {
        let trust = match self.verify {
            true => {
                let trust = Trust::in_server(server.roots()?, server.host);
                let trust =
                    trust.ok_or_else(|| format!("{:?} is no name of a host", server.host))?;
                Some(trust.starting(server.today))
            }
            false => None,
        };
        let presented = server.presented(self.client_certificate)?;
        let client =
            ClientProfile::with_certificates(&self.settings, self.version, trust, presented);
        client.map_err(|error| error.to_string())
    }

    fn server(&self, seed: u64) -> ServerProfile {
        let sessions = if self.resumes { self.sessions } else { 0 };
        self.known_server(seed).remembering(sessions)
    }

    fn known_server(&self, seed: u64) -> ServerProfile {
        if !self.has_keys {
            return self.certified(seed).1.clone();
        }
        let server = self.by_keys.get_or_init(|| {
            let given = self.keys.clone();
            let keys = given.unwrap_or_else(|| PreSharedKeys::of_run(seed));
            ServerProfile::with_keys(&self.settings, keys, self.asks_for_cookie).expect(FITS)
        });
        server.clone()
    }

    /// Returns both ends with the certificates of a run, supplied or generated.
    fn certified(&self, seed: u64) -> &(ClientProfile, ServerProfile) {
        self.by_certificates.get_or_init(|| {
            let stream = RandomStream::named(seed, "dtls/credentials");
            let asks = self.client_certificate;
            let made = (KeyKind::EcdsaP256, 1, asks);
            let presented = Presented::new(self.given.as_ref(), made, stream);
            let roots = presented.roots;
            let clients = asks.then(|| Trust::in_clients(Arc::clone(&roots)));
            let clients = clients.map(|it| it.starting(presented.starts));
            let trust = self
                .verify
                .then(|| Trust::in_server(roots, &presented.name).expect(FITS));
            let trust = trust.map(|it| it.starting(presented.starts));
            let (settings, version, cookie) = (&self.settings, self.version, self.asks_for_cookie);
            let client =
                ClientProfile::with_certificates(settings, version, trust, presented.client);
            let presented = presented.server;
            let server =
                ServerProfile::with_certificate(settings, version, presented, clients, cookie);
            (client.expect(FITS), server.expect(FITS))
        })
    }
}

/// The name of the key that is alone in a file.
fn lone(keys: &PreSharedKeys) -> Option<&str> {
    let mut names = keys.names();
    let (name, _) = names.next()?;
    str::from_utf8(name).ok().filter(|_| names.next().is_none())
}

impl LayerBuilder for Secured {
    fn show(&mut self, given: &UserCredentials) {
        self.given = given.certificates.clone();
        self.keys = given.keys.clone();
    }

    fn meet(&mut self, server: &SocketServer<'_>) -> Result<(), String> {
        self.outside = Some(match self.has_keys {
            true => {
                let keys = server.trust.keys.clone();
                Outside::Keyed(keys.ok_or("no key is given that its server knows")?)
            }
            false => Outside::Certified(self.client_of(server)?),
        });
        Ok(())
    }

    fn secures(&self) -> Option<Secures> {
        Some(match self.has_keys {
            true => Secures::BySharedKey,
            false => Secures::ByCertificates,
        })
    }

    fn build(&self, host: &HostEnd<'_>, role: Role, below: Below) -> Box<dyn Transport> {
        let (client, server) = match role {
            Role::Client => (Some(self.client(host)), None),
            Role::Server => (None, Some(self.server(host.seed))),
        };
        let lower = below.into_transport();
        let random = self.outside.is_none().then(|| host.stream("dtls"));
        Box::new(Dtls::new(lower, client, server, random))
    }
}
