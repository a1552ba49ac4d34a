//! QUIC on sockets of the kernel: random numbers and the time are the system's.

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
    /// A server that shows this chain, and wants a client's chain to one of `clients` where there are such. It takes early
    /// data: a ticket is good once, so that nothing which is replayed finds its session. `retries` has clients show where they
    /// are before anything else.
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

    /// A server of a protocol within these limits, which gives a handshake so long. Nobody beyond this machine can be flooded by who
    /// claims to be another.
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

/// A client of MQTT over QUIC that believes in these roots, asks for a server by its name or address, and shows a chain to
/// one that asks.
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
