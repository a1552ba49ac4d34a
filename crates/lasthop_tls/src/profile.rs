use core::fmt;
use std::sync::Arc;

use lasthop_units::Duration;
use rustls::client::danger::ServerCertVerifier;
use rustls::client::{
    AlwaysResolvesClientRawPublicKeys, ResolvesClientCert, Tls12Resumption, WebPkiServerVerifier,
};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::ServerName;
use rustls::server::danger::ClientCertVerifier;
use rustls::server::{
    AlwaysResolvesServerRawPublicKeys, NoServerSessionStorage, ResolvesServerCert,
    WebPkiClientVerifier,
};
use rustls::sign::SingleCertAndKey;
use rustls::time_provider::{DefaultTimeProvider, TimeProvider};
use rustls::{
    ClientConfig, Error, KeyLog, NoKeyLog, RootCertStore, ServerConfig, SupportedProtocolVersion,
};

use crate::Chain;
use crate::any_certificate::AnyCertificate;
use crate::crypto_context::{Calendar, RUN_STARTS};
use crate::key_log::Noted;
use crate::provider::provider;
use crate::raw_keys::RawKeys;
use crate::stores::{OfClient, OfServer};

/// The source of random numbers and time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Randomness {
    /// The random stream of the host and the clock of the run.
    OfTheRun,
    /// The random numbers and the clock of the operating system.
    OfTheSystem,
}

/// The TLS versions that an end offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// TLS 1.2 only (RFC 5246).
    Tls12,
    /// TLS 1.3 only (RFC 8446).
    Tls13,
    /// TLS 1.2 and 1.3: the newest version that both ends support.
    Newest,
}

/// A key exchange group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// X25519 (RFC 7748).
    X25519,
    /// ECDH on P-256.
    P256,
    /// X25519MLKEM768: ML-KEM-768 combined with X25519 (draft-ietf-tls-ecdhe-mlkem), in TLS 1.3 only.
    X25519MlKem768,
    /// SecP256r1MLKEM768: ML-KEM-768 combined with P-256, in TLS 1.3 only.
    P256MlKem768,
}

/// How an end verifies its peer.
#[derive(Clone, Debug)]
pub enum Verify {
    /// By a certificate chain to one of these roots. The chain must be valid now and, for a server, contain its name.
    Against(Arc<RootCertStore>),
    /// By one of these public keys without a certificate (RFC 7250), in TLS 1.3 only. [`Chain::public_key`] returns
    /// such a key.
    Keys(Vec<Vec<u8>>),
    /// Not at all: a client accepts every server certificate. Servers cannot use this.
    Nothing,
}

/// The TLS settings that clients and servers share.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The source of random numbers and time.
    pub randomness: Randomness,
    /// The TLS versions.
    pub version: Version,
    /// The key exchange groups, the preferred one first.
    pub groups: Vec<Group>,
    /// The maximum size of a sent record with its header, 32 bytes or more. `None` is the limit of the protocol.
    pub largest_record: Option<u16>,
    /// The ALPN protocols, the preferred one first (RFC 7301).
    pub protocols: Vec<Vec<u8>>,
}

/// The TLS settings of clients, shared by hosts.
#[derive(Clone)]
pub struct ClientProfile {
    pub(crate) config: Arc<ClientConfig>,
    pub(crate) server: ServerName<'static>,
}

/// The TLS settings that only clients have.
#[derive(Clone, Debug)]
pub struct ClientSettings {
    /// The server name that the client requests.
    pub server: String,
    /// How the client verifies the server.
    pub verify: Verify,
    /// The certificate chain that the client presents on request.
    pub credentials: Option<Chain>,
    /// Whether the client resumes earlier sessions.
    pub resumes: bool,
    /// Whether the client sends early data if its ticket allows it.
    pub sends_early_data: bool,
}

/// The TLS settings of servers, shared by hosts.
#[derive(Clone)]
pub struct ServerProfile {
    pub(crate) config: Arc<ServerConfig>,
    /// How many sessions it remembers.
    pub(crate) room: usize,
    pub(crate) patience: Option<Duration>,
    pub(crate) handshakes_per_address: Option<usize>,
}

