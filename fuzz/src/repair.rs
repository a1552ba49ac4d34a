use core::ops::Range;

/// What a packet is made to be, over IP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    Tcp,
    Udp,
}

/// Fills in the lengths and checksums of what claims to be IP, so that it gets past the first checks.
///
/// The arithmetic is written anew here: a mistake in the decoders' own would show as packets refused.
pub(crate) fn repair(packet: &mut [u8], protocol: Protocol) {
    let header = protocol.header_length();
    match packet.first().map(|byte| byte >> 4) {
        Some(4) if packet.len() >= 20 + header => repair_ipv4(packet, protocol),
        Some(6) if packet.len() >= 40 + header => repair_ipv6(packet, protocol),
        _ => {}
    }
}

impl Protocol {
    const fn number(self) -> u8 {
        match self {
            Self::Tcp => 6,
            Self::Udp => 17,
        }
    }

    const fn header_length(self) -> usize {
        match self {
            Self::Tcp => 20,
            Self::Udp => 8,
        }
    }

    const fn checksum_place(self) -> usize {
        match self {
            Self::Tcp => 16,
            Self::Udp => 6,
        }
    }
}

fn repair_ipv4(packet: &mut [u8], protocol: Protocol) {
    packet[0] = 0x45;
    set(packet, 2, packet.len() as u16);
    set(packet, 6, 0x4000);
    packet[9] = protocol.number();
    set(packet, 10, 0);
    set(packet, 10, !folded(sum(&packet[..20])));
    repair_transport(packet, protocol, 20, 12..20);
}

fn repair_ipv6(packet: &mut [u8], protocol: Protocol) {
    set(packet, 4, (packet.len() - 40) as u16);
    packet[6] = protocol.number();
    repair_transport(packet, protocol, 40, 8..40);
}

fn repair_transport(packet: &mut [u8], protocol: Protocol, start: usize, addresses: Range<usize>) {
    let length = packet.len() - start;
    let place = start + protocol.checksum_place();
    if protocol == Protocol::Udp {
        set(packet, start + 4, length as u16);
    }
    set(packet, place, 0);
    let pseudo_header = sum(&packet[addresses]) + u64::from(protocol.number()) + length as u64;
    let checksum = !folded(pseudo_header + sum(&packet[start..]));
    // A UDP checksum of zero would say that there is none.
    let is_none = protocol == Protocol::Udp && checksum == 0;
    set(packet, place, if is_none { 0xffff } else { checksum });
}

fn set(packet: &mut [u8], at: usize, value: u16) {
    packet[at..at + 2].copy_from_slice(&value.to_be_bytes());
}

/// The sum of 16-bit words (RFC 1071), an odd byte at the end being the high half of one.
fn sum(bytes: &[u8]) -> u64 {
    bytes
        .chunks(2)
        .map(|word| u64::from(word[0]) << 8 | u64::from(word.get(1).copied().unwrap_or(0)))
        .sum()
}

fn folded(mut sum: u64) -> u16 {
    while sum > 0xffff {
        sum = (sum >> 16) + (sum & 0xffff);
    }
    sum as u16
}
