/// Finds the streams that a client resets, in its received bytes (RFC 9113 section 6.4).
#[derive(Debug)]
pub(super) struct Resets {
    header: Vec<u8>,
    /// What is left of the preface, or of the payload of a frame.
    rest: usize,
    found: Vec<u32>,
}

const HEADER_LENGTH: usize = 9;
const RST_STREAM: u8 = 3;

impl Resets {
    /// Creates the state for a client that sends a preface of this many bytes first.
    pub(super) const fn behind(preface: usize) -> Self {
        Self {
            header: Vec::new(),
            rest: preface,
            found: Vec::new(),
        }
    }

    /// Processes the next received bytes.
    pub(super) fn hear(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let skipped = self.rest.min(bytes.len());
            self.rest -= skipped;
            bytes = &bytes[skipped..];
            let missing = HEADER_LENGTH - self.header.len();
            let (start, behind) = bytes.split_at(missing.min(bytes.len()));
            self.header.extend_from_slice(start);
            bytes = behind;
            if let [high, middle, low, kind, _, ref stream @ ..] = self.header[..]
                && let Ok(stream) = <[u8; 4]>::try_from(stream)
            {
                self.rest = u32::from_be_bytes([0, high, middle, low]) as usize;
                if kind == RST_STREAM {
                    self.found.push(u32::from_be_bytes(stream) & 0x7fff_ffff);
                }
                self.header.clear();
            }
        }
    }

    /// Returns the streams that were reset since the last call.
    pub(super) fn take(&mut self) -> Vec<u32> {
        core::mem::take(&mut self.found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resets_are_found_however_the_bytes_are_cut() {
        let data = [0, 0, 4, 0, 1, 0, 0, 0, 1, 3, 3, 3, 3];
        let reset = |stream| [0, 0, 4, 3, 0, 0x80, 0, 0, stream, 0, 0, 0, 8];
        let bytes = [&b"PRI"[..], &data, &reset(7), &data, &reset(9)].concat();
        for piece in 1..=bytes.len() {
            let mut resets = Resets::behind(3);
            for part in bytes.chunks(piece) {
                resets.hear(part);
            }
            assert_eq!(resets.take(), [7, 9], "{piece}");
            assert_eq!(resets.take(), []);
        }
    }
}
