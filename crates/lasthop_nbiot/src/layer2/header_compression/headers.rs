use lasthop_contract::ip_view::IPV4_HEADER;
use lasthop_contract::{IpView, TCP_PROTOCOL, UDP_PROTOCOL};

/// The headers of a packet, as far as compression looks at them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Headers {
    /// A hash of addresses, ports and protocol.
    pub(super) flow: u64,
    /// Whether the packet opens a connection.
    pub(super) opens: bool,
    /// As the packet has them.
    pub(super) original_bytes: usize,
    /// In a packet that establishes a context.
    pub(super) initialisation_bytes: usize,
    /// In a packet of a known context.
    pub(super) compressed_bytes: usize,
}

/// The part of the network layer.
struct Network<'a> {
    addresses: &'a [u8],
    protocol: u8,
    header_bytes: usize,
    /// Static and dynamic chain in profiles 0x0002 and 0x0006.
    udp_chains: usize,
    tcp_chains: usize,
}

/// Packet type, profile and CRC of an IR packet (RFC 3095 5.7.7.1).
const IR_BYTES: usize = 3;

const SYN: u8 = 0x02;
const ACK: u8 = 0x10;

impl Headers {
    /// Reads a whole UDP or TCP packet without extension headers.
    pub(super) fn read(packet: &[u8]) -> Option<Self> {
        let network = Network::read(packet)?;
        let transport = packet.get(network.header_bytes..)?;
        let flow = hash([network.addresses, transport.get(..4)?, &[network.protocol]]);
        match network.protocol {
            UDP_PROTOCOL => Self::udp(&network, transport, flow),
            TCP_PROTOCOL => Self::tcp(&network, transport, flow),
            _ => None,
        }
    }

    fn udp(network: &Network, transport: &[u8], flow: u64) -> Option<Self> {
        let checksum = transport.get(6..8)?;
        // Ports; checksum and sequence number (RFC 3095 5.11.1).
        let chains = network.udp_chains + 4 + 4;
        // UO-0, and the checksum where there is one (RFC 3095 5.7.1, 5.11.2).
        let compressed_bytes = if checksum == [0, 0] { 1 } else { 3 };
        Some(Self {
            flow,
            opens: false,
            original_bytes: network.header_bytes + 8,
            initialisation_bytes: IR_BYTES + chains,
            compressed_bytes,
        })
    }

    fn tcp(network: &Network, transport: &[u8], flow: u64) -> Option<Self> {
        let length = usize::from(transport.get(12)? >> 4) * 4;
        let options = transport.get(20..length)?;
        let flags = transport[13];
        let options = Options::read(options);
        // Ports; flags 2, MSN 2, sequence number 4, window 2, checksum 2, acknowledgement 4 (RFC 6846 6.3).
        let acknowledgement = if flags & ACK == 0 { 0 } else { 4 };
        let chains = network.tcp_chains + 4 + 12 + acknowledgement + options.list_bytes;
        Some(Self {
            flow,
            opens: flags & SYN != 0,
            original_bytes: network.header_bytes + length,
            initialisation_bytes: IR_BYTES + chains,
            // rnd_1 or seq_1 of 4, the checksum of 2, least significant bits of time stamps (RFC 6846 8.3).
            compressed_bytes: 4 + 2 + options.irregular_bytes,
        })
    }
}

impl<'a> Network<'a> {
    fn read(packet: &'a [u8]) -> Option<Self> {
        let view = IpView::read(packet)?;
        let addresses = &packet[view.source_range().start..view.destination_range().end];
        let (protocol, header_bytes) = (view.protocol(), view.header_length());
        let (udp_chains, tcp_chains) = if view.is_ipv6() {
            // A flow label takes two bytes more in profile 0x0006.
            let labelled = packet[1] & 0x0f != 0 || packet[2..4] != [0, 0];
            // Version and flow label, next header, addresses; traffic class, hop limit, empty list (RFC 3095 5.7.7.3).
            (36 + 3, if labelled { 36 + 2 } else { 34 + 2 })
        } else if header_bytes == IPV4_HEADER && !view.is_fragment() {
            // Version, protocol, addresses; TOS, TTL, identification, flags, empty list (RFC 3095 5.7.7.4).
            // The same, without a list (RFC 6846 6.3).
            (10 + 6, 10 + 5)
        } else {
            return None;
        };
        Some(Self {
            addresses,
            protocol,
            header_bytes,
            udp_chains,
            tcp_chains,
        })
    }
}

/// The options of TCP.
struct Options {
    /// As a list in the dynamic chain.
    list_bytes: usize,
    /// In a compressed header.
    irregular_bytes: usize,
}

impl Options {
    fn read(mut options: &[u8]) -> Self {
        const END: u8 = 0;
        const NO_OPERATION: u8 = 1;
        const TIME_STAMPS: u8 = 8;
        let (mut items, mut contents, mut irregular_bytes) = (0_usize, 0, 0);
        while let Some((&kind, rest)) = options.split_first() {
            items += 1;
            if kind == END {
                break;
            }
            if kind == NO_OPERATION {
                options = rest;
                continue;
            }
            let length = rest.first().map_or(2, |length| usize::from(*length)).max(2);
            contents += length - 2;
            if kind == TIME_STAMPS {
                irregular_bytes = 2;
            }
            options = options.get(length..).unwrap_or_default();
        }
        Self {
            // One byte of header, half a byte for each item, what the items hold (RFC 6846 6.3.3).
            list_bytes: 1 + items.div_ceil(2) + contents,
            irregular_bytes,
        }
    }
}

/// FNV-1a over several runs of bytes.
fn hash(runs: [&[u8]; 3]) -> u64 {
    let bytes = runs.into_iter().flatten();
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
