use thiserror::Error;

/// What stands before a payload when `raw_udp` acknowledges: a type and a 24-bit number, big endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame {
    /// A message follows.
    Data(u32),
    /// The message with this number is there.
    Acknowledgement(u32),
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
        let number = u32::from_be_bytes([0, high, middle, low]);
        match kind {
            DATA => Ok(Self::Data(number)),
            ACKNOWLEDGEMENT => Ok(Self::Acknowledgement(number)),
            other => Err(FrameError::UnknownType(other)),
        }
    }

    /// Its bytes.
    #[must_use]
    pub fn to_bytes(self) -> [u8; Self::LENGTH] {
        let (kind, number) = match self {
            Self::Data(number) => (DATA, number),
            Self::Acknowledgement(number) => (ACKNOWLEDGEMENT, number),
        };
        let [_, high, middle, low] = number.to_be_bytes();
        [kind, high, middle, low]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_back_what_it_wrote() {
        for frame in [Frame::Data(1), Frame::Acknowledgement(0xff_ffff)] {
            assert_eq!(Frame::parse(&frame.to_bytes()), Ok(frame));
        }
    }

    #[test]
    fn refuses_what_is_no_frame() {
        assert_eq!(Frame::parse(&[1, 0, 0]), Err(FrameError::TooShort));
        assert_eq!(Frame::parse(&[9, 0, 0, 1]), Err(FrameError::UnknownType(9)));
    }
}
