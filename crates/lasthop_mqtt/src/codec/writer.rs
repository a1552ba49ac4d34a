use smallvec::SmallVec;

use super::Version;

/// Bytes of an outgoing packet. Most packets fit without an allocation.
pub(crate) type Bytes = SmallVec<[u8; 128]>;

/// Returns a PINGREQ (MQTT 5 §3.12).
#[must_use]
pub const fn pingreq() -> [u8; 2] {
    [0xc0, 0]
}

/// Returns a PINGRESP (MQTT 5 §3.13).
#[must_use]
pub const fn pingresp() -> [u8; 2] {
    [0xd0, 0]
}

/// Returns a whole packet from its first byte and the bytes after the fixed header.
pub(crate) fn packet(first: u8, body: &[u8]) -> Bytes {
    let mut bytes = Bytes::new();
    bytes.push(first);
    put_variable(&mut bytes, body.len() as u32);
    bytes.extend_from_slice(body);
    bytes
}

#[inline]
pub(crate) fn put_u16(bytes: &mut Bytes, value: u16) {
    bytes.extend_from_slice(&value.to_be_bytes());
}

/// Appends a variable byte integer (MQTT 5 §1.5.5).
#[inline]
pub(crate) fn put_variable(bytes: &mut Bytes, mut value: u32) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

/// Returns the number of bytes that [`put_variable`] appends.
pub(crate) const fn variable_length(value: u32) -> usize {
    match value {
        0..0x80 => 1,
        0x80..0x4000 => 2,
        0x4000..0x20_0000 => 3,
        _ => 4,
    }
}

/// Appends a string or binary data. Data beyond the length limit is cut; callers never exceed it.
#[inline]
pub(crate) fn put_binary(bytes: &mut Bytes, data: &[u8]) {
    let data = &data[..data.len().min(usize::from(u16::MAX))];
    put_u16(bytes, data.len() as u16);
    bytes.extend_from_slice(data);
}

/// Properties of an outgoing packet. In 3.1.1 nothing is written.
#[derive(Debug, Default)]
pub(crate) struct PropertyWriter {
    bytes: Bytes,
}

impl PropertyWriter {
    pub(crate) fn one(&mut self, id: u8, value: u8) {
        self.bytes.extend_from_slice(&[id, value]);
    }

    pub(crate) fn two(&mut self, id: u8, value: u16) {
        self.bytes.push(id);
        put_u16(&mut self.bytes, value);
    }

    pub(crate) fn four(&mut self, id: u8, value: u32) {
        self.bytes.push(id);
        self.bytes.extend_from_slice(&value.to_be_bytes());
    }

    pub(crate) fn variable(&mut self, id: u8, value: u32) {
        self.bytes.push(id);
        put_variable(&mut self.bytes, value);
    }

    pub(crate) fn text(&mut self, id: u8, value: &str) {
        self.bytes.push(id);
        put_binary(&mut self.bytes, value.as_bytes());
    }

    /// Appends properties that are already in wire format.
    pub(crate) fn raw(&mut self, properties: &[u8]) {
        self.bytes.extend_from_slice(properties);
    }

    pub(crate) fn put(&self, version: Version, into: &mut Bytes) {
        if version == Version::V5 {
            put_variable(into, self.bytes.len() as u32);
            into.extend_from_slice(&self.bytes);
        }
    }

    /// Returns the number of bytes that [`put`](Self::put) appends.
    pub(crate) fn length(&self, version: Version) -> usize {
        match version {
            Version::V3_1_1 => 0,
            Version::V5 => variable_length(self.bytes.len() as u32) + self.bytes.len(),
        }
    }
}