/// The TLS settings that only servers have.
#[derive(Clone, Debug)]
pub struct ServerSettings {
    /// The certificate chain that the server presents.
    pub credentials: Chain,
    /// How the server verifies clients. `None` requests no certificate.
    pub clients: Option<Verify>,
    /// The number of single-use tickets for each TLS 1.3 handshake.
    pub tickets: u8,
    /// The number of sessions that the server remembers. 0 disables resumption.
    pub sessions: usize,
    /// The maximum early data for a ticket, in bytes. 0 rejects early data.
    pub early_data: u32,
    /// The handshake timeout. `None` uses the timeout of the stream transport.
    pub patience: Option<Duration>,
}

impl Settings {
    fn versions(&self) -> &'static [&'static SupportedProtocolVersion] {
        const TLS12: &[&SupportedProtocolVersion] = &[&rustls::version::TLS12];
        const TLS13: &[&SupportedProtocolVersion] = &[&rustls::version::TLS13];
        match self.version {
            Version::Tls12 => TLS12,
            Version::Tls13 => TLS13,
            Version::Newest => rustls::ALL_VERSIONS,
        }
    }

    fn time(&self) -> Arc<dyn TimeProvider> {
        match self.randomness {
            Randomness::OfTheRun => Arc::new(Calendar { starts: RUN_STARTS }),
            Randomness::OfTheSystem => Arc::new(DefaultTimeProvider),
        }
    }

    /// The secrets of sockets are nobody's.
    fn key_log(&self) -> Arc<dyn KeyLog> {
        match self.randomness {
            Randomness::OfTheRun => Arc::new(Noted),
            Randomness::OfTheSystem => Arc::new(NoKeyLog {}),
        }
    }

    fn provider(&self) -> Arc<CryptoProvider> {
        provider(self.randomness, &self.groups)
    }
}

impl ClientProfile {
    /// Creates the profile of clients.
    ///
    /// # Errors
    /// When they contradict each other: a name that is none, no root, a size of records that the protocol does not have.
    pub fn new(settings: &Settings, own: ClientSettings) -> Result<Self, Error> {
        let provider = settings.provider();
        let server = ServerName::try_from(own.server);
        let server = server.map_err(|it| Error::General(it.to_string()))?;
        let builder = ClientConfig::builder_with_details(Arc::clone(&provider), settings.time());
        let builder = builder.with_protocol_versions(settings.versions())?;
        let verifier: Arc<dyn ServerCertVerifier> = match own.verify {
            Verify::Against(roots) => {
                let verifier = WebPkiServerVerifier::builder_with_provider(roots, provider);
                let verifier = verifier.build();
                verifier.map_err(|it| Error::General(it.to_string()))?
            }
            Verify::Keys(keys) => Arc::new(RawKeys {
                keys,
                algorithms: provider.signature_verification_algorithms,
            }),
            Verify::Nothing => Arc::new(AnyCertificate::by(&provider)),
        };
        let builder = builder
            .dangerous()
            .with_custom_certificate_verifier(verifier);
        let mut config = match own.credentials {
            Some(chain) => builder.with_client_cert_resolver(shown_by_client(chain)),
            None => builder.with_no_client_auth(),
        };
        config.resumption = match own.resumes {
            true => rustls::client::Resumption::store(OfClient::shared())
                .tls12_resumption(Tls12Resumption::SessionIdOnly),
            false => rustls::client::Resumption::disabled(),
        };
        config.key_log = settings.key_log();
        config.enable_early_data = own.sends_early_data;
        config.max_fragment_size = settings.largest_record.map(usize::from);
        config.alpn_protocols.clone_from(&settings.protocols);
        let config = Arc::new(config);
        Ok(Self { config, server })
    }

    /// Sets the start of the run, in seconds since 1970.
    #[must_use]
    pub fn starting(mut self, starts: u64) -> Self {
        Arc::make_mut(&mut self.config).time_provider = Arc::new(Calendar { starts });
        self
    }

