/// Text in UTF-8 that comes in pieces, cut anywhere (RFC 6455 section 8.1).
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Text {
    /// A character of which the last bytes have not come.
    begun: [u8; 4],
    have: u8,
}

impl Text {
    /// Goes on with these bytes; whether text can still come of it.
    pub(crate) fn goes_on(&mut self, mut bytes: &[u8]) -> bool {
        while self.have > 0
            && let Some((next, rest)) = bytes.split_first()
        {
            self.begun[usize::from(self.have)] = *next;
            self.have += 1;
            bytes = rest;
            match core::str::from_utf8(&self.begun[..usize::from(self.have)]) {
                Ok(_) => self.have = 0,
                Err(error) if error.error_len().is_some() => return false,
                Err(_) => {}
            }
        }
        let Err(error) = core::str::from_utf8(bytes) else {
            return true;
        };
        let rest = &bytes[error.valid_up_to()..];
        if error.error_len().is_some() {
            return false;
        }
        self.begun[..rest.len()].copy_from_slice(rest);
        self.have = rest.len() as u8;
        true
    }

    /// Whether no character is cut off.
    pub(crate) const fn is_whole(&self) -> bool {
        self.have == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_told_from_what_is_none_at_the_same_byte_wherever_it_is_cut() {
        for bytes in [
            "κόσμε, 水, 🦀".as_bytes(),
            b"\xce\xba\xe1\xbd\xb9\xed\xa0\x80edited",
            b"\xf4\x90\x80\x80",
            b"\xc0\xaf",
            b"\xf0\x9f",
            b"ok\xff",
        ] {
            let right = core::str::from_utf8(bytes);
            for size in 1..=bytes.len() {
                let mut text = Text::default();
                let fine = bytes.chunks(size).all(|piece| text.goes_on(piece));
                assert_eq!(fine && text.is_whole(), right.is_ok(), "{bytes:02x?}");
                // What may still become text is not refused before.
                let may = right.map_or_else(|it| it.error_len().is_none(), |_| true);
                assert_eq!(fine, may, "{bytes:02x?}");
            }
        }
    }
}
