//! QPACK (RFC 9204): compression of field lines with a static and a dynamic table.

mod decoder;
mod encoder;
mod huffman;
mod integer;
mod static_table;
mod table;

pub use decoder::{Decoded, Decoder};
pub use encoder::{Encoded, Encoder};
pub use table::Field;

/// A QPACK error, which ends a connection (RFC 9204 section 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QpackError {
    /// A field section is invalid.
    Decompression = 0x200,
    /// The peer's encoder stream is invalid.
    EncoderStream = 0x201,
    /// The peer's decoder stream is invalid.
    DecoderStream = 0x202,
}

/// How a table is counted in the prefix of a section (RFC 9204 section 4.5.1.1).
const fn most_entries(capacity: usize) -> u64 {
    capacity as u64 / 32
}
