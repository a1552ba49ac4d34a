use std::sync::Arc;

use lasthop_tls::{ClientProfile, ServerProfile, Workplace};
use lasthop_units::Duration;
use quinn_proto::congestion::{ControllerFactory, CubicConfig, NewRenoConfig};
use quinn_proto::crypto::rustls::{NoInitialCipherSuite, QuicClientConfig, QuicServerConfig};
use quinn_proto::{
    ClientConfig, ConnectionId, IdleTimeout, MtuDiscoveryConfig, ServerConfig, TransportConfig,
    VarInt,
};

use crate::QuicLimits;
use crate::clock::Calendar;
use crate::crypto::{ObservedClient, ObservedServer};
use crate::gate::Gated;

/// The transport settings of an end.
#[derive(Clone, Debug)]
pub struct QuicSettings {
    /// The RTT before the first measurement (RFC 9002 section 6.2.2).
    pub initial_rtt: Duration,
    /// The congestion control algorithm.
    pub congestion: Congestion,
    /// The initial congestion window, in packets of 1200 bytes.
    pub initial_window: u16,
    /// Whether path MTU discovery is used (RFC 8899).
    pub mtu_discovery: bool,
    /// The keep-alive interval.
    pub keep_alive: Option<Duration>,
    /// The idle timeout; `None` for never.
    pub idle_timeout: Option<Duration>,
    /// The handshake timeout.
    pub patience: Duration,
    /// The maximum number of open streams of each kind for the peer.
    pub streams: u16,
    /// Whether datagrams are accepted (RFC 9221).
    pub datagrams: bool,
}

/// The congestion control algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Congestion {
    /// CUBIC (RFC 9438).
    Cubic,
    /// NewReno (RFC 9002 section 7).
    NewReno,
}

/// The settings of clients, which hosts share.
#[derive(Clone, Debug)]
pub struct QuicClient {
    pub(crate) config: ClientConfig,
    pub(crate) server_name: Arc<str>,
    pub(crate) patience: Duration,
    pub(crate) keeps_alive: bool,
}

/// The settings of servers, which hosts share.
#[derive(Clone, Debug)]
pub struct QuicServer {
    pub(crate) config: Arc<ServerConfig>,
    /// The number of sessions that a server remembers.
    pub(crate) room: usize,
    /// Whether the server validates client addresses by Retry first (RFC 9000 section 8.1.2).
    pub(crate) retries: bool,
    pub(crate) patience: Duration,
    pub(crate) keeps_alive: bool,
    pub(crate) limits: Option<QuicLimits>,
}

impl Default for QuicSettings {
    /// Those of the library, but that connections do not end by being idle.
    fn default() -> Self {
        Self {
            initial_rtt: Duration::from_millis(333),
            congestion: Congestion::Cubic,
            initial_window: 10,
            mtu_discovery: true,
            keep_alive: None,
            idle_timeout: None,
            patience: Duration::from_secs(127),
            streams: 100,
            datagrams: true,
        }
    }
}

impl QuicSettings {
    fn transport(&self) -> Arc<TransportConfig> {
        let standard = |it: Duration| core::time::Duration::from_nanos(it.as_nanos());
        let milliseconds = |it: Duration| {
            let milliseconds = u32::try_from(it.as_nanos() / 1_000_000).unwrap_or(u32::MAX);
            IdleTimeout::from(VarInt::from_u32(milliseconds))
        };
        let mut config = TransportConfig::default();
        config
            .initial_rtt(standard(self.initial_rtt))
            .congestion_controller_factory(Arc::new(Gated(self.congestion())))
            .mtu_discovery_config(self.mtu_discovery.then(MtuDiscoveryConfig::default))
            .keep_alive_interval(self.keep_alive.map(standard))
            .max_idle_timeout(self.idle_timeout.map(milliseconds))
            .max_concurrent_bidi_streams(self.streams.into())
            .max_concurrent_uni_streams(self.streams.into())
            .enable_segmentation_offload(false);
        if !self.datagrams {
            config.datagram_receive_buffer_size(None);
        }
        Arc::new(config)
    }

    fn congestion(&self) -> Arc<dyn ControllerFactory + Send + Sync> {
        let window = u64::from(self.initial_window) * PACKET;
        match self.congestion {
            Congestion::Cubic => {
                let mut config = CubicConfig::default();
                config.initial_window(window);
                Arc::new(config)
            }
            Congestion::NewReno => {
                let mut config = NewRenoConfig::default();
                config.initial_window(window);
                Arc::new(config)
            }
        }
    }
}

/// What windows are counted in, in bytes: the smallest packet that every path must carry.
const PACKET: u64 = 1200;

/// No client guesses it, and it need not be kept from anybody: a run's tokens are good in that run.
const TOKEN_KEY: &[u8] = b"tokens of a run";

impl QuicClient {
    /// Creates a TLS 1.3 client with these settings.
    ///
    /// # Errors
    /// When its TLS has no suite that QUIC begins with.
    pub fn new(tls: &ClientProfile, settings: &QuicSettings) -> Result<Self, NoInitialCipherSuite> {
        let session = QuicClientConfig::try_from(tls.config())?;
        let mut config = ClientConfig::new(Arc::new(ObservedClient(Arc::new(session))));
        config.transport_config(settings.transport());
        Ok(Self {
            config,
            server_name: tls.server_name().into(),
            patience: settings.patience,
            keeps_alive: settings.keep_alive.is_some(),
        })
    }

    /// Uses the run's random numbers.
    pub(crate) fn of_the_run(mut self) -> Self {
        self.config.initial_dst_cid_provider(Arc::new(drawn));
        self
    }
}

impl QuicServer {
    /// Creates a TLS 1.3 server with these settings, which answers clients at once or with a Retry first.
    ///
    /// # Errors
    /// When its TLS has no suite that QUIC begins with.
    pub fn new(
        tls: &ServerProfile,
        settings: &QuicSettings,
        retries: bool,
    ) -> Result<Self, NoInitialCipherSuite> {
        let session = QuicServerConfig::try_from(tls.config())?;
        let mut config = ServerConfig::with_crypto(Arc::new(ObservedServer(Arc::new(session))));
        config.transport_config(settings.transport());
        Ok(Self {
            config: Arc::new(config),
            room: tls.room(),
            retries,
            patience: settings.patience,
            keeps_alive: settings.keep_alive.is_some(),
            limits: None,
        })
    }

    /// Sets limits. Without limits, every connection is accepted.
    #[must_use]
    pub fn bounded(mut self, limits: QuicLimits) -> Self {
        self.limits = Some(limits);
        self
    }

    /// Uses the run's random numbers and time.
    pub(crate) fn of_the_run(mut self) -> Self {
        let salt = ring::hkdf::Salt::new(ring::hkdf::HKDF_SHA256, &[]);
        let config = Arc::make_mut(&mut self.config);
        config
            .token_key(Arc::new(salt.extract(TOKEN_KEY)))
            .time_source(Arc::new(Calendar));
        self
    }
}

/// The length of connection IDs in bytes.
pub(crate) const ID_LENGTH: usize = 8;

/// Draws a connection ID from the run's random numbers.
pub(crate) fn drawn() -> ConnectionId {
    let mut bytes = [0; ID_LENGTH];
    let is_drawn = Workplace::draw(&mut bytes);
    debug_assert!(is_drawn, "the host has random numbers");
    ConnectionId::new(&bytes)
}
