/// Parses the TLS messages in a stream of handshake bytes (RFC 8446 section 4), in pieces of any size.
#[derive(Debug, Default)]
pub(crate) struct Messages {
    /// Of a message whose length is not known yet.
    header: [u8; HEADER_LENGTH],
    known: usize,
    /// How many bytes of the present message are to come.
    rest: usize,
}

const HEADER_LENGTH: usize = 4;
/// The type of the Certificate message (RFC 8446 section 4.4.2).
pub(crate) const CERTIFICATE: u8 = 11;

impl Messages {
    /// Parses the next bytes. Calls `tell` with the type of each message, once its length is known.
    pub(crate) fn feed(&mut self, mut bytes: &[u8], mut tell: impl FnMut(u8)) {
        while !bytes.is_empty() {
            let taken = if self.rest > 0 {
                let taken = self.rest.min(bytes.len());
                self.rest -= taken;
                taken
            } else {
                if self.known == HEADER_LENGTH {
                    self.known = 0;
                }
                let taken = (HEADER_LENGTH - self.known).min(bytes.len());
                self.header[self.known..self.known + taken].copy_from_slice(&bytes[..taken]);
                self.known += taken;
                if self.known == HEADER_LENGTH {
                    let [kind, high, middle, low] = self.header;
                    self.rest = u32::from_be_bytes([0, high, middle, low]) as usize;
                    tell(kind);
                }
                taken
            };
            bytes = &bytes[taken..];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_found_wherever_the_bytes_are_cut() {
        let hello = [&[1, 0, 0, 3][..], &[7; 3]].concat();
        let certificate = [&[CERTIFICATE, 0, 1, 2][..], &[8; 258]].concat();
        let finished = [&[20, 0, 0, 0][..]].concat();
        let all = [&hello[..], &certificate, &finished, &hello].concat();
        for cut in 0..all.len() {
            let (mut messages, mut found) = (Messages::default(), Vec::new());
            for part in [&all[..cut], &all[cut..]] {
                messages.feed(part, |message| found.push(message));
            }
            assert_eq!(found, [1, CERTIFICATE, 20, 1], "{cut}");
        }
    }
}
