use core::net::IpAddr;
use core::ops::Range;

use etherparse::checksum::u64_16bit_word;
use etherparse::{IpNumber, Ipv4Header, Ipv4HeaderSlice, Ipv6Header, Ipv6HeaderSlice};
use lasthop_contract::{Cause, DiscardReason, Layer, Packet, Provenance};

/// The addresses of an IP packet and where its payload lies: a checked view on bytes.
///
/// IPv4 (RFC 791) and IPv6 (RFC 8200), without options, extension headers and fragments: a packet that has
/// them counts as malformed, since no host of ours makes any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IpPacket {
    /// Where it comes from.
    pub source: IpAddr,
    /// Where it goes.
    pub destination: IpAddr,
    /// The protocol above, by its IANA number.
    pub protocol: u8,
    /// The place of its payload.
    pub payload: Range<usize>,
}

/// The IANA protocol number of UDP.
pub const UDP_PROTOCOL: u8 = IpNumber::UDP.0;

/// The IANA protocol number of TCP.
pub const TCP_PROTOCOL: u8 = IpNumber::TCP.0;

const HOP_LIMIT: u8 = 64;
const HEADER: Provenance = Provenance::new(Layer::Ip, Cause::Header);

impl IpPacket {
    /// Reads the header of a packet.
    ///
    /// # Errors
    /// [`DiscardReason::Malformed`] for lengths and fields that cannot be, [`DiscardReason::BadChecksum`] for
    /// an IPv4 header that changed on the way.
    pub fn parse(bytes: &[u8]) -> Result<Self, DiscardReason> {
        match bytes.first().map(|byte| byte >> 4) {
            Some(4) => Self::parse_v4(bytes),
            Some(6) => Self::parse_v6(bytes),
            _ => Err(DiscardReason::Malformed),
        }
    }

    fn parse_v4(bytes: &[u8]) -> Result<Self, DiscardReason> {
        let header = Ipv4HeaderSlice::from_slice(bytes).map_err(|_| DiscardReason::Malformed)?;
        if ones_complement_sum(header.slice()) != 0 {
            return Err(DiscardReason::BadChecksum);
        }
        let start = Ipv4Header::MIN_LEN;
        let end = usize::from(header.total_len());
        let is_plain = header.slice().len() == start && !header.is_fragmenting_payload();
        if !is_plain || end < start || end > bytes.len() {
            return Err(DiscardReason::Malformed);
        }
        Ok(Self {
            source: IpAddr::V4(header.source_addr()),
            destination: IpAddr::V4(header.destination_addr()),
            protocol: header.protocol().0,
            payload: start..end,
        })
    }

    fn parse_v6(bytes: &[u8]) -> Result<Self, DiscardReason> {
        let header = Ipv6HeaderSlice::from_slice(bytes).map_err(|_| DiscardReason::Malformed)?;
        let start = Ipv6Header::LEN;
        let end = start + usize::from(header.payload_length());
        if end > bytes.len() {
            return Err(DiscardReason::Malformed);
        }
        Ok(Self {
            source: IpAddr::V6(header.source_addr()),
            destination: IpAddr::V6(header.destination_addr()),
            protocol: header.next_header().0,
            payload: start..end,
        })
    }
}

/// How many bytes the header before a payload takes.
pub(crate) fn header_length(address: IpAddr) -> usize {
    match address {
        IpAddr::V4(_) => Ipv4Header::MIN_LEN,
        IpAddr::V6(_) => Ipv6Header::LEN,
    }
}

/// A packet that begins with room for the header; [`seal`] fills it in.
pub(crate) fn packet_with_room(address: IpAddr) -> Packet {
    let mut packet = Packet::new();
    packet.reserve(header_length(address), HEADER);
    packet
}

/// Writes the header, once the length of the payload is known. Both addresses are of one version.
pub(crate) fn seal(packet: &mut Packet, source: IpAddr, destination: IpAddr, protocol: u8) {
    let payload = packet.length() - header_length(source);
    let length = u16::try_from(payload).expect("the layer above keeps to the limit of the header");
    match (source, destination) {
        (IpAddr::V4(source), IpAddr::V4(destination)) => {
            let (from, to) = (source.octets(), destination.octets());
            // The identification stays 0, as for any atomic datagram (RFC 6864 §4.1).
            let mut header = Ipv4Header::new(length, HOP_LIMIT, IpNumber(protocol), from, to)
                .expect("the layer above keeps to the limit of the header");
            header.dont_fragment = true;
            header.header_checksum = header.calc_header_checksum();
            let bytes = header.to_bytes();
            packet.bytes_mut()[..bytes.len()].copy_from_slice(&bytes);
        }
        (IpAddr::V6(source), IpAddr::V6(destination)) => {
            let header = Ipv6Header {
                payload_length: length,
                next_header: IpNumber(protocol),
                hop_limit: HOP_LIMIT,
                source: source.octets(),
                destination: destination.octets(),
                ..Ipv6Header::default()
            };
            packet.bytes_mut()[..Ipv6Header::LEN].copy_from_slice(&header.to_bytes());
        }
        _ => unreachable!("a flow has addresses of one version"),
    }
}

