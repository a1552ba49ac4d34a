use std::sync::Arc;

use lasthop_contract::RandomStream;
use lasthop_tls::{
    Chain, ClientProfile, ClientSettings, Given, Group, KeyKind, Randomness, ServerProfile,
    ServerSettings, Settings, Verify,
};

use super::presented::{Presented, ServerFiles};
use crate::stack::{OptionEntry, OptionKind, Options, SocketServer};

/// What a study says of the handshake of TLS, whichever layer carries it.
pub(super) struct TlsHandshake {
    pub(super) resumes: bool,
    pub(super) early_data: bool,
    pub(super) sessions: usize,
    tickets: u8,
    key: KeyKind,
    chain: u8,
    client_certificate: bool,
    verify: bool,
    /// Both ends show bare public keys.
    pub(super) has_raw_keys: bool,
    pub(super) given: Option<Given>,
}

pub(super) const TICKETS: OptionEntry = OptionEntry::new(
    "tickets",
    OptionKind::Count(1, 8),
    "how many tickets a server gives with a handshake, each good once",
)
.default("2")
.needs("resume", &["ticket"]);

pub(super) const SESSIONS: OptionEntry = OptionEntry::new(
    "sessions",
    OptionKind::Count(0, 10_000_000),
    "how many sessions a server remembers; the oldest gives way",
)
.default("1000000");

pub(super) const KEY: OptionEntry = OptionEntry::new(
    "key",
    OptionKind::Word(&["ecdsa_p256", "rsa_2048", "ed25519"]),
    "of all certificates",
)
.default("ecdsa_p256")
.credentials(&[
    ("ecdsa_p256", "certificate"),
    ("rsa_2048", "certificate"),
    ("ed25519", "certificate"),
]);

pub(super) const CHAIN: OptionEntry = OptionEntry::new(
    "chain",
    OptionKind::Count(1, 3),
    "how many certificates a server shows, the root's not among them",
)
.default("1");

pub(super) const CLIENT_CERTIFICATE: OptionEntry = OptionEntry::new(
    "client_certificate",
    OptionKind::Switch,
    "the client shows one too",
)
.default("off")
.credentials(&[("on", "client certificate")]);

pub(super) const GROUP: OptionEntry = OptionEntry::new(
    "group",
    OptionKind::Word(&["x25519", "p256"]),
    "of the key exchange",
)
.default("x25519");

pub(super) const ML_KEM: OptionEntry = OptionEntry::new(
    "ml_kem",
    OptionKind::Switch,
    "ML-KEM-768 beside the group, against quantum computers",
)
.default("off");

pub(super) const VERIFY: OptionEntry = OptionEntry::new(
    "verify",
    OptionKind::Switch,
    "the client believes a valid chain alone",
)
.default("on");

impl TlsHandshake {
    /// Reads the options that are common to all layers with it.
    pub(super) fn new(options: Options<'_>) -> Self {
        Self {
            resumes: options.word("resume") == "ticket",
            early_data: options.switch("early_data"),
            sessions: options.integer("sessions") as usize,
            tickets: options.small("tickets") as u8,
            key: match options.word("key") {
                "rsa_2048" => KeyKind::Rsa2048,
                "ed25519" => KeyKind::Ed25519,
                _ => KeyKind::EcdsaP256,
            },
            chain: options.small("chain") as u8,
            client_certificate: options.switch("client_certificate"),
            verify: options.switch("verify"),
            has_raw_keys: false,
            given: None,
        }
    }

    /// Both ends, with credentials that are given, or else from `stream`; a server takes up to `early_data` bytes early, if the study has any.
    pub(super) fn profiles(
        &self,
        settings: &Settings,
        stream: RandomStream,
        early_data: u32,
    ) -> (ClientProfile, ServerProfile) {
        let presented = self.presented(stream);
        let believed_by = |other: Option<&Chain>| match other.and_then(Chain::public_key) {
            Some(key) if self.has_raw_keys => Verify::Keys(vec![key]),
            _ => Verify::Against(Arc::clone(&presented.roots)),
        };
        let verify = match self.verify || self.has_raw_keys {
            true => believed_by(Some(&presented.server)),
            false => Verify::Nothing,
        };
        let clients = self
            .client_certificate
            .then(|| believed_by(presented.client.as_ref()));
        let client = ClientProfile::new(
            settings,
            ClientSettings {
                server: presented.name,
                verify,
                credentials: presented.client,
                resumes: self.resumes,
                sends_early_data: self.early_data,
            },
        );
        let server = ServerProfile::new(
            settings,
            ServerSettings {
                credentials: presented.server,
                clients,
                tickets: self.tickets,
                sessions: self.sessions,
                early_data: if self.early_data { early_data } else { 0 },
                patience: None,
            },
        );
        let fits = "what the catalogue allows fits together";
        (
            client.expect(fits).starting(presented.starts),
            server.expect(fits).starting(presented.starts),
        )
    }

    /// A client of a server that is none of the run.
    pub(super) fn client_of(
        &self,
        server: &SocketServer<'_>,
        settings: &Settings,
    ) -> Result<ClientProfile, String> {
        if self.has_raw_keys {
            return Err("the bare key of a server that is somewhere else is not known".to_owned());
        }
        let verify = match self.verify {
            true => Verify::Against(server.roots()?),
            false => Verify::Nothing,
        };
        let own = ClientSettings {
            server: server.host.to_owned(),
            verify,
            credentials: server.presented(self.client_certificate)?,
            resumes: self.resumes,
            sends_early_data: self.early_data,
        };
        let settings = Settings {
            randomness: Randomness::OfTheSystem,
            ..settings.clone()
        };
        ClientProfile::new(&settings, own).map_err(|error| error.to_string())
    }

    /// What the server of [`profiles`](Self::profiles) shows, for a program of others.
    pub(super) fn server_files(&self, stream: RandomStream) -> Option<ServerFiles> {
        self.presented(stream).server_files(self.client_certificate)
    }

    fn presented(&self, stream: RandomStream) -> Presented {
        let made = (self.key, self.chain, self.client_certificate);
        let presented = Presented::new(self.given.as_ref(), made, stream);
        match self.has_raw_keys {
            true => presented.bare(),
            false => presented,
        }
    }
}

/// The group of the key exchange, with ML-KEM-768 beside it or without.
pub(super) fn group(options: Options<'_>) -> Group {
    match (options.word("group"), options.switch("ml_kem")) {
        ("p256", false) => Group::P256,
        ("p256", true) => Group::P256MlKem768,
        (_, false) => Group::X25519,
        (_, true) => Group::X25519MlKem768,
    }
}
