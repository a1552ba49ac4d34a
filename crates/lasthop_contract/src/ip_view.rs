//! Parsers of IPv4 and IPv6 headers for hosts, links and observers.

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use core::ops::Range;

/// The positions of fields in an IPv4 (RFC 791) or IPv6 (RFC 8200) packet.
///
/// Extension headers of IPv6 count as payload.
///
/// It is the one place that knows the format. It checks that the lengths can be, and nothing else: what a packet must be
/// beyond that is for those who look at it to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IpView {
    is_ipv6: bool,
    protocol: u8,
    is_fragment: bool,
    payload: Range<usize>,
}

/// The IANA protocol number of TCP.
pub const TCP_PROTOCOL: u8 = 6;

/// The IANA protocol number of UDP.
pub const UDP_PROTOCOL: u8 = 17;

/// The length of an IPv4 header without options.
pub const IPV4_HEADER: usize = 20;

/// The length of an IPv6 header.
pub const IPV6_HEADER: usize = 40;

impl IpView {
    /// Reads the lengths and the protocol of a packet. Returns `None` if a length is invalid.
    #[inline]
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        match bytes.first()? >> 4 {
            4 => Self::read_ipv4(bytes, bytes.len(), 0),
            6 => Self::read_ipv6(bytes, bytes.len(), 0),
            _ => None,
        }
    }

    /// Reads a packet of `length` bytes of which only the beginning is present, as in truncated captures.
    ///
    /// A length that the header leaves at zero is `length`: so packets look before hardware cuts them into segments.
    #[must_use]
    pub fn read_beginning(bytes: &[u8], length: usize) -> Option<Self> {
        let is_jumbo = length > IPV6_HEADER + usize::from(u16::MAX);
        match bytes.first()? >> 4 {
            4 => Self::read_ipv4(bytes, length, length),
            6 if is_jumbo => Self::read_ipv6(bytes, length, length - IPV6_HEADER),
            6 => Self::read_ipv6(bytes, length, 0),
            _ => None,
        }
    }

    /// Reads an IPv4 header. `unset` replaces a total length of zero.
    #[inline]
    fn read_ipv4(bytes: &[u8], length: usize, unset: usize) -> Option<Self> {
        let header: &[u8; IPV4_HEADER] = bytes.first_chunk()?;
        let start = usize::from(header[0] & 0x0f) * 4;
        let end = match u16::from_be_bytes([header[2], header[3]]) {
            0 => unset,
            total => usize::from(total),
        };
        let are_possible = IPV4_HEADER <= start && start <= end && end <= length;
        are_possible.then_some(Self {
            is_ipv6: false,
            protocol: header[9],
            // More fragments, or an offset.
            is_fragment: u16::from_be_bytes([header[6], header[7]]) & 0x3fff != 0,
            payload: start..end,
        })
    }

    /// Reads an IPv6 header. `unset` replaces a payload length of zero.
    fn read_ipv6(bytes: &[u8], length: usize, unset: usize) -> Option<Self> {
        let header: &[u8; IPV6_HEADER] = bytes.first_chunk()?;
        let end = match u16::from_be_bytes([header[4], header[5]]) {
            0 => IPV6_HEADER + unset,
            payload => IPV6_HEADER + usize::from(payload),
        };
        (end <= length).then_some(Self {
            is_ipv6: true,
            protocol: header[6],
            is_fragment: false,
            payload: IPV6_HEADER..end,
        })
    }

    /// Whether the packet is IPv6.
    #[inline]
    #[must_use]
    pub const fn is_ipv6(&self) -> bool {
        self.is_ipv6
    }

    /// Returns the protocol above IP, by its IANA number.
    #[inline]
    #[must_use]
    pub const fn protocol(&self) -> u8 {
        self.protocol
    }

    /// Whether the packet is a fragment of a larger IPv4 packet.
    #[inline]
    #[must_use]
    pub const fn is_fragment(&self) -> bool {
        self.is_fragment
    }

    /// Returns the header length with options.
    #[inline]
    #[must_use]
    pub const fn header_length(&self) -> usize {
        self.payload.start
    }

    /// Returns the range of the payload.
    #[inline]
    #[must_use]
    pub const fn payload(&self) -> Range<usize> {
        self.payload.start..self.payload.end
    }

    /// Returns the range of the source address.
    #[inline]
    #[must_use]
    pub const fn source_range(&self) -> Range<usize> {
        if self.is_ipv6 { 8..24 } else { 12..16 }
    }

    /// Returns the range of the destination address.
    #[inline]
    #[must_use]
    pub const fn destination_range(&self) -> Range<usize> {
        if self.is_ipv6 { 24..40 } else { 16..20 }
    }

    /// Returns the source address. `bytes` must be the bytes that were read.
    #[inline]
    #[must_use]
    pub fn source(&self, bytes: &[u8]) -> IpAddr {
        address(&bytes[self.source_range()])
    }

    /// Returns the destination address. `bytes` must be the bytes that were read.
    #[inline]
    #[must_use]
    pub fn destination(&self, bytes: &[u8]) -> IpAddr {
        address(&bytes[self.destination_range()])
    }

    /// Returns the source and destination ports, if the packet has the beginning of a TCP or UDP header.
    #[inline]
    #[must_use]
    pub fn ports(&self, bytes: &[u8]) -> Option<(u16, u16)> {
        let has_ports = matches!(self.protocol, TCP_PROTOCOL | UDP_PROTOCOL);
        let header = bytes.get(self.payload()).filter(|_| has_ports)?;
        let [a, b, c, d] = *header.first_chunk()?;
        Some((u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d])))
    }

    /// Whether the checksum of an IPv4 header is correct. Always true for IPv6, which has no header checksum.
    #[inline]
    #[must_use]
    pub fn is_header_intact(&self, bytes: &[u8]) -> bool {
        if self.is_ipv6 {
            return true;
        }
        let sum = match bytes.first_chunk::<IPV4_HEADER>() {
            // Almost all are so long, and summed faster as the length is known.
            Some(header) if self.header_length() == IPV4_HEADER => sum_of_words(header),
            _ => sum_of_words(&bytes[..self.header_length()]),
        };
        checksum(sum) == 0
    }
}

