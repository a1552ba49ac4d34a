//! Macros that forward methods of a transport to the one below.

#[doc(hidden)]
pub use lasthop_units::{Duration, Instant};

/// Methods of [`Transport`](crate::Transport) that do what those of another transport do: `forward_transport!(self => self.lower; listen peer)` in an
/// implementation, which writes out the others. With `all` in place of names it is every method.
#[macro_export]
macro_rules! forward_transport {
    ($self:ident => $lower:expr; all) => {
        $crate::forward_transport! {
            $self => $lower;
            handle poll open_with listen join initial_stream own_stream open_stream write read send_datagram expect expectation
            receive_datagram finish reset_stream prioritise outlast_streams close reset forget unanswered peer held local_address
        }
    };
    ($self:ident => $lower:expr; $($method:ident)+) => {
        $($crate::forward_transport!(@$method $self, $lower);)+
    };
    (@handle $self:ident, $lower:expr) => {
        #[inline]
        fn handle(&mut $self, now: $crate::forward_transport::Instant, input: $crate::TransportInput) {
            $lower.handle(now, input);
        }
    };
    (@poll $self:ident, $lower:expr) => {
        #[inline]
        fn poll(&mut $self, now: $crate::forward_transport::Instant) -> $crate::TransportOutput {
            $lower.poll(now)
        }
    };
    (@open_with $self:ident, $lower:expr) => {
        fn open_with(
            &mut $self,
            now: $crate::forward_transport::Instant,
            peer: ::core::net::SocketAddr,
            options: $crate::OpenOptions,
            early_data: &[$crate::Chunk<'_>],
        ) -> Result<$crate::ConnectionId, $crate::OpenError> {
            $lower.open_with(now, peer, options, early_data)
        }
    };
    (@listen $self:ident, $lower:expr) => {
        fn listen(&mut $self, port: u16) -> Result<(), $crate::ListenError> {
            $lower.listen(port)
        }
    };
    (@join $self:ident, $lower:expr) => {
        fn join(&mut $self, group: ::core::net::IpAddr, port: u16) -> Result<(), $crate::JoinError> {
            $lower.join(group, port)
        }
    };
    (@initial_stream $self:ident, $lower:expr) => {
        fn initial_stream(&$self, connection: $crate::ConnectionId) -> Option<$crate::StreamId> {
            $lower.initial_stream(connection)
        }
    };
    (@own_stream $self:ident, $lower:expr) => {
        fn own_stream(
            &mut $self,
            now: $crate::forward_transport::Instant,
            connection: $crate::ConnectionId,
        ) -> Result<$crate::StreamId, $crate::StreamError> {
            $lower.own_stream(now, connection)
        }
    };
    (@open_stream $self:ident, $lower:expr) => {
        fn open_stream(
            &mut $self,
            now: $crate::forward_transport::Instant,
            connection: $crate::ConnectionId,
            kind: $crate::StreamKind,
        ) -> Result<$crate::StreamId, $crate::StreamError> {
            $lower.open_stream(now, connection, kind)
        }
    };
    (@write $self:ident, $lower:expr) => {
        #[inline]
        fn write(
            &mut $self,
            now: $crate::forward_transport::Instant,
            connection: $crate::ConnectionId,
            stream: $crate::StreamId,
            chunks: &[$crate::Chunk<'_>],
        ) -> Result<usize, $crate::StreamError> {
            $lower.write(now, connection, stream, chunks)
        }
    };
    (@read $self:ident, $lower:expr) => {
        #[inline]
        fn read(
            &mut $self,
            now: $crate::forward_transport::Instant,
            connection: $crate::ConnectionId,
            stream: $crate::StreamId,
            into: &mut [u8],
        ) -> Result<$crate::ReadOutcome, $crate::StreamError> {
            $lower.read(now, connection, stream, into)
        }
    };
    (@send_datagram $self:ident, $lower:expr) => {
        #[inline]
        fn send_datagram(
            &mut $self,
            now: $crate::forward_transport::Instant,
            connection: $crate::ConnectionId,
            chunks: &[$crate::Chunk<'_>],
        ) -> Result<(), $crate::DatagramError> {
            $lower.send_datagram(now, connection, chunks)
        }
    };
    (@expectation $self:ident, $lower:expr) => {
        fn expectation(&$self, awaited: $crate::Awaited) -> Option<$crate::Expectation> {
            $lower.expectation(awaited)
        }
    };
    (@expect $self:ident, $lower:expr) => {
        fn expect(&mut $self, connection: $crate::ConnectionId, expectation: $crate::Expectation) {
            $lower.expect(connection, expectation);
        }
    };
    (@receive_datagram $self:ident, $lower:expr) => {
        #[inline]
        fn receive_datagram(&mut $self, connection: $crate::ConnectionId) -> Option<$crate::Payload> {
            $lower.receive_datagram(connection)
        }
    };
    (@finish $self:ident, $lower:expr) => {
        fn finish(&mut $self, now: $crate::forward_transport::Instant, connection: $crate::ConnectionId, stream: $crate::StreamId) {
            $lower.finish(now, connection, stream);
        }
    };
    (@reset_stream $self:ident, $lower:expr) => {
        fn reset_stream(
            &mut $self,
            now: $crate::forward_transport::Instant,
            connection: $crate::ConnectionId,
            stream: $crate::StreamId,
            code: u64,
        ) -> Result<(), $crate::StreamError> {
            $lower.reset_stream(now, connection, stream, code)
        }
    };
    (@prioritise $self:ident, $lower:expr) => {
        fn prioritise(&mut $self, connection: $crate::ConnectionId, stream: $crate::StreamId, priority: i32) {
            $lower.prioritise(connection, stream, priority);
        }
    };
    (@outlast_streams $self:ident, $lower:expr) => {
        fn outlast_streams(&mut $self, connection: $crate::ConnectionId) {
            $lower.outlast_streams(connection);
        }
    };
    (@close $self:ident, $lower:expr) => {
        fn close(&mut $self, now: $crate::forward_transport::Instant, connection: $crate::ConnectionId, code: u64) {
            $lower.close(now, connection, code);
        }
    };
    (@reset $self:ident, $lower:expr) => {
        fn reset(&mut $self, now: $crate::forward_transport::Instant, connection: $crate::ConnectionId, reason: $crate::ResetReason) {
            $lower.reset(now, connection, reason);
        }
    };
    (@forget $self:ident, $lower:expr) => {
        fn forget(&mut $self, now: $crate::forward_transport::Instant, connection: $crate::ConnectionId) {
            $lower.forget(now, connection);
        }
    };
    (@unanswered $self:ident, $lower:expr) => {
        fn unanswered(
            &mut $self,
            now: $crate::forward_transport::Instant,
            connection: $crate::ConnectionId,
            waited: $crate::forward_transport::Duration,
        ) {
            $lower.unanswered(now, connection, waited);
        }
    };
    (@peer $self:ident, $lower:expr) => {
        fn peer(&$self, connection: $crate::ConnectionId) -> Option<::core::net::SocketAddr> {
            $lower.peer(connection)
        }
    };
    (@held $self:ident, $lower:expr) => {
        fn held(&$self) -> $crate::Held {
            $lower.held()
        }
    };
    (@local_address $self:ident, $lower:expr) => {
        fn local_address(
            &$self,
            towards: ::core::net::IpAddr,
            by: Option<$crate::InterfaceId>,
        ) -> Option<::core::net::IpAddr> {
            $lower.local_address(towards, by)
        }
    };
}