    /// Adds an ALPN protocol that the client offers (RFC 7301).
    #[must_use]
    pub fn speaking(mut self, protocol: &str) -> Self {
        Arc::make_mut(&mut self.config).alpn_protocols = vec![protocol.into()];
        self
    }
}

impl ServerProfile {
    /// Creates the profile of servers.
    ///
    /// # Errors
    /// When they contradict each other: no root, a size of records that the protocol does not have.
    pub fn new(settings: &Settings, own: ServerSettings) -> Result<Self, Error> {
        let provider = settings.provider();
        let builder = ServerConfig::builder_with_details(Arc::clone(&provider), settings.time());
        let builder = builder.with_protocol_versions(settings.versions())?;
        let builder = match own.clients {
            Some(verify) => {
                builder.with_client_cert_verifier(verifier_of_clients(verify, provider)?)
            }
            None => builder.with_no_client_auth(),
        };
        let mut config = builder.with_cert_resolver(shown_by_server(own.credentials));
        if own.sessions > 0 {
            config.session_storage = Arc::new(OfServer);
            config.send_tls13_tickets = own.tickets.into();
        } else {
            config.session_storage = Arc::new(NoServerSessionStorage {});
            config.send_tls13_tickets = 0;
        }
        config.key_log = settings.key_log();
        config.max_early_data_size = own.early_data;
        // The answer to early data need not wait for the end of the handshake.
        config.send_half_rtt_data = own.early_data > 0;
        config.max_fragment_size = settings.largest_record.map(usize::from);
        config.alpn_protocols.clone_from(&settings.protocols);
        Ok(Self {
            config: Arc::new(config),
            room: own.sessions,
            patience: own.patience,
            handshakes_per_address: None,
        })
    }

    /// Sets the start of the run, in seconds since 1970.
    #[must_use]
    pub fn starting(mut self, starts: u64) -> Self {
        Arc::make_mut(&mut self.config).time_provider = Arc::new(Calendar { starts });
        self
    }

    /// Limits the unfinished handshakes of a client address. Connections above the limit are reset.
    #[must_use]
    pub fn bounded(mut self, handshakes_per_address: usize) -> Self {
        self.handshakes_per_address = Some(handshakes_per_address);
        self
    }

    /// Requires one of these ALPN protocols from clients that offer any (RFC 7301).
    #[must_use]
    pub fn speaking(mut self, protocols: &[&str]) -> Self {
        let named = protocols.iter().map(|&protocol| protocol.into());
        Arc::make_mut(&mut self.config).alpn_protocols = named.collect();
        self
    }
}

fn shown_by_client(chain: Chain) -> Arc<dyn ResolvesClientCert> {
    match chain.is_raw {
        true => Arc::new(AlwaysResolvesClientRawPublicKeys::new(chain.certified)),
        false => Arc::new(SingleCertAndKey::from(chain.certified)),
    }
}

fn shown_by_server(chain: Chain) -> Arc<dyn ResolvesServerCert> {
    match chain.is_raw {
        true => Arc::new(AlwaysResolvesServerRawPublicKeys::new(chain.certified)),
        false => Arc::new(SingleCertAndKey::from(chain.certified)),
    }
}

fn verifier_of_clients(
    verify: Verify,
    provider: Arc<CryptoProvider>,
) -> Result<Arc<dyn ClientCertVerifier>, Error> {
    match verify {
        Verify::Against(roots) => {
            let verifier = WebPkiClientVerifier::builder_with_provider(roots, provider);
            let verifier = verifier.build();
            verifier.map_err(|it| Error::General(it.to_string()))
        }
        Verify::Keys(keys) => Ok(Arc::new(RawKeys {
            keys,
            algorithms: provider.signature_verification_algorithms,
        })),
        Verify::Nothing => Err(Error::General("who is asked is judged".to_owned())),
    }
}

impl fmt::Debug for ClientProfile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ClientProfile({:?})", self.server)
    }
}

impl fmt::Debug for ServerProfile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ServerProfile({} sessions)", self.room)
    }
}
