//! DTLS on sockets of the kernel, by keys that both ends have: random numbers and the time are the system's.

use lasthop_contract::CloseReason;
use lasthop_dtls::{ClientProfile, PreSharedKey, PreSharedKeys, ServerProfile, Settings};
use lasthop_units::Duration;

/// How long a handshake may take: a device at the edge of NB-IoT needs half of it.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long the connection IDs are that clients get: none of 2^64 is met by chance.
const CONNECTION_ID: u8 = 8;

/// A server that shares keys with its clients, asks them for cookies, and gives a connection ID to who takes one.
///
/// # Panics
/// Never: what it is made of fits together.
#[must_use]
pub fn keyed_server(keys: PreSharedKeys) -> ServerProfile {
    ServerProfile::with_keys(&settings(), keys, true).expect("it fits together")
}

/// A client that shares a key with its server, and takes a connection ID.
///
/// # Panics
/// Never: what it is made of fits together.
#[must_use]
pub fn keyed_client(key: PreSharedKey) -> ClientProfile {
    ClientProfile::with_key(&settings(), key).expect("it fits together")
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
const UNKNOWN_PSK_IDENTITY: u8 = 115;

/// Why a connection ended, where DTLS knows it.
pub(crate) fn why_it_ended(reason: CloseReason) -> Option<String> {
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
