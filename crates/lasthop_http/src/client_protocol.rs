use http::Response;

/// The number of an exchange in its connection.
pub(crate) type ExchangeNumber = u64;

/// The result of reading from a client connection.
#[derive(Debug)]
pub(crate) enum Answer {
    /// No response yet.
    None,
    /// The response to a request.
    Whole(ExchangeNumber, Response<Vec<u8>>),
    /// A request failed. The flag tells whether the server declared that it was not processed.
    Lost(ExchangeNumber, bool),
    /// The connection is unusable: it has ended, or the received bytes are invalid.
    Ended,
}
