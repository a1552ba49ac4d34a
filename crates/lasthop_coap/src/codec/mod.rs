//! The message format of datagrams (RFC 7252 section 3), and the parts that streams share with it.

mod code;
mod message;
pub mod option_number;
mod options;
mod token;

pub use code::Code;
pub use message::{Content, Message, MessageError, MessageType};
pub use options::{Options, is_critical};
pub use token::Token;

pub(crate) use message::{FixedHeader, write_head};
pub(crate) use options::{Head, OptionWriter, PAYLOAD_MARKER, number_of};
