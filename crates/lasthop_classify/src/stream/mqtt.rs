use lasthop_contract::{Cause, Layer, Spans};

use super::mqtt_connect::ConnectReader;
use crate::marks::mark;
use crate::message_kind::{MessageKind, MessageKinds};

/// A parser of MQTT 3.1.1 and 5 by packet type.
#[derive(Debug, Default)]
pub(crate) struct MqttStream {
    /// The protocol level of the CONNECT. Without a CONNECT, packets are parsed as 3.1.1.
    pub(crate) version: Option<u8>,
    /// What reads the CONNECT that is under way.
    connect: Option<Box<ConnectReader>>,
    state: State,
}

#[derive(Clone, Copy, Debug, Default)]
enum State {
    /// Before a packet.
    #[default]
    Boundary,
    /// In the length of a packet whose first byte is known.
    Length { first: u8, value: usize, shift: u32 },
    /// In a packet whose bytes all have one purpose.
    Body { cause: Cause, rest: usize },
    /// In a PUBLISH.
    Publish { first: u8, part: Part, rest: usize },
    /// At an unknown position.
    Lost,
}

/// A part of a PUBLISH (MQTT 5 §3.3).
#[derive(Clone, Copy, Debug)]
enum Part {
    TopicLength {
        value: usize,
        bytes: u8,
    },
    /// The topic and the packet identifier.
    Topic {
        rest: usize,
    },
    PropertyLength {
        value: usize,
        shift: u32,
    },
    Properties {
        rest: usize,
    },
    Payload,
}

const CONNECT: u8 = 1;
const PUBLISH: u8 = 3;
const VERSION_5: u8 = 5;
/// A length has at most four bytes.
const LONGEST_SHIFT: u32 = 21;

impl MqttStream {
    pub(crate) fn desync(&mut self) {
        self.state = State::Lost;
    }

    /// Parses the bytes of a segment.
    pub(crate) fn read(
        &mut self,
        mut bytes: &[u8],
        spans: &mut Spans,
        messages: &mut MessageKinds,
    ) {
        if matches!(self.state, State::Lost) && is_beginning(bytes) {
            self.state = State::Boundary;
        }
        while !bytes.is_empty() {
            if matches!(self.state, State::Boundary) && has_possible_flags(bytes[0]) {
                messages.extend(MessageKind::of_mqtt(bytes[0]));
            }
            let (cause, length) = self.step(bytes);
            mark(spans, Layer::Application, cause, length);
            bytes = &bytes[length..];
        }
    }

    /// Skips bytes missing in the capture. Returns their purpose.
    pub(crate) fn skip_gap(&mut self, length: usize) -> Cause {
        self.connect = None;
        let (rest, cause) = match &mut self.state {
            State::Body { cause, rest, .. } => (rest, *cause),
            State::Publish {
                first,
                part: Part::Payload,
                rest,
            } => (rest, cause_of(*first, true)),
            _ => {
                self.desync();
                return Cause::Opaque;
            }
        };
        if length > *rest {
            self.desync();
            return Cause::Opaque;
        }
        *rest -= length;
        self.end_of_packet();
        cause
    }

    /// What the first bytes are for, and how many they are.
    fn step(&mut self, bytes: &[u8]) -> (Cause, usize) {
        let byte = bytes[0];
        match &mut self.state {
            State::Boundary if !has_possible_flags(byte) => {
                self.desync();
                (Cause::Opaque, bytes.len())
            }
            State::Boundary => {
                self.state = State::Length {
                    first: byte,
                    value: 0,
                    shift: 0,
                };
                (cause_of(byte, false), 1)
            }
            State::Length {
                first,
                value,
                shift,
            } => {
                let first = *first;
                *value |= usize::from(byte & 0x7f) << *shift;
                if byte & 0x80 == 0 {
                    let value = *value;
                    self.begin_body(first, value);
                } else if *shift == LONGEST_SHIFT {
                    self.desync();
                } else {
                    *shift += 7;
                }
                (cause_of(first, false), 1)
            }
            State::Body { cause, rest } => {
                let (mut cause, mut length) = (*cause, bytes.len().min(*rest));
                if let Some(connect) = &mut self.connect {
                    let is_password;
                    (length, is_password) = connect.read(&bytes[..length]);
                    self.version = connect.version.or(self.version);
                    if is_password {
                        cause = Cause::Authorisation;
                    }
                }
                *rest -= length;
                self.end_of_packet();
                (cause, length)
            }
            State::Publish { first, .. } => {
                let first = *first;
                let (is_payload, length) = self.step_publish(bytes);
                (cause_of(first, is_payload), length)
            }
            State::Lost => (Cause::Opaque, bytes.len()),
        }
    }

