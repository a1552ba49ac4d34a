use core::num::NonZeroU32;

use lasthop_contract::message_text::{ID_LENGTH, MAX_PART, message_id, write_id};
use lasthop_contract::{ConnectionId, FlowId, MessageId, Payload};

use crate::codec::{Code, Message, MessageType, OptionWriter, Token, option_number};
use crate::context::{Context, Purpose};
use crate::endpoint::{Answer, Endpoint};

/// How the server sends messages to a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Push {
    /// The server sends a POST to the device, which is a server too.
    Post,
    /// The server sends a PUT to the device.
    Put,
    /// The device observes its resource at the server and receives notifications (RFC 7641).
    Observe,
}

/// The first path segment of a device's resource `d/<number>` at the server. The device sends POST requests to this
/// resource and can observe it.
pub(crate) const DEVICES: &str = "d";

/// The path of the resource at a device that receives pushed messages.
pub(crate) const INBOX: &str = "m";

/// The path at which a device registers, like that of a resource directory (RFC 9176 section 5).
pub(crate) const REGISTRATION: &str = "rd";

/// The path of the resource at a server that a device downloads.
pub(crate) const FILE: &str = "f";

/// How long a token is that names one of the user's messages.
const QUESTION_LENGTH: usize = 6;

/// Returns the token of a request for an application message: its flow and its number, both below 2^24.
pub(crate) fn token_of(message: MessageId) -> Token {
    let bits = u64::from(message.flow.0) << 24 | u64::from(message.number.get());
    Token::from_bits(bits, QUESTION_LENGTH)
}

/// Returns the message that a request asks for, from its token.
pub(crate) fn asked_by(token: Token) -> Option<MessageId> {
    let bits = u64::from_le_bytes(*token.padded());
    let number = NonZeroU32::new(bits as u32 & MAX_PART)?;
    let flow = FlowId((bits >> 24) as u32);
    (token.length() == QUESTION_LENGTH).then_some(MessageId { flow, number })
}

/// Returns the payload that names the requested message to the application.
pub(crate) fn question(message: MessageId) -> Payload {
    let mut name = [0; ID_LENGTH];
    write_id(message.flow, message.number.get(), &mut name);
    Payload::copied_from(&name)
}

/// Whether a request at this path asks for an application message.
pub(crate) fn is_question(request: &Message, datagram: &[u8], path: &str) -> bool {
    request.content.code == Code::GET
        && asked_by(request.content.token).is_some()
        && (request.content.has_path(datagram, &[path])
            || path == FILE && named_resource(request, datagram).is_some())
}

/// Returns the path of a resource with a configured name, for downloads and writes.
pub(crate) fn path_of(resource: u32) -> String {
    format!("{FILE}/{resource}")
}

/// Returns the configured resource that a request names, or `None` for other paths.
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

/// Returns the resource that a message is to be written to.
pub(crate) fn written_resource(request: &Message, datagram: &[u8]) -> Option<u32> {
    let is_write = matches!(request.content.code, Code::POST | Code::PUT);
    is_write
        .then(|| named_resource(request, datagram))
        .flatten()
}

/// Returns the number of an entity tag of four bytes.
pub(crate) fn tag_of(etag: &[u8]) -> Option<u32> {
    etag.try_into().ok().map(u32::from_le_bytes)
}

/// Neither success nor any error is to be answered (RFC 7967 section 2.1).
const NO_RESPONSE: u32 = 2 | 8 | 16;

/// The encoded options of a request with an application message, with and without a response.
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

/// Takes an application message from a POST or PUT and answers the request. Returns `None` while the message is
/// incomplete.
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
