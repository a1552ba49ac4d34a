use std::collections::VecDeque;

use lasthop_contract::{Cause, Layer, Spans};

use crate::marks::mark;

/// A parser of HTTP/1.1 requests or responses (RFC 9112). Bodies are framed by length, by chunks or by the end of the
/// stream.
#[derive(Debug)]
pub(crate) struct HttpStream {
    state: State,
    /// What has come of a line.
    line: Vec<u8>,
    message: Message,
    /// Of the requests that were read here: whether answers to them have no body whatever they say.
    asks: VecDeque<bool>,
    /// For each unanswered request of the other direction, whether its response has no body, as for HEAD.
    pub(crate) awaited: VecDeque<bool>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// In a line of the head.
    Head {
        is_first: bool,
    },
    /// In a body with this many bytes left.
    Body {
        rest: u64,
    },
    /// In the line before a chunk, in the chunk, or in the line end after it.
    ChunkSize,
    Chunk {
        rest: u64,
    },
    ChunkEnd,
    Trailers,
    /// In a body that ends with the connection.
    ToEnd,
    Lost,
}

/// What is known of the message that is read.
#[derive(Clone, Copy, Debug)]
struct Message {
    /// The status of an answer; `None` of a request.
    status: Option<u16>,
    /// Whether an answer to it has no body.
    is_bare: bool,
    length: Option<u64>,
    is_chunked: bool,
}

const START: State = State::Head { is_first: true };

/// Nobody's lines are longer; tokens are in them.
const LONGEST_LINE: usize = 64 << 10;

/// So many requests wait for their answers at most.
const MOST_AWAITED: usize = 1024;

impl Default for HttpStream {
    fn default() -> Self {
        Self {
            state: START,
            line: Vec::new(),
            message: Message::NEW,
            asks: VecDeque::new(),
            awaited: VecDeque::new(),
        }
    }
}

/// Whether bytes begin like a request, as far as they go.
pub(crate) fn is_request(first: &[u8]) -> bool {
    let line = first.split(|byte| *byte == b'\n').next().unwrap_or(first);
    is_request_line(line.trim_ascii_end())
}

impl HttpStream {
    pub(crate) fn desync(&mut self) {
        self.state = State::Lost;
        self.line.clear();
    }

    /// Passes the methods of this direction's requests to the parser of the responses.
    pub(crate) fn hand_over(&mut self, other: &mut Self) {
        other.awaited.append(&mut self.asks);
        let surplus = other.awaited.len().saturating_sub(MOST_AWAITED);
        other.awaited.drain(..surplus);
    }

    /// Parses the bytes of a segment.
    pub(crate) fn read(&mut self, mut bytes: &[u8], spans: &mut Spans) {
        if self.state == State::Lost && (is_request(bytes) || bytes.starts_with(b"HTTP/1.")) {
            self.state = START;
        }
        while !bytes.is_empty() {
            let (cause, length) = self.step(bytes);
            mark(spans, Layer::Application, cause, length);
            bytes = &bytes[length..];
        }
    }

    /// Skips bytes missing in the capture. Returns their purpose.
    pub(crate) fn skip_gap(&mut self, length: usize) -> Cause {
        let fits = |rest: u64| (length as u64) <= rest;
        match self.state {
            State::Body { rest } | State::Chunk { rest } if fits(rest) => self.go_on(length),
            State::ToEnd => self.message.body(),
            _ => {
                self.desync();
                Cause::Opaque
            }
        }
    }

    fn step(&mut self, bytes: &[u8]) -> (Cause, usize) {
        match self.state {
            State::Lost => (Cause::Opaque, bytes.len()),
            State::ToEnd => (self.message.body(), bytes.len()),
            State::Body { rest } | State::Chunk { rest } => {
                let length = usize::try_from(rest).map_or(bytes.len(), |it| it.min(bytes.len()));
                (self.go_on(length), length)
            }
            _ => self.read_line(bytes),
        }
    }

    /// Goes on within a body.
    fn go_on(&mut self, length: usize) -> Cause {
        let left = |rest: u64| rest - length as u64;
        self.state = match self.state {
            State::Body { rest } if left(rest) == 0 => START,
            State::Body { rest } => State::Body { rest: left(rest) },
            State::Chunk { rest } if left(rest) == 0 => State::ChunkEnd,
            State::Chunk { rest } => State::Chunk { rest: left(rest) },
            other => other,
        };
        self.message.body()
    }

