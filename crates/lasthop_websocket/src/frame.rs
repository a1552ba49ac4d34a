//! Frames (RFC 6455 section 5.2): up to 14 bytes before the payload.

/// The longest header: two bytes, eight of length, four of mask.
pub(crate) const LONGEST_HEADER: usize = 14;
/// RFC 6455 section 5.5: the longest payload of a control frame.
pub(crate) const LONGEST_CONTROL: usize = 125;

/// What is said before a payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FrameHeader {
    /// Whether its message ends with it.
    pub(crate) is_final: bool,
    pub(crate) opcode: Opcode,
    /// What the payload is masked with, if it is.
    pub(crate) mask: Option<[u8; 4]>,
    /// Of the payload, in bytes.
    pub(crate) length: u64,
}

/// What a payload is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opcode {
    Continuation,
    Text,
    Binary,
    Close,
    Ping,
    Pong,
}

/// Why a connection is failed (RFC 6455 section 7.1.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// What no end may send.
    Protocol,
    /// What this end has no use for: text.
    Unsupported,
    /// Text that is not in UTF-8.
    NoText,
}

impl Opcode {
    const ALL: [Self; 6] = [
        Self::Continuation,
        Self::Text,
        Self::Binary,
        Self::Close,
        Self::Ping,
        Self::Pong,
    ];

    const fn number(self) -> u8 {
        match self {
            Self::Continuation => 0,
            Self::Text => 1,
            Self::Binary => 2,
            Self::Close => 8,
            Self::Ping => 9,
            Self::Pong => 10,
        }
    }

    pub(crate) const fn is_control(self) -> bool {
        matches!(self, Self::Close | Self::Ping | Self::Pong)
    }
}

impl Fault {
    /// The status code (RFC 6455 section 7.4.1).
    pub(crate) const fn status(self) -> u16 {
        match self {
            Self::Protocol => 1002,
            Self::Unsupported => 1003,
            Self::NoText => 1007,
        }
    }
}

impl FrameHeader {
    /// The bytes, and how many of them there are.
    pub(crate) fn bytes(self) -> ([u8; LONGEST_HEADER], usize) {
        let mut bytes = [0; LONGEST_HEADER];
        bytes[0] = u8::from(self.is_final) << 7 | self.opcode.number();
        let length = self.length.to_be_bytes();
        let (short, extended) = match self.length {
            0..126 => (length[7], &length[8..]),
            126..65_536 => (126, &length[6..]),
            _ => (127, &length[..]),
        };
        bytes[1] = u8::from(self.mask.is_some()) << 7 | short;
        let mut end = 2;
        for part in [extended, self.mask.as_ref().map_or(&[][..], |it| &it[..])] {
            bytes[end..end + part.len()].copy_from_slice(part);
            end += part.len();
        }
        (bytes, end)
    }

    /// How many bytes the header has whose first ones are these; at least two.
    pub(crate) fn length_of(start: &[u8]) -> usize {
        let Some(second) = start.get(1) else { return 2 };
        let extended = match second & 0x7f {
            126 => 2,
            127 => 8,
            _ => 0,
        };
        2 + extended + usize::from(second >> 7) * 4
    }

    /// Reads a whole header.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, Fault> {
        let (&[first, second], rest) = bytes.split_first_chunk().ok_or(Fault::Protocol)?;
        let opcodes = Opcode::ALL.into_iter();
        let opcode = opcodes.clone().find(|it| it.number() == first & 0x0f);
        let opcode = opcode.ok_or(Fault::Protocol)?;
        let (extended, mask) = rest.split_at(rest.len() - usize::from(second >> 7) * 4);
        let number = |bytes: &[u8]| bytes.iter().fold(0, |all, it| all << 8 | u64::from(*it));
        let length = match extended {
            [] => u64::from(second & 0x7f),
            extended => number(extended),
        };
        let header = Self {
            is_final: first & 0x80 != 0,
            opcode,
            mask: mask.first_chunk().copied(),
            length,
        };
        // The shortest way to write a length is the only one (§5.2), and no extension uses the reserved bits.
        let is_sound = first & 0x70 == 0 && header.bytes().1 == bytes.len() && length >> 63 == 0;
        let is_long = length > LONGEST_CONTROL as u64;
        let is_odd = opcode.is_control() && (is_long || !header.is_final);
        if !is_sound || is_odd {
            return Err(Fault::Protocol);
        }
        Ok(header)
    }
}

