use lasthop_contract::ReadOutcome;

use crate::frame::{Fault, FrameHeader, LONGEST_HEADER, Opcode, apply_mask};
use crate::messages::MessageKind;
use crate::text::Text;

/// What comes to one end: frames, as the stream below gives their bytes, cut anywhere.
///
/// Payloads of data go straight into the reader's buffer; nothing of a message waits here, however long it is.
#[derive(Debug)]
pub(crate) struct Inbound {
    /// What came behind the handshake, before what the stream has.
    ahead: Vec<u8>,
    /// A client masks, a server must not.
    is_masked: bool,
    /// A message has begun whose last frame has not come.
    is_in_message: bool,
    texts: Texts,
    place: Place,
}

/// Whether text is read, and that of the message that comes.
#[derive(Debug)]
enum Texts {
    Refused,
    Absent,
    Came(Text),
}

#[derive(Debug)]
enum Place {
    Header([u8; LONGEST_HEADER], u8),
    Payload {
        mask: [u8; 4],
        offset: u64,
        length: u64,
    },
    Control(Opcode, [u8; 4], Vec<u8>, usize),
}

/// What reading gave.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Came {
    /// This many bytes of a message, at least one.
    Data(usize),
    /// A message is over, of this kind.
    End(MessageKind),
    /// A control frame with its payload.
    Control(Opcode, Vec<u8>),
    /// Nothing now.
    Blocked,
    /// The stream below has ended.
    Finished,
    /// What cannot be.
    Fault(Fault),
}

const START: Place = Place::Header([0; LONGEST_HEADER], 0);

impl Inbound {
    /// What comes to a server, which is masked, or to a client.
    pub(crate) const fn new(is_masked: bool, takes_text: bool) -> Self {
        Self {
            ahead: Vec::new(),
            is_masked,
            is_in_message: false,
            texts: if takes_text {
                Texts::Absent
            } else {
                Texts::Refused
            },
            place: START,
        }
    }

    /// Puts back what was read behind the handshake.
    pub(crate) fn begin_with(&mut self, ahead: &[u8]) {
        self.ahead = ahead.to_vec();
    }

    /// Reads on: into a buffer that is not empty, from the stream below.
    pub(crate) fn read(
        &mut self,
        into: &mut [u8],
        below: &mut dyn FnMut(&mut [u8]) -> ReadOutcome,
    ) -> Came {
        loop {
            let ahead = &mut self.ahead;
            let mut pull = |into: &mut [u8]| match ahead.len().min(into.len()) {
                0 => below(into),
                count => {
                    into[..count].copy_from_slice(&ahead[..count]);
                    ahead.drain(..count);
                    ReadOutcome::Read(count)
                }
            };
            match &mut self.place {
                Place::Header(bytes, have) => {
                    let start = usize::from(*have);
                    let length = FrameHeader::length_of(&bytes[..start]);
                    match pull(&mut bytes[start..length]) {
                        ReadOutcome::Read(count) => *have += count as u8,
                        ReadOutcome::Blocked => return Came::Blocked,
                        ReadOutcome::Finished => return Came::Finished,
                    }
                    let have = &bytes[..usize::from(*have)];
                    if have.len() < FrameHeader::length_of(have) {
                        continue;
                    }
                    let header = FrameHeader::read(have);
                    match header.and_then(|header| self.enter(header)) {
                        Ok(place) => self.place = place,
                        Err(fault) => return Came::Fault(fault),
                    }
                }
                Place::Payload {
                    mask,
                    offset,
                    length,
                } => {
                    let left = *length - *offset;
                    if left == 0 {
                        self.place = START;
                        if self.is_in_message {
                            continue;
                        }
                        return match &self.texts {
                            Texts::Came(text) if !text.is_whole() => Came::Fault(Fault::NoText),
                            Texts::Came(_) => Came::End(MessageKind::Text),
                            Texts::Refused | Texts::Absent => Came::End(MessageKind::Binary),
                        };
                    }
                    let room = into.len().min(usize::try_from(left).unwrap_or(usize::MAX));
                    return match pull(&mut into[..room]) {
                        ReadOutcome::Read(count) => {
                            apply_mask(&mut into[..count], *mask, *offset);
                            *offset += count as u64;
                            if let Texts::Came(text) = &mut self.texts
                                && !text.goes_on(&into[..count])
                            {
                                return Came::Fault(Fault::NoText);
                            }
                            Came::Data(count)
                        }
                        ReadOutcome::Blocked => Came::Blocked,
                        ReadOutcome::Finished => Came::Finished,
                    };
                }
                Place::Control(opcode, mask, payload, have) => {
                    if *have == payload.len() {
                        apply_mask(payload, *mask, 0);
                        let came = Came::Control(*opcode, core::mem::take(payload));
                        self.place = START;
                        return came;
                    }
                    match pull(&mut payload[*have..]) {
                        ReadOutcome::Read(count) => *have += count,
                        ReadOutcome::Blocked => return Came::Blocked,
                        ReadOutcome::Finished => return Came::Finished,
                    }
                }
            }
        }
    }

