use super::ReasonCode;

/// Reads the data types of MQTT 5 §1.5 from a packet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'a> {
    rest: &'a [u8],
}

const MALFORMED: ReasonCode = ReasonCode::MALFORMED_PACKET;

impl<'a> Reader<'a> {
    pub(crate) const fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// Returns the remaining bytes.
    pub(crate) const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    #[inline]
    pub(crate) fn u8(&mut self) -> Result<u8, ReasonCode> {
        let (first, rest) = self.rest.split_first().ok_or(MALFORMED)?;
        self.rest = rest;
        Ok(*first)
    }

    #[inline]
    pub(crate) fn u16(&mut self) -> Result<u16, ReasonCode> {
        self.array().map(u16::from_be_bytes)
    }

    pub(crate) fn u32(&mut self) -> Result<u32, ReasonCode> {
        self.array().map(u32::from_be_bytes)
    }

    /// Reads a packet identifier, which is not 0 (MQTT-2.2.1-3; in 3.1.1 MQTT-2.3.1-1).
    pub(crate) fn packet_id(&mut self) -> Result<u16, ReasonCode> {
        match self.u16()? {
            0 => Err(ReasonCode::PROTOCOL_ERROR),
            id => Ok(id),
        }
    }

    /// Reads a variable byte integer in its shortest form (MQTT-1.5.5-1).
    pub(crate) fn variable(&mut self) -> Result<u32, ReasonCode> {
        let (value, length) = variable(self.rest)?.ok_or(MALFORMED)?;
        self.rest = &self.rest[length..];
        Ok(value)
    }

    /// Reads well-formed UTF-8 text without U+0000 (MQTT-1.5.4-1 and -2).
    pub(crate) fn string(&mut self) -> Result<&'a str, ReasonCode> {
        let text = self.topic()?;
        if text.contains('\0') {
            return Err(MALFORMED);
        }
        Ok(text)
    }

    /// Reads the text of a topic name. The caller checks for U+0000 and the other forbidden characters.
    #[inline]
    pub(crate) fn topic(&mut self) -> Result<&'a str, ReasonCode> {
        core::str::from_utf8(self.binary()?).map_err(|_| MALFORMED)
    }

    #[inline]
    pub(crate) fn binary(&mut self) -> Result<&'a [u8], ReasonCode> {
        let length = self.u16()?;
        self.take(usize::from(length))
    }

    #[inline]
    pub(crate) fn take(&mut self, length: usize) -> Result<&'a [u8], ReasonCode> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(MALFORMED)?;
        self.rest = rest;
        Ok(taken)
    }

    /// Checks that no bytes remain.
    pub(crate) const fn finish(self) -> Result<(), ReasonCode> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(MALFORMED)
        }
    }

    #[inline]
    fn array<const N: usize>(&mut self) -> Result<[u8; N], ReasonCode> {
        let (first, rest) = self.rest.split_first_chunk().ok_or(MALFORMED)?;
        self.rest = rest;
        Ok(*first)
    }
}

/// Reads the variable byte integer at the start of the bytes (MQTT 5 §1.5.5). Returns its value and length, or `None`
/// if bytes are missing.
#[inline]
pub(crate) fn variable(bytes: &[u8]) -> Result<Option<(u32, usize)>, ReasonCode> {
    let mut value = 0;
    for (place, byte) in bytes.iter().take(4).enumerate() {
        value |= u32::from(byte & 0x7f) << (7 * place);
        if byte & 0x80 == 0 {
            let is_shortest = *byte != 0 || place == 0;
            return is_shortest
                .then_some(Some((value, place + 1)))
                .ok_or(MALFORMED);
        }
    }
    if bytes.len() < 4 {
        Ok(None)
    } else {
        Err(MALFORMED)
    }
}
