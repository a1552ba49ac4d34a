//! The tail-biting convolutional code of TS 36.212 section 5.1.3.1: 64 states, rate 1/3.

mod decoder;
mod encoder;

pub use decoder::ConvolutionalDecoder;
pub use encoder::encode;

/// The generators 133, 171 and 165 (octal), whose highest digit belongs to the newest bit.
const GENERATORS: [u32; 3] = [0o133, 0o171, 0o165];

/// The three coded bits of a register of seven bits, the newest highest.
fn coded(register: u32) -> [u8; 3] {
    GENERATORS.map(|generator| ((register & generator).count_ones() & 1) as u8)
}
