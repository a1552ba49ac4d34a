//! DTLS on kernel sockets, with pre-shared keys or certificates, and the system's random numbers and time.

use std::sync::Arc;

use lasthop_contract::CloseReason;
use lasthop_dtls::{ClientProfile, PreSharedKey, PreSharedKeys, ServerProfile, Settings, Version};
use lasthop_tls::{Chain, RootCertStore, Trust};
use lasthop_units::Duration;
use rustix::time::{ClockId, clock_gettime};

use crate::secured;

/// How long a handshake may take: a device at the edge of NB-IoT needs half of it.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long the connection IDs are that clients get: none of 2^64 is met by chance.
const CONNECTION_ID: u8 = 8;

const FITS: &str = "what it is made of fits together";

/// Returns the profile of a server with pre-shared keys. It requires cookies, supports connection IDs, and resumes
/// sessions by session ID.
///
/// # Panics
/// Never: what it is made of fits together.
#[must_use]
pub fn keyed_server(keys: PreSharedKeys) -> ServerProfile {
    let server = ServerProfile::with_keys(&settings(), keys, true);
    server.expect(FITS).remembering(secured::SESSIONS)
}

/// Returns the profile of a client with a pre-shared key, which supports connection IDs.
///
/// # Panics
/// Never: what it is made of fits together.
#[must_use]
pub fn keyed_client(key: PreSharedKey) -> ClientProfile {
    let client = ClientProfile::with_key(&settings(), key);
    client.expect(FITS).resuming()
}

/// Returns the profile of a server with a certificate. It requires cookies, and client certificates if `clients` has
/// roots. Sessions of DTLS 1.2 are resumed by session ID.
///
/// # Errors
/// When DTLS cannot show it, in words.
///
/// # Panics
/// Never: what it is made of fits together.
pub fn certified_server(
    version: Version,
    presented: Chain,
    clients: Option<RootCertStore>,
) -> Result<ServerProfile, String> {
    check(&presented)?;
    let clients = clients.map(|roots| Trust::in_clients(Arc::new(roots)).starting(today()));
    let settings = settings();
    let server = ServerProfile::with_certificate(&settings, version, presented, clients, true);
    Ok(server.expect(FITS).remembering(secured::SESSIONS))
}

/// Returns the profile of a client that verifies a server name by these roots, and presents a certificate on request.
///
/// # Errors
/// When the name is none, or DTLS cannot show the certificate, in words.
///
/// # Panics
/// Never: what it is made of fits together.
pub fn certified_client(
    version: Version,
    server: &str,
    roots: RootCertStore,
    presented: Option<Chain>,
) -> Result<ClientProfile, String> {
    if let Some(presented) = &presented {
        check(presented)?;
    }
    let trust = Trust::in_server(Arc::new(roots), server)
        .ok_or_else(|| format!("{server:?} is no name of a host"))?;
    let trust = Some(trust.starting(today()));
    let client = ClientProfile::with_certificates(&settings(), version, trust, presented);
    Ok(client.expect(FITS).resuming())
}

/// Whether it is what an end can show: one certificate of ECDSA on P-256.
fn check(presented: &Chain) -> Result<(), String> {
    match presented.certificates().len() {
        1 if presented.sign_ecdsa_p256(&[]).is_some() => Ok(()),
        1 => Err("DTLS shows a certificate of ECDSA on P-256; this is of another kind".to_owned()),
        count => Err(format!("DTLS shows one certificate; here are {count}")),
    }
}

/// In seconds since 1970.
fn today() -> u64 {
    let seconds = clock_gettime(ClockId::Realtime).tv_sec;
    seconds.try_into().unwrap_or_default()
}

fn settings() -> Settings {
    Settings {
        patience: PATIENCE,
        connection_id: CONNECTION_ID,
        ..Settings::default()
    }
}

// RFC 5246 section 7.2, RFC 4279 section 6.
const BAD_RECORD_MAC: u8 = 20;
const HANDSHAKE_FAILURE: u8 = 40;
const DECRYPT_ERROR: u8 = 51;
const PROTOCOL_VERSION: u8 = 70;
const UNKNOWN_PSK_IDENTITY: u8 = 115;

/// Returns why a connection with keys or certificates ended, if DTLS knows the reason.
pub(crate) fn why_it_ended(has_key: bool, reason: CloseReason) -> Option<String> {
    match reason {
        CloseReason::PeerAlert(PROTOCOL_VERSION) => Some(
            "the server speaks another version of DTLS; name it by --dtls, or by dtls.version of a stack: 1.2 or 1.3 (alert 70)"
                .into(),
        ),
        reason if has_key => why_keys_failed(reason),
        CloseReason::PeerAlert(HANDSHAKE_FAILURE) => Some(
            "the server wants a certificate of who asks, or speaks another version of DTLS or none with ECDSA on P-256 (alert 40)"
                .into(),
        ),
        reason => secured::why_it_ended(reason),
    }
}

fn why_keys_failed(reason: CloseReason) -> Option<String> {
    match reason {
        CloseReason::PeerAlert(BAD_RECORD_MAC | DECRYPT_ERROR | UNKNOWN_PSK_IDENTITY) => {
            Some("the server does not know this identity, or has another key for it".into())
        }
        CloseReason::PeerAlert(HANDSHAKE_FAILURE) => Some(
            "the server speaks no DTLS 1.2 with a pre-shared key and AES-128-CCM-8 (alert 40)"
                .into(),
        ),
        CloseReason::PeerAlert(alert) => Some(format!("the server refuses DTLS (alert {alert})")),
        CloseReason::Refused(DECRYPT_ERROR) => Some("the server has another key".into()),
        CloseReason::Refused(alert) => Some(format!(
            "the server does not speak DTLS as it must (alert {alert})"
        )),
        _ => None,
    }
}
