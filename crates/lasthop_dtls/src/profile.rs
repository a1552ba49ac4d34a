use std::sync::Arc;

use dimpl::{Config, ConfigBuilder};
use lasthop_units::Duration;

use crate::clock::library_span;
use crate::provider::provider;
use crate::{PreSharedKey, PreSharedKeys};

/// What both ends of a connection have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// How long a flight waits for its answer before it is sent again; it waits twice as long each further time
    /// (RFC 6347 section 4.2.4.1), a quarter more or less.
    pub first_timeout: Duration,
    /// How often a flight is sent again at most.
    pub retries: u8,
    /// How long a handshake may take.
    pub patience: Duration,
    /// The largest datagram of a handshake, in bytes from 64.
    pub largest_datagram: u16,
    /// The length of the connection ID (RFC 9146) that clients put into their records, in bytes up to 32; 0 speaks none.
    pub connection_id: u8,
}

/// How a client behaves.
#[derive(Clone, Debug)]
pub struct ClientProfile {
    pub(crate) config: Arc<Config>,
    /// Whether its records may carry a connection ID.
    pub(crate) takes_connection_id: bool,
}

/// How a server behaves.
#[derive(Clone, Debug)]
pub struct ServerProfile {
    pub(crate) config: Arc<Config>,
    /// Whether a client must show first that it hears what is sent to its address.
    pub(crate) asks_for_cookie: bool,
    /// How long the connection IDs are that it gives to its clients, in bytes.
    pub(crate) connection_id: u8,
    pub(crate) handshakes_per_address: Option<usize>,
}

impl Default for Settings {
    /// With the timer of RFC 6347.
    fn default() -> Self {
        Self {
            first_timeout: Duration::from_secs(1),
            retries: 5,
            patience: Duration::from_secs(300),
            largest_datagram: 1_200,
            connection_id: 0,
        }
    }
}

impl Settings {
    fn builder(&self) -> ConfigBuilder {
        Config::builder()
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
        let builder = settings.builder().with_psk_client(identity, Arc::new(key));
        let config = Arc::new(builder.build()?);
        Ok(Self {
            config,
            takes_connection_id: settings.connection_id > 0,
        })
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
        let builder = settings.builder().with_psk_server(None, Arc::new(keys));
        let config = Arc::new(builder.build()?);
        Ok(Self {
            config,
            asks_for_cookie,
            connection_id: settings.connection_id,
            handshakes_per_address: None,
        })
    }

    /// The same, which does not hear an address that has so many handshakes that are not over.
    #[must_use]
    pub fn bounded(mut self, handshakes_per_address: usize) -> Self {
        self.handshakes_per_address = Some(handshakes_per_address);
        self
    }
}
