use lasthop_contract::{Cause, Layer, Spans};

use crate::marks::mark;
use crate::message_kind::MessageKinds;

use super::mqtt::MqttStream;

/// A parser of MQTT in WebSocket frames (RFC 6455 section 5.2), after the HTTP/1.1 handshake.
#[derive(Debug)]
pub(crate) struct WebSocketStream {
    state: State,
    pub(crate) mqtt: MqttStream,
    unmasked: Vec<u8>,
}

#[derive(Clone, Copy, Debug)]
enum State {
    /// In the HTTP head. `end` bytes of its final blank line have arrived.
    Handshake { end: usize },
    /// In the header of a frame.
    Header {
        bytes: [u8; LONGEST_HEADER],
        known: usize,
    },
    /// In a payload.
    Payload {
        kind: Payload,
        mask: [u8; 4],
        at: usize,
        rest: u64,
    },
    /// At an unknown position.
    Lost,
}

/// What a payload is.
#[derive(Clone, Copy, Debug)]
enum Payload {
    Data,
    Control(Cause),
}

const BOUNDARY: State = State::Header {
    bytes: [0; LONGEST_HEADER],
    known: 0,
};
const LONGEST_HEADER: usize = 14;
/// What ends the head.
const END: &[u8] = b"\r\n\r\n";

impl Default for WebSocketStream {
    fn default() -> Self {
        Self {
            state: State::Handshake { end: 0 },
            mqtt: MqttStream::default(),
            unmasked: Vec::new(),
        }
    }
}

/// Whether the first bytes of a client request a WebSocket (RFC 6455 section 4.1).
pub(crate) fn is_asked_for(first: &[u8]) -> bool {
    let mut lines = first.split(|byte| *byte == b'\n');
    let names_it = |line: &[u8]| {
        let line = line.trim_ascii().to_ascii_lowercase();
        line.starts_with(b"upgrade:") && line.ends_with(b"websocket")
    };
    first.starts_with(b"GET ") && lines.any(names_it)
}

impl WebSocketStream {
    pub(crate) fn desync(&mut self) {
        self.state = State::Lost;
        self.mqtt.desync();
    }

    /// Parses the bytes of a segment.
    pub(crate) fn read(
        &mut self,
        mut bytes: &[u8],
        spans: &mut Spans,
        messages: &mut MessageKinds,
    ) {
        if matches!(self.state, State::Lost) && is_beginning(bytes) {
            self.state = BOUNDARY;
        }
        while !bytes.is_empty() {
            let length = match self.state {
                State::Handshake { end } => {
                    let length = self.read_handshake(bytes, end);
                    mark(spans, Layer::WebSocket, Cause::SessionSetUp, length);
                    length
                }
                State::Header { bytes: head, known } => {
                    let cause = self.read_header(bytes[0], head, known);
                    mark(spans, Layer::WebSocket, cause, 1);
                    1
                }
                State::Payload {
                    kind,
                    mask,
                    at,
                    rest,
                } => {
                    let length =
                        usize::try_from(rest).map_or(bytes.len(), |it| it.min(bytes.len()));
                    match kind {
                        Payload::Control(cause) => mark(spans, Layer::WebSocket, cause, length),
                        Payload::Data => {
                            let masked = bytes[..length].iter().enumerate();
                            let plain = masked.map(|(place, byte)| byte ^ mask[(at + place) % 4]);
                            self.unmasked.clear();
                            self.unmasked.extend(plain);
                            self.mqtt.read(&self.unmasked, spans, messages);
                        }
                    }
                    self.go_on(length);
                    length
                }
                State::Lost => {
                    mark(spans, Layer::WebSocket, Cause::Opaque, bytes.len());
                    bytes.len()
                }
            };
            bytes = &bytes[length..];
        }
    }

    /// Skips bytes missing in the capture. Returns their purpose.
    pub(crate) fn skip_gap(&mut self, length: usize) -> (Layer, Cause) {
        match self.state {
            State::Payload { kind, rest, .. } if length as u64 <= rest => {
                self.go_on(length);
                match kind {
                    Payload::Data => (Layer::Application, self.mqtt.skip_gap(length)),
                    Payload::Control(cause) => (Layer::WebSocket, cause),
                }
            }
            _ => {
                self.desync();
                (Layer::WebSocket, Cause::Opaque)
            }
        }
    }

    /// How many bytes of these belong to the head.
    fn read_handshake(&mut self, bytes: &[u8], mut end: usize) -> usize {
        for (place, byte) in bytes.iter().enumerate() {
            end = match *byte == END[end] {
                true => end + 1,
                false => usize::from(*byte == END[0]),
            };
            if end == END.len() {
                self.state = BOUNDARY;
                return place + 1;
            }
        }
        self.state = State::Handshake { end };
        bytes.len()
    }

    /// What the next byte of a header is for.
    fn read_header(&mut self, byte: u8, mut bytes: [u8; LONGEST_HEADER], known: usize) -> Cause {
        bytes[known] = byte;
        let head = &bytes[..=known];
        let Some(kind) = kind_of(head[0]) else {
            self.desync();
            return Cause::Opaque;
        };
        self.state = match head.len() == length_of(head) {
            true => payload(kind, head),
            false => State::Header {
                bytes,
                known: known + 1,
            },
        };
        self.go_on(0);
        match kind {
            Payload::Data => Cause::Header,
            Payload::Control(cause) => cause,
        }
    }

    /// So many bytes of a payload are behind.
    fn go_on(&mut self, length: usize) {
        if let State::Payload { at, rest, .. } = &mut self.state {
            *at += length;
            *rest -= length as u64;
            if *rest == 0 {
                self.state = BOUNDARY;
            }
        }
    }
}

/// What a frame is by its first byte, where it can be.
fn kind_of(first: u8) -> Option<Payload> {
    const RESERVED: u8 = 0x70;
    match first & 0x0f {
        _ if first & RESERVED != 0 => None,
        0..=2 => Some(Payload::Data),
        8 => Some(Payload::Control(Cause::SessionTearDown)),
        9 | 10 => Some(Payload::Control(Cause::KeepAlive)),
        _ => None,
    }
}

/// How many bytes a header has that begins so.
fn length_of(start: &[u8]) -> usize {
    let Some(second) = start.get(1) else { return 2 };
    let extended = match second & 0x7f {
        126 => 2,
        127 => 8,
        _ => 0,
    };
    2 + extended + usize::from(second >> 7) * 4
}

/// What follows a whole header.
fn payload(kind: Payload, head: &[u8]) -> State {
    let is_masked = head[1] & 0x80 != 0;
    let (length, mask) = head[1..].split_at(head.len() - 1 - usize::from(is_masked) * 4);
    let number = |bytes: &[u8]| bytes.iter().fold(0, |all, it| all << 8 | u64::from(*it));
    let rest = match length {
        [short] => u64::from(short & 0x7f),
        [_, extended @ ..] => number(extended),
        [] => 0,
    };
    State::Payload {
        kind,
        mask: mask.try_into().unwrap_or_default(),
        at: 0,
        rest,
    }
}

/// Whether bytes look like a frame, where that is not known: one that ends with them.
fn is_beginning(bytes: &[u8]) -> bool {
    let [first, _, ..] = *bytes else {
        return false;
    };
    let Some(kind) = kind_of(first).filter(|_| first & 0x80 != 0) else {
        return false;
    };
    let header = length_of(bytes);
    bytes
        .get(..header)
        .is_some_and(|head| match payload(kind, head) {
            State::Payload { rest, .. } => header as u64 + rest == bytes.len() as u64,
            _ => false,
        })
}
