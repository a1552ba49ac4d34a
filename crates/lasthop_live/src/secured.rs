//! TLS on kernel sockets, with the system's random numbers and time.

use std::sync::Arc;

use lasthop_contract::CloseReason;
use lasthop_tls::{
    Chain, ClientProfile, ClientSettings, Group, Randomness, RootCertStore, ServerProfile,
    ServerSettings, Settings, Verify, Version,
};
use lasthop_units::Duration;

/// How long a client may take for its handshake.
const PATIENCE: Duration = Duration::from_secs(10);
/// The number of sessions that a server remembers: two for each client of the default limit.
pub(crate) const SESSIONS: usize = 20_000;

/// Returns the profile of a server with this chain for TLS 1.2 and 1.3.
///
/// With `clients`, it requires a certificate of theirs.
///
/// # Panics
/// Never: what it is made of fits together.
#[must_use]
pub fn secured_server(credentials: Chain, clients: Option<RootCertStore>) -> ServerProfile {
    let own = ServerSettings {
        credentials,
        clients: clients.map(|roots| Verify::Against(Arc::new(roots))),
        tickets: 2,
        sessions: SESSIONS,
        // Nothing that a server does may be done twice.
        early_data: 0,
        patience: Some(PATIENCE),
    };
    ServerProfile::new(&settings(), own).expect("it fits together")
}

/// Returns the profile of a client that verifies a server by these roots, and presents a chain on request.
///
/// # Errors
/// When the name is none, in words.
pub fn secured_client(
    server: &str,
    roots: RootCertStore,
    credentials: Option<Chain>,
) -> Result<ClientProfile, String> {
    let own = ClientSettings {
        server: server.to_owned(),
        verify: Verify::Against(Arc::new(roots)),
        credentials,
        resumes: true,
        sends_early_data: false,
    };
    ClientProfile::new(&settings(), own).map_err(|error| error.to_string())
}

/// RFC 8446 section 6.
const CERTIFICATE_REQUIRED: u8 = 116;

pub(crate) fn settings() -> Settings {
    Settings {
        randomness: Randomness::OfTheSystem,
        version: Version::Newest,
        groups: vec![Group::X25519MlKem768, Group::X25519, Group::P256],
        largest_record: None,
        protocols: Vec::new(),
    }
}

/// Returns why a secured connection ended, if TLS knows the reason.
pub(crate) fn why_it_ended(reason: CloseReason) -> Option<String> {
    match reason {
        CloseReason::Refused(alert) => Some(match alert {
            42 => "the server's certificate is not one for this name and use".into(),
            45 => "the server's certificate is not valid today".into(),
            46 => "the server's certificate is that of an authority (CA:TRUE); one of a server is wanted".into(),
            48 => "the server's certificate is signed by nobody in the CA file".into(),
            _ => format!("the server does not speak TLS as it must (alert {alert})"),
        }),
        CloseReason::PeerAlert(CERTIFICATE_REQUIRED) => {
            Some("the server wants a certificate of who asks".into())
        }
        CloseReason::PeerAlert(alert @ 42..=48) => Some(format!(
            "the server does not believe the certificate that it is shown (alert {alert})"
        )),
        CloseReason::PeerAlert(alert) => Some(format!("the server refuses TLS (alert {alert})")),
        CloseReason::Truncated => Some("the server ended the connection without saying so".into()),
        _ => None,
    }
}
