use core::ops::{Deref, Range};

use crate::{Cause, InterfaceId, Layer, Packet, Provenance};

/// Received application bytes, still in the buffer of their packet.
#[derive(Debug)]
pub struct Payload {
    packet: Packet,
    /// Hosts hold payloads for long, so the place takes no more memory than it needs.
    place: Range<u32>,
}

impl Payload {
    /// Creates a payload from a part of a packet.
    ///
    /// # Panics
    /// When the range does not lie inside the packet.
    #[must_use]
    pub fn new(packet: Packet, range: Range<usize>) -> Self {
        assert!(range.start <= range.end && range.end <= packet.length());
        let offset = |at: usize| u32::try_from(at).expect("a packet has less than 4 GiB");
        let place = offset(range.start)..offset(range.end);
        Self { packet, place }
    }

    /// Creates a payload from a copy of bytes, for example decrypted bytes or bytes of a stream.
    #[must_use]
    pub fn copied_from(bytes: &[u8]) -> Self {
        let opaque = Provenance::new(Layer::Application, Cause::Opaque);
        Self::new(Packet::of(bytes, opaque), 0..bytes.len())
    }

    /// Returns the packet that holds the bytes.
    #[must_use]
    pub fn into_packet(self) -> Packet {
        self.packet
    }

    /// Returns the interface by which the bytes arrived, if they arrived in a single packet.
    #[must_use]
    pub fn interface(&self) -> Option<InterfaceId> {
        self.packet.interface()
    }

    /// Returns a part of the payload.
    ///
    /// # Panics
    /// When the range does not lie inside these bytes.
    #[must_use]
    pub fn narrowed(self, range: Range<usize>) -> Self {
        assert!(range.end <= self.len());
        let start = self.place.start as usize;
        Self::new(self.packet, start + range.start..start + range.end)
    }
}

impl Deref for Payload {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.packet.bytes()[self.place.start as usize..self.place.end as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrows_relative_to_what_is_visible() {
        let payload = Payload::copied_from(b"header:body!").narrowed(7..12);
        assert_eq!(&*payload, b"body!");
        assert_eq!(&*payload.narrowed(0..4), b"body");
    }
}
