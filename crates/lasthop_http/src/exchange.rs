use http::Request;
use lasthop_contract::ConnectionId;

/// The ID of a request and its answer, never reused by a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ExchangeId {
    pub(crate) connection: ConnectionId,
    /// Which one it is of its connection.
    pub(crate) number: u64,
}

impl ExchangeId {
    /// The connection that it came by.
    #[must_use]
    pub const fn connection(self) -> ConnectionId {
        self.connection
    }
}

/// An event of a [`RequestServer`](crate::RequestServer).
#[derive(Debug)]
pub enum ServerEvent {
    /// A client asks; it is to be answered by [`RequestServer::respond`](crate::RequestServer::respond), now or later.
    Asked {
        /// What is answered.
        exchange: ExchangeId,
        /// What is asked, whole.
        request: Box<Request<Vec<u8>>>,
    },
    /// Nobody awaits the answer any more.
    Gone(ExchangeId),
}
