use core::ops::Range;

use thiserror::Error;

use super::options::read_all;
use super::{Code, Head, Options, Token, option_number};
use crate::facts::Facts;

/// The message type, for the message layer (RFC 7252 section 4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MessageType {
    /// A message that requires an acknowledgement.
    Confirmable,
    /// A message that requires no acknowledgement.
    NonConfirmable,
    /// The acknowledgement of a confirmable message.
    Acknowledgement,
    /// The rejection of a message.
    Reset,
}

/// A datagram message: its fields, and the positions of its content (RFC 7252 section 3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The message type.
    pub kind: MessageType,
    /// The message ID.
    pub id: u16,
    /// The content.
    pub content: Content,
}

/// The content of a message on any transport. Positions refer to the received bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// The code.
    pub code: Code,
    /// The token, which identifies the exchange.
    pub token: Token,
    /// Where its options are.
    options: Range<u32>,
    /// Where its payload is.
    payload: Range<u32>,
    /// The values of the message's options, if they are supported.
    pub(crate) facts: Facts,
}

/// Why bytes are not a valid message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Error)]
pub enum MessageError {
    /// The message is shorter than the fixed header.
    #[error("a message has at least 4 B")]
    TooShort,
    /// The version is not 1.
    #[error("the version is not 1")]
    Version,
    /// The token is longer than eight bytes.
    #[error("a token has at most 8 B")]
    TokenLength,
    /// An option's delta or length is the reserved value 15.
    #[error("an option has a reserved delta or length")]
    ReservedNibble,
    /// The option deltas exceed the highest option number.
    #[error("an option's number is above 65535")]
    OptionNumber,
    /// An option or the token extends past the end of the message.
    #[error("an option ends behind the message")]
    OptionPastEnd,
    /// A payload marker has no payload after it.
    #[error("a payload marker is followed by no payload")]
    EmptyPayload,
    /// A message with code 0.00 has more than a header.
    #[error("an empty message has content")]
    EmptyWithContent,
}

/// The fixed part of a message in a datagram.
const HEADER_LENGTH: usize = 4;

impl Message {
    /// Parses a datagram as a message.
    ///
    /// # Errors
    /// For bytes that RFC 7252 sections 3 and 4.1 call a format error.
    #[inline]
    pub fn parse(bytes: &[u8]) -> Result<Self, MessageError> {
        let header = FixedHeader::parse(bytes)?;
        let content = Content::parse(bytes, HEADER_LENGTH, header.token_length, header.code)?;
        if header.code == Code::EMPTY && bytes.len() > HEADER_LENGTH {
            return Err(MessageError::EmptyWithContent);
        }
        Ok(Self {
            kind: header.kind,
            id: header.id,
            content,
        })
    }
}

/// The first four bytes of a datagram message.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FixedHeader {
    pub(crate) kind: MessageType,
    pub(crate) token_length: u8,
    pub(crate) code: Code,
    pub(crate) id: u16,
}

impl FixedHeader {
    #[inline]
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, MessageError> {
        let &[first, code, high, low, ..] = bytes else {
            return Err(MessageError::TooShort);
        };
        if first >> 6 != 1 {
            return Err(MessageError::Version);
        }
        let kind = match first >> 4 & 3 {
            0 => MessageType::Confirmable,
            1 => MessageType::NonConfirmable,
            2 => MessageType::Acknowledgement,
            _ => MessageType::Reset,
        };
        Ok(Self {
            kind,
            token_length: first & 15,
            code: Code(code),
            id: u16::from_be_bytes([high, low]),
        })
    }
}

impl Content {
    /// Parses token, options and payload from `start` on.
    ///
    /// # Errors
    /// For bytes that RFC 7252 section 3 calls a format error.
    #[inline]
    pub(crate) fn parse(
        bytes: &[u8],
        start: usize,
        token_length: u8,
        code: Code,
    ) -> Result<Self, MessageError> {
        if usize::from(token_length) > Token::MAX_LENGTH {
            return Err(MessageError::TokenLength);
        }
        let options = start + usize::from(token_length);
        let token = bytes
            .get(start..options)
            .and_then(Token::new)
            .ok_or(MessageError::OptionPastEnd)?;
        let mut facts = Facts::default();
        let (options_length, payload_offset) =
            read_all(&bytes[options..], |number, value| facts.note(number, value))?;
        let place = |at: usize| at as u32;
        Ok(Self {
            code,
            token,
            options: place(options)..place(options + options_length),
            payload: place(options + payload_offset)..place(bytes.len()),
            facts,
        })
    }

    /// Iterates over the options. `bytes` must be the parsed bytes.
    #[must_use]
    pub fn options<'a>(&self, bytes: &'a [u8]) -> Options<'a> {
        Options::of(
            bytes
                .get(self.options.start as usize..self.options.end as usize)
                .unwrap_or_default(),
        )
    }

    /// Returns the value of an option that occurs at most once.
    pub(crate) fn option<'a>(&self, bytes: &'a [u8], number: u16) -> Option<&'a [u8]> {
        let mut options = self.options(bytes);
        options
            .find(|option| option.0 == number)
            .map(|option| option.1)
    }

    /// Iterates over the segments of the request path.
    pub(crate) fn path<'a>(&self, bytes: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
        self.options(bytes)
            .filter(|(number, _)| *number == option_number::URI_PATH)
            .map(|(_, value)| value)
    }

    /// Whether the request has this path.
    pub(crate) fn has_path(&self, bytes: &[u8], segments: &[&str]) -> bool {
        self.path(bytes)
            .eq(segments.iter().map(|text| text.as_bytes()))
    }

    /// Returns the range of the payload.
    #[must_use]
    pub fn payload(&self) -> Range<usize> {
        self.payload.start as usize..self.payload.end as usize
    }
}

/// Writes the bytes before the payload of a datagram message.
#[inline]
pub(crate) fn write_head(
    kind: MessageType,
    id: u16,
    code: Code,
    token: Token,
    options: &[u8],
    has_payload: bool,
) -> Head {
    let [high, low] = id.to_be_bytes();
    // Copies of a fixed length are much cheaper than others; what is too long is cut off.
    let mut start = [0; HEADER_LENGTH + Token::MAX_LENGTH];
    start[0] = 0x40 | (kind as u8) << 4 | token.length() as u8;
    start[1..HEADER_LENGTH].copy_from_slice(&[code.0, high, low]);
    start[HEADER_LENGTH..].copy_from_slice(token.padded());
    let mut head = Head::from_slice(&start);
    head.truncate(HEADER_LENGTH + token.length());
    head.extend_from_slice(options);
    if has_payload {
        head.push(super::PAYLOAD_MARKER);
    }
    head
}
