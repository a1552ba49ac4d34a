use http::Response;

/// Which exchange of its connection it is.
pub(crate) type ExchangeNumber = u64;

/// What came of reading from a connection of a client.
#[derive(Debug)]
pub(crate) enum Answer {
    /// Nothing yet.
    None,
    /// The answer to a request.
    Whole(ExchangeNumber, Response<Vec<u8>>),
    /// A request has no answer; whether the server says that it was not served.
    Lost(ExchangeNumber, bool),
    /// None will come any more, or what came is none: the connection is of no use.
    Ended,
}
