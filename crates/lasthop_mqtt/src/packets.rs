use crate::codec::{Frame, ReasonCode};

/// Whether the reader of a stream goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    Continue,
    /// The packets behind this one are for later.
    Pause,
    /// This one is for later, too.
    Keep,
    /// Nothing behind it is read.
    Stop,
}

/// Gives each packet that is complete with these bytes to `take`, and returns the beginning of the next one.
///
/// What is returned grew by what arrived, never by what a length claims.
///
/// # Errors
/// When the stream is malformed, or `take` says so of a packet.
#[inline]
pub(crate) fn take_packets(
    mut partial: Vec<u8>,
    bytes: &[u8],
    maximum: usize,
    mut take: impl FnMut(&Frame<'_>) -> Result<Flow, ReasonCode>,
) -> Result<Vec<u8>, ReasonCode> {
    let is_joined = !partial.is_empty();
    if is_joined {
        partial.extend_from_slice(bytes);
    }
    let all = if is_joined { &partial[..] } else { bytes };
    let mut used = 0;
    while let Some(frame) = Frame::split(&all[used..], maximum)? {
        let begins = used;
        used += frame.length;
        match take(&frame)? {
            Flow::Continue => {}
            Flow::Pause => break,
            Flow::Keep => {
                used = begins;
                break;
            }
            Flow::Stop => return Ok(Vec::new()),
        }
    }
    if used == all.len() {
        return Ok(Vec::new());
    }
    if is_joined {
        partial.drain(..used);
        Ok(partial)
    } else {
        Ok(bytes[used..].to_vec())
    }
}
