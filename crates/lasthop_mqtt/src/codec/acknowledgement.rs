use super::property::read_reason_properties;
use super::reader::Reader;
use super::{ReasonCode, Version};

/// PUBACK, PUBREC, PUBREL and PUBCOMP (MQTT 5 §3.4 to §3.7): the same fields with other names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acknowledgement {
    /// The packet identifier.
    pub packet_id: u16,
    /// The reason code.
    pub reason: ReasonCode,
}

/// The kind of acknowledgement.
#[expect(missing_docs, reason = "the standard's own names")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AcknowledgementKind {
    Puback,
    Pubrec,
    Pubrel,
    Pubcomp,
}

impl AcknowledgementKind {
    const fn first_byte(self) -> u8 {
        match self {
            Self::Puback => 0x40,
            Self::Pubrec => 0x50,
            Self::Pubrel => 0x62,
            Self::Pubcomp => 0x70,
        }
    }

    /// Whether the standard gives this packet this reason code.
    const fn allows(self, reason: ReasonCode) -> bool {
        match self {
            Self::Puback | Self::Pubrec => matches!(
                reason.0,
                0x00 | 0x10 | 0x80 | 0x83 | 0x87 | 0x90 | 0x91 | 0x97 | 0x99
            ),
            Self::Pubrel | Self::Pubcomp => matches!(reason.0, 0x00 | 0x92),
        }
    }
}

impl Acknowledgement {
    /// Creates a success.
    #[must_use]
    pub const fn success(packet_id: u16) -> Self {
        Self {
            packet_id,
            reason: ReasonCode::SUCCESS,
        }
    }

    /// Reads the packet after its fixed header.
    ///
    /// # Errors
    /// When it is malformed.
    pub fn read(
        version: Version,
        kind: AcknowledgementKind,
        body: &[u8],
    ) -> Result<Self, ReasonCode> {
        let mut reader = Reader::new(body);
        let mut read = Self::success(reader.packet_id()?);
        // Success and no properties may be left out (§3.4.2.1).
        if version == Version::V5 && !reader.is_empty() {
            read.reason = ReasonCode(reader.u8()?);
            if !kind.allows(read.reason) {
                return Err(ReasonCode::MALFORMED_PACKET);
            }
            if !reader.is_empty() {
                read_reason_properties(&mut reader)?;
            }
        }
        reader.finish()?;
        Ok(read)
    }

    /// Returns the packet as bytes on the stack, with its length.
    #[must_use]
    pub fn write(self, version: Version, kind: AcknowledgementKind) -> ([u8; 5], usize) {
        let [high, low] = self.packet_id.to_be_bytes();
        let has_reason = version == Version::V5 && self.reason != ReasonCode::SUCCESS;
        let remaining = if has_reason { 3 } else { 2 };
        let bytes = [kind.first_byte(), remaining, high, low, self.reason.0];
        (bytes, 2 + usize::from(remaining))
    }
}
