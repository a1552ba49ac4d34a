use lasthop_contract::StreamId;

use super::channels::Channels;
use super::codes::{Code, FRAME_ERROR, FRAME_UNEXPECTED, MESSAGE_ERROR, REQUEST_INCOMPLETE};
use super::frames::{Frame, FrameReader, Of};
use super::message::check_trailers;
use super::qpack::{Decoded, Field};
use crate::h1::MOST_FIELDS;
use crate::wire::Wire;

/// A request or response that is being received (RFC 9114 section 4.1).
#[derive(Debug)]
pub(super) struct Incoming {
    reader: FrameReader,
    is_answer: bool,
    part: Part,
    /// A field section that waits for entries of the table, and what came behind it.
    blocked: Option<Vec<u8>>,
    waiting: Vec<u8>,
    has_ended: bool,
    /// The fields of the head, until a caller takes them.
    pub(super) fields: Option<Vec<Field>>,
    pub(super) body: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Head,
    Body,
    Trailers,
}

/// Whether an error ends the connection or only the stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The error ends the connection.
    Connection(Code),
    /// The error ends the stream.
    Stream(Code),
    LargeHead,
    LargeBody,
}

/// How much is read at a time.
const AT_ONCE: usize = 16 * 1024;

impl Incoming {
    pub(super) fn new(is_answer: bool) -> Self {
        let of = if is_answer { Of::Response } else { Of::Request };
        Self {
            reader: FrameReader::new(of),
            is_answer,
            part: Part::Head,
            blocked: None,
            waiting: Vec::new(),
            has_ended: false,
            fields: None,
            body: Vec::new(),
        }
    }

    pub(super) fn is_blocked(&self) -> bool {
        self.blocked.is_some()
    }

    /// Reads received bytes. Returns whether the message is complete.
    pub(super) fn read(
        &mut self,
        wire: &mut Wire<'_>,
        stream: StreamId,
        channels: &mut Channels,
        largest_body: usize,
    ) -> Result<bool, Fault> {
        loop {
            if let Some(section) = self.blocked.take() {
                self.take_section(stream, section, channels)?;
                if self.is_blocked() {
                    return Ok(false);
                }
            }
            if self.waiting.is_empty() {
                if self.has_ended {
                    return self.end();
                }
                self.has_ended = wire.read(stream, &mut self.waiting, AT_ONCE);
                if self.waiting.is_empty() && !self.has_ended {
                    return Ok(false);
                }
            }
            let all = core::mem::take(&mut self.waiting);
            let mut rest = &all[..];
            while let Some(frame) = self.reader.next(&mut rest).map_err(Fault::Connection)? {
                match frame {
                    Frame::Data(_) if self.part != Part::Body => {
                        return Err(Fault::Connection(FRAME_UNEXPECTED));
                    }
                    Frame::Data(part) => {
                        if self.body.len() + part.len() > largest_body {
                            return Err(Fault::LargeBody);
                        }
                        self.body.extend_from_slice(part);
                    }
                    Frame::Whole(_, section) => self.take_section(stream, section, channels)?,
                }
                if self.is_blocked() {
                    self.waiting = rest.to_vec();
                    break;
                }
            }
        }
    }

    fn take_section(
        &mut self,
        stream: StreamId,
        section: Vec<u8>,
        channels: &mut Channels,
    ) -> Result<(), Fault> {
        if self.part == Part::Trailers {
            return Err(Fault::Connection(FRAME_UNEXPECTED));
        }
        let decoded = channels.decoder().decode(stream.0, &section);
        let fields = match decoded.map_err(|error| Fault::Connection(error as Code))? {
            Decoded::Blocked => {
                self.blocked = Some(section);
                return Ok(());
            }
            Decoded::TooLarge => return Err(Fault::LargeHead),
            Decoded::Fields(fields) if fields.len() > MOST_FIELDS => return Err(Fault::LargeHead),
            Decoded::Fields(fields) => fields,
        };
        match self.part {
            Part::Head if self.is_answer && is_interim(&fields) => {}
            Part::Head => {
                self.fields = Some(fields);
                self.part = Part::Body;
            }
            Part::Body | Part::Trailers => {
                check_trailers(fields).map_err(|_| Fault::Stream(MESSAGE_ERROR))?;
                self.part = Part::Trailers;
            }
        }
        Ok(())
    }

    fn end(&self) -> Result<bool, Fault> {
        match (self.reader.is_between(), self.part) {
            (false, _) => Err(Fault::Connection(FRAME_ERROR)),
            (true, Part::Head) => Err(Fault::Stream(REQUEST_INCOMPLETE)),
            (true, _) => Ok(true),
        }
    }
}

/// Whether another head follows (RFC 9110 section 15.2).
fn is_interim(fields: &[Field]) -> bool {
    let status = fields.iter().find(|(name, _)| name == ":status");
    status.is_some_and(|(_, value)| value.first() == Some(&b'1'))
}
