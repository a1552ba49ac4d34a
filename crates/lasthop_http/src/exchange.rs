use http::Request;
use lasthop_contract::ConnectionId;

/// The ID of a request and its response, never reused by a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExchangeId {
    pub(crate) connection: ConnectionId,
    /// The number of the exchange in its connection.
    pub(crate) number: u64,
}

impl ExchangeId {
    /// Returns the connection of the exchange.
    #[must_use]
    pub const fn connection(self) -> ConnectionId {
        self.connection
    }
}

/// An event of a [`RequestServer`](crate::RequestServer).
#[derive(Debug)]
pub enum ServerEvent {
    /// A client sent a request, to be answered by [`RequestServer::respond`](crate::RequestServer::respond) now or
    /// later.
    Asked {
        /// What is answered.
        exchange: ExchangeId,
        /// What is asked, whole.
        request: Box<Request<Vec<u8>>>,
    },
    /// The client no longer waits for the response.
    Gone(ExchangeId),
}
