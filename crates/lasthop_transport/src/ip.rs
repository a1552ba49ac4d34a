use core::net::IpAddr;
use core::ops::Range;

use lasthop_contract::ip_view::{IPV4_HEADER, IPV6_HEADER, add, checksum, sum_of_words};
use lasthop_contract::{Cause, DiscardReason, IpView, Layer, Packet, Provenance};

/// A complete IP packet with a valid header without options.
///
/// A packet with options, or a fragment, counts as malformed, since no host of ours makes any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IpPacket {
    /// The source address.
    pub source: IpAddr,
    /// The destination address.
    pub destination: IpAddr,
    /// The IANA number of the protocol above IP.
    pub protocol: u8,
    /// The range of the payload in the packet.
    pub payload: Range<usize>,
}

const HOP_LIMIT: u8 = 64;
const DONT_FRAGMENT: u8 = 0x40;
const HEADER: Provenance = Provenance::new(Layer::Ip, Cause::Header);

impl IpPacket {
    /// Parses the header of a packet.
    ///
    /// # Errors
    /// [`DiscardReason::Malformed`] for lengths and fields that cannot be, [`DiscardReason::BadChecksum`] for
    /// an IPv4 header that changed on the way.
    pub fn parse(bytes: &[u8]) -> Result<Self, DiscardReason> {
        let view = IpView::read(bytes).ok_or_else(|| fault_of(bytes))?;
        if !view.is_header_intact(bytes) {
            return Err(DiscardReason::BadChecksum);
        }
        let has_options = !view.is_ipv6() && view.header_length() != IPV4_HEADER;
        if has_options || view.is_fragment() {
            return Err(DiscardReason::Malformed);
        }
        Ok(Self {
            source: view.source(bytes),
            destination: view.destination(bytes),
            protocol: view.protocol(),
            payload: view.payload(),
        })
    }
}

/// Returns why a packet with impossible lengths is discarded. The lengths can be corrupted.
#[cold]
fn fault_of(bytes: &[u8]) -> DiscardReason {
    let first = bytes.first().copied().unwrap_or_default();
    let length = usize::from(first & 0x0f) * 4;
    match bytes.get(..length) {
        Some(header) if first >> 4 == 4 && length >= IPV4_HEADER => {
            if checksum(sum_of_words(header)) == 0 {
                DiscardReason::Malformed
            } else {
                DiscardReason::BadChecksum
            }
        }
        _ => DiscardReason::Malformed,
    }
}

/// How many bytes the header before a payload takes.
pub(crate) const fn header_length(address: IpAddr) -> usize {
    match address {
        IpAddr::V4(_) => IPV4_HEADER,
        IpAddr::V6(_) => IPV6_HEADER,
    }
}

/// A packet that begins with room for the header, which [`seal`] fills in, and for that of the layer above.
pub(crate) fn packet_with_room(address: IpAddr, length: usize, above: Provenance) -> Packet {
    let mut packet = Packet::new();
    packet.reserve_headers([(header_length(address), HEADER), (length, above)]);
    packet
}

/// Writes the header, once the length of the payload is known. Both addresses are of one version.
pub(crate) fn seal(packet: &mut Packet, source: IpAddr, destination: IpAddr, protocol: u8) {
    let total = packet.length();
    let length = |bytes: usize| {
        let bytes = u16::try_from(bytes).expect("the layer above keeps to the limit of the header");
        bytes.to_be_bytes()
    };
    match (source, destination) {
        (IpAddr::V4(source), IpAddr::V4(destination)) => {
            // The identification stays 0, as for any atomic datagram (RFC 6864 section 4.1).
            let mut header = [0; IPV4_HEADER];
            header[0] = 0x45;
            header[2..4].copy_from_slice(&length(total));
            header[6] = DONT_FRAGMENT;
            header[8] = HOP_LIMIT;
            header[9] = protocol;
            header[12..16].copy_from_slice(&source.octets());
            header[16..20].copy_from_slice(&destination.octets());
            let sum = checksum(sum_of_words(&header));
            header[10..12].copy_from_slice(&sum.to_be_bytes());
            packet.bytes_mut()[..IPV4_HEADER].copy_from_slice(&header);
        }
        (IpAddr::V6(source), IpAddr::V6(destination)) => {
            let mut header = [0; IPV6_HEADER];
            header[0] = 0x60;
            header[4..6].copy_from_slice(&length(total - IPV6_HEADER));
            header[6] = protocol;
            header[7] = HOP_LIMIT;
            header[8..24].copy_from_slice(&source.octets());
            header[24..40].copy_from_slice(&destination.octets());
            packet.bytes_mut()[..IPV6_HEADER].copy_from_slice(&header);
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
    let length = u16::try_from(segment.len()).unwrap_or(u16::MAX);
    let [high, low] = length.to_be_bytes();
    let rest = u64::from(u32::from_ne_bytes([0, protocol, high, low]));
    let mut sum = add(sum_of_words(segment), rest);
    for address in [source, destination] {
        let words = match address {
            IpAddr::V4(address) => u64::from(u32::from_ne_bytes(address.octets())),
            IpAddr::V6(address) => sum_of_words(&address.octets()),
        };
        sum = add(sum, words);
    }
    checksum(sum)
}

#[cfg(test)]
mod tests {
    use lasthop_contract::UDP_PROTOCOL;

    use super::*;

    fn sealed(source: &str, destination: &str) -> Packet {
        let source: IpAddr = source.parse().unwrap();
        let above = Provenance::new(Layer::Udp, Cause::Payload);
        let mut packet = packet_with_room(source, 0, above);
        packet.append(b"payload", above);
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
    fn headers_are_those_that_a_library_writes() {
        let packet = sealed("10.0.0.1", "192.0.2.1");
        let (mut header, payload) = etherparse::Ipv4Header::from_slice(packet.bytes()).unwrap();
        assert_eq!(payload, b"payload");
        assert_eq!(header.header_checksum, header.calc_header_checksum());
        assert!(header.dont_fragment);
        header.time_to_live = HOP_LIMIT;
        assert_eq!(&packet.bytes()[..IPV4_HEADER], &header.to_bytes()[..]);
        let packet = sealed("2001:db8::1", "2001:db8::2");
        let (header, payload) = etherparse::Ipv6Header::from_slice(packet.bytes()).unwrap();
        assert_eq!(payload, b"payload");
        assert_eq!(&packet.bytes()[..IPV6_HEADER], &header.to_bytes()[..]);
    }

    #[test]
    fn checksums_of_segments_are_those_of_a_library() {
        let payload: Vec<u8> = (0..999_u32).map(|at| (at * 37 % 251) as u8).collect();
        let (from, to) = ([10, 0, 0, 1], [192, 0, 2, 1]);
        for length in 0..payload.len() {
            let payload = &payload[..length];
            let header = etherparse::UdpHeader::with_ipv4_checksum(
                1000,
                2000,
                &etherparse::Ipv4Header::new(
                    8 + length as u16,
                    64,
                    etherparse::IpNumber::UDP,
                    from,
                    to,
                )
                .unwrap(),
                payload,
            );
            let segment = [&header.unwrap().to_bytes()[..], payload].concat();
            let sum = transport_checksum(from.into(), to.into(), UDP_PROTOCOL, &segment);
            assert_eq!(sum, 0, "{length}");
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
