//! Classification of packets: assigns to each byte its layer and purpose, from the bytes themselves.
//!
//! A [`CaptureReader`] gives the frames of a capture file; a [`Classifier`] takes IP packets, of whatever software, and
//! tells of each byte once; an [`Accountant`] does both, and adds up. All are machines without I/O. What cannot be read is
//! [`Opaque`](lasthop_contract::Cause::Opaque) in the layer that hides it.
//!
//! ```
//! use lasthop_classify::{Classifier, Sight};
//! use lasthop_units::Instant;
//!
//! let mut classifier = Classifier::new();
//! let ping = [0x45, 0, 0, 24, 0, 0, 0, 0, 64, 1, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2, 8, 0, 0, 0];
//! classifier.handle(Instant::ZERO, Sight::Unknown, &ping, ping.len());
//! let portion = classifier.poll().expect("a packet that is no part of a stream is told of at once");
//! assert_eq!(portion.bytes(), 24);
//! ```

mod account;
mod accountant;
mod capture;
mod capture_bill;
mod classifier;
mod conversation;
mod datagram;
mod fragments;
mod marks;
mod message_kind;
mod portion;
mod portion_log;
mod ports;
mod publication;
mod stream;
mod tcp;

pub use account::{Account, AccountRow};
pub use accountant::{Accountant, ConversationReport, Findings, TotalRow};
pub use capture::{CaptureError, CaptureReader, Frame};
pub use capture_bill::{BilledCapture, CaptureBill, SimTotal};
pub use classifier::Classifier;
pub use conversation::{Conversation, ConversationId, Protocol};
pub use message_kind::{MessageKind, MessageKinds};
pub use portion::{Portion, Remark, Sight};
pub use portion_log::PortionLog;
pub use publication::{Publication, publications};
