use lasthop_contract::{Cause, Layer, Spans};

use crate::datagram::{CoapContent, NoContent};
use crate::marks::mark;
use crate::message_kind::{MessageKind, MessageKinds};

/// A parser of CoAP over a stream (RFC 8323 section 3.2).
#[derive(Debug, Default)]
pub(crate) struct CoapStream {
    /// The beginning of a message, up to its payload, that is told of and not whole yet.
    begun: Vec<u8>,
    state: State,
}

#[derive(Clone, Copy, Debug, Default)]
enum State {
    /// Before a message, or in its options.
    #[default]
    Head,
    /// In a payload.
    Payload {
        cause: Cause,
        rest: usize,
    },
    Lost,
}

/// A message, as far as its options.
struct Head {
    code: u8,
    content: CoapContent,
    /// How long it is up to the payload.
    head: usize,
    payload: usize,
}

/// Nobody's options are longer.
const LONGEST_HEAD: usize = 4096;

impl CoapStream {
    pub(crate) fn desync(&mut self) {
        self.state = State::Lost;
        self.begun.clear();
    }

    /// Parses the bytes of a segment.
    pub(crate) fn read(
        &mut self,
        mut bytes: &[u8],
        spans: &mut Spans,
        messages: &mut MessageKinds,
    ) {
        if matches!(self.state, State::Lost) && Head::read(bytes).is_ok() {
            self.state = State::Head;
        }
        while !bytes.is_empty() {
            let (cause, length) = self.step(bytes, messages);
            mark(spans, Layer::Application, cause, length);
            bytes = &bytes[length..];
        }
    }

    /// Skips bytes missing in the capture. Returns their purpose.
    pub(crate) fn skip_gap(&mut self, length: usize) -> Cause {
        match self.state {
            State::Payload { cause, rest } if length <= rest => {
                self.go_on(cause, rest - length);
                cause
            }
            _ => {
                self.desync();
                Cause::Opaque
            }
        }
    }

    fn step(&mut self, bytes: &[u8], messages: &mut MessageKinds) -> (Cause, usize) {
        match self.state {
            State::Lost => (Cause::Opaque, bytes.len()),
            State::Payload { cause, rest } => {
                let length = rest.min(bytes.len());
                self.go_on(cause, rest - length);
                (cause, length)
            }
            State::Head => {
                let told = self.begun.len();
                let room = bytes.len().min(LONGEST_HEAD - told);
                self.begun.extend_from_slice(&bytes[..room]);
                match Head::read(&self.begun) {
                    Ok(head) => {
                        self.begun.clear();
                        messages.extend(MessageKind::of_coap_code(head.code));
                        self.go_on(head.content.payload, head.payload);
                        (head.content.framing, head.head - told)
                    }
                    Err(NoContent::EndsEarly) if told + room < LONGEST_HEAD => {
                        (Cause::Header, bytes.len())
                    }
                    Err(_) => {
                        self.desync();
                        (Cause::Opaque, bytes.len())
                    }
                }
            }
        }
    }

    fn go_on(&mut self, cause: Cause, rest: usize) {
        self.state = match rest {
            0 => State::Head,
            rest => State::Payload { cause, rest },
        };
    }
}

impl Head {
    fn read(bytes: &[u8]) -> Result<Self, NoContent> {
        let first = *bytes.first().ok_or(NoContent::EndsEarly)?;
        let (width, base) = match first >> 4 {
            13 => (1, 13),
            14 => (2, 269),
            15 => (4, 65805),
            length => (0, usize::from(length)),
        };
        let extension = bytes.get(1..1 + width).ok_or(NoContent::EndsEarly)?;
        let extension = extension
            .iter()
            .fold(0_usize, |sum, byte| sum << 8 | usize::from(*byte));
        let length = base + extension;
        let code = *bytes.get(1 + width).ok_or(NoContent::EndsEarly)?;
        let token = usize::from(first & 15);
        let is_code = matches!(code >> 5, 0 | 2 | 4 | 5 | 7);
        if token > 8 || !is_code {
            return Err(NoContent::Malformed);
        }
        let start = 2 + width + token;
        let rest = bytes.get(start..).ok_or(NoContent::EndsEarly)?;
        let content = match length {
            // An empty message, which may be sent at any time to keep the connection.
            0 if code == 0 => CoapContent {
                framing: Cause::KeepAlive,
                payload: Cause::KeepAlive,
                options: 0,
                observes: false,
            },
            _ => CoapContent::read(code, rest, length)?,
        };
        let head = start + content.options;
        if head > bytes.len() {
            return Err(NoContent::EndsEarly);
        }
        Ok(Self {
            code,
            content,
            head,
            payload: length - content.options,
        })
    }
}