    /// What follows a header (RFC 6455 sections 5.1, 5.4).
    fn enter(&mut self, header: FrameHeader) -> Result<Place, Fault> {
        if header.mask.is_some() != self.is_masked {
            return Err(Fault::Protocol);
        }
        let mask = header.mask.unwrap_or_default();
        match header.opcode {
            Opcode::Continuation if self.is_in_message => {}
            Opcode::Binary if !self.is_in_message => {
                if let Texts::Came(_) = self.texts {
                    self.texts = Texts::Absent;
                }
            }
            Opcode::Text if !self.is_in_message => match self.texts {
                Texts::Refused => return Err(Fault::Unsupported),
                Texts::Absent | Texts::Came(_) => self.texts = Texts::Came(Text::default()),
            },
            control if control.is_control() => {
                let payload = vec![0; header.length as usize];
                return Ok(Place::Control(control, mask, payload, 0));
            }
            _ => return Err(Fault::Protocol),
        }
        self.is_in_message = !header.is_final;
        Ok(Place::Payload {
            mask,
            offset: 0,
            length: header.length,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MASK: [u8; 4] = [9, 8, 7, 6];

    fn frame(is_final: bool, opcode: Opcode, payload: &[u8]) -> Vec<u8> {
        let header = FrameHeader {
            is_final,
            opcode,
            mask: Some(MASK),
            length: payload.len() as u64,
        };
        let (bytes, length) = header.bytes();
        let mut frame = bytes[..length].to_vec();
        frame.extend(payload);
        apply_mask(&mut frame[length..], MASK, 0);
        frame
    }

    /// What is read of bytes that come in parts of this size, of which some were ahead.
    fn read(bytes: &[u8], ahead: usize, part: usize) -> (Vec<u8>, Vec<Came>) {
        read_by(Inbound::new(true, false), bytes, ahead, part)
    }

    fn read_by(
        mut inbound: Inbound,
        bytes: &[u8],
        ahead: usize,
        part: usize,
    ) -> (Vec<u8>, Vec<Came>) {
        inbound.begin_with(&bytes[..ahead]);
        let mut rest = &bytes[ahead..];
        let mut below = |into: &mut [u8]| {
            let count = into.len().min(part).min(rest.len());
            into[..count].copy_from_slice(&rest[..count]);
            rest = &rest[count..];
            match count {
                0 => ReadOutcome::Blocked,
                _ => ReadOutcome::Read(count),
            }
        };
        let (mut data, mut others, mut room) = (Vec::new(), Vec::new(), [0; 100]);
        loop {
            match inbound.read(&mut room, &mut below) {
                Came::Data(count) => data.extend(&room[..count]),
                Came::Blocked => return (data, others),
                fault @ Came::Fault(_) => {
                    others.push(fault);
                    return (data, others);
                }
                other => others.push(other),
            }
        }
    }

    #[test]
    fn fragments_are_one_message_with_control_frames_between_them_however_bytes_come() {
        let long: Vec<u8> = (0..70_000u32).map(|it| it as u8).collect();
        let bytes = [
            frame(false, Opcode::Binary, b"one "),
            frame(true, Opcode::Ping, b"are you there"),
            frame(false, Opcode::Continuation, b""),
            frame(true, Opcode::Continuation, b"message"),
            frame(true, Opcode::Binary, &long),
            frame(true, Opcode::Pong, b""),
            frame(true, Opcode::Close, &[3, 232]),
        ]
        .concat();
        for (ahead, part) in [(0, 1), (0, 7), (3, 100_000), (40, 2), (bytes.len(), 1)] {
            let (data, others) = read(&bytes, ahead, part);
            assert_eq!(data, [b"one message", &long[..]].concat());
            assert_eq!(
                others,
                [
                    Came::Control(Opcode::Ping, b"are you there".to_vec()),
                    Came::End(MessageKind::Binary),
                    Came::End(MessageKind::Binary),
                    Came::Control(Opcode::Pong, Vec::new()),
                    Came::Control(Opcode::Close, vec![3, 232]),
                ]
            );
        }
    }

    #[test]
    fn frames_out_of_their_order_are_faults() {
        let binary = |is_final| frame(is_final, Opcode::Binary, b"x");
        let mut plain = binary(true);
        plain[1] &= 0x7f;
        for (bytes, fault) in [
            (frame(true, Opcode::Continuation, b"x"), Fault::Protocol),
            ([binary(false), binary(true)].concat(), Fault::Protocol),
            (
                [binary(false), frame(true, Opcode::Text, b"x")].concat(),
                Fault::Protocol,
            ),
            (frame(true, Opcode::Text, b"x"), Fault::Unsupported),
            (plain, Fault::Protocol),
        ] {
            let (_, others) = read(&bytes, 0, 100);
            assert_eq!(others, [Came::Fault(fault)], "{bytes:02x?}");
        }
    }

    #[test]
    fn text_is_read_where_it_is_wanted_and_only_in_utf_8() {
        let text = "κόσμε".as_bytes();
        let fine = [
            frame(false, Opcode::Text, &text[..3]),
            frame(true, Opcode::Continuation, &text[3..]),
            frame(true, Opcode::Binary, b"\xff"),
            frame(true, Opcode::Text, b""),
        ]
        .concat();
        let cut = frame(true, Opcode::Text, &text[..3]);
        let wrong = frame(false, Opcode::Text, b"a\xff");
        for part in [1, 2, 1000] {
            let read = |bytes| read_by(Inbound::new(true, true), bytes, 0, part);
            let (data, others) = read(&fine);
            assert_eq!(data, [text, b"\xff"].concat());
            let ends = [MessageKind::Text, MessageKind::Binary, MessageKind::Text];
            assert_eq!(others, ends.map(Came::End));
            for bytes in [&cut, &wrong] {
                assert_eq!(read(bytes).1, [Came::Fault(Fault::NoText)]);
            }
        }
    }
}
