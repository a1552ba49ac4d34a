use lasthop_contract::{Cause, Layer, Spans};

use crate::marks::mark;

/// A parser of TLS records by their types (RFC 8446 section 5.1).
#[derive(Debug)]
pub(crate) struct TlsStream {
    state: State,
}

#[derive(Clone, Copy, Debug)]
enum State {
    /// In the header of a record, of which the type and the upper half of the length may be known.
    Head {
        kind: u8,
        at: u8,
        high: u8,
    },
    Body {
        cause: Cause,
        rest: usize,
    },
    Lost,
}

const BOUNDARY: State = State::Head {
    kind: 0,
    at: 0,
    high: 0,
};

impl Default for TlsStream {
    fn default() -> Self {
        Self { state: BOUNDARY }
    }
}

impl TlsStream {
    pub(crate) fn desync(&mut self) {
        self.state = State::Lost;
    }

    /// Parses the bytes of a segment.
    pub(crate) fn read(&mut self, mut bytes: &[u8], spans: &mut Spans) {
        if let (State::Lost, [20..=24, 3, 0..=4, ..]) = (self.state, bytes) {
            self.state = BOUNDARY;
        }
        while let Some(&byte) = bytes.first() {
            let (cause, length) = match self.state {
                State::Head { at: 0, .. } if causes_of(byte).is_none() => {
                    self.desync();
                    (Cause::Opaque, bytes.len())
                }
                State::Head { kind, at, high } => {
                    let kind = if at == 0 { byte } else { kind };
                    let high = if at == 3 { byte } else { high };
                    let (head, body) = causes_of(kind).unwrap_or((Cause::Opaque, Cause::Opaque));
                    self.state = match (at, u16::from_be_bytes([high, byte])) {
                        (4, 0) => BOUNDARY,
                        (4, rest) => State::Body {
                            cause: body,
                            rest: rest.into(),
                        },
                        _ => State::Head {
                            kind,
                            at: at + 1,
                            high,
                        },
                    };
                    (head, 1)
                }
                State::Body { cause, rest } => {
                    let length = rest.min(bytes.len());
                    self.state = match rest - length {
                        0 => BOUNDARY,
                        rest => State::Body { cause, rest },
                    };
                    (cause, length)
                }
                State::Lost => (Cause::Opaque, bytes.len()),
            };
            mark(spans, Layer::Tls, cause, length);
            bytes = &bytes[length..];
        }
    }

    /// Skips bytes missing in the capture. Returns their purpose.
    pub(crate) fn skip_gap(&mut self, length: usize) -> Cause {
        match self.state {
            State::Body { cause, rest } if length <= rest => {
                self.state = match rest - length {
                    0 => BOUNDARY,
                    rest => State::Body { cause, rest },
                };
                cause
            }
            _ => {
                self.desync();
                Cause::Opaque
            }
        }
    }
}

/// Returns the purposes of a record's header and body.
pub(crate) fn causes_of(kind: u8) -> Option<(Cause, Cause)> {
    match kind {
        20 | 22 => Some((Cause::SessionSetUp, Cause::SessionSetUp)),
        21 => Some((Cause::SessionTearDown, Cause::SessionTearDown)),
        23 => Some((Cause::Header, Cause::Opaque)),
        24 => Some((Cause::KeepAlive, Cause::KeepAlive)),
        _ => None,
    }
}
