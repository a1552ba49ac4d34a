//! What robust header compression leaves of the headers of UDP and TCP.

use lasthop_nbiot::layer2::HeaderCompression;

const PAYLOAD_BYTES: usize = 25;
const TIME_STAMPS: [u8; 12] = [1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2];
const SYN: u8 = 0x02;
const ACK: u8 = 0x10;

fn ipv4(protocol: u8, transport: &[u8]) -> Vec<u8> {
    let mut packet = vec![0; 20];
    packet[0] = 0x45;
    packet[9] = protocol;
    packet.extend(transport);
    packet.extend([0; PAYLOAD_BYTES]);
    let length = (packet.len() as u16).to_be_bytes();
    packet[2..4].copy_from_slice(&length);
    packet
}

fn ipv6(protocol: u8, transport: &[u8]) -> Vec<u8> {
    let mut packet = vec![0; 40];
    packet[0] = 0x60;
    packet[6] = protocol;
    packet.extend(transport);
    packet.extend([0; PAYLOAD_BYTES]);
    let payload = ((packet.len() - 40) as u16).to_be_bytes();
    packet[4..6].copy_from_slice(&payload);
    packet
}

fn udp(port: u8, checksum: u8) -> [u8; 8] {
    [0, port, 22, 51, 0, 33, 0, checksum]
}

fn tcp(flags: u8, options: &[u8]) -> Vec<u8> {
    let mut header = vec![0; 20];
    header[12] = ((20 + options.len()) / 4 * 16) as u8;
    header[13] = flags;
    header.extend(options);
    header
}

/// Header bytes of the first packet of a flow and of the tenth.
fn first_and_tenth(packet: &[u8]) -> (usize, usize) {
    let mut compression = HeaderCompression::new();
    let sizes: Vec<usize> = (0..10)
        .map(|_| compression.compressed_bytes(packet))
        .collect();
    (sizes[0] - PAYLOAD_BYTES, sizes[9] - PAYLOAD_BYTES)
}

#[test]
fn headers_shrink_once_the_context_stands() {
    for (packet, first, tenth) in [
        (ipv4(17, &udp(1, 1)), 27, 3),
        (ipv6(17, &udp(1, 1)), 50, 3),
        (ipv4(17, &udp(1, 0)), 27, 1),
        (ipv4(6, &tcp(ACK, &[])), 39, 6),
        (ipv6(6, &tcp(ACK, &[])), 60, 6),
        (ipv4(6, &tcp(ACK, &TIME_STAMPS)), 49, 8),
    ] {
        assert_eq!(first_and_tenth(&packet), (first, tenth));
    }
}

#[test]
fn the_first_three_packets_of_a_flow_tell_all_of_the_header() {
    let mut compression = HeaderCompression::new();
    let packet = ipv4(17, &udp(1, 1));
    let sizes: [usize; 4] = core::array::from_fn(|_| compression.compressed_bytes(&packet));
    assert_eq!(sizes, [52, 52, 52, 28]);
}

#[test]
fn every_syn_tells_all_of_the_header() {
    let mut compression = HeaderCompression::new();
    let syn = ipv4(6, &tcp(SYN, &[2, 4, 5, 180]));
    for _ in 0..5 {
        // Static 14, IP 5, TCP 12 without an acknowledgement, a list of 1 + 1 + 2, and 3.
        assert_eq!(compression.compressed_bytes(&syn) - PAYLOAD_BYTES, 38);
    }
}

#[test]
fn contexts_are_kept_apart_and_the_oldest_makes_room() {
    let mut compression = HeaderCompression::new();
    let size = |compression: &mut HeaderCompression, port| {
        compression.compressed_bytes(&ipv4(17, &udp(port, 1))) - PAYLOAD_BYTES
    };
    for port in 0..16 {
        for _ in 0..3 {
            size(&mut compression, port);
        }
    }
    assert_eq!(size(&mut compression, 0), 3);
    assert_eq!(size(&mut compression, 15), 4, "with an identifier");
    assert_eq!(size(&mut compression, 16), 27, "in the place of the oldest");
    assert_eq!(size(&mut compression, 0), 28, "which is new again");
}

#[test]
fn what_has_no_profile_stays_as_it_is() {
    let mut fragment = ipv4(17, &udp(1, 1));
    fragment[6] = 0x20;
    let mut with_options = ipv4(17, &udp(1, 1));
    with_options[0] = 0x46;
    let mut too_long_a_header = ipv4(6, &tcp(ACK, &[]));
    too_long_a_header[32] = 0xf0;
    let mut too_short_a_header = ipv4(6, &tcp(ACK, &[]));
    too_short_a_header[32] = 0x40;
    let whole = ipv4(6, &tcp(ACK, &TIME_STAMPS));
    let cut = (0..whole.len() - PAYLOAD_BYTES).map(|length| whole[..length].to_vec());
    let others = [
        vec![],
        vec![0xff; 100],
        ipv4(1, &[0; 8]),
        ipv6(0, &[0; 8]),
        fragment,
        with_options,
        too_long_a_header[..50].to_vec(),
        too_short_a_header,
    ];
    for packet in cut.chain(others) {
        let mut compression = HeaderCompression::new();
        assert_eq!(
            compression.compressed_bytes(&packet),
            packet.len(),
            "{packet:?}"
        );
    }
}

#[test]
fn options_that_lie_about_their_length_are_borne() {
    for options in [
        [2, 0, 0, 0],
        [2, 255, 0, 0],
        [8, 1, 1, 1],
        [0, 0, 0, 0],
        [254; 4],
    ] {
        let mut compression = HeaderCompression::new();
        let packet = ipv6(6, &tcp(ACK, &options));
        assert!(compression.compressed_bytes(&packet) > PAYLOAD_BYTES);
    }
}