/// The Internet checksum (RFC 1071) of a transport segment with its pseudo-header; 0 when a segment that
/// carries its checksum is intact.
pub(crate) fn transport_checksum(
    source: IpAddr,
    destination: IpAddr,
    protocol: u8,
    segment: &[u8],
) -> u16 {
    let mut sum = sum_of_words(segment);
    for address in [source, destination] {
        sum = match address {
            IpAddr::V4(address) => u64_16bit_word::add_4bytes(sum, address.octets()),
            IpAddr::V6(address) => u64_16bit_word::add_slice(sum, &address.octets()),
        };
    }
    let length = u32::try_from(segment.len()).unwrap_or(u32::MAX);
    sum = u64_16bit_word::add_4bytes(sum, length.to_be_bytes());
    sum = u64_16bit_word::add_2bytes(sum, [0, protocol]);
    u64_16bit_word::ones_complement(sum).to_be()
}

/// The sum of 16-bit words in the byte order of the machine (RFC 1071 §2 B), four bytes at a time: the compiler makes
/// vector instructions of it, and every byte that is sent or received passes here.
fn sum_of_words(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks();
    let sum: u64 = words
        .iter()
        .map(|word| u64::from(u32::from_ne_bytes(*word)))
        .sum();
    let mut last = [0; 4];
    last[..rest.len()].copy_from_slice(rest);
    sum + u64::from(u32::from_ne_bytes(last))
}

fn ones_complement_sum(bytes: &[u8]) -> u16 {
    u64_16bit_word::ones_complement(u64_16bit_word::add_slice(0, bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sealed(source: &str, destination: &str) -> Packet {
        let source: IpAddr = source.parse().unwrap();
        let mut packet = packet_with_room(source);
        packet.append(b"payload", Provenance::new(Layer::Udp, Cause::Payload));
        seal(&mut packet, source, destination.parse().unwrap(), 17);
        packet
    }

    #[test]
    fn reads_back_what_it_wrote() {
        for (source, destination) in [("10.0.0.1", "192.0.2.1"), ("2001:db8::1", "2001:db8::2")] {
            let packet = sealed(source, destination);
            let view = IpPacket::parse(packet.bytes()).unwrap();
            assert_eq!(view.source.to_string(), source);
            assert_eq!(view.destination.to_string(), destination);
            assert_eq!(view.protocol, UDP_PROTOCOL);
            assert_eq!(&packet.bytes()[view.payload], b"payload");
        }
    }

    #[test]
    fn notices_every_single_bit_error_in_an_ipv4_header() {
        for bit in 0..160 {
            let mut packet = sealed("10.0.0.1", "192.0.2.1");
            packet.bytes_mut()[bit / 8] ^= 1 << (bit % 8);
            assert!(IpPacket::parse(packet.bytes()).is_err(), "bit {bit}");
        }
    }

    #[test]
    fn sums_words_as_the_library_does_at_every_length() {
        let bytes: Vec<u8> = (0..1500_u32).map(|at| (at * 37 % 251) as u8).collect();
        for length in (0..64).chain([1499, 1500]) {
            let library = u64_16bit_word::add_slice(0, &bytes[..length]);
            let ours = sum_of_words(&bytes[..length]);
            let fold = u64_16bit_word::ones_complement;
            assert_eq!(fold(ours), fold(library), "{length}");
        }
    }

    #[test]
    fn refuses_a_length_beyond_the_packet() {
        let packet = sealed("10.0.0.1", "192.0.2.1");
        let short = &packet.bytes()[..packet.length() - 1];
        assert_eq!(IpPacket::parse(short), Err(DiscardReason::Malformed));
        assert_eq!(IpPacket::parse(&[]), Err(DiscardReason::Malformed));
    }
}
