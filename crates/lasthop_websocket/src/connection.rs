use lasthop_contract::{
    Cause, Chunk, CloseReason, ConnectionId, Established, Outbox, Provenance, Transport,
};
use lasthop_units::Instant;

use crate::frame::Opcode;
use crate::inbound::Inbound;
use crate::messages::MessageKind;
use crate::outbound::Outbound;

/// One WebSocket.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) outbox: Outbox,
    pub(crate) inbound: Inbound,
    pub(crate) phase: Phase,
    /// Whether it was opened here: what this end sends is masked.
    pub(crate) is_client: bool,
    /// The one above waits until more is taken.
    pub(crate) is_full: bool,
    /// A close frame has left, behind which nothing comes (RFC 6455 section 5.5.1).
    pub(crate) has_closed: bool,
    /// Nothing is read for the one above any more: a close frame has come, or the connection was failed.
    pub(crate) is_over: bool,
    /// How it ended, where that was not by two close frames.
    pub(crate) verdict: Option<CloseReason>,
    /// When it has waited for long enough.
    pub(crate) deadline: Option<Instant>,
}

/// How far the opening handshake is.
#[derive(Debug)]
pub(crate) enum Phase {
    /// The client waits for the response.
    Asking(Box<Asking>),
    /// The server waits for the request; what has come of it.
    Awaiting(Vec<u8>),
    /// The server has refused; nobody above knows of it.
    Refused,
    /// It is done.
    Open,
}

/// What a client remembers until the response is there.
#[derive(Debug)]
pub(crate) struct Asking {
    /// What the server must show.
    pub(crate) accept: String,
    /// How the connection below came about.
    pub(crate) established: Established,
    /// What has come of the response.
    pub(crate) head: Vec<u8>,
    /// What leaves once the connection is open: no client may send before (RFC 6455 section 4.1).
    pub(crate) early: Vec<(Provenance, Vec<u8>)>,
}

impl Connection {
    pub(crate) fn new(outbox: Outbox, phase: Phase, takes_text: bool, deadline: Instant) -> Self {
        let is_client = matches!(phase, Phase::Asking(_));
        Self {
            outbox,
            inbound: Inbound::new(!is_client, takes_text),
            phase,
            is_client,
            is_full: false,
            has_closed: false,
            is_over: false,
            verdict: None,
            deadline: Some(deadline),
        }
    }

    /// Whether the one above knows of it: it opened it, or was told.
    pub(crate) const fn is_known(&self) -> bool {
        matches!(self.phase, Phase::Asking(_) | Phase::Open)
    }

    /// Whether messages go both ways.
    pub(crate) const fn is_open(&self) -> bool {
        matches!(self.phase, Phase::Open)
    }

    /// Sends a message.
    pub(crate) fn send(
        &mut self,
        now: Instant,
        id: ConnectionId,
        kind: MessageKind,
        parts: &[Chunk<'_>],
        outbound: &mut Outbound,
        lower: &mut dyn Transport,
    ) {
        let outbox = &mut self.outbox;
        outbound.message(self.is_client, kind, parts, |chunks| {
            outbox.write(now, lower, id, chunks);
        });
    }

    /// Sends a control frame.
    pub(crate) fn control(
        &mut self,
        now: Instant,
        id: ConnectionId,
        (opcode, payload, cause): (Opcode, &[u8], Cause),
        outbound: &mut Outbound,
        lower: &mut dyn Transport,
    ) {
        let outbox = &mut self.outbox;
        outbound.control(self.is_client, opcode, payload, cause, |chunks| {
            outbox.write(now, lower, id, chunks);
        });
    }
}
