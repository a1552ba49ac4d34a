//! Traffic: the schedules and payloads of messages, and plain protocols that carry them.
//!
//! [`Traffic`] is an application over an application: it makes messages on a schedule, or each a time after
//! the last one has ended, and gives them to the protocol below, whatever that is.

mod gateway;
pub mod json_udp;
mod parts;
mod payload_encoding;
mod payload_template;
mod plan;
pub mod raw_tcp;
pub mod raw_udp;
mod reaction;
mod renewing;
mod report;
mod schedule;
mod source;
mod traffic;

pub use gateway::{Gateway, Inlet, Outlet, PassingOn};
pub use payload_encoding::Encoding;
pub use payload_template::{PayloadError, PayloadTemplate};
pub use plan::{FlowKind, Part, PlannedFlows, TrafficPlan};
pub use reaction::{Planned, Reaction};
pub use renewing::{Renewal, Renewing};
pub use schedule::{Arrivals, Grouping, Pausing, Schedule};
pub use traffic::{Origin, Traffic};
