//! RRC and NAS messages: their sizes, and their order in each procedure.
//!
//! A [`Sequence`] is data: which message goes which way on which bearer, and what may go with it. Who walks it sends
//! each message through [`layer2`](crate::layer2) and waits for its arrival before the next.

mod answered_by;
mod connected_access;
mod message;
mod nas;
mod sequence;
mod step;

pub use answered_by::AnsweredBy;
pub use connected_access::connected_access_msg3;
pub use message::Message;
pub use nas::Nas;
pub use sequence::{DataPath, Sequence};
pub use step::{Step, With};
