use std::collections::BTreeMap;

use lasthop_contract::{Cause, Layer, Outbox, Provenance, StreamId, StreamKind};

use super::codes::{
    CLOSED_CRITICAL_STREAM, Code, FRAME_ERROR, FRAME_UNEXPECTED, ID_ERROR, SETTINGS_ERROR,
    STREAM_CREATION_ERROR,
};
use super::frames::{
    CANCEL_PUSH, Frame, FrameReader, GOAWAY, HEADERS, MAX_PUSH_ID, Of, SETTINGS, frame_head,
};
use super::message::Line;
use super::qpack::{Decoder, Encoder};
use super::varint::{read_varint, write_varint};
use crate::h1::LONGEST_HEAD;
use crate::wire::Wire;

/// The control and QPACK streams of an HTTP/3 connection (RFC 9114 section 6.2), with both ends' settings.
#[derive(Debug)]
pub(super) struct Channels {
    is_client: bool,
    table: usize,
    control: Option<Outbox>,
    encoder_stream: Option<Outbox>,
    decoder_stream: Option<Outbox>,
    incoming: BTreeMap<StreamId, Incoming>,
    /// Which of the peer's critical streams are there.
    known: [bool; 3],
    encoder: Encoder,
    decoder: Decoder,
    /// The first request that the peer does not serve any more.
    goaway: Option<u64>,
    most_push_id: u64,
}

/// A stream of the peer.
#[derive(Debug)]
enum Incoming {
    /// The type of the stream has not arrived yet.
    Untyped(Vec<u8>),
    Control(FrameReader),
    Encoder,
    Decoder,
}

const CONTROL: u64 = 0;
const PUSH: u64 = 1;
const ENCODER: u64 = 2;
const DECODER: u64 = 3;

const MAX_TABLE_CAPACITY: u64 = 1;
const MAX_FIELD_SECTION_SIZE: u64 = 6;
const BLOCKED_STREAMS: u64 = 7;

/// The maximum number of streams blocked on QPACK entries.
pub(super) const MOST_BLOCKED: usize = 16;

/// How much is read from a stream at a time.
const AT_ONCE: usize = 4096;

const fn of(cause: Cause) -> Provenance {
    Provenance::new(Layer::Application, cause)
}

impl Channels {
    /// Creates the streams for an end whose QPACK tables have this size.
    pub(super) fn new(table: usize, is_client: bool) -> Self {
        Self {
            is_client,
            table,
            control: None,
            encoder_stream: None,
            decoder_stream: None,
            incoming: BTreeMap::new(),
            known: [false; 3],
            encoder: Encoder::new(table),
            decoder: Decoder::new(table, LONGEST_HEAD),
            goaway: None,
            most_push_id: 0,
        }
    }

    pub(super) fn goaway(&self) -> Option<u64> {
        self.goaway
    }

    pub(super) fn decoder(&mut self) -> &mut Decoder {
        &mut self.decoder
    }

    /// Opens the control stream as soon as the peer allows it, and sends this end's settings.
    pub(super) fn open(&mut self, wire: &mut Wire<'_>) {
        if self.control.is_some() {
            return;
        }
        let mut settings = Vec::new();
        let mut set = |id, value: usize| {
            write_varint(id, &mut settings);
            write_varint(value as u64, &mut settings);
        };
        if self.table > 0 {
            set(MAX_TABLE_CAPACITY, self.table);
            set(BLOCKED_STREAMS, MOST_BLOCKED);
        }
        set(MAX_FIELD_SECTION_SIZE, LONGEST_HEAD);
        let head = frame_head(SETTINGS, settings.len());
        let bytes = [&head[..], &settings].concat();
        self.control = open(wire, CONTROL);
        if let Some(control) = &mut self.control {
            wire.write(control, &[(&bytes, of(Cause::SessionSetUp))]);
        }
    }

    /// Handles a stream that the peer opened.
    pub(super) fn opened(&mut self, stream: StreamId) {
        self.incoming.insert(stream, Incoming::Untyped(Vec::new()));
    }

    /// Whether a stream is a control or QPACK stream.
    pub(super) fn has(&self, stream: StreamId) -> bool {
        self.incoming.contains_key(&stream)
    }

