//! IP packets made and read by etherparse, which knows nothing of the translator.

use core::net::{IpAddr, SocketAddr};

use etherparse::{IpNumber, Ipv4Header, Ipv6Header, TcpHeader, UdpHeader};
use lasthop_contract::{Cause, Layer, Packet, Provenance};

/// What a reader sees of a packet.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) source: SocketAddr,
    pub(crate) destination: SocketAddr,
    /// Whether all checksums that there are agree.
    pub(crate) is_sound: bool,
}

/// A UDP packet between two addresses of one IP version.
pub(crate) fn udp(source: &str, destination: &str, payload: &[u8]) -> Packet {
    let (source, destination) = endpoints(source, destination);
    let length = (UdpHeader::LEN + payload.len()) as u16;
    let mut header = UdpHeader {
        source_port: source.port(),
        destination_port: destination.port(),
        length,
        checksum: 0,
    };
    let ip = ip_header(source.ip(), destination.ip(), IpNumber::UDP, length);
    header.checksum = udp_checksum(&header, source.ip(), destination.ip(), payload);
    assembled(&[&ip, &header.to_bytes(), payload])
}

/// A TCP segment between two addresses of one IP version.
pub(crate) fn tcp(source: &str, destination: &str, payload: &[u8]) -> Packet {
    tcp_with(source, destination, "", payload)
}

/// The same with flags: S(YN), F(IN), R(ST).
pub(crate) fn tcp_with(source: &str, destination: &str, flags: &str, payload: &[u8]) -> Packet {
    let (source, destination) = endpoints(source, destination);
    let mut header = TcpHeader::new(source.port(), destination.port(), 17, 1_000);
    header.syn = flags.contains('S');
    header.fin = flags.contains('F');
    header.rst = flags.contains('R');
    let length = (header.header_len() + payload.len()) as u16;
    let ip = ip_header(source.ip(), destination.ip(), IpNumber::TCP, length);
    header.checksum = tcp_checksum(&header, source.ip(), destination.ip(), payload);
    assembled(&[&ip, &header.to_bytes(), payload])
}

/// Reads a packet as a host would.
pub(crate) fn read(packet: &Packet) -> Seen {
    let bytes = packet.bytes();
    let (source, destination, protocol, header_is_sound, rest) = if bytes[0] >> 4 == 4 {
        let (header, rest) = Ipv4Header::from_slice(bytes).unwrap();
        let is_sound = header.calc_header_checksum() == header.header_checksum;
        let (source, destination) = (
            IpAddr::from(header.source),
            IpAddr::from(header.destination),
        );
        (source, destination, header.protocol, is_sound, rest)
    } else {
        let (header, rest) = Ipv6Header::from_slice(bytes).unwrap();
        let (source, destination) = (
            IpAddr::from(header.source),
            IpAddr::from(header.destination),
        );
        (source, destination, header.next_header, true, rest)
    };
    let (from, to, is_sound) = if protocol == IpNumber::UDP {
        let (header, payload) = UdpHeader::from_slice(rest).unwrap();
        let right = udp_checksum(&header, source, destination, payload);
        let is_sound = header.checksum == right || header.checksum == 0;
        (header.source_port, header.destination_port, is_sound)
    } else {
        let (header, payload) = TcpHeader::from_slice(rest).unwrap();
        let is_sound = header.checksum == tcp_checksum(&header, source, destination, payload);
        (header.source_port, header.destination_port, is_sound)
    };
    Seen {
        source: SocketAddr::new(source, from),
        destination: SocketAddr::new(destination, to),
        is_sound: header_is_sound && is_sound,
    }
}

fn endpoints(source: &str, destination: &str) -> (SocketAddr, SocketAddr) {
    (source.parse().unwrap(), destination.parse().unwrap())
}

fn ip_header(source: IpAddr, destination: IpAddr, protocol: IpNumber, length: u16) -> Vec<u8> {
    match (source, destination) {
        (IpAddr::V4(source), IpAddr::V4(destination)) => {
            let (source, destination) = (source.octets(), destination.octets());
            let mut header = Ipv4Header::new(length, 64, protocol, source, destination).unwrap();
            header.header_checksum = header.calc_header_checksum();
            header.to_bytes().to_vec()
        }
        (IpAddr::V6(source), IpAddr::V6(destination)) => {
            let header = Ipv6Header {
                payload_length: length,
                next_header: protocol,
                hop_limit: 64,
                source: source.octets(),
                destination: destination.octets(),
                ..Ipv6Header::default()
            };
            header.to_bytes().to_vec()
        }
        _ => panic!("the addresses are of two IP versions"),
    }
}

fn udp_checksum(header: &UdpHeader, source: IpAddr, destination: IpAddr, payload: &[u8]) -> u16 {
    match (source, destination) {
        (IpAddr::V4(from), IpAddr::V4(to)) => {
            header.calc_checksum_ipv4_raw(from.octets(), to.octets(), payload)
        }
        (IpAddr::V6(from), IpAddr::V6(to)) => {
            header.calc_checksum_ipv6_raw(from.octets(), to.octets(), payload)
        }
        _ => panic!("the addresses are of two IP versions"),
    }
    .unwrap()
}

fn tcp_checksum(header: &TcpHeader, source: IpAddr, destination: IpAddr, payload: &[u8]) -> u16 {
    match (source, destination) {
        (IpAddr::V4(from), IpAddr::V4(to)) => {
            header.calc_checksum_ipv4_raw(from.octets(), to.octets(), payload)
        }
        (IpAddr::V6(from), IpAddr::V6(to)) => {
            header.calc_checksum_ipv6_raw(from.octets(), to.octets(), payload)
        }
        _ => panic!("the addresses are of two IP versions"),
    }
    .unwrap()
}

fn assembled(parts: &[&[u8]]) -> Packet {
    Packet::of(&parts.concat(), Provenance::new(Layer::Ip, Cause::Header))
}
