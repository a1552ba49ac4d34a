use core::fmt;

/// The code of a message: a class of three bits and a detail of five (RFC 7252 section 12.1, RFC 8323 section 11.1).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(pub u8);

impl Code {
    /// An empty message: neither request nor response (RFC 7252 section 4.1).
    pub const EMPTY: Self = Self::of(0, 0);
    /// Requests a representation (RFC 7252 section 5.8.1).
    pub const GET: Self = Self::of(0, 1);
    /// Sends data to a resource for processing (RFC 7252 section 5.8.2).
    pub const POST: Self = Self::of(0, 2);
    /// Creates or replaces a resource (RFC 7252 section 5.8.3).
    pub const PUT: Self = Self::of(0, 3);
    /// Removes a resource (RFC 7252 section 5.8.4).
    pub const DELETE: Self = Self::of(0, 4);
    /// A resource was created.
    pub const CREATED: Self = Self::of(2, 1);
    /// A resource was deleted.
    pub const DELETED: Self = Self::of(2, 2);
    /// The client's representation is still valid (RFC 7252 section 5.9.1.3).
    pub const VALID: Self = Self::of(2, 3);
    /// The request changed the resource.
    pub const CHANGED: Self = Self::of(2, 4);
    /// The response holds a representation.
    pub const CONTENT: Self = Self::of(2, 5);
    /// The block was accepted; the next one can follow (RFC 7959 section 2.9.1).
    pub const CONTINUE: Self = Self::of(2, 31);
    /// The request is invalid.
    pub const BAD_REQUEST: Self = Self::of(4, 0);
    /// The client must first prove its address (RFC 9175 section 2.3).
    pub const UNAUTHORIZED: Self = Self::of(4, 1);
    /// A critical option is not supported.
    pub const BAD_OPTION: Self = Self::of(4, 2);
    /// The client has no permission.
    pub const FORBIDDEN: Self = Self::of(4, 3);
    /// The resource does not exist.
    pub const NOT_FOUND: Self = Self::of(4, 4);
    /// The resource does not support the method.
    pub const METHOD_NOT_ALLOWED: Self = Self::of(4, 5);
    /// There is no representation in the requested format.
    pub const NOT_ACCEPTABLE: Self = Self::of(4, 6);
    /// Blocks are missing (RFC 7959 section 2.9.2).
    pub const REQUEST_ENTITY_INCOMPLETE: Self = Self::of(4, 8);
    /// A precondition of the request is not met.
    pub const PRECONDITION_FAILED: Self = Self::of(4, 12);
    /// The body is too large (RFC 7959 section 2.9.3).
    pub const REQUEST_ENTITY_TOO_LARGE: Self = Self::of(4, 13);
    /// An internal error.
    pub const INTERNAL_SERVER_ERROR: Self = Self::of(5, 0);
    /// The server is overloaded.
    pub const SERVICE_UNAVAILABLE: Self = Self::of(5, 3);
    /// The upstream server did not answer.
    pub const GATEWAY_TIMEOUT: Self = Self::of(5, 4);
    /// The server is not a proxy.
    pub const PROXYING_NOT_SUPPORTED: Self = Self::of(5, 5);
    /// Capabilities and settings (RFC 8323 section 5.3).
    pub const CSM: Self = Self::of(7, 1);
    /// Checks that the peer is alive (RFC 8323 section 5.4).
    pub const PING: Self = Self::of(7, 2);
    /// Answers a ping (RFC 8323 section 5.4).
    pub const PONG: Self = Self::of(7, 3);
    /// Announces an orderly end of the connection (RFC 8323 section 5.5).
    pub const RELEASE: Self = Self::of(7, 4);
    /// Ends the connection because of an error (RFC 8323 section 5.6).
    pub const ABORT: Self = Self::of(7, 5);

    /// Creates a code from a class (0 to 7) and a detail (0 to 31).
    #[must_use]
    pub const fn of(class: u8, detail: u8) -> Self {
        Self((class & 7) << 5 | detail & 31)
    }

    /// Returns the class: 0 requests, 2 success, 4 and 5 errors, 7 signals.
    #[must_use]
    pub const fn class(self) -> u8 {
        self.0 >> 5
    }

    /// Whether the code is a request.
    #[must_use]
    pub const fn is_request(self) -> bool {
        self.class() == 0 && self.0 != 0
    }

    /// Whether the code is a response.
    #[must_use]
    pub const fn is_response(self) -> bool {
        matches!(self.class(), 2 | 4 | 5)
    }

    /// Whether the code is a success response.
    #[must_use]
    pub const fn is_success(self) -> bool {
        self.class() == 2
    }

    /// Whether the code is a signal of a stream connection (RFC 8323 section 5).
    #[must_use]
    pub const fn is_signal(self) -> bool {
        self.class() == 7
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{:02}", self.class(), self.0 & 31)
    }
}