#[inline]
fn address(bytes: &[u8]) -> IpAddr {
    match bytes {
        [a, b, c, d] => Ipv4Addr::new(*a, *b, *c, *d).into(),
        bytes => {
            let octets: [u8; 16] = bytes.try_into().expect("an address has 4 or 16 bytes");
            Ipv6Addr::from(octets).into()
        }
    }
}

/// Returns the one's complement sum of bytes, as 16-bit words in native byte order (RFC 1071 section 2 B), without
/// folding. The sum adds eight bytes at a time with end-around carry, because every byte sent or received passes here.
#[inline]
#[must_use]
pub fn sum_of_words(bytes: &[u8]) -> u64 {
    let (blocks, rest) = bytes.as_chunks::<64>();
    let mut sum = 0_u64;
    for block in blocks {
        let (words, _) = block.as_chunks::<8>();
        let mut carry = false;
        for word in words {
            (sum, carry) = sum.carrying_add(u64::from_ne_bytes(*word), carry);
        }
        sum = add(sum, carry.into());
    }
    let (words, rest) = rest.as_chunks::<8>();
    for word in words {
        sum = add(sum, u64::from_ne_bytes(*word));
    }
    let (halves, rest) = rest.as_chunks::<4>();
    for half in halves {
        sum = add(sum, u32::from_ne_bytes(*half).into());
    }
    let (pairs, rest) = rest.as_chunks::<2>();
    for pair in pairs {
        sum = add(sum, u16::from_ne_bytes(*pair).into());
    }
    for last in rest {
        sum = add(sum, u16::from_ne_bytes([*last, 0]).into());
    }
    sum
}

