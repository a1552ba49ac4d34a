//! The traits and types that the parts of a run share.
//!
//! Everything that reacts to packets and time is a *machine*. A machine has no socket, no clock and no random numbers
//! of its own: time and randomness are arguments.
//!
//! - A [`Host`] has addresses. It sends and receives packets.
//! - A [`Link`] carries packets between ports.
//! - A [`Transport`] offers connections, streams and datagrams, over packets or over another transport.
//! - An [`Application`] uses a transport only.
//!
//! # Order of calls
//!
//! 1. Call `handle` with what happened, and the time at which it happened. An application also gets its transport.
//! 2. Call `poll` until it returns `WaitUntil`. Each other output must be executed before the next `poll`.
//! 3. Wait until the deadline of `WaitUntil`, or until something else happens. The deadline replaces the one before.
//!    `None` waits for input only.
//! 4. At the deadline, call `handle` with `Timeout`.
//!
//! # Example
//!
//! ```
//! use lasthop_contract::testing::WireEnd;
//! use lasthop_contract::{Transport, TransportEvent, TransportOutput};
//! use lasthop_units::Instant;
//!
//! let now = Instant::ZERO;
//! let (mut client, mut server, _wire) = WireEnd::pair();
//! server.listen(1883)?;
//! client.open(now, "10.0.0.2:1883".parse()?, &[])?;
//!
//! let mut accepted = 0;
//! loop {
//!     match server.poll(now) {
//!         TransportOutput::Event(_, TransportEvent::Established(_)) => accepted += 1,
//!         TransportOutput::WaitUntil(_) => break,
//!         _ => {}
//!     }
//! }
//! assert_eq!(accepted, 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

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
