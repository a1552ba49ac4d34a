use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use http::header::{AUTHORIZATION, CONNECTION, CONTENT_TYPE, HOST};
use http::{HeaderValue, Method, Request, Uri};
use lasthop_contract::{Cause, DeviceId, MessageId};
use lasthop_units::Instant;

use super::ConnectionPolicy;
use super::config::HttpClientConfig;
use crate::caching::{ask_for_another, name};
use crate::purpose::Purpose;
use crate::server::target::{AFTER, FILE_PATH, echo_path, inbox_path, named_path, report_path};
use crate::server::unwrap::{BEFORE, BEHIND};
use crate::wire_text::written;

/// A request that is queued or in progress.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) kind: Kind,
    pub(super) payload: Vec<u8>,
    /// When the request times out.
    pub(super) until: Instant,
    /// The number of transmissions.
    pub(super) attempts: u16,
}

/// The purpose of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Carries a message.
    Report(MessageId),
    /// A request whose answer returns the message.
    Echo(MessageId),
    /// Requests a file.
    Question(MessageId),
    /// Requests a named resource, with the entity tag that the client already has.
    Read(MessageId, u32, Option<u32>),
    /// Carries a message for a named resource.
    Write(MessageId, u32),
    /// Registers the device.
    Registration,
    /// Requests the next message after the last one received.
    Poll {
        last: Option<MessageId>,
        /// Nothing came for the one before.
        is_renewed: bool,
    },
}

/// The name of the client at the server.
#[derive(Clone, Copy, Debug)]
pub(super) enum Sender<'a> {
    /// A device number, at a lasthop server.
    Numbered(DeviceId),
    /// A registered name, at a device gateway.
    Registered(&'a str),
}

/// Returns the JSON body of an event for a device gateway.
pub(super) fn event_of(payload: &[u8]) -> Vec<u8> {
    let text = STANDARD.encode(payload);
    format!(r#"{{"binary_data":"{text}"}}"#).into_bytes()
}

/// Returns a payload in base64url in a JSON object, as a lasthop server unwraps it.
pub(super) fn wrapped(payload: &[u8]) -> Vec<u8> {
    let text = URL_SAFE.encode(payload);
    format!(r#"{BEFORE}{text}{BEHIND}"#).into_bytes()
}

impl Kind {
    /// Returns the message of the request.
    pub(super) fn message(self) -> Option<MessageId> {
        match self {
            Self::Report(id)
            | Self::Echo(id)
            | Self::Question(id)
            | Self::Read(id, ..)
            | Self::Write(id, _) => Some(id),
            Self::Registration | Self::Poll { .. } => None,
        }
    }

    /// Whether the request is for the inbox. HTTP/1.1 uses a separate connection for it.
    pub(super) fn is_of_inbox(self) -> bool {
        matches!(self, Self::Registration | Self::Poll { .. })
    }

    fn target(self, sender: Sender<'_>) -> (Method, String) {
        let device = match sender {
            Sender::Registered(path) => {
                return (Method::POST, format!("/v1/{path}:publishEvent"));
            }
            Sender::Numbered(device) => device,
        };
        match self {
            Self::Report(_) => (Method::POST, report_path(device)),
            Self::Echo(_) => (Method::POST, echo_path(device)),
            Self::Question(id) => (Method::GET, FILE_PATH.to_owned() + &written(id)),
            Self::Read(_, resource, _) => (Method::GET, named_path(resource)),
            Self::Write(_, resource) => (Method::POST, named_path(resource)),
            Self::Registration => (Method::PUT, report_path(device)),
            Self::Poll { last: None, .. } => (Method::GET, inbox_path(device)),
            Self::Poll { last: Some(id), .. } => {
                (Method::GET, inbox_path(device) + AFTER + &written(id))
            }
        }
    }

    fn purpose(self, attempts: u16) -> Purpose {
        match self {
            Self::Report(id) | Self::Echo(id) | Self::Write(id, _) if attempts > 1 => {
                Purpose::carrying_again(id)
            }
            Self::Report(id) | Self::Echo(id) | Self::Write(id, _) => Purpose::carrying(id),
            Self::Question(id) | Self::Read(id, ..) => Purpose::all_of(Cause::Header, id),
            Self::Registration => Purpose::whole(Cause::SessionSetUp),
            Self::Poll {
                is_renewed: true, ..
            } => Purpose::whole(Cause::KeepAlive),
            Self::Poll { .. } => Purpose::whole(Cause::Header),
        }
    }
}

impl Pending {
    /// Returns the request and the purpose of its bytes.
    pub(super) fn request<'a>(
        &'a self,
        config: &HttpClientConfig,
        sender: Sender<'_>,
        bearer: Option<HeaderValue>,
    ) -> (Request<&'a [u8]>, Purpose) {
        let (method, target) = self.kind.target(sender);
        let mut request = Request::new(&self.payload[..]);
        *request.method_mut() = method;
        *request.uri_mut() = target.parse().unwrap_or_else(|_| Uri::from_static("/"));
        let headers = request.headers_mut();
        if let Ok(authority) = HeaderValue::from_str(&config.authority) {
            headers.insert(HOST, authority);
        }
        if let Kind::Read(id, _, tag) = self.kind {
            name(headers, id);
            if let Some(tag) = tag {
                ask_for_another(headers, tag);
            }
        }
        if let Some(bearer) = bearer {
            headers.insert(AUTHORIZATION, bearer);
        }
        if !self.payload.is_empty() {
            let kind = match sender {
                Sender::Registered(_) => "application/json",
                Sender::Numbered(_) if config.wraps_in_json => "application/json",
                Sender::Numbered(_) => "application/octet-stream",
            };
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
        }
        if config.policy == ConnectionPolicy::PerMessage && !self.kind.is_of_inbox() {
            headers.insert(CONNECTION, HeaderValue::from_static("close"));
        }
        (request, self.kind.purpose(self.attempts))
    }
}
