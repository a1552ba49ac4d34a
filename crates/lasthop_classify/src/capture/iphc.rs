//! Decompression of IPv6 and UDP headers in 6LoWPAN (RFC 6282).

use super::ieee802154::LinkAddress;

/// The beginning of an IPv6 packet with decompressed headers.
#[derive(Debug)]
pub(super) struct Expanded {
    /// The headers and the captured part of the payload.
    pub(super) packet: Vec<u8>,
    /// The length of the packet.
    pub(super) length: usize,
}

/// How the length of a packet is known.
#[derive(Clone, Copy, Debug)]
pub(super) enum Length {
    /// From its headers and payload, of which this many bytes were not captured.
    Missing(usize),
    /// From its first fragment.
    Whole(usize),
}

struct Reader<'a> {
    bytes: &'a [u8],
}

const HEADER: usize = 40;
const LINK_LOCAL: [u8; 2] = [0xfe, 0x80];

/// Places in a header of IPv6.
const PAYLOAD_LENGTH: usize = 4;
const NEXT_HEADER: usize = 6;
const HOP_LIMIT: usize = 7;
const SOURCE: usize = 8;
const DESTINATION: usize = 24;

/// Numbers of protocols, with the place of the checksum in their headers.
const UDP: u8 = 17;
const CHECKSUMS: [(u8, usize); 3] = [(UDP, 6), (6, 16), (58, 2)];

/// Extension headers by their numbers in a compressed one (RFC 6282 section 4.2).
const EXTENSIONS: [u8; 5] = [0, 43, 44, 60, 135];

/// Bits of the two bytes of IPHC.
const NEXT_IS_COMPRESSED: u8 = 0x04;
const HAS_CONTEXTS: u8 = 0x80;
const SOURCE_CONTEXT: u8 = 0x40;
const IS_MULTICAST: u8 = 0x08;
const DESTINATION_CONTEXT: u8 = 0x04;

/// Decompresses the headers of a packet in IPHC. Returns `None` for other formats.
///
/// The prefix of a context is not in the frame: zeros stand for it, and for the checksum over it.
pub(super) fn expand(
    bytes: &[u8],
    source: LinkAddress,
    destination: LinkAddress,
    length: Length,
) -> Option<Expanded> {
    let mut reader = Reader { bytes };
    let [first, second] = reader.take()?;
    if second & HAS_CONTEXTS != 0 {
        reader.take::<1>()?;
    }
    let mut packet = vec![0; HEADER];
    packet[..4].copy_from_slice(&reader.traffic_class(first >> 3 & 3)?);
    let is_next_compressed = first & NEXT_IS_COMPRESSED != 0;
    if !is_next_compressed {
        [packet[NEXT_HEADER]] = reader.take()?;
    }
    packet[HOP_LIMIT] = match first & 3 {
        0 => reader.take::<1>()?[0],
        1 => 1,
        2 => 64,
        _ => 255,
    };
    let (mode, has_context) = (second >> 4 & 3, second & SOURCE_CONTEXT != 0);
    let is_unspecified = has_context && mode == 0;
    if !is_unspecified {
        let address = reader.unicast(mode, has_context, source)?;
        packet[SOURCE..DESTINATION].copy_from_slice(&address);
    }
    let mut lacks_prefix = has_context && !is_unspecified;
    let (mode, has_context) = (second & 3, second & DESTINATION_CONTEXT != 0);
    let address = if second & IS_MULTICAST != 0 {
        reader.multicast(mode, has_context)?
    } else {
        reader.unicast(mode, has_context, destination)?
    };
    packet[DESTINATION..HEADER].copy_from_slice(&address);
    lacks_prefix |= has_context;
    let next = reader.next_headers(&mut packet, is_next_compressed)?;
    let above = next.above;
    packet.extend_from_slice(reader.bytes);
    let length = match length {
        Length::Missing(missing) => packet.len() + missing,
        Length::Whole(length) => length,
    };
    let payload = u16::try_from(length.checked_sub(HEADER)?).ok()?;
    packet[PAYLOAD_LENGTH..NEXT_HEADER].copy_from_slice(&payload.to_be_bytes());
    if next.is_udp_compressed {
        let udp = u16::try_from(length.checked_sub(above)?).ok()?;
        packet[above + 4..above + 6].copy_from_slice(&udp.to_be_bytes());
    }
    let protocol = packet[next.named_at];
    let place = CHECKSUMS.iter().find(|(known, _)| *known == protocol);
    if let (true, Some((_, place))) = (lacks_prefix, place)
        && let Some(field) = packet.get_mut(above + place..above + place + 2)
    {
        field.fill(0);
    }
    Some(Expanded { packet, length })
}

/// What is above IP.
struct Above {
    /// Where in the packet its protocol is named.
    named_at: usize,
    /// Where it begins.
    above: usize,
    is_udp_compressed: bool,
}

