//! The turbo code of TS 36.212 section 5.1.3.2: two recursive encoders of 8 states around an interleaver.

mod decoder;
mod encoder;
mod interleaver;
mod lanes;
mod soft_decoder;

pub use decoder::TurboDecoder;
pub use encoder::encode;
pub use interleaver::Interleaver;
pub use lanes::{LANES, Lanes};

/// The number of additional bits in each of the three streams, from the termination of both trellises.
pub const TAIL: usize = 4;