    /// Reads received bytes of a control or QPACK stream.
    pub(super) fn read(&mut self, wire: &mut Wire<'_>, stream: StreamId) -> Result<(), Code> {
        loop {
            let mut bytes = Vec::new();
            let has_ended = wire.read(stream, &mut bytes, AT_ONCE);
            self.take(wire, stream, &bytes)?;
            if has_ended {
                return self.ended(stream);
            }
            if bytes.len() < AT_ONCE {
                return Ok(());
            }
        }
    }

    /// Handles the end or reset of a stream. For a critical stream this is an error (RFC 9114 section 6.2.1).
    pub(super) fn ended(&mut self, stream: StreamId) -> Result<(), Code> {
        match self.incoming.remove(&stream) {
            None | Some(Incoming::Untyped(_)) => Ok(()),
            Some(_) => Err(CLOSED_CRITICAL_STREAM),
        }
    }

    fn take(&mut self, wire: &mut Wire<'_>, stream: StreamId, bytes: &[u8]) -> Result<(), Code> {
        let mut rest = bytes;
        match self.incoming.get_mut(&stream) {
            None => Ok(()),
            Some(Incoming::Untyped(start)) => {
                start.extend_from_slice(bytes);
                let all = core::mem::take(start);
                let mut rest = &all[..];
                let Some(kind) = read_varint(&mut rest) else {
                    self.incoming.insert(stream, Incoming::Untyped(all));
                    return Ok(());
                };
                self.typed(wire, stream, kind)?;
                self.take(wire, stream, rest)
            }
            Some(Incoming::Encoder) => self.decoder.take(bytes).map_err(|error| error as Code),
            Some(Incoming::Decoder) => self.encoder.take(bytes).map_err(|error| error as Code),
            Some(Incoming::Control(reader)) => {
                let mut frames = Vec::new();
                while let Some(Frame::Whole(kind, payload)) = reader.next(&mut rest)? {
                    frames.push((kind, payload));
                }
                frames
                    .into_iter()
                    .try_for_each(|(kind, payload)| self.control(kind, &payload))
            }
        }
    }

    /// The type of a stream has come.
    fn typed(&mut self, wire: &mut Wire<'_>, stream: StreamId, kind: u64) -> Result<(), Code> {
        let (place, incoming) = match kind {
            CONTROL => (0, Incoming::Control(FrameReader::new(Of::Control))),
            ENCODER => (1, Incoming::Encoder),
            DECODER => (2, Incoming::Decoder),
            // Nobody was allowed to push.
            PUSH if self.is_client => return Err(ID_ERROR),
            PUSH => return Err(STREAM_CREATION_ERROR),
            _ => {
                self.incoming.remove(&stream);
                let code = STREAM_CREATION_ERROR;
                let _ = wire
                    .transport
                    .reset_stream(wire.now, wire.connection, stream, code);
                return Ok(());
            }
        };
        if core::mem::replace(&mut self.known[place], true) {
            return Err(STREAM_CREATION_ERROR);
        }
        self.incoming.insert(stream, incoming);
        Ok(())
    }

    fn control(&mut self, kind: u64, payload: &[u8]) -> Result<(), Code> {
        if kind == SETTINGS {
            return self.settle(payload);
        }
        let mut rest = payload;
        let number = read_varint(&mut rest).filter(|_| rest.is_empty());
        let number = number.ok_or(FRAME_ERROR)?;
        match kind {
            GOAWAY => {
                let is_request = !self.is_client || number & 3 == 0;
                if !is_request || self.goaway.is_some_and(|before| number > before) {
                    return Err(ID_ERROR);
                }
                self.goaway = Some(number);
                Ok(())
            }
            MAX_PUSH_ID if self.is_client => Err(FRAME_UNEXPECTED),
            MAX_PUSH_ID if number < self.most_push_id => Err(ID_ERROR),
            MAX_PUSH_ID => {
                self.most_push_id = number;
                Ok(())
            }
            // Nothing was promised.
            CANCEL_PUSH => Err(ID_ERROR),
            _ => Ok(()),
        }
    }

