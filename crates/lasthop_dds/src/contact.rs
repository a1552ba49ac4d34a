use core::net::{IpAddr, Ipv6Addr, SocketAddr};

use dust_dds::transport::types::{LOCATOR_KIND_UDP_V4, LOCATOR_KIND_UDP_V6, Locator};

use crate::ports::Ports;

/// The place where a participant receives one kind of traffic: a UDP port, or a logical port of its TCP connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Contact {
    /// The IP address with the UDP port or the TCP port.
    pub(crate) address: SocketAddr,
    /// The logical port. `None` for UDP.
    pub(crate) logical_port: Option<u16>,
}

/// The kinds of locators of TCP (Fast DDS 2.9, `Locator.h`). DDSI-RTPS leaves the values above 0x02000000 to vendors,
/// but Fast DDS uses these two.
const LOCATOR_KIND_TCP_V4: i32 = 4;
const LOCATOR_KIND_TCP_V6: i32 = 8;

impl Contact {
    /// Returns the contact of a UDP port.
    pub(crate) const fn udp(address: SocketAddr) -> Self {
        Self {
            address,
            logical_port: None,
        }
    }

    /// Returns the contact of a logical port.
    pub(crate) const fn tcp(address: SocketAddr, logical_port: u16) -> Self {
        Self {
            address,
            logical_port: Some(logical_port),
        }
    }

    /// Returns the contact of a participant's port on the same transport as this one.
    pub(crate) const fn at_port(self, port: u16) -> Self {
        match self.logical_port {
            None => Self::udp(SocketAddr::new(self.address.ip(), port)),
            Some(_) => Self::tcp(self.address, port),
        }
    }

    /// Returns the port that distinguishes the kinds of traffic.
    pub(crate) const fn port(self) -> u16 {
        match self.logical_port {
            Some(port) => port,
            None => self.address.port(),
        }
    }

    /// Whether user samples arrive there.
    pub(crate) const fn is_of_users(self) -> bool {
        Ports::is_of_users(self.port())
    }

    /// Returns the contact that a locator describes, or `None` without an address.
    ///
    /// In a TCP locator the lower half of the port is the TCP port and the upper half is the logical port.
    pub(crate) fn of(locator: &Locator) -> Option<Self> {
        let bytes = locator.address();
        let v4 = IpAddr::from([bytes[12], bytes[13], bytes[14], bytes[15]]);
        let v6 = IpAddr::from(Ipv6Addr::from(bytes));
        let halves = [locator.port() as u16, (locator.port() >> 16) as u16];
        let udp = |ip| {
            let port = u16::try_from(locator.port()).ok()?;
            Some(Self::udp(SocketAddr::new(ip, port)))
        };
        let tcp = |ip| Some(Self::tcp(SocketAddr::new(ip, halves[0]), halves[1]));
        match locator.kind() {
            LOCATOR_KIND_UDP_V4 => udp(v4),
            LOCATOR_KIND_UDP_V6 => udp(v6),
            LOCATOR_KIND_TCP_V4 => tcp(v4),
            LOCATOR_KIND_TCP_V6 => tcp(v6),
            _ => None,
        }
    }

    /// Returns the locator of the contact.
    pub(crate) fn locator(self) -> Locator {
        let kind = match (self.address.ip(), self.logical_port) {
            (IpAddr::V4(_), None) => LOCATOR_KIND_UDP_V4,
            (IpAddr::V6(_), None) => LOCATOR_KIND_UDP_V6,
            (IpAddr::V4(_), Some(_)) => LOCATOR_KIND_TCP_V4,
            (IpAddr::V6(_), Some(_)) => LOCATOR_KIND_TCP_V6,
        };
        let logical = u32::from(self.logical_port.unwrap_or_default());
        let port = u32::from(self.address.port()) | logical << 16;
        Locator::new(kind, port, bytes_of(self.address.ip()))
    }
}

/// Returns an address in the format of locators (DDSI-RTPS 2.5 §9.3.2.3).
pub(crate) fn bytes_of(address: IpAddr) -> [u8; 16] {
    match address {
        IpAddr::V4(address) => {
            let mut bytes = [0; 16];
            bytes[12..].copy_from_slice(&address.octets());
            bytes
        }
        IpAddr::V6(address) => address.octets(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_locator_leads_where_it_was_made_for() {
        for address in ["10.1.2.3:7411", "[fd00::7]:7411"] {
            let address: SocketAddr = address.parse().unwrap();
            for contact in [Contact::udp(address), Contact::tcp(address, 7410)] {
                assert_eq!(Contact::of(&contact.locator()), Some(contact));
            }
        }
    }

    #[test]
    fn a_tcp_locator_has_both_ports_as_fast_dds_writes_them() {
        // 10.9.0.2, process 0x1c43, logical port 7410, from an announcement of Fast DDS 2.9.1.
        let bytes = [0x43, 0x1c, 0xf2, 0x1c];
        let mut address = [0; 16];
        address[12..].copy_from_slice(&[10, 9, 0, 2]);
        let locator = Locator::new(4, u32::from_le_bytes(bytes), address);
        let contact = Contact::tcp("10.9.0.2:7235".parse().unwrap(), 7410);
        assert_eq!(Contact::of(&locator), Some(contact));
        assert_eq!(contact.locator().port().to_le_bytes(), bytes);
        assert_eq!(contact.locator().kind(), 4);
    }

    #[test]
    fn what_is_no_address_leads_nowhere() {
        assert_eq!(Contact::of(&Locator::new(-1, 7411, [0; 16])), None);
        let beyond = Locator::new(LOCATOR_KIND_UDP_V4, 70_000, [0; 16]);
        assert_eq!(Contact::of(&beyond), None);
    }

    #[test]
    fn the_other_port_of_a_participant_is_logical_over_tcp_only() {
        let address: SocketAddr = "10.1.2.3:7410".parse().unwrap();
        let udp = Contact::udp(address).at_port(7411);
        assert_eq!(udp.address.port(), 7411);
        let tcp = Contact::tcp(address, 7410).at_port(7411);
        assert_eq!((tcp.address, tcp.port()), (address, 7411));
        assert!(udp.is_of_users() && tcp.is_of_users());
    }
}
