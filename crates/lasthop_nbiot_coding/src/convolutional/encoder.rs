use super::coded;

/// The three streams of a block, each as long as it. The encoder starts as it will end.
///
/// # Panics
/// With a block shorter than the encoder's memory of six bits.
#[must_use]
pub fn encode(block: &[u8]) -> [Vec<u8>; 3] {
    assert!(block.len() >= 6, "a block fills the encoder's memory");
    let last_six = block[block.len() - 6..].iter();
    let mut state = last_six.fold(0, |state, bit| u32::from(*bit) << 5 | state >> 1);
    let mut streams = [(); 3].map(|()| Vec::with_capacity(block.len()));
    for bit in block {
        let register = u32::from(*bit) << 6 | state;
        for (stream, bit) in streams.iter_mut().zip(coded(register)) {
            stream.push(bit);
        }
        state = register >> 1;
    }
    streams
}
