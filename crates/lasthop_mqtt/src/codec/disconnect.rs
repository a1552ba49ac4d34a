use smallvec::SmallVec;

use super::property::{Property, read_properties};
use super::reader::Reader;
use super::writer::packet;
use super::{ReasonCode, Version};

/// DISCONNECT (MQTT 5 §3.14, MQTT 3.1.1 §3.14).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Disconnect {
    /// Why the connection ends. The will is published unless it is success.
    pub reason: ReasonCode,
    /// The session expiry in seconds, which replaces that of CONNECT.
    pub session_expiry: Option<u32>,
}

impl Disconnect {
    /// Creates a DISCONNECT with this reason.
    #[must_use]
    pub const fn new(reason: ReasonCode) -> Self {
        Self {
            reason,
            session_expiry: None,
        }
    }

    /// Reads the packet after its fixed header.
    ///
    /// # Errors
    /// When it is malformed.
    pub fn read(version: Version, body: &[u8]) -> Result<Self, ReasonCode> {
        let mut reader = Reader::new(body);
        let mut read = Self::new(ReasonCode::SUCCESS);
        if version == Version::V5 && !reader.is_empty() {
            read.reason = ReasonCode(reader.u8()?);
            if !is_reason(read.reason) {
                return Err(ReasonCode::MALFORMED_PACKET);
            }
            if !reader.is_empty() {
                read_properties(&mut reader, |property, _| match property {
                    Property::SessionExpiryInterval(seconds) => {
                        read.session_expiry = Some(seconds);
                        Ok(())
                    }
                    Property::ReasonString | Property::UserProperty | Property::ServerReference => {
                        Ok(())
                    }
                    _ => Err(ReasonCode::MALFORMED_PACKET),
                })?;
            }
        }
        reader.finish()?;
        Ok(read)
    }

    /// Returns the packet. In 3.1.1 it has no fields.
    #[must_use]
    pub fn write(self, version: Version) -> SmallVec<[u8; 128]> {
        if version == Version::V5 && self.reason != ReasonCode::SUCCESS {
            packet(0xe0, &[self.reason.0])
        } else {
            packet(0xe0, &[])
        }
    }
}

/// §3.14.2.1.
const fn is_reason(reason: ReasonCode) -> bool {
    matches!(
        reason.0,
        0x00 | 0x04 | 0x80..=0x83 | 0x87 | 0x89 | 0x8b | 0x8d..=0x90 | 0x93..=0xa2
    )
}
