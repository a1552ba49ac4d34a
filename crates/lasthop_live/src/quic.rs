//! QUIC on kernel sockets, with the system's random numbers and time.

use std::sync::Arc;

use lasthop_quic::{QuicClient, QuicLimits, QuicServer, QuicSettings};
use lasthop_tls::{
    Chain, ClientProfile, ClientSettings, RootCertStore, ServerProfile, ServerSettings, Settings,
    Verify, Version,
};
use lasthop_units::Duration;

use crate::secured::{SESSIONS, settings};

/// How long nobody speaks before a server asks whether its client is there, as MQTT need not.
const ASKS_AFTER: Duration = Duration::from_secs(60);
/// How long a client does not answer before it is gone.
const GONE_AFTER: Duration = Duration::from_secs(180);

/// The credentials of a QUIC server, and how it verifies clients.
#[derive(Clone, Debug)]
pub struct QuicOffer {
    profile: ServerProfile,
    retries: bool,
}

impl QuicOffer {
    /// Creates the credentials of a server that presents this chain, and requires client certificates if `clients` has
    /// roots. Early data is accepted; each ticket is valid once, so replayed early data finds no session. With
    /// `retries`, clients must validate their address first (Retry).
    ///
    /// # Panics
    /// Never: what it is made of fits together.
    #[must_use]
    pub fn new(credentials: Chain, clients: Option<RootCertStore>, retries: bool) -> Self {
        let own = ServerSettings {
            credentials,
            clients: clients.map(|roots| Verify::Against(Arc::new(roots))),
            tickets: 2,
            sessions: SESSIONS,
            early_data: u32::MAX,
            patience: None,
        };
        Self {
            profile: ServerProfile::new(&of_quic(), own).expect("it fits together"),
            retries,
        }
    }

    /// Creates the QUIC server of a protocol with these limits and this handshake timeout. Unless the listener is
    /// local, clients must validate their address first (Retry), so that spoofed addresses cannot be flooded.
    pub(crate) fn server(
        &self,
        protocol: &str,
        patience: Duration,
        limits: QuicLimits,
        is_local: bool,
    ) -> QuicServer {
        let settings = QuicSettings {
            patience,
            keep_alive: Some(ASKS_AFTER),
            idle_timeout: Some(GONE_AFTER),
            ..QuicSettings::default()
        };
        let retries = self.retries || !is_local;
        let server = QuicServer::new(
            &self.profile.clone().speaking(&[protocol]),
            &settings,
            retries,
        );
        server.expect("it has a suite of TLS 1.3").bounded(limits)
    }
}

/// Creates the QUIC configuration of an MQTT client. It verifies the server by these roots and its name or address, and
/// presents a chain on request.
///
/// # Errors
/// When the name is none, in words.
pub fn quic_client(
    server: &str,
    roots: RootCertStore,
    credentials: Option<Chain>,
) -> Result<QuicClient, String> {
    let own = ClientSettings {
        server: server.to_owned(),
        verify: Verify::Against(Arc::new(roots)),
        credentials,
        resumes: true,
        sends_early_data: true,
    };
    let profile = ClientProfile::new(&of_quic(), own).map_err(|error| error.to_string())?;
    let client = QuicClient::new(&profile, &QuicSettings::default());
    client.map_err(|error| error.to_string())
}

fn of_quic() -> Settings {
    Settings {
        version: Version::Tls13,
        protocols: vec![b"mqtt".to_vec()],
        ..settings()
    }
}
