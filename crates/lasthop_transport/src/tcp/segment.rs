use core::net::SocketAddr;

use lasthop_contract::{DiscardReason, InterfaceId, Packet, Provenance};

use super::options::Options;
use super::sequence::Seq;
use crate::TCP_PROTOCOL;
use crate::ip::{self, IpPacket};

/// A received segment: a checked view on the bytes of a packet (RFC 9293 section 3.1).
#[derive(Debug)]
pub(crate) struct Segment<'a> {
    /// Who sent it.
    pub(crate) source: SocketAddr,
    /// Whom it is for.
    pub(crate) destination: SocketAddr,
    pub(crate) seq: Seq,
    pub(crate) ack: Seq,
    pub(crate) flags: Flags,
    /// The window as it stands there, not shifted yet.
    pub(crate) window: u16,
    pub(crate) options: Options,
    pub(crate) payload: &'a [u8],
    /// By which it came.
    pub(crate) interface: Option<InterfaceId>,
}

/// The control bits of a header, urgent and congestion bits left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Flags(pub(crate) u8);

impl Flags {
    pub(crate) const FIN: Self = Self(0x01);
    pub(crate) const SYN: Self = Self(0x02);
    pub(crate) const RST: Self = Self(0x04);
    pub(crate) const PSH: Self = Self(0x08);
    pub(crate) const ACK: Self = Self(0x10);

    /// Whether all of these are set.
    pub(crate) const fn has(self, flags: Self) -> bool {
        self.0 & flags.0 == flags.0
    }

    /// These and those.
    pub(crate) const fn with(self, flags: Self) -> Self {
        Self(self.0 | flags.0)
    }
}

/// What a segment to be sent says before its payload.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Header<'a> {
    pub(crate) source: SocketAddr,
    pub(crate) destination: SocketAddr,
    pub(crate) seq: Seq,
    pub(crate) ack: Seq,
    pub(crate) flags: Flags,
    pub(crate) window: u16,
    /// Padded to a multiple of four.
    pub(crate) options: &'a [u8],
    pub(crate) provenance: Provenance,
}

/// A header without options.
pub(crate) const HEADER_LENGTH: usize = 20;

impl<'a> Segment<'a> {
    /// Reads the segment in a packet.
    pub(crate) fn parse(
        bytes: &'a [u8],
        ip: &IpPacket,
        interface: Option<InterfaceId>,
    ) -> Result<Self, DiscardReason> {
        let segment = &bytes[ip.payload.clone()];
        let Some((header, rest)) = segment.split_first_chunk::<HEADER_LENGTH>() else {
            return Err(DiscardReason::Malformed);
        };
        let options_length = (usize::from(header[12] >> 4) * 4).checked_sub(HEADER_LENGTH);
        let (Some(options), Some(payload)) = (
            options_length.and_then(|length| rest.get(..length)),
            options_length.and_then(|length| rest.get(length..)),
        ) else {
            return Err(DiscardReason::Malformed);
        };
        if ip::transport_checksum(ip.source, ip.destination, TCP_PROTOCOL, segment) != 0 {
            return Err(DiscardReason::BadChecksum);
        }
        let half = |at: usize| u16::from_be_bytes([header[at], header[at + 1]]);
        let word = |at: usize| Seq(u32::from(half(at)) << 16 | u32::from(half(at + 2)));
        Ok(Self {
            source: SocketAddr::new(ip.source, half(0)),
            destination: SocketAddr::new(ip.destination, half(2)),
            seq: word(4),
            ack: word(8),
            flags: Flags(header[13] & 0x1f),
            window: half(14),
            options: Options::parse(options).ok_or(DiscardReason::Malformed)?,
            payload,
            interface,
        })
    }

    /// The number after its last, SYN and FIN counted.
    pub(crate) fn end(&self) -> Seq {
        self.seq + self.length()
    }

    /// How many numbers it takes.
    pub(crate) fn length(&self) -> u32 {
        self.payload.len() as u32
            + u32::from(self.flags.has(Flags::SYN))
            + u32::from(self.flags.has(Flags::FIN))
    }
}

impl Header<'_> {
    /// The packet with this header and the payload that the caller appends.
    pub(crate) fn packet(&self, append: impl FnOnce(&mut Packet)) -> Packet {
        let (from, to) = (self.source.ip(), self.destination.ip());
        let mut packet = ip::packet_with_room(from, HEADER_LENGTH, self.provenance);
        let start = packet.length() - HEADER_LENGTH;
        packet.append(self.options, self.provenance);
        append(&mut packet);
        let segment = &mut packet.bytes_mut()[start..];
        segment[0..2].copy_from_slice(&self.source.port().to_be_bytes());
        segment[2..4].copy_from_slice(&self.destination.port().to_be_bytes());
        segment[4..8].copy_from_slice(&self.seq.0.to_be_bytes());
        segment[8..12].copy_from_slice(&self.ack.0.to_be_bytes());
        segment[12] = ((HEADER_LENGTH + self.options.len()) / 4) as u8 * 16;
        segment[13] = self.flags.0;
        segment[14..16].copy_from_slice(&self.window.to_be_bytes());
        let sum = ip::transport_checksum(from, to, TCP_PROTOCOL, segment);
        segment[16..18].copy_from_slice(&sum.to_be_bytes());
        ip::seal(&mut packet, from, to, TCP_PROTOCOL);
        packet
    }
}
