//! What fuzzing found, and what lies beside it.

use core::net::{IpAddr, SocketAddr};

use lasthop_contract::{
    Cause, Chunk, DatagramError, DiscardReason, InterfaceId, Layer, OpenError, Packet, Provenance,
    Transport, TransportInput, TransportOutput,
};
use lasthop_transport::{IpPacket, Udp};
use lasthop_units::Instant;

const NOW: Instant = Instant::ZERO;
const PORT: u16 = 4000;
const PAYLOAD: Provenance = Provenance::new(Layer::Application, Cause::Payload);

fn chunk(bytes: &[u8]) -> Chunk<'_> {
    Chunk {
        bytes,
        provenance: PAYLOAD,
    }
}

fn address(text: &str) -> IpAddr {
    text.parse().unwrap()
}

/// The packet that carries one datagram from an address to the port at another.
fn packet(source: &str, destination: &str, payload: &[u8]) -> Packet {
    let mut sender = Udp::new(address(source));
    let peer = SocketAddr::new(address(destination), PORT);
    sender.open(NOW, peer, &[chunk(payload)]).unwrap();
    loop {
        if let TransportOutput::Transmit(packet) = sender.poll(NOW) {
            return packet;
        }
    }
}

/// What a host that listens at this address makes of a packet.
fn received_by(destination: &str, packet: Packet) -> TransportOutput {
    let mut host = Udp::new(address(destination));
    host.listen(PORT).unwrap();
    host.handle(NOW, TransportInput::Packet(packet));
    host.poll(NOW)
}

#[test]
fn a_flow_to_the_other_ip_version_cannot_be_used_after_a_change_of_address() {
    let mut host = Udp::new(address("10.0.0.1"));
    let peer = SocketAddr::new(address("192.0.2.1"), PORT);
    let flow = host.open(NOW, peer, &[]).unwrap();
    host.handle(
        NOW,
        TransportInput::AddressChanged {
            interface: InterfaceId(0),
            address: address("2001:db8::1"),
        },
    );
    let sent = host.send_datagram(NOW, flow, &[chunk(b"where to?")]);
    assert_eq!(sent, Err(DatagramError::NoSuchConnection));
    host.handle(
        NOW,
        TransportInput::AddressChanged {
            interface: InterfaceId(0),
            address: address("10.0.0.2"),
        },
    );
    assert_eq!(host.send_datagram(NOW, flow, &[chunk(b"there")]), Ok(()));
}

#[test]
fn early_data_that_is_too_large_leaves_no_flow_behind() {
    let mut host = Udp::new(address("10.0.0.1"));
    let peer = SocketAddr::new(address("192.0.2.1"), PORT);
    let large = vec![0; 65_508];
    let opened = host.open(NOW, peer, &[chunk(&large)]);
    assert_eq!(opened, Err(OpenError::EarlyDataTooLarge));
    assert!(matches!(host.poll(NOW), TransportOutput::WaitUntil(None)));
    let flow = host.open(NOW, peer, &[chunk(&large[1..])]).unwrap();
    assert_eq!(flow.0, 0, "it is the first");
}

#[test]
fn a_datagram_without_a_checksum_is_taken_over_ipv4_alone() {
    let (source, destination) = ("10.0.0.1", "10.0.0.2");
    let mut over_ipv4 = packet(source, destination, b"x");
    over_ipv4.bytes_mut()[26..28].fill(0);
    let output = received_by(destination, over_ipv4);
    assert!(matches!(output, TransportOutput::Event(..)), "{output:?}");
    // These two bytes make the sum come out as zero, so that a zero would pass for the right checksum.
    let (source, destination) = ("2001:db8::1", "2001:db8::2");
    let mut over_ipv6 = packet(source, destination, &[0, 0]);
    let sum = u16::from_be_bytes([over_ipv6.bytes()[46], over_ipv6.bytes()[47]]);
    over_ipv6 = packet(source, destination, &sum.to_be_bytes());
    assert_eq!(over_ipv6.bytes()[46..48], [0xff, 0xff]);
    over_ipv6.bytes_mut()[46..48].fill(0);
    let output = received_by(destination, over_ipv6);
    assert!(
        matches!(
            output,
            TransportOutput::Discard(_, DiscardReason::BadChecksum)
        ),
        "{output:?}"
    );
}

#[test]
fn an_ipv4_header_with_options_is_malformed() {
    // 24 B of header, 8 B of UDP, the header checksum right.
    let mut bytes = [0_u8; 32];
    bytes[..4].copy_from_slice(&[0x46, 0, 0, 32]);
    bytes[8..10].copy_from_slice(&[64, 17]);
    bytes[20..24].fill(1);
    let sum: u32 = bytes[..24]
        .chunks_exact(2)
        .map(|word| u32::from(u16::from_be_bytes([word[0], word[1]])))
        .sum();
    let checksum = !((sum & 0xffff) + (sum >> 16)) as u16;
    bytes[10..12].copy_from_slice(&checksum.to_be_bytes());
    assert_eq!(IpPacket::parse(&bytes), Err(DiscardReason::Malformed));
}