    /// RFC 9114 section 7.2.4, RFC 9204 section 5.
    fn settle(&mut self, payload: &[u8]) -> Result<(), Code> {
        let mut settings = BTreeMap::new();
        let mut rest = payload;
        while !rest.is_empty() {
            let id = read_varint(&mut rest).ok_or(FRAME_ERROR)?;
            let value = read_varint(&mut rest).ok_or(FRAME_ERROR)?;
            // Those of HTTP/2 that HTTP/3 has not, and what is said twice.
            if (2..=5).contains(&id) || settings.insert(id, value).is_some() {
                return Err(SETTINGS_ERROR);
            }
        }
        let setting = |id| {
            let value = settings.get(&id).copied().unwrap_or(0);
            usize::try_from(value).unwrap_or(usize::MAX)
        };
        self.encoder
            .allow(setting(MAX_TABLE_CAPACITY), setting(BLOCKED_STREAMS));
        Ok(())
    }

    /// Writes a head to its stream in a frame, after the encoder instructions that it needs.
    pub(super) fn write_head(
        &mut self,
        wire: &mut Wire<'_>,
        outbox: &mut Outbox,
        head: Provenance,
        lines: &[Line<'_>],
    ) {
        let fields: Vec<(&[u8], &[u8], bool)> = lines
            .iter()
            .map(|line| (line.name, line.value, line.is_remembered))
            .collect();
        if self.encoder_stream.is_none() && self.encoder.has_table() {
            self.encoder_stream = open(wire, ENCODER);
            if self.encoder_stream.is_none() {
                self.encoder.allow(0, 0);
            }
        }
        let encoded = self.encoder.encode(outbox.stream().0, &fields);
        if !encoded.instructions.is_empty() {
            let mut from = 0;
            let pieces = lines.iter().zip(&encoded.ends).map(|(line, (_, end))| {
                let piece = &encoded.instructions[from..*end];
                from = *end;
                (piece, line.provenance)
            });
            let pieces: Vec<_> = pieces.collect();
            if let Some(stream) = &mut self.encoder_stream {
                wire.write(stream, &pieces);
            }
        }
        self.tell(wire);
        let frame = frame_head(HEADERS, encoded.section.len());
        let mut pieces = Vec::with_capacity(2 + lines.len());
        pieces.push((&frame[..], head));
        let first = encoded
            .ends
            .first()
            .map_or(0, |_| PREFIX.min(encoded.section.len()));
        pieces.push((&encoded.section[..first], head));
        let mut from = first;
        for (line, (end, _)) in lines.iter().zip(&encoded.ends) {
            pieces.push((&encoded.section[from..*end], line.provenance));
            from = *end;
        }
        wire.write(outbox, &pieces);
    }

    /// Tells the peer's encoder what has come: with something else, as a rule.
    fn tell(&mut self, wire: &mut Wire<'_>) {
        let instructions = self.decoder.instructions();
        if instructions.is_empty() {
            return;
        }
        if self.decoder_stream.is_none() {
            self.decoder_stream = open(wire, DECODER);
        }
        if let Some(stream) = &mut self.decoder_stream {
            wire.write(stream, &[(&instructions, of(Cause::Acknowledgement))]);
        }
    }

    /// Sends GOAWAY: no request from this one on is processed.
    pub(super) fn go_away(&mut self, wire: &mut Wire<'_>, from: u64) {
        let mut number = Vec::new();
        write_varint(from, &mut number);
        let bytes = [&frame_head(GOAWAY, number.len())[..], &number].concat();
        if let Some(control) = &mut self.control {
            wire.write(control, &[(&bytes, of(Cause::SessionTearDown))]);
        }
    }

    /// Writes queued bytes.
    pub(super) fn flush(&mut self, wire: &mut Wire<'_>) {
        let streams = [
            &mut self.control,
            &mut self.encoder_stream,
            &mut self.decoder_stream,
        ];
        for outbox in streams.into_iter().flatten() {
            outbox.flush(wire.now, wire.transport, wire.connection);
        }
    }
}

/// What stands before the lines of a section: one byte each but for large tables.
const PREFIX: usize = 2;

/// Opens a stream of a type, as far as the peer allows it.
fn open(wire: &mut Wire<'_>, kind: u64) -> Option<Outbox> {
    let one_way = StreamKind::Unidirectional;
    let stream = wire
        .transport
        .open_stream(wire.now, wire.connection, one_way);
    let mut outbox = Outbox::new(stream.ok()?);
    wire.write(&mut outbox, &[(&[kind as u8], of(Cause::SessionSetUp))]);
    Some(outbox)
}