impl<'a> Reader<'a> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.bytes.split_first_chunk()?;
        self.bytes = rest;
        Some(*taken)
    }

    fn take_slice(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        Some(taken)
    }

    /// The first four bytes of a header: version, traffic class and flow label (RFC 6282 section 3.2.1).
    fn traffic_class(&mut self, mode: u8) -> Option<[u8; 4]> {
        // ECN comes first there, and last in IPv6.
        let [class, flow @ ..] = match mode {
            0 => self.take::<4>()?,
            1 => {
                let [first, second, third] = self.take()?;
                [first & 0xc0, first & 0x0f, second, third]
            }
            2 => [self.take::<1>()?[0], 0, 0, 0],
            _ => [0; 4],
        };
        let class = class.rotate_left(2);
        let head = 0x60 | class >> 4;
        Some([head, class << 4 | flow[0] & 0x0f, flow[1], flow[2]])
    }

    fn unicast(&mut self, mode: u8, has_context: bool, link: LinkAddress) -> Option<[u8; 16]> {
        let mut address = [0; 16];
        match mode {
            0 if has_context => return None,
            0 => return self.take(),
            1 => address[8..].copy_from_slice(&self.take::<8>()?),
            2 => address[8..].copy_from_slice(&interface_of_short(self.take()?)),
            _ => address[8..].copy_from_slice(&interface_of(link)?),
        }
        if !has_context {
            address[..2].copy_from_slice(&LINK_LOCAL);
        }
        Some(address)
    }

    fn multicast(&mut self, mode: u8, has_context: bool) -> Option<[u8; 16]> {
        let mut address = [0; 16];
        address[0] = 0xff;
        match (mode, has_context) {
            (0, false) => return self.take(),
            (0, true) => {
                address[1..3].copy_from_slice(&self.take::<2>()?);
                address[12..].copy_from_slice(&self.take::<4>()?);
            }
            (_, true) => return None,
            (1, false) => {
                [address[1]] = self.take()?;
                address[11..].copy_from_slice(&self.take::<5>()?);
            }
            (2, false) => {
                [address[1]] = self.take()?;
                address[13..].copy_from_slice(&self.take::<3>()?);
            }
            (_, false) => {
                address[1] = 2;
                [address[15]] = self.take()?;
            }
        }
        Some(address)
    }

    /// Adds headers behind that of IPv6 as long as they are compressed (RFC 6282 section 4).
    fn next_headers(&mut self, packet: &mut Vec<u8>, mut is_compressed: bool) -> Option<Above> {
        let mut next = Above {
            named_at: NEXT_HEADER,
            above: packet.len(),
            is_udp_compressed: false,
        };
        while is_compressed {
            let [head] = self.take()?;
            match head {
                0xe0..=0xef => {
                    let kind = *EXTENSIONS.get(usize::from(head >> 1 & 7))?;
                    packet[next.named_at] = kind;
                    next.named_at = packet.len();
                    is_compressed = head & 1 == 1;
                    self.add_extension(packet, is_compressed)?;
                    next.above = packet.len();
                }
                0xf0..=0xf7 => {
                    packet[next.named_at] = UDP;
                    is_compressed = false;
                    next.is_udp_compressed = true;
                    self.add_udp(packet, head)?;
                }
                _ => return None,
            }
        }
        Some(next)
    }

    fn add_extension(&mut self, packet: &mut Vec<u8>, is_next_compressed: bool) -> Option<()> {
        let [next] = if is_next_compressed {
            [0]
        } else {
            self.take()?
        };
        let [size] = self.take()?;
        let data = self.take_slice(size.into())?;
        let length = (data.len() + 2).next_multiple_of(8);
        packet.extend_from_slice(&[next, u8::try_from(length / 8 - 1).ok()?]);
        packet.extend_from_slice(data);
        // Padding at the end may be left out: Pad1, or PadN (RFC 8200 section 4.2).
        match length - data.len() - 2 {
            0 => {}
            1 => packet.push(0),
            padding => {
                packet.extend_from_slice(&[1, padding as u8 - 2]);
                packet.resize(packet.len() + padding - 2, 0);
            }
        }
        Some(())
    }

    /// A header of UDP with its length open (RFC 6282 section 4.3). A checksum that was left out is none.
    fn add_udp(&mut self, packet: &mut Vec<u8>, head: u8) -> Option<()> {
        const IS_CHECKSUM_LEFT_OUT: u8 = 0x04;
        let (source, destination) = match head & 3 {
            0 => (self.take()?, self.take()?),
            1 => (self.take()?, [0xf0, self.take::<1>()?[0]]),
            2 => ([0xf0, self.take::<1>()?[0]], self.take()?),
            _ => {
                let [both] = self.take()?;
                ([0xf0, 0xb0 | both >> 4], [0xf0, 0xb0 | both & 0x0f])
            }
        };
        let check = if head & IS_CHECKSUM_LEFT_OUT == 0 {
            self.take()?
        } else {
            [0; 2]
        };
        for field in [source, destination, [0; 2], check] {
            packet.extend_from_slice(&field);
        }
        Some(())
    }
}

/// The interface identifier of a link address (RFC 6282 section 3.2.2).
fn interface_of(link: LinkAddress) -> Option<[u8; 8]> {
    const IS_LOCAL: u8 = 0x02;
    match link {
        LinkAddress::Short(short) => Some(interface_of_short(short)),
        LinkAddress::Extended(mut address) => {
            address[0] ^= IS_LOCAL;
            Some(address)
        }
        LinkAddress::Elided => None,
    }
}

const fn interface_of_short([high, low]: [u8; 2]) -> [u8; 8] {
    [0, 0, 0, 0xff, 0xfe, 0, high, low]
}
