//! The frames of a packet (RFC 9000 section 19) before encryption.

use crate::crypto::Noted;

/// Neighbouring bytes of a packet with one kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) kind: Kind,
    pub(crate) length: usize,
}

/// The kind of bytes of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Packet and frame headers, tags, and frames for flow control, streams and connection IDs.
    Header,
    /// ACK frames.
    Acknowledgement,
    /// PADDING frames.
    Padding,
    /// A PING frame of an established connection.
    Ping,
    /// Path validation and path MTU probes.
    PathProbe,
    /// Tokens for address validation.
    Token,
    /// Other bytes of connection establishment.
    SetUp,
    /// CONNECTION_CLOSE frames.
    Closing,
    /// Handshake bytes from this offset on, in this packet number space.
    Handshake(Space, u64),
    /// Stream data from this offset on, of this stream.
    Stream(u64, u64),
    /// A DATAGRAM frame.
    Datagram,
}

/// The packet number space of handshake bytes (RFC 9000 section 12.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    Initial,
    Handshake,
    Application,
}

/// No packet without a probe of the path is larger at first (RFC 9000 section 14.1).
const SMALLEST_LARGEST: usize = 1200;

/// Records the pieces of a packet before encryption: its header, its frames, and the room for its tag.
pub(crate) fn note(packet: &[u8], header_length: usize, tag_length: usize, notes: &mut Noted) {
    let is_long = packet[0] & 0x80 != 0;
    let space = match (is_long, packet[0] >> 4 & 3) {
        (true, 0) => Space::Initial,
        (true, 2) => Space::Handshake,
        _ => Space::Application,
    };
    let token = match space {
        Space::Initial => token_of(&packet[..header_length]),
        _ => 0,
    };
    notes.add(Kind::Header, header_length - token);
    notes.add(Kind::Token, token);
    let frames = &packet[header_length..packet.len() - tag_length];
    let first = notes.pieces.len();
    let mut reader = Reader { rest: frames };
    while !reader.rest.is_empty() {
        let before = reader.rest;
        match read_frame(&mut reader, space, notes) {
            Some(()) => {}
            // The library seals nothing else; what it may learn to say is a header until then.
            None => {
                notes.add(Kind::Header, before.len());
                break;
            }
        }
    }
    if !is_long {
        tell_probes(&mut notes.pieces[first..], packet.len());
    }
    notes.add(Kind::Header, tag_length);
}

/// In a packet that finds out about a path, what makes it large is part of that.
fn tell_probes(pieces: &mut [Piece], length: usize) {
    let carries = |it: &Piece| matches!(it.kind, Kind::Stream(..) | Kind::Datagram);
    let is_path = pieces.iter().any(|it| it.kind == Kind::PathProbe);
    let is_large = length > SMALLEST_LARGEST && pieces.iter().any(|it| it.kind == Kind::Ping);
    if (is_path || is_large) && !pieces.iter().any(carries) {
        for piece in pieces {
            if matches!(piece.kind, Kind::Padding | Kind::Ping) {
                piece.kind = Kind::PathProbe;
            }
        }
    }
}

/// How long the token of an Initial packet is (RFC 9000 section 17.2.2).
fn token_of(header: &[u8]) -> usize {
    let length = || {
        let mut reader = Reader { rest: header };
        reader.skip(5)?;
        for _ in 0..2 {
            let (length, rest) = reader.rest.split_first()?;
            reader.rest = rest;
            reader.skip(usize::from(*length))?;
        }
        usize::try_from(reader.number()?).ok()
    };
    length().filter(|it| *it < header.len()).unwrap_or(0)
}

