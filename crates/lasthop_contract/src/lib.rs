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
mod channel_set;
mod clock;
mod device_event;
mod event_log;
mod expectation;
#[doc(hidden)]
pub mod forward_transport;
mod handshakes;
mod held_bytes;
mod host;
pub mod ip_view;
mod key_log;
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
mod session_event;
mod sessions;
mod short_queue;
mod survives;
pub mod testing;
mod timer;
mod transport;
mod transport_error;
mod transport_event;
mod trigger;
mod wake_flag;

pub use application::{
    Application, ApplicationInput, ApplicationOutput, OutgoingMessage, Received, Refusal,
};
pub use channel_set::ChannelSet;
pub use clock::{Advance, Clock};
pub use device_event::{CrashReason, DeviceEvent};
pub use event_log::{begin_event_log, log_event, logging_events};
pub use expectation::{Awaited, Expectation};
pub use handshakes::Handshakes;
pub use held_bytes::HeldBytes;
pub use host::{Host, HostEvent, HostInput, HostOutput, InterfaceId, Mtu};
pub use ip_view::{IpView, TCP_PROTOCOL, UDP_PROTOCOL};
pub use key_log::{are_keys_noted, note_key, noting_keys};
pub use link::{BackgroundTraffic, DropReason, Link, LinkInput, LinkOutput, Port};
pub use lookup::{LookupMap, LookupSet};
pub use message::{CacheOutcome, DeviceId, FailureReason, FlowId, MessageEvent, MessageId};
pub use outbox::Outbox;
pub use packet::{Direction, Packet, PathId, Span, Spans};
pub use payload::Payload;
pub use provenance::{Cause, Layer, Provenance};
pub use radio::{RadioCause, RadioState};
pub use random::RandomStream;
pub use session_event::{SessionChange, SessionEvent};
pub use sessions::{ClientSessions, ServerSessions, TICKETS_A_PEER};
pub use short_queue::ShortQueue;
pub use survives::{Keeping, Survives};
pub use timer::TimerQueue;
pub use transport::{
    Chunk, ConnectionId, Held, OpenOptions, StreamId, StreamKind, Transport, TransportInput,
    TransportOutput,
};
pub use transport_error::{DatagramError, JoinError, ListenError, OpenError, StreamError};
pub use transport_event::{
    CloseReason, DiscardReason, Established, ReadOutcome, ResetReason, TransportEvent,
};
pub use trigger::{TimerSpan, Trigger};
pub use wake_flag::WakeFlag;
