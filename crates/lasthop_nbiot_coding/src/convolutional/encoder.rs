use super::coded;

/// Encodes a block and returns its three coded streams, each as long as the block. The encoder starts in its final
/// state.
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
