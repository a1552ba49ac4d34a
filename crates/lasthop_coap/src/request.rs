use lasthop_contract::{ConnectionId, FailureReason, Payload};

use crate::BlockSize;
use crate::block::Block;
use crate::codec::{Code, MessageType, OptionWriter, Token, option_number};

/// A CoAP request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoapRequest {
    /// Whether the request is confirmable. It has no effect on a stream.
    pub kind: MessageType,
    /// The method.
    pub code: Code,
    /// The path, with segments separated by `/`.
    pub path: String,
    /// The arguments.
    pub query: Vec<String>,
    /// The body. A large body is sent in blocks.
    pub payload: Vec<u8>,
    /// The format of the body.
    pub content_format: Option<u16>,
    /// The format that the client accepts.
    pub accept: Option<u16>,
    /// The entity tag of the representation that the client has. If it is still valid, the server need not send it
    /// again (RFC 7252 section 5.10.6.2).
    pub etag: Option<Token>,
    /// Whether to observe the resource (RFC 7641).
    pub observe: bool,
    /// The requested block size of the response, from the first block on (RFC 7959 section 2.4).
    pub block_size: Option<BlockSize>,
}

/// The ID of a request: its connection and its token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestId {
    pub(crate) connection: ConnectionId,
    pub(crate) token: Token,
}

/// An outcome of a request. An observation has a response for each notification.
#[derive(Debug)]
pub enum RequestEvent {
    /// The request was answered.
    Response(CoapResponse),
    /// The request failed.
    Failed {
        /// The request.
        request: RequestId,
        /// Why.
        reason: FailureReason,
    },
}

/// A response with its whole body.
#[derive(Debug)]
pub struct CoapResponse {
    /// The request of the response.
    pub request: RequestId,
    /// The code.
    pub code: Code,
    /// The body.
    pub payload: Payload,
    /// The format of the body.
    pub content_format: Option<u16>,
    /// The lifetime in seconds, if the response has one (RFC 7252 section 5.10.5).
    pub max_age: Option<u32>,
    /// The entity tag, if it has four bytes like those of lasthop servers.
    pub(crate) tag: Option<u32>,
    /// The sequence number of a notification (RFC 7641 section 3.4).
    pub observe: Option<u32>,
}

impl RequestEvent {
    /// Returns the request of the outcome.
    #[must_use]
    pub const fn request(&self) -> RequestId {
        match self {
            Self::Response(response) => response.request,
            Self::Failed { request, .. } => *request,
        }
    }
}

impl CoapRequest {
    /// Creates a request without a body.
    #[must_use]
    pub fn new(kind: MessageType, code: Code, path: &str) -> Self {
        Self {
            kind,
            code,
            path: path.into(),
            query: Vec::new(),
            payload: Vec::new(),
            content_format: None,
            accept: None,
            etag: None,
            observe: false,
            block_size: None,
        }
    }

    /// Returns the options for one of the messages of the request.
    pub(crate) fn options(
        &self,
        observe: Option<u32>,
        block1: Option<Block>,
        block2: Option<Block>,
        echo: Option<&[u8]>,
    ) -> OptionWriter {
        let mut options = OptionWriter::new();
        // The blocks behind the first are those of what is there now.
        let is_first = block2.is_none_or(|block| block.number == 0);
        if let Some(etag) = self.etag.filter(|_| is_first) {
            options.add(option_number::ETAG, etag.as_bytes());
        }
        if let Some(observe) = observe {
            options.add_number(option_number::OBSERVE, observe);
        }
        options.add_path(option_number::URI_PATH, &self.path);
        if let Some(format) = self.content_format.filter(|_| !self.payload.is_empty()) {
            options.add_number(option_number::CONTENT_FORMAT, format.into());
        }
        for argument in &self.query {
            options.add(option_number::URI_QUERY, argument.as_bytes());
        }
        if let Some(format) = self.accept {
            options.add_number(option_number::ACCEPT, format.into());
        }
        if let Some(block) = block2 {
            options.add_number(option_number::BLOCK2, block.to_bits());
        }
        if let Some(block) = block1 {
            options.add_number(option_number::BLOCK1, block.to_bits());
            if block.number == 0 {
                options.add_number(option_number::SIZE1, self.payload.len() as u32);
            }
        }
        if let Some(echo) = echo {
            options.add(option_number::ECHO, echo);
        }
        options
    }
}
