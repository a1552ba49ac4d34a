use std::sync::Arc;

use dimpl::crypto::Dtls12CipherSuite;
use dimpl::{Config, ConfigBuilder, DtlsCertificate};
use lasthop_tls::{Chain, Trust};
use lasthop_units::{Duration, Instant};

use crate::clock::{library_span, of_library};
use crate::crypto_context::CryptoContext;
use crate::provider::provider;
use crate::{PreSharedKey, PreSharedKeys};

/// The surroundings of a host, which are away while it is worked.
type Host = Option<Box<CryptoContext>>;

/// The settings that both ends share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The first retransmission timeout of a flight, which doubles each time (RFC 6347 section 4.2.4.1), with a jitter
    /// of 25 %.
    pub first_timeout: Duration,
    /// The maximum number of retransmissions of a flight.
    pub retries: u8,
    /// The handshake timeout.
    pub patience: Duration,
    /// The largest datagram of a handshake, in bytes from 64.
    pub largest_datagram: u16,
    /// The lifetime of sessions for resumption, at most 24 hours (RFC 5246 section F.1.4).
    pub session_lifetime: Duration,
    /// The length of the connection ID (RFC 9146) in clients' records, up to 32 bytes; 0 for none.
    pub connection_id: u8,
}

/// The DTLS version.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Version {
    /// DTLS 1.2 (RFC 6347).
    #[default]
    V1_2,
    /// DTLS 1.3 (RFC 9147).
    V1_3,
}

/// How the ends show who they are.
#[derive(Clone, Debug)]
enum Proof {
    /// By a key that both have.
    Key,
    /// By a certificate, where there is one, and by whom that of the peer is signed, where it matters.
    Certificate(Version, Option<Chain>, Option<Trust>),
}

/// The settings of clients.
#[derive(Clone, Debug)]
pub struct ClientProfile {
    config: Arc<Config>,
    proof: Proof,
    /// Whether its records may carry a connection ID.
    pub(crate) takes_connection_id: bool,
    /// Whether it offers a session that it has had before.
    pub(crate) resumes: bool,
    /// Whether it makes another session where what it sent was given up.
    pub(crate) renews: bool,
    pub(crate) session_lifetime: Duration,
}

/// The settings of servers.
#[derive(Clone, Debug)]
pub struct ServerProfile {
    config: Arc<Config>,
    proof: Proof,
    /// Whether a client must show first that it hears what is sent to its address.
    pub(crate) asks_for_cookie: bool,
    /// How long the connection IDs are that it gives to its clients, in bytes.
    pub(crate) connection_id: u8,
    pub(crate) handshakes_per_address: Option<usize>,
    /// How many sessions it remembers; the oldest gives way.
    pub(crate) sessions: usize,
    pub(crate) session_lifetime: Duration,
}

impl Default for Settings {
    /// With the timer of RFC 6347.
    fn default() -> Self {
        Self {
            first_timeout: Duration::from_secs(1),
            retries: 5,
            patience: Duration::from_secs(300),
            largest_datagram: 1_200,
            session_lifetime: Duration::from_secs(24 * 3_600),
            connection_id: 0,
        }
    }
}

impl Settings {
    fn builder(&self, suite: Dtls12CipherSuite) -> ConfigBuilder {
        Config::builder()
            .dtls12_cipher_suites(&[suite])
            .with_crypto_provider(provider())
            .mtu(self.largest_datagram.into())
            .flight_start_rto(library_span(self.first_timeout))
            .flight_retries(self.retries.into())
            .handshake_timeout(library_span(self.patience))
            .use_server_cookie(false)
    }
}

impl ClientProfile {
    /// A client that shares a key with its server.
    ///
    /// # Errors
    /// When a time is 0 or the largest datagram is too small.
    pub fn with_key(settings: &Settings, key: PreSharedKey) -> Result<Self, dimpl::Error> {
        let identity = key.identity.clone();
        let builder = settings.builder(Dtls12CipherSuite::PSK_AES128_CCM_8);
        let builder = builder.with_psk_client(identity, Arc::new(key));
        Self::new(settings, builder, Proof::Key)
    }

    /// A client that believes in a server by its certificate (any one without `trust`), and shows one to who asks for it. Keys
    /// are those of ECDSA on P-256. Connection IDs are those of DTLS 1.2 alone.
    ///
    /// # Errors
    /// When a time is 0 or the largest datagram is too small.
    pub fn with_certificates(
        settings: &Settings,
        version: Version,
        trust: Option<Trust>,
        presented: Option<Chain>,
    ) -> Result<Self, dimpl::Error> {
        let builder = settings.builder(Dtls12CipherSuite::ECDHE_ECDSA_AES128_CCM_8);
        Self::new(
            settings,
            builder,
            Proof::Certificate(version, presented, trust),
        )
    }