    /// Whether the first bytes of a PUBLISH are payload, and how many they are.
    fn step_publish(&mut self, bytes: &[u8]) -> (bool, usize) {
        let version = self.version;
        let State::Publish { first, part, rest } = &mut self.state else {
            return (false, bytes.len());
        };
        let byte = bytes[0];
        let length = match part {
            Part::TopicLength { .. } | Part::PropertyLength { .. } => 1,
            Part::Topic { rest: within } | Part::Properties { rest: within } => {
                bytes.len().min(*within)
            }
            Part::Payload => bytes.len().min(*rest),
        };
        *rest -= length;
        let is_payload = matches!(part, Part::Payload);
        match part {
            Part::TopicLength { value, bytes: 1 } => {
                let identifier = if *first & 6 == 0 { 0 } else { 2 };
                let topic = (*value << 8 | usize::from(byte)) + identifier;
                *part = Part::Topic { rest: topic };
            }
            Part::TopicLength { value, bytes } => {
                *value = byte.into();
                *bytes += 1;
            }
            Part::Topic { rest: within } | Part::Properties { rest: within } => *within -= length,
            Part::PropertyLength { value, shift } => {
                *value |= usize::from(byte & 0x7f) << *shift;
                *shift += 7;
                if byte & 0x80 == 0 {
                    *part = Part::Properties { rest: *value };
                } else if *shift > LONGEST_SHIFT {
                    self.desync();
                    return (false, length);
                }
            }
            Part::Payload => {}
        }
        if let Part::Topic { rest: 0 } = part {
            *part = match version {
                Some(VERSION_5) => Part::PropertyLength { value: 0, shift: 0 },
                _ => Part::Payload,
            };
        }
        if let Part::Properties { rest: 0 } = part {
            *part = Part::Payload;
        }
        let is_possible = match part {
            Part::Topic { rest: within } | Part::Properties { rest: within } => *within <= *rest,
            Part::TopicLength { .. } | Part::PropertyLength { .. } => *rest > 0,
            Part::Payload => true,
        };
        if is_possible {
            self.end_of_packet();
        } else {
            self.desync();
        }
        (is_payload, length)
    }

    fn begin_body(&mut self, first: u8, rest: usize) {
        self.connect = (first >> 4 == CONNECT).then(|| Box::new(ConnectReader::new()));
        self.state = match first >> 4 {
            PUBLISH if rest < 2 => State::Lost,
            PUBLISH => State::Publish {
                first,
                part: Part::TopicLength { value: 0, bytes: 0 },
                rest,
            },
            _ => State::Body {
                cause: cause_of(first, false),
                rest,
            },
        };
        self.end_of_packet();
    }

    fn end_of_packet(&mut self) {
        if let State::Body { rest: 0, .. } | State::Publish { rest: 0, .. } = self.state {
            self.state = State::Boundary;
        }
    }
}

/// What a packet is for, by its first byte.
fn cause_of(first: u8, is_payload: bool) -> Cause {
    const DUPLICATE: u8 = 8;
    match first >> 4 {
        1 | 2 | 8 | 9 | 15 => Cause::SessionSetUp,
        PUBLISH if first & DUPLICATE != 0 => Cause::Retransmission,
        PUBLISH if is_payload => Cause::Payload,
        PUBLISH => Cause::Header,
        4..=7 => Cause::Acknowledgement,
        10 | 11 | 14 => Cause::SessionTearDown,
        12 | 13 => Cause::KeepAlive,
        _ => Cause::Opaque,
    }
}

/// Whether a first byte can be (MQTT 3.1.1 §2.2.2).
fn has_possible_flags(first: u8) -> bool {
    match first >> 4 {
        0 => false,
        PUBLISH => first & 6 != 6,
        6 | 8 | 10 => first & 15 == 2,
        _ => first & 15 == 0,
    }
}

/// Whether bytes look like the beginning of a packet, where that is not known.
fn is_beginning(bytes: &[u8]) -> bool {
    const CONNACK: u8 = 0x20;
    let [first, length, ..] = *bytes else {
        // It is the first of its direction, so its length comes with the next segment.
        return bytes == [CONNACK];
    };
    has_possible_flags(first)
        && match first >> 4 {
            12 | 13 => length == 0,
            4..=7 | 11 => (2..0x80).contains(&length),
            14 => length < 0x80,
            _ => length >= 2,
        }
}
