//! Close reasons and error codes of connections.

use lasthop_contract::CloseReason;
use quinn_proto::{ConnectionError, TransportErrorCode, VarInt};

/// The error code when both ends have finished (as for MQTT over QUIC).
pub(crate) const DONE: VarInt = VarInt::from_u32(0);
/// The error code when an end has not finished.
pub(crate) const GIVEN_UP: VarInt = VarInt::from_u32(1);

/// The codes of alerts of TLS begin here (RFC 9001 section 4.8).
const FIRST_ALERT: u64 = 0x100;

/// Returns the close reason for an error of the library.
pub(crate) fn close_reason(error: &ConnectionError) -> CloseReason {
    match error {
        ConnectionError::ApplicationClosed(close) if close.error_code == DONE => {
            CloseReason::Finished
        }
        ConnectionError::ConnectionClosed(close) => match alert(close.error_code) {
            Some(alert) => CloseReason::PeerAlert(alert),
            None => CloseReason::PeerReset,
        },
        ConnectionError::TransportError(error) => match alert(error.code) {
            Some(alert) => CloseReason::Refused(alert),
            None => CloseReason::PeerError,
        },
        ConnectionError::ApplicationClosed(_) | ConnectionError::Reset => CloseReason::PeerReset,
        ConnectionError::TimedOut => CloseReason::TimedOut,
        ConnectionError::VersionMismatch
        | ConnectionError::LocallyClosed
        | ConnectionError::CidsExhausted => CloseReason::PeerError,
    }
}

fn alert(code: TransportErrorCode) -> Option<u8> {
    u8::try_from(u64::from(code).checked_sub(FIRST_ALERT)?).ok()
}
