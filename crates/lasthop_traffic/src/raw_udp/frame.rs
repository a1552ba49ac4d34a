use lasthop_contract::MessageId;
use thiserror::Error;

/// What stands before a payload when `raw_udp` acknowledges: a channel and a type of 4 bits each, and a number of 24,
/// big endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame {
    /// A message follows.
    Data(FrameId),
    /// This message is there.
    Acknowledgement(FrameId),
}

/// Which message of a connection it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FrameId {
    /// Which of the device's flows, below 16.
    pub channel: u8,
    /// Its number there, below 2^24; 0 is no message.
    pub number: u32,
}

/// Bytes that are no frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum FrameError {
    /// Fewer than four bytes.
    #[error("a frame has at least 4 B")]
    TooShort,
    /// A type that nobody sends.
    #[error("type {0} is not known")]
    UnknownType(u8),
}

const DATA: u8 = 1;
const ACKNOWLEDGEMENT: u8 = 2;

impl Frame {
    /// How many bytes it takes.
    pub const LENGTH: usize = 4;

    /// Reads the frame at the start of a datagram.
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

    /// Its bytes.
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
    /// No message: a greeting.
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
