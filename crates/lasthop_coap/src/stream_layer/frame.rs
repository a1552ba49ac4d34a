use crate::codec::{
    Code, Content, Head, Message, MessageError, MessageType, PAYLOAD_MARKER, Token,
};

/// The fields before the token of a message on a stream (RFC 8323 section 3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    token_length: u8,
    code: Code,
    /// Where the token begins.
    start: usize,
    /// Of options, marker and payload.
    length: usize,
}

/// The result of parsing the first bytes of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parsed {
    /// A message with these fields follows.
    Frame(Frame),
    /// More bytes are needed.
    Short,
}

/// Lengths from here on are extended by one, two and four bytes.
const EXTENDED: [usize; 3] = [13, 269, 65_805];

impl Frame {
    pub(super) fn parse(bytes: &[u8]) -> Result<Parsed, MessageError> {
        let Some(&first) = bytes.first() else {
            return Ok(Parsed::Short);
        };
        let token_length = first & 15;
        if usize::from(token_length) > Token::MAX_LENGTH {
            return Err(MessageError::TokenLength);
        }
        let (extension, base) = match first >> 4 {
            13 => (1, EXTENDED[0]),
            14 => (2, EXTENDED[1]),
            15 => (4, EXTENDED[2]),
            length => (0, usize::from(length)),
        };
        let Some((extended, rest)) = bytes[1..].split_at_checked(extension) else {
            return Ok(Parsed::Short);
        };
        let Some(&code) = rest.first() else {
            return Ok(Parsed::Short);
        };
        let more = extended
            .iter()
            .fold(0_usize, |more, byte| more << 8 | usize::from(*byte));
        Ok(Parsed::Frame(Self {
            token_length,
            code: Code(code),
            start: 2 + extension,
            length: base.saturating_add(more),
        }))
    }

    /// Returns the size of the message in bytes.
    pub(super) fn size(&self) -> usize {
        (self.start + usize::from(self.token_length)).saturating_add(self.length)
    }

    /// Parses a complete message. Its type is confirmable, because streams are reliable.
    pub(super) fn message(&self, bytes: &[u8]) -> Result<Message, MessageError> {
        Ok(Message {
            kind: MessageType::Confirmable,
            id: 0,
            content: Content::parse(bytes, self.start, self.token_length, self.code)?,
        })
    }
}

/// Writes the bytes before the payload of a stream message.
pub(super) fn write_frame_head(code: Code, token: Token, options: &[u8], payload: usize) -> Head {
    let marker = usize::from(payload > 0);
    let length = options.len() + marker + payload;
    let mut head = Head::new();
    let token = token.as_bytes();
    let mut begin = |nibble: usize, extension: &[u8]| {
        head.push((nibble << 4 | token.len()) as u8);
        head.extend_from_slice(extension);
    };
    if length < EXTENDED[0] {
        begin(length, &[]);
    } else if length < EXTENDED[1] {
        begin(13, &[(length - EXTENDED[0]) as u8]);
    } else if length < EXTENDED[2] {
        begin(14, &((length - EXTENDED[1]) as u16).to_be_bytes());
    } else {
        begin(15, &((length - EXTENDED[2]) as u32).to_be_bytes());
    }
    head.push(code.0);
    head.extend_from_slice(token);
    head.extend_from_slice(options);
    if marker == 1 {
        head.push(PAYLOAD_MARKER);
    }
    head
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_read_as_they_were_written() {
        for payload in [
            0, 1, 11, 12, 13, 267, 268, 269, 65_803, 65_804, 65_805, 100_000,
        ] {
            let token = Token::new(&[1, 2, 3]).expect("three bytes");
            let mut bytes = write_frame_head(Code::POST, token, &[0xb1, b'm'], payload).to_vec();
            bytes.resize(bytes.len() + payload, 7);
            let Ok(Parsed::Frame(frame)) = Frame::parse(&bytes) else {
                panic!("a frame");
            };
            assert_eq!(frame.size(), bytes.len());
            let message = frame.message(&bytes).expect("a message");
            assert_eq!(message.content.payload().len(), payload);
            assert_eq!(message.content.token, token);
        }
    }
}
