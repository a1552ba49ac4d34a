use core::ops::Range;

/// Fills in the lengths and checksums of what claims to be UDP over IP, so that it gets past the first checks.
///
/// The arithmetic is written anew here: a mistake in the decoders' own would show as packets refused.
pub(crate) fn repair(packet: &mut [u8]) {
    match packet.first().map(|byte| byte >> 4) {
        Some(4) if packet.len() >= 28 => repair_ipv4(packet),
        Some(6) if packet.len() >= 48 => repair_ipv6(packet),
        _ => {}
    }
}

fn repair_ipv4(packet: &mut [u8]) {
    packet[0] = 0x45;
    set(packet, 2, packet.len() as u16);
    set(packet, 6, 0x4000);
    packet[9] = 17;
    set(packet, 10, 0);
    set(packet, 10, !folded(sum(&packet[..20])));
    repair_udp(packet, 20, 12..20);
}

fn repair_ipv6(packet: &mut [u8]) {
    set(packet, 4, (packet.len() - 40) as u16);
    packet[6] = 17;
    repair_udp(packet, 40, 8..40);
}

fn repair_udp(packet: &mut [u8], start: usize, addresses: Range<usize>) {
    let length = packet.len() - start;
    set(packet, start + 4, length as u16);
    set(packet, start + 6, 0);
    let pseudo_header = sum(&packet[addresses]) + 17 + length as u64;
    let checksum = !folded(pseudo_header + sum(&packet[start..]));
    set(
        packet,
        start + 6,
        if checksum == 0 { 0xffff } else { checksum },
    );
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
