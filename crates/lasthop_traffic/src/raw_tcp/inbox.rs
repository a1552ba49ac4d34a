use lasthop_contract::Payload;
use thiserror::Error;

/// Cuts a byte stream into payloads. It holds no more than what has come of one payload.
#[derive(Debug, Default)]
pub(super) struct Inbox {
    bytes: Vec<u8>,
}

/// A stream that cannot be cut any further.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a payload of {0} B is announced; at most {MAX_PAYLOAD} B are taken")]
pub(super) struct FrameError(u32);

/// The largest payload.
pub(super) const MAX_PAYLOAD: usize = 64_000_000;

/// How many bytes say how long a payload is.
pub(super) const LENGTH: usize = 4;

impl Inbox {
    /// Takes bytes as they come; gives each payload that they complete.
    ///
    /// # Errors
    /// For an announced length above [`MAX_PAYLOAD`]; nothing after it can be read.
    pub(super) fn take(
        &mut self,
        bytes: &[u8],
        mut give: impl FnMut(Payload),
    ) -> Result<(), FrameError> {
        if self.bytes.is_empty() {
            let rest = cut(bytes, &mut give)?;
            self.bytes.extend_from_slice(rest);
            return Ok(());
        }
        self.bytes.extend_from_slice(bytes);
        let left = cut(&self.bytes, &mut give)?.len();
        if left == 0 {
            self.bytes = Vec::new();
        } else {
            self.bytes.drain(..self.bytes.len() - left);
        }
        Ok(())
    }
}

/// Gives every whole payload at the start of the bytes, and what is left behind them.
fn cut<'a>(mut bytes: &'a [u8], give: &mut impl FnMut(Payload)) -> Result<&'a [u8], FrameError> {
    while let Some((length, rest)) = bytes.split_first_chunk::<LENGTH>() {
        let announced = u32::from_be_bytes(*length);
        if announced as usize > MAX_PAYLOAD {
            return Err(FrameError(announced));
        }
        let Some((payload, behind)) = rest.split_at_checked(announced as usize) else {
            break;
        };
        give(Payload::copied_from(payload));
        bytes = behind;
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn payloads_of(pieces: &[&[u8]]) -> Result<Vec<Vec<u8>>, FrameError> {
        let (mut inbox, mut payloads) = (Inbox::default(), Vec::new());
        for piece in pieces {
            inbox.take(piece, |payload| payloads.push(payload.to_vec()))?;
        }
        Ok(payloads)
    }

    #[test]
    fn payloads_do_not_depend_on_how_the_stream_was_split() {
        let stream = b"\0\0\0\x03one\0\0\0\0\0\0\0\x05three\0\0\0\x01";
        let whole = vec![b"one".to_vec(), Vec::new(), b"three".to_vec()];
        for first in 0..=stream.len() {
            for second in first..=stream.len() {
                let pieces = [&stream[..first], &stream[first..second], &stream[second..]];
                assert_eq!(payloads_of(&pieces).as_ref(), Ok(&whole));
            }
        }
    }

    #[test]
    fn a_length_beyond_the_limit_is_refused_before_anything_is_held() {
        assert_eq!(payloads_of(&[b"\x04\0\0\0"]), Err(FrameError(67_108_864)));
        assert_eq!(
            payloads_of(&[b"\xff", b"\xff\xff\xff"]),
            Err(FrameError(u32::MAX))
        );
    }
}
