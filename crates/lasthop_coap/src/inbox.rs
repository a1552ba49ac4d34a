use core::num::NonZeroU32;

use lasthop_contract::message_text::{ID_LENGTH, MAX_PART, message_id, write_id};
use lasthop_contract::{ConnectionId, FlowId, MessageId, Payload};

use crate::codec::{Code, Message, MessageType, OptionWriter, Token, option_number};
use crate::context::{Context, Purpose};
use crate::endpoint::{Answer, Endpoint};

/// How messages go from the server to a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Push {
    /// The server: it POSTs to the device, which is a server, too.
    Post,
    /// The server: it PUTs to the device.
    Put,
    /// The device: it observes its resource at the server, and is notified (RFC 7641).
    Observe,
}

/// The resource of a device at the server is `d/<number>`: messages from it are POSTed there, and it may observe it.
pub(crate) const DEVICES: &str = "d";

/// The resource at a device that messages are pushed to.
pub(crate) const INBOX: &str = "m";

/// Where a device makes itself known, in the manner of a resource directory (RFC 9176 section 5).
pub(crate) const REGISTRATION: &str = "rd";

/// The resource at a server that a device downloads.
pub(crate) const FILE: &str = "f";

/// How long a token is that names one of the user's messages.
const QUESTION_LENGTH: usize = 6;

/// The token of a question for one of the user's messages: its flow and its number, both below 2^24.
pub(crate) fn token_of(message: MessageId) -> Token {
    let bits = u64::from(message.flow.0) << 24 | u64::from(message.number.get());
    Token::from_bits(bits, QUESTION_LENGTH)
}

/// The message that a question is for.
pub(crate) fn asked_by(token: Token) -> Option<MessageId> {
    let bits = u64::from_le_bytes(*token.padded());
    let number = NonZeroU32::new(bits as u32 & MAX_PART)?;
    let flow = FlowId((bits >> 24) as u32);
    (token.length() == QUESTION_LENGTH).then_some(MessageId { flow, number })
}

/// What a question says to who answers it: which message it is for.
pub(crate) fn question(message: MessageId) -> Payload {
    let mut name = [0; ID_LENGTH];
    write_id(message.flow, message.number.get(), &mut name);
    Payload::copied_from(&name)
}

/// Whether a request asks for one of the user's messages at this path.
pub(crate) fn is_question(request: &Message, datagram: &[u8], path: &str) -> bool {
    request.content.code == Code::GET
        && asked_by(request.content.token).is_some()
        && (request.content.has_path(datagram, &[path])
            || path == FILE && named_resource(request, datagram).is_some())
}

/// The path of a resource that has a name of its own at a server: what is downloaded from there, and what is written.
pub(crate) fn path_of(resource: u32) -> String {
    format!("{FILE}/{resource}")
}

/// The resource that a request is for by the name of its own; `None` where it is for another.
pub(crate) fn named_resource(request: &Message, datagram: &[u8]) -> Option<u32> {
    let mut path = request.content.path(datagram);
    if path.next()? != FILE.as_bytes() {
        return None;
    }
    let digits = path.next()?;
    let is_number = (1..=9).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit);
    if !is_number || path.next().is_some() {
        return None;
    }
    core::str::from_utf8(digits).ok()?.parse().ok()
}

/// The resource that a message is to be written to.
pub(crate) fn written_resource(request: &Message, datagram: &[u8]) -> Option<u32> {
    let is_write = matches!(request.content.code, Code::POST | Code::PUT);
    is_write
        .then(|| named_resource(request, datagram))
        .flatten()
}

/// An entity tag in the four bytes that it goes by.
pub(crate) fn tag_of(etag: &[u8]) -> Option<u32> {
    etag.try_into().ok().map(u32::from_le_bytes)
}

/// Neither success nor any error is to be answered (RFC 7967 section 2.1).
const NO_RESPONSE: u32 = 2 | 8 | 16;

/// The options of a request with one of the user's messages, made once: with an answer, and without.
#[derive(Clone, Debug)]
pub(crate) struct MessageOptions {
    bytes: Box<[u8]>,
    answered_length: usize,
}

impl MessageOptions {
    pub(crate) fn to(path: &str) -> Self {
        let mut options = OptionWriter::new();
        options.add_path(option_number::URI_PATH, path);
        let answered_length = options.as_bytes().len();
        options.add_number(option_number::NO_RESPONSE, NO_RESPONSE);
        Self {
            bytes: options.as_bytes().into(),
            answered_length,
        }
    }

    pub(crate) fn get(&self, is_answered: bool) -> &[u8] {
        if is_answered {
            &self.bytes[..self.answered_length]
        } else {
            &self.bytes
        }
    }
}

/// Takes a message out of a POST or PUT and answers it. `None` when it is not whole yet.
#[inline]
pub(crate) fn take_message(
    endpoint: &mut Endpoint,
    cx: &mut Context<'_>,
    connection: ConnectionId,
    request: &Message,
    datagram: Payload,
) -> Option<Payload> {
    let facts = &request.content.facts;
    let payload = match facts.block1 {
        None => datagram.narrowed(request.content.payload()),
        Some(block) => {
            let body = endpoint.collect(cx, connection, request, &datagram, block)?;
            Payload::copied_from(&body)
        }
    };
    if facts.wants(Code::CHANGED) || request.kind == MessageType::Confirmable {
        let purpose = Purpose::Acknowledgement(message_id(&payload));
        let mut answer = Answer::bare(Code::CHANGED, purpose);
        if let Some(block) = facts.block1 {
            endpoint.add_block1(&mut answer, block);
        }
        endpoint.respond(cx, connection, request, &answer);
    }
    Some(payload)
}
