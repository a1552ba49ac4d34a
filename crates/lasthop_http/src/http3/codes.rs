//! Error codes of streams and connections (RFC 9114 section 8.1).

/// An error code that ends a connection or a stream.
pub(super) type Code = u64;

pub(super) const NO_ERROR: Code = 0x100;
pub(super) const GENERAL_PROTOCOL_ERROR: Code = 0x101;
pub(super) const STREAM_CREATION_ERROR: Code = 0x103;
pub(super) const CLOSED_CRITICAL_STREAM: Code = 0x104;
pub(super) const FRAME_UNEXPECTED: Code = 0x105;
pub(super) const FRAME_ERROR: Code = 0x106;
pub(super) const EXCESSIVE_LOAD: Code = 0x107;
pub(super) const ID_ERROR: Code = 0x108;
pub(super) const SETTINGS_ERROR: Code = 0x109;
pub(super) const MISSING_SETTINGS: Code = 0x10a;
pub(super) const REQUEST_REJECTED: Code = 0x10b;
pub(super) const REQUEST_INCOMPLETE: Code = 0x10d;
pub(super) const MESSAGE_ERROR: Code = 0x10e;