/// Masks bytes, or takes the mask off them, which begin so far into a payload (RFC 6455 section 5.3).
pub(crate) fn apply_mask(bytes: &mut [u8], mask: [u8; 4], offset: u64) {
    let mut mask = mask;
    mask.rotate_left((offset % 4) as usize);
    let (fours, rest) = bytes.as_chunks_mut::<4>();
    for four in fours {
        *four = (u32::from_ne_bytes(*four) ^ u32::from_ne_bytes(mask)).to_ne_bytes();
    }
    for (byte, mask) in rest.iter_mut().zip(mask) {
        *byte ^= mask;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_and_writes_the_examples_of_the_rfc() {
        let header = |is_final, opcode, mask, length| FrameHeader {
            is_final,
            opcode,
            mask,
            length,
        };
        let mask = Some([0x37, 0xfa, 0x21, 0x3d]);
        for (bytes, expected) in [
            (&[0x81, 0x05][..], header(true, Opcode::Text, None, 5)),
            (
                &[0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d],
                header(true, Opcode::Text, mask, 5),
            ),
            (&[0x01, 0x03], header(false, Opcode::Text, None, 3)),
            (&[0x80, 0x02], header(true, Opcode::Continuation, None, 2)),
            (&[0x89, 0x05], header(true, Opcode::Ping, None, 5)),
            (
                &[0x8a, 0x85, 0x37, 0xfa, 0x21, 0x3d],
                header(true, Opcode::Pong, mask, 5),
            ),
            (
                &[0x82, 0x7e, 0x01, 0x00],
                header(true, Opcode::Binary, None, 256),
            ),
            (
                &[0x82, 0x7f, 0, 0, 0, 0, 0, 1, 0, 0],
                header(true, Opcode::Binary, None, 65_536),
            ),
        ] {
            assert_eq!(FrameHeader::read(bytes), Ok(expected));
            let (written, length) = expected.bytes();
            assert_eq!(&written[..length], bytes);
            assert_eq!(FrameHeader::length_of(bytes), bytes.len());
        }
        let mut masked = [0x7f, 0x9f, 0x4d, 0x51, 0x58];
        apply_mask(&mut masked, [0x37, 0xfa, 0x21, 0x3d], 0);
        assert_eq!(&masked, b"Hello");
    }

    #[test]
    fn what_no_end_may_send_is_a_fault() {
        for bytes in [
            &[0xc2, 0x00][..],
            &[0x92, 0x00],
            &[0x83, 0x00],
            &[0x8b, 0x00],
            &[0x09, 0x00],
            &[0x89, 0x7e, 0x00, 0x7e],
            &[0x82, 0x7e, 0x00, 0x05],
            &[0x82, 0x7f, 0, 0, 0, 0, 0, 0, 0xff, 0xff],
            &[0x82, 0x7f, 0x80, 0, 0, 0, 0, 0, 0, 0],
        ] {
            let read = FrameHeader::read(bytes);
            assert_eq!(read, Err(Fault::Protocol), "{bytes:02x?}");
        }
    }

    #[test]
    fn a_mask_goes_on_where_the_last_bytes_ended() {
        let mask = [1, 2, 3, 4];
        let mut whole: Vec<u8> = (0..50).collect();
        apply_mask(&mut whole, mask, 0);
        for cut in 0..=50 {
            let mut parts: Vec<u8> = (0..50).collect();
            let (front, back) = parts.split_at_mut(cut);
            apply_mask(front, mask, 0);
            apply_mask(back, mask, cut as u64);
            assert_eq!(parts, whole, "{cut}");
        }
    }
}
