use super::{Interleaver, TAIL};

/// Encodes a block and returns its three streams: systematic, parity, and parity of the interleaved block. Each is
/// [`TAIL`] bits longer than the block.
///
/// # Panics
/// When the interleaver is of another size.
#[must_use]
pub fn encode(block: &[u8], interleaver: &Interleaver) -> [Vec<u8>; 3] {
    let places = interleaver.places();
    assert_eq!(block.len(), places.len(), "an interleaver of this size");
    let mut first = Encoder::default();
    let mut second = Encoder::default();
    let mut streams = [(); 3].map(|()| Vec::with_capacity(block.len() + TAIL));
    for (bit, place) in block.iter().zip(places) {
        streams[0].push(*bit);
        streams[1].push(first.step(*bit));
        streams[2].push(second.step(block[*place as usize]));
    }
    // Clause 5.1.3.2.2: each encoder sends three bits and their parities, spread over the streams.
    let tail: Vec<u8> = [first.terminated(), second.terminated()].concat();
    for (index, bit) in tail.into_iter().enumerate() {
        streams[index % 3].push(bit);
    }
    streams
}

/// A constituent encoder: feedback 1 + D^2 + D^3, forward 1 + D + D^3.
#[derive(Default)]
struct Encoder {
    /// The newest first.
    registers: [u8; 3],
}

impl Encoder {
    /// Takes a bit and gives its parity.
    fn step(&mut self, bit: u8) -> u8 {
        let [first, second, third] = self.registers;
        let fed_back = bit ^ second ^ third;
        self.registers = [fed_back, first, second];
        fed_back ^ first ^ third
    }

    /// Three bits that empty the registers, each followed by its parity.
    fn terminated(mut self) -> [u8; 6] {
        let mut bits = [0; 6];
        for pair in bits.chunks_exact_mut(2) {
            let [_, second, third] = self.registers;
            pair[0] = second ^ third;
            pair[1] = self.step(pair[0]);
        }
        bits
    }
}
