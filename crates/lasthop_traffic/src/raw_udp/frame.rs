use lasthop_contract::MessageId;
use thiserror::Error;

/// The header of a `raw_udp` datagram with acknowledgements: a channel and a type of 4 bits each, and a number of 24
/// bits, big endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame {
    /// A message follows the header.
    Data(FrameId),
    /// The message with this ID was received.
    Acknowledgement(FrameId),
}

/// The ID of a message on a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FrameId {
    /// The channel of the device's flow, below 16.
    pub channel: u8,
    /// The number of the message in its flow, below 2^24; 0 for no message.
    pub number: u32,
}

/// The reason why bytes are not a valid frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum FrameError {
    /// The datagram has fewer than four bytes.
    #[error("a frame has at least 4 B")]
    TooShort,
    /// The type is unknown.
    #[error("type {0} is not known")]
    UnknownType(u8),
}

const DATA: u8 = 1;
const ACKNOWLEDGEMENT: u8 = 2;

impl Frame {
    /// The length of the header in bytes.
    pub const LENGTH: usize = 4;

    /// Parses the header at the start of a datagram.
    ///
    /// # Errors
    /// For a datagram that is too short or of an unknown type.
    pub fn parse(bytes: &[u8]) -> Result<Self, FrameError> {
        let &[kind, high, middle, low, ..] = bytes else {
            return Err(FrameError::TooShort);
        };
        let id = FrameId {
            channel: kind >> 4,
            number: u32::from_be_bytes([0, high, middle, low]),
        };
        match kind & 0xf {
            DATA => Ok(Self::Data(id)),
            ACKNOWLEDGEMENT => Ok(Self::Acknowledgement(id)),
            other => Err(FrameError::UnknownType(other)),
        }
    }

    /// Returns the bytes of the header.
    #[must_use]
    pub fn to_bytes(self) -> [u8; Self::LENGTH] {
        let (kind, id) = match self {
            Self::Data(id) => (DATA, id),
            Self::Acknowledgement(id) => (ACKNOWLEDGEMENT, id),
        };
        let [_, high, middle, low] = id.number.to_be_bytes();
        [id.channel << 4 | kind, high, middle, low]
    }
}

impl FrameId {
    /// The ID of a greeting, which is not a message.
    pub const GREETING: Self = Self {
        channel: 0,
        number: 0,
    };
}

impl From<MessageId> for FrameId {
    fn from(id: MessageId) -> Self {
        Self {
            channel: id.flow.channel(),
            number: id.number.get(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_back_what_it_wrote() {
        for (channel, number) in [(0, 1), (0, 0xff_ffff), (8, 1), (15, 0xff_ffff)] {
            let id = FrameId { channel, number };
            for frame in [Frame::Data(id), Frame::Acknowledgement(id)] {
                assert_eq!(Frame::parse(&frame.to_bytes()), Ok(frame));
            }
        }
    }

    #[test]
    fn refuses_what_is_no_frame() {
        assert_eq!(Frame::parse(&[1, 0, 0]), Err(FrameError::TooShort));
        assert_eq!(Frame::parse(&[9, 0, 0, 1]), Err(FrameError::UnknownType(9)));
    }
}
