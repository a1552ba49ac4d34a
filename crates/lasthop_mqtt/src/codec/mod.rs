//! The packets of MQTT 3.1.1 and 5: parsers that borrow received bytes, and writers.
//!
//! Reading allocates nothing for a length that is only claimed, and refuses all that the standards call malformed.

mod acknowledgement;
mod connack;
mod connect;
mod disconnect;
mod frame;
mod property;
mod publish;
mod reader;
mod reason;
mod subscribe;
mod version;
mod writer;

pub use acknowledgement::{Acknowledgement, AcknowledgementKind};
pub use connack::Connack;
pub use connect::{Connect, ConnectError, Will};
pub use disconnect::Disconnect;
pub use frame::{Frame, MAX_PACKET_SIZE, PacketType};
pub use publish::{Publish, PublishHead};
pub use reason::ReasonCode;
pub use subscribe::{Suback, Subscribe, Unsubscribe};
pub use version::Version;
pub use writer::{pingreq, pingresp};