/// Adds two one's complement sums with end-around carry.
#[inline]
#[must_use]
pub const fn add(sum: u64, other: u64) -> u64 {
    let (sum, carry) = sum.overflowing_add(other);
    sum + carry as u64
}

/// Returns the Internet checksum (RFC 1071) of a sum, as it stands in a header.
///
/// It is 0 for bytes that include a correct checksum.
#[inline]
#[must_use]
pub const fn checksum(sum: u64) -> u16 {
    let sum = (sum & 0xffff_ffff) + (sum >> 32);
    let sum = (sum & 0xffff_ffff) + (sum >> 32);
    let sum = (sum & 0xffff) + (sum >> 16);
    let sum = (sum & 0xffff) + (sum >> 16);
    let sum = (sum & 0xffff) + (sum >> 16);
    (!(sum as u16)).to_be()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of RFC 1071 section 3.
    #[test]
    fn sums_as_the_standard_says() {
        let bytes = [0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7];
        assert_eq!(checksum(sum_of_words(&bytes)), !0xddf2);
    }

    #[test]
    fn sums_words_as_a_loop_over_them_does_at_every_length() {
        let mixed = (0..1500_u32).map(|at| (at * 37 % 251) as u8 | 0x80);
        // Ones alone have carries of carries.
        for bytes in [mixed.collect(), vec![0xff; 1500]] {
            for length in (0..200).chain([1499, 1500]) {
                let mut sum = 0_u32;
                for pair in bytes[..length].chunks(2) {
                    sum += u32::from(pair[0]) << 8 | u32::from(*pair.get(1).unwrap_or(&0));
                    sum = (sum & 0xffff) + (sum >> 16);
                }
                let summed = checksum(sum_of_words(&bytes[..length]));
                assert_eq!(summed, !(sum as u16), "{length}");
            }
        }
        assert_eq!(checksum(sum_of_words(&[0; 64])), 0xffff);
    }

    #[test]
    fn refuses_lengths_that_cannot_be() {
        let mut packet = [0_u8; 48];
        packet[0] = 0x45;
        for (total, is_possible) in [(19, false), (20, true), (48, true), (49, false)] {
            packet[3] = total;
            assert_eq!(IpView::read(&packet).is_some(), is_possible, "{total}");
        }
        packet[0] = 0x44;
        assert_eq!(IpView::read(&packet), None, "a header of 16 B");
        packet[0] = 0x60;
        for (payload, is_possible) in [(0, true), (8, true), (9, false)] {
            packet[4..6].copy_from_slice(&[0, payload]);
            assert_eq!(IpView::read(&packet).is_some(), is_possible, "{payload}");
        }
        assert_eq!(IpView::read(&packet[..39]), None);
    }

    #[test]
    fn reads_a_packet_of_which_the_beginning_was_kept() {
        let mut packet = [0_u8; 60];
        packet[0] = 0x45;
        packet[2..4].copy_from_slice(&1500_u16.to_be_bytes());
        let view = IpView::read_beginning(&packet, 1500).unwrap();
        assert_eq!(view.payload(), 20..1500);
        assert_eq!(IpView::read_beginning(&packet, 1499), None);
        packet[2..4].copy_from_slice(&[0; 2]);
        let view = IpView::read_beginning(&packet, 70_000).unwrap();
        assert_eq!(view.payload(), 20..70_000, "before segmentation");
        packet[0] = 0x60;
        let view = IpView::read_beginning(&packet, 70_000).unwrap();
        assert_eq!(view.payload(), 40..70_000);
        assert_eq!(
            IpView::read_beginning(&packet, 60).unwrap().payload(),
            40..40
        );
    }

    #[test]
    fn reads_nothing_of_nothing() {
        assert_eq!(IpView::read(&[]), None);
    }
}
