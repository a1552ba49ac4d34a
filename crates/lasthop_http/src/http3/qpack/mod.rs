//! QPACK (RFC 9204): field lines in few bytes, by a table that both ends know and one that they build.

mod decoder;
mod encoder;
mod huffman;
mod integer;
mod static_table;
mod table;

pub use decoder::{Decoded, Decoder};
pub use encoder::{Encoded, Encoder};
pub use table::Field;

/// An error in field lines that ends a connection (RFC 9204 section 6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QpackError {
    /// A field section cannot be read.
    Decompression = 0x200,
    /// What the peer's encoder says.
    EncoderStream = 0x201,
    /// What the peer's decoder says.
    DecoderStream = 0x202,
}

/// How a table is counted in the prefix of a section (RFC 9204 section 4.5.1.1).
const fn most_entries(capacity: usize) -> u64 {
    capacity as u64 / 32
}