    fn read_line(&mut self, bytes: &[u8]) -> (Cause, usize) {
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let length = end.map_or(bytes.len(), |place| place + 1);
        if self.line.len() + length > LONGEST_LINE {
            self.desync();
            return (Cause::Opaque, length);
        }
        self.line.extend_from_slice(&bytes[..length]);
        // Frames of HTTP/2, say, have no lines.
        if (self.state == START) && self.line.iter().any(|byte| !is_of_text(*byte)) {
            self.desync();
            return (Cause::Opaque, length);
        }
        let cause = match self.state {
            State::Head { is_first: true } => Message::first_of(&self.line).head(),
            State::Head { is_first: false } if field(&self.line, b"authorization").is_some() => {
                Cause::Authorisation
            }
            _ => self.message.head(),
        };
        if end.is_some() {
            let line = core::mem::take(&mut self.line);
            self.state = self.behind(line.trim_ascii());
            if self.state == State::Lost {
                return (Cause::Opaque, length);
            }
        }
        (cause, length)
    }

    /// What comes behind a line.
    fn behind(&mut self, line: &[u8]) -> State {
        match self.state {
            // A line too much before a request is let pass (§2.2).
            State::Head { is_first: true } if line.is_empty() => START,
            State::Head { is_first: true } => {
                self.message = Message::first_of(line);
                match self.message.status {
                    None if is_request_line(line) => self.asks.push_back(self.message.is_bare),
                    None | Some(101) => return State::Lost,
                    Some(_) => {}
                }
                State::Head { is_first: false }
            }
            State::Head { .. } if line.is_empty() => self.behind_head(),
            State::Head { .. } => {
                self.message.take_field(line);
                self.state
            }
            State::ChunkSize => match size_of_chunk(line) {
                Some(0) => State::Trailers,
                Some(rest) => State::Chunk { rest },
                None => State::Lost,
            },
            State::ChunkEnd => State::ChunkSize,
            State::Trailers if line.is_empty() => START,
            other => other,
        }
    }

    /// What comes behind the head of a message (§6.3).
    fn behind_head(&mut self) -> State {
        let Message {
            status,
            length,
            is_chunked,
            ..
        } = self.message;
        if matches!(status, Some(100..200)) {
            return START;
        }
        let is_bare = status.is_some() && self.awaited.pop_front().unwrap_or(false);
        match (is_bare, status, length) {
            (true, ..) | (_, Some(204 | 304), _) => START,
            _ if is_chunked => State::ChunkSize,
            (_, _, Some(0)) | (_, None, None) => START,
            (_, _, Some(rest)) => State::Body { rest },
            (_, Some(_), None) => State::ToEnd,
        }
    }
}

impl Message {
    const NEW: Self = Self {
        status: None,
        is_bare: false,
        length: None,
        is_chunked: false,
    };

    /// What a first line says, as far as it has come.
    fn first_of(line: &[u8]) -> Self {
        let code = line.strip_prefix(b"HTTP/1.").and_then(|it| it.get(2..5));
        let code = code.and_then(|it| core::str::from_utf8(it).ok());
        Self {
            status: code.and_then(|it| it.parse().ok()),
            is_bare: line.starts_with(b"HEAD ") || line.starts_with(b"CONNECT "),
            ..Self::NEW
        }
    }

    fn take_field(&mut self, line: &[u8]) {
        let text = |it: &[u8]| String::from_utf8_lossy(it).trim().to_ascii_lowercase();
        if let Some(value) = field(line, b"content-length") {
            self.length = text(value).parse().ok();
        } else if let Some(value) = field(line, b"transfer-encoding") {
            self.is_chunked = text(value).ends_with("chunked");
        }
    }

    /// What its head is for: an answer that says nothing but how a request went acknowledges it.
    const fn head(&self) -> Cause {
        match self.status {
            Some(100..200 | 204 | 304 | 400..) => Cause::Acknowledgement,
            _ => Cause::Header,
        }
    }

    const fn body(&self) -> Cause {
        match self.head() {
            Cause::Header => Cause::Payload,
            other => other,
        }
    }
}

/// The value of a field, where a line has this name (lower case).
fn field<'a>(line: &'a [u8], name: &[u8]) -> Option<&'a [u8]> {
    let (start, rest) = line.split_at_checked(name.len())?;
    let value = rest.strip_prefix(b":")?;
    start.eq_ignore_ascii_case(name).then_some(value)
}

fn is_request_line(line: &[u8]) -> bool {
    let mut words = line.split(|byte| *byte == b' ');
    let method = words.next().unwrap_or_default();
    let is_method = !method.is_empty() && method.iter().all(u8::is_ascii_uppercase);
    let rest: Vec<&[u8]> = words.collect();
    is_method && matches!(rest[..], [_, b"HTTP/1.0" | b"HTTP/1.1"])
}

/// Whether a byte may stand in a first line.
const fn is_of_text(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n' | b'\t' | b' '..=b'~' | 0x80..)
}

/// The size before a chunk, whatever extensions stand behind it (§7.1).
fn size_of_chunk(line: &[u8]) -> Option<u64> {
    let digits = line.split(|byte| *byte == b';').next()?.trim_ascii();
    u64::from_str_radix(core::str::from_utf8(digits).ok()?, 16).ok()
}
