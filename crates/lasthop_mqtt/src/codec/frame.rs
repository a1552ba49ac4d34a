use super::ReasonCode;
use super::reader::variable;

/// A control packet in a stream: its type and the bytes after the fixed header (MQTT 5 §2.1).
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// The packet type.
    pub packet_type: PacketType,
    /// The lower four bits of the first byte.
    pub flags: u8,
    /// The variable header and the payload.
    pub body: &'a [u8],
    /// The length of the whole packet in bytes.
    pub length: usize,
}

/// The kinds of control packets (MQTT 5 §2.1.2).
#[expect(missing_docs, reason = "the standard's own names")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PacketType {
    Connect,
    Connack,
    Publish,
    Puback,
    Pubrec,
    Pubrel,
    Pubcomp,
    Subscribe,
    Suback,
    Unsubscribe,
    Unsuback,
    Pingreq,
    Pingresp,
    Disconnect,
    Auth,
}

impl PacketType {
    /// Returns the type and the length of the first packet, once its fixed header is complete.
    ///
    /// Invalid data counts as one byte without a type.
    #[must_use]
    pub fn first_in(bytes: &[u8]) -> Option<(Option<Self>, usize)> {
        let (first, rest) = bytes.split_first()?;
        let known = fixed_header(*first).and_then(|(kind, _)| Ok((kind, variable(rest)?)));
        match known {
            Ok((kind, Some((remaining, width)))) => {
                Some((Some(kind), 1 + width + remaining as usize))
            }
            Ok((_, None)) => None,
            Err(_) => Some((None, 1)),
        }
    }

    /// Whether packets of this type may be sent on any stream of a connection with several streams. Only packets for
    /// messages and subscriptions may.
    pub(crate) const fn goes_by_any_stream(self) -> bool {
        !matches!(
            self,
            Self::Connect
                | Self::Connack
                | Self::Pingreq
                | Self::Pingresp
                | Self::Disconnect
                | Self::Auth
        )
    }
}

/// The largest packet: a fixed header of five bytes and the largest remaining length (MQTT 5 §2.1.4).
pub const MAX_PACKET_SIZE: usize = 5 + 268_435_455;

impl<'a> Frame<'a> {
    /// Returns the first packet of a stream; `None` until it is complete.
    ///
    /// # Errors
    /// As soon as the fixed header is there and wrong, or claims more than `maximum` bytes in all.
    pub fn split(bytes: &'a [u8], maximum: usize) -> Result<Option<Self>, ReasonCode> {
        let Some((first, rest)) = bytes.split_first() else {
            return Ok(None);
        };
        let (packet_type, flags) = fixed_header(*first)?;
        let Some((remaining, width)) = variable(rest)? else {
            return Ok(None);
        };
        let length = 1 + width + remaining as usize;
        if length > maximum {
            return Err(ReasonCode::PACKET_TOO_LARGE);
        }
        Ok(bytes.get(1 + width..length).map(|body| Self {
            packet_type,
            flags,
            body,
            length,
        }))
    }
}

/// The flags of all but PUBLISH are fixed (MQTT-2.1.3-1).
fn fixed_header(first: u8) -> Result<(PacketType, u8), ReasonCode> {
    let (packet_type, fixed_flags) = match first >> 4 {
        1 => (PacketType::Connect, 0),
        2 => (PacketType::Connack, 0),
        3 => (PacketType::Publish, first & 0x0f),
        4 => (PacketType::Puback, 0),
        5 => (PacketType::Pubrec, 0),
        6 => (PacketType::Pubrel, 2),
        7 => (PacketType::Pubcomp, 0),
        8 => (PacketType::Subscribe, 2),
        9 => (PacketType::Suback, 0),
        10 => (PacketType::Unsubscribe, 2),
        11 => (PacketType::Unsuback, 0),
        12 => (PacketType::Pingreq, 0),
        13 => (PacketType::Pingresp, 0),
        14 => (PacketType::Disconnect, 0),
        15 => (PacketType::Auth, 0),
        _ => return Err(ReasonCode::MALFORMED_PACKET),
    };
    let flags = first & 0x0f;
    if flags == fixed_flags {
        Ok((packet_type, flags))
    } else {
        Err(ReasonCode::MALFORMED_PACKET)
    }
}
