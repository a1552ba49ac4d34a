use crate::{ConnectionId, StreamId, StreamKind, Transport};

/// What happens to a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TransportEvent {
    /// It is there: opened by us, or accepted.
    Established(Established),
    /// The peer opened a stream.
    StreamOpened(StreamId, StreamKind),
    /// The peer allows another stream, after [`Transport::open_stream`] was refused.
    StreamsAllowed,
    /// A stream has bytes, or has ended.
    Readable(StreamId),
    /// A stream takes bytes again.
    Writable(StreamId),
    /// The peer gave a stream up, with its application's code; its id means nothing any more.
    StreamReset(StreamId, u64),
    /// A datagram waits.
    DatagramReadable,
    /// The peer is at another address now, as [`Transport::peer`] says.
    Rebound,
    /// This end is at another address now, and the peer does not know it yet: of flows without a session, and of sessions
    /// that outlive an address.
    Moved,
    /// It is gone; its id means nothing any more.
    Closed(CloseReason),
}

impl TransportEvent {
    /// The stream that both ends write to which is there from this event on, at the end that accepted the connection: the
    /// one that the connection came with, or one that the peer opened.
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

/// How a connection came about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Established {
    /// By a full handshake, or with none at all.
    Full,
    /// From an earlier session.
    Resumed,
    /// From an earlier session, and the early data was taken.
    Early,
}

/// Why a connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CloseReason {
    /// Both ends were done.
    Finished,
    /// We reset it.
    Reset(ResetReason),
    /// The peer reset it.
    PeerReset,
    /// The peer did not answer.
    TimedOut,
    /// The address of this end is gone, and its programs were told.
    AddressGone,
    /// The peer broke the protocol.
    PeerError,
    /// A layer here ended its session with this alert (RFC 8446 section 6).
    Refused(u8),
    /// The peer's layer ended its session with this alert.
    PeerAlert(u8),
    /// What carried a secured session ended without its closing alert: by an attacker, or a peer in a hurry.
    Truncated,
}

/// Why an application ends a connection at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResetReason {
    /// It has no further use for it.
    NotNeeded,
    /// The peer broke the application's protocol.
    PeerError,
    /// Something here panicked over it. What is held for it may be half changed, so it is dropped and not asked.
    Failed,
}

/// What a read gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadOutcome {
    /// This many bytes, at least one.
    Read(usize),
    /// None now.
    Blocked,
    /// None ever: the peer has finished.
    Finished,
}

/// Why a packet was of no use to a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DiscardReason {
    /// A length or a field that cannot be.
    Malformed,
    /// The bytes changed on the way.
    BadChecksum,
    /// It is for another address.
    WrongAddress,
    /// Nobody listens at this port.
    PortUnreachable,
    /// A protocol above IP that the host does not speak.
    UnknownProtocol,
    /// It belongs to no connection.
    NoConnection,
    /// Its sequence numbers lie outside the window.
    OutOfWindow,
    /// Its time stamp is older than the last one.
    OldTimestamp,
    /// It acknowledges what was acknowledged long ago.
    OldAcknowledgement,
    /// It acknowledges what was never sent.
    UnsentAcknowledged,
    /// Control bits that make no sense here.
    UnexpectedFlags,
    /// Too many connections wait to be established, or there is no room for another peer.
    BacklogFull,
    /// So much waits for the host's processor that there is no room.
    QueueFull,
    /// The host is off.
    HostDown,
    /// The task that it is for has not taken what came before, and has room for no more.
    MailboxFull,
    /// The host has no memory for it.
    NoMemory,
    /// It is sealed for a session that this end does not have.
    NoSession,
    /// It carries a connection ID that no session has.
    UnknownConnectionId,
    /// Its record was received before, or is too old to tell.
    Replayed,
    /// Its record cannot be opened by the keys of its session.
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
