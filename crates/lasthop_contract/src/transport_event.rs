use crate::{ConnectionId, StreamId, StreamKind, Transport};

/// An event of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransportEvent {
    /// The connection is established: opened by this end, or accepted.
    Established(Established),
    /// The peer opened a stream.
    StreamOpened(StreamId, StreamKind),
    /// The peer allows another stream, after [`Transport::open_stream`] was refused.
    StreamsAllowed,
    /// A stream has bytes to read, or has ended.
    Readable(StreamId),
    /// A stream accepts bytes again.
    Writable(StreamId),
    /// The peer has reset a stream, with an application code. The stream ID is invalid from now on.
    StreamReset(StreamId, u64),
    /// A datagram can be read.
    DatagramReadable,
    /// The peer has a new address, returned by [`Transport::peer`].
    Rebound,
    /// This end has a new address that the peer does not know yet.
    ///
    /// It concerns flows without a session and sessions that survive an address change.
    Moved,
    /// The connection is closed. Its ID is invalid from now on.
    Closed(CloseReason),
}

impl TransportEvent {
    /// Returns the bidirectional stream that begins with this event, at the end that accepted the connection.
    ///
    /// It is the stream that the connection came with, or one that the peer opened.
    pub fn new_stream(
        self,
        connection: ConnectionId,
        transport: &dyn Transport,
    ) -> Option<StreamId> {
        match self {
            Self::Established(_) => transport.initial_stream(connection),
            Self::StreamOpened(stream, StreamKind::Bidirectional) => Some(stream),
            _ => None,
        }
    }
}

/// How a connection was established.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Established {
    /// With a full handshake, or without any handshake.
    Full,
    /// By resuming an earlier session.
    Resumed,
    /// By resuming an earlier session, and the early data was accepted.
    Early,
}

/// Why a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CloseReason {
    /// Both ends finished.
    Finished,
    /// This end reset the connection.
    Reset(ResetReason),
    /// The peer reset the connection.
    PeerReset,
    /// The peer did not answer.
    TimedOut,
    /// The local address is gone and the programs were notified.
    AddressGone,
    /// The peer broke the protocol.
    PeerError,
    /// A layer of this end ended its session with this alert (RFC 8446 section 6).
    Refused(u8),
    /// The peer's layer ended its session with this alert.
    PeerAlert(u8),
    /// The connection ended without a closing alert: an attacker or an abrupt peer cut it.
    Truncated,
}

/// Why an application ends a connection at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResetReason {
    /// The peer has no further use for the connection.
    NotNeeded,
    /// The peer broke the application's protocol.
    PeerError,
    /// The code of this end panicked while it processed the connection. State of the connection may be inconsistent, so
    /// it is dropped without being used.
    Failed,
}

/// The result of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadOutcome {
    /// This many bytes, at least one.
    Read(usize),
    /// No data at the moment.
    Blocked,
    /// No more data: the peer has finished.
    Finished,
}

/// Why a host discarded a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DiscardReason {
    /// A length or a field is invalid.
    Malformed,
    /// The checksum is wrong: bytes changed on the way.
    BadChecksum,
    /// The destination address is not one of this host's.
    WrongAddress,
    /// No service listens on this port.
    PortUnreachable,
    /// The host does not support the protocol above IP.
    UnknownProtocol,
    /// The packet belongs to no connection.
    NoConnection,
    /// The sequence numbers are outside the window.
    OutOfWindow,
    /// The timestamp is older than the last one.
    OldTimestamp,
    /// The acknowledgement is outdated.
    OldAcknowledgement,
    /// The packet acknowledges data that was never sent.
    UnsentAcknowledged,
    /// The control bits are invalid in this state.
    UnexpectedFlags,
    /// The backlog of unestablished connections or the peer table is full.
    BacklogFull,
    /// The queue for the host's processor is full.
    QueueFull,
    /// The host is off.
    HostDown,
    /// The mailbox of the receiving task is full.
    MailboxFull,
    /// The host is out of memory.
    NoMemory,
    /// The packet belongs to a session that this end does not have.
    NoSession,
    /// No session has this connection ID.
    UnknownConnectionId,
    /// The record was received before, or is too old to check.
    Replayed,
    /// The session keys cannot decrypt the record.
    BadRecord,
}

impl DiscardReason {
    /// The name in result tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Malformed => "malformed",
            Self::BadChecksum => "bad_checksum",
            Self::WrongAddress => "wrong_address",
            Self::PortUnreachable => "port_unreachable",
            Self::UnknownProtocol => "unknown_protocol",
            Self::NoConnection => "no_connection",
            Self::OutOfWindow => "out_of_window",
            Self::OldTimestamp => "old_timestamp",
            Self::OldAcknowledgement => "old_acknowledgement",
            Self::UnsentAcknowledged => "unsent_acknowledged",
            Self::UnexpectedFlags => "unexpected_flags",
            Self::BacklogFull => "backlog_full",
            Self::QueueFull => "queue_full",
            Self::HostDown => "host_down",
            Self::MailboxFull => "mailbox_full",
            Self::NoMemory => "no_memory",
            Self::NoSession => "no_session",
            Self::UnknownConnectionId => "unknown_connection_id",
            Self::Replayed => "replayed",
            Self::BadRecord => "bad_record",
        }
    }
}