    fn new(
        settings: &Settings,
        builder: ConfigBuilder,
        proof: Proof,
    ) -> Result<Self, dimpl::Error> {
        Ok(Self {
            config: Arc::new(builder.build()?),
            proof,
            takes_connection_id: settings.connection_id > 0,
            resumes: false,
            renews: false,
            session_lifetime: settings.session_lifetime,
        })
    }

    /// Enables resumption of DTLS 1.2 sessions with an identifier (RFC 5246 section 7.3).
    #[must_use]
    pub const fn resuming(mut self) -> Self {
        self.resumes = true;
        self
    }

    /// The same, which makes another session where what it sent was given up and nothing has come since: the server may have
    /// lost the one from before, or finds no session at the address that the client has now.
    #[must_use]
    pub const fn renewing(mut self) -> Self {
        self.renews = true;
        self
    }

    /// Whether it shares a key with its server.
    #[must_use]
    pub const fn has_key(&self) -> bool {
        matches!(self.proof, Proof::Key)
    }

    /// A session, and by whom the certificate of the peer must be signed.
    pub(crate) fn session(&self, host: &mut Host, now: Instant) -> (dimpl::Dtls, Option<Trust>) {
        let mut begun = self.proof.session(&self.config, host, now);
        begun.0.set_active(true);
        if self.takes_connection_id {
            begun.0.set_connection_id(Vec::new());
        }
        begun
    }
}

impl ServerProfile {
    /// A server that shares keys with its clients.
    ///
    /// # Errors
    /// When a time is 0 or the largest datagram is too small.
    pub fn with_keys(
        settings: &Settings,
        keys: PreSharedKeys,
        asks_for_cookie: bool,
    ) -> Result<Self, dimpl::Error> {
        let builder = settings.builder(Dtls12CipherSuite::PSK_AES128_CCM_8);
        let builder = builder.with_psk_server(None, Arc::new(keys));
        Self::new(settings, builder, Proof::Key, asks_for_cookie)
    }

    /// A server that shows a certificate, and wants those of its clients where it trusts some. Keys are those of ECDSA on P-256.
    ///
    /// # Errors
    /// When a time is 0 or the largest datagram is too small.
    pub fn with_certificate(
        settings: &Settings,
        version: Version,
        presented: Chain,
        clients: Option<Trust>,
        asks_for_cookie: bool,
    ) -> Result<Self, dimpl::Error> {
        let builder = settings.builder(Dtls12CipherSuite::ECDHE_ECDSA_AES128_CCM_8);
        let builder = builder.require_client_certificate(clients.is_some());
        let proof = Proof::Certificate(version, Some(presented), clients);
        Self::new(settings, builder, proof, asks_for_cookie)
    }

    fn new(
        settings: &Settings,
        builder: ConfigBuilder,
        proof: Proof,
        asks_for_cookie: bool,
    ) -> Result<Self, dimpl::Error> {
        Ok(Self {
            config: Arc::new(builder.build()?),
            proof,
            asks_for_cookie,
            connection_id: settings.connection_id,
            handshakes_per_address: None,
            sessions: 0,
            session_lifetime: settings.session_lifetime,
        })
    }

    /// Ignores an address with too many unfinished handshakes.
    #[must_use]
    pub fn bounded(mut self, handshakes_per_address: usize) -> Self {
        self.handshakes_per_address = Some(handshakes_per_address);
        self
    }

    /// Sets the number of DTLS 1.2 sessions that it remembers for resumption. The oldest is evicted.
    #[must_use]
    pub const fn remembering(mut self, sessions: usize) -> Self {
        self.sessions = sessions;
        self
    }

    /// Which DTLS its clients must speak.
    pub(crate) fn version(&self) -> Version {
        match self.proof {
            Proof::Key => Version::V1_2,
            Proof::Certificate(version, ..) => version,
        }
    }

    /// A session, and by whom the certificate of the peer must be signed.
    pub(crate) fn session(&self, host: &mut Host, now: Instant) -> (dimpl::Dtls, Option<Trust>) {
        self.proof.session(&self.config, host, now)
    }
}

impl Proof {
    fn session(
        &self,
        config: &Arc<Config>,
        host: &mut Host,
        now: Instant,
    ) -> (dimpl::Dtls, Option<Trust>) {
        let (config, now) = (Arc::clone(config), of_library(now));
        match self {
            Self::Key => {
                let new = || dimpl::Dtls::new_12_psk(config, now);
                (CryptoContext::enter(host, new), None)
            }
            Self::Certificate(version, presented, trust) => {
                if let Some(host) = host {
                    host.credentials = presented.clone().map(Box::new);
                }
                let first = presented.as_ref().and_then(|it| it.certificates().first());
                let certificate = DtlsCertificate {
                    certificate: first.map_or_else(Vec::new, |it| it.to_vec()),
                    private_key: Vec::new(),
                };
                let new = || match version {
                    Version::V1_2 => dimpl::Dtls::new_12(config, certificate, now),
                    Version::V1_3 => dimpl::Dtls::new_13(config, certificate, now),
                };
                (CryptoContext::enter(host, new), trust.clone())
            }
        }
    }
}
