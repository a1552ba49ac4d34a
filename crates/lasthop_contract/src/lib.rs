//! What the parts of a run are to each other.
//!
//! Everything that reacts to packets and time is a *machine*: a value with no socket, no clock and no
//! randomness of its own. One rule holds for every machine here: after each `handle`, call `poll` until it
//! answers `WaitUntil`. The deadline that it names replaces the one it named before.
//!
//! A [`Host`] has addresses and speaks packets; a [`Link`] carries packets between ports; a [`Transport`]
//! gives connections, streams and datagrams, over packets or over another transport; an [`Application`]
//! sees only a transport.

mod application;
mod boxed_transport;
mod clock;
mod expectation;
mod host;
mod link;
mod lookup;
mod message;
pub mod message_text;
mod outbox;
mod packet;
mod payload;
mod provenance;
mod radio;
mod random;
mod short_queue;
pub mod testing;
mod ticket;
mod timer;
mod transport;
mod trigger;

pub use application::{
    Application, ApplicationInput, ApplicationOutput, OutgoingMessage, Received,
};
pub use clock::{Advance, Clock};
pub use expectation::Expectation;
pub use host::{Host, HostEvent, HostInput, HostOutput, InterfaceId};
pub use link::{DropReason, Link, LinkInput, LinkOutput, Port};
pub use lookup::{LookupMap, LookupSet};
pub use message::{FailureReason, FlowId, MessageEvent, MessageId};
pub use outbox::Outbox;
pub use packet::{Direction, Packet, Span, Spans};
pub use payload::Payload;
pub use provenance::{Cause, Layer, Provenance};
pub use radio::{RadioCause, RadioState};
pub use random::RandomStream;
pub use short_queue::ShortQueue;
pub use ticket::TicketStore;
pub use timer::TimerQueue;
pub use transport::{
    Chunk, CloseReason, ConnectionId, DatagramError, DiscardReason, Established, ListenError,
    OpenError, ReadOutcome, ResetReason, StreamError, StreamId, Transport, TransportEvent,
    TransportInput, TransportOutput,
};
pub use trigger::{TimerSpan, Trigger};