/// Reads one frame, or neighbouring PADDING, and notes it.
fn read_frame(reader: &mut Reader<'_>, space: Space, notes: &mut Noted) -> Option<()> {
    let before = reader.rest.len();
    let kind = reader.number()?;
    let frame = match kind {
        0x00 => {
            reader.skip(zeros(reader.rest))?;
            Kind::Padding
        }
        0x01 if space != Space::Application => Kind::SetUp,
        0x01 | 0x1f => Kind::Ping,
        0x02 | 0x03 => {
            reader.numbers(2)?;
            let ranges = reader.number()?;
            reader.numbers(1 + 2 * ranges + if kind == 3 { 3 } else { 0 })?;
            Kind::Acknowledgement
        }
        0x04 => reader.numbers(3).map(|()| Kind::Header)?,
        0x05 => reader.numbers(2).map(|()| Kind::Header)?,
        0x06 => {
            let (offset, length) = (reader.number()?, reader.length()?);
            notes.add(Kind::Header, before - reader.rest.len());
            reader.skip(length)?;
            notes.add(Kind::Handshake(space, offset), length);
            return Some(());
        }
        0x07 => {
            let length = reader.length()?;
            reader.skip(length)?;
            Kind::Token
        }
        0x08..=0x0f => {
            let stream = reader.number()?;
            let offset = if kind & 4 != 0 { reader.number()? } else { 0 };
            let length = reader.length_if(kind & 2 != 0)?;
            notes.add(Kind::Header, before - reader.rest.len());
            reader.skip(length)?;
            notes.add(Kind::Stream(stream, offset), length);
            return Some(());
        }
        0x10 | 0x12..=0x14 | 0x16 | 0x17 | 0x19 => reader.numbers(1).map(|()| Kind::Header)?,
        0x11 | 0x15 => reader.numbers(2).map(|()| Kind::Header)?,
        0x18 => {
            reader.numbers(2)?;
            let (length, rest) = reader.rest.split_first()?;
            reader.rest = rest;
            reader.skip(usize::from(*length) + RESET_TOKEN_LENGTH)?;
            Kind::Header
        }
        0x1a | 0x1b => reader.skip(8).map(|_| Kind::PathProbe)?,
        0x1c | 0x1d => {
            reader.numbers(if kind == 0x1c { 2 } else { 1 })?;
            let length = reader.length()?;
            reader.skip(length)?;
            Kind::Closing
        }
        0x1e => Kind::SetUp,
        0x30 | 0x31 => {
            let length = reader.length_if(kind & 1 != 0)?;
            notes.add(Kind::Header, before - reader.rest.len());
            reader.skip(length)?;
            notes.add(Kind::Datagram, length);
            return Some(());
        }
        // ACK_FREQUENCY
        0xaf => reader.numbers(4).map(|()| Kind::Header)?,
        _ => return None,
    };
    notes.add(frame, before - reader.rest.len());
    Some(())
}

/// With how many zeros these bytes begin. A packet is often almost all of them.
fn zeros(bytes: &[u8]) -> usize {
    let (chunks, _) = bytes.as_chunks::<16>();
    let whole = 16 * chunks.iter().take_while(|it| **it == [0; 16]).count();
    let more = bytes[whole..].iter().take_while(|byte| **byte == 0);
    whole + more.count()
}

pub(crate) const RESET_TOKEN_LENGTH: usize = 16;

impl Noted {
    fn add(&mut self, kind: Kind, length: usize) {
        if length > 0 || kind == Kind::Datagram {
            self.pieces.push(Piece { kind, length });
        }
    }
}

/// The unread part of a packet.
pub(crate) struct Reader<'a> {
    pub(crate) rest: &'a [u8],
}

impl<'a> Reader<'a> {
    /// Reads a variable-length integer (RFC 9000 section 16).
    pub(crate) fn number(&mut self) -> Option<u64> {
        let first = *self.rest.first()?;
        let bytes = self.skip(1 << (first >> 6))?;
        let number = bytes
            .iter()
            .fold(0, |sum, byte| sum << 8 | u64::from(*byte));
        Some(number & ((1 << (8 * bytes.len() - 2)) - 1))
    }

    pub(crate) fn numbers(&mut self, count: u64) -> Option<()> {
        (0..count).try_for_each(|_| self.number().map(|_| ()))
    }

    pub(crate) fn length(&mut self) -> Option<usize> {
        let length = usize::try_from(self.number()?).ok()?;
        (length <= self.rest.len()).then_some(length)
    }

    /// Reads a length if the frame has one, else returns the length of the rest.
    pub(crate) fn length_if(&mut self, is_given: bool) -> Option<usize> {
        if is_given {
            self.length()
        } else {
            Some(self.rest.len())
        }
    }

    pub(crate) fn skip(&mut self, length: usize) -> Option<&'a [u8]> {
        let (skipped, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(skipped)
    }
}
