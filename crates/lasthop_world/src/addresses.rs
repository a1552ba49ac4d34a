use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Which hosts of a run have which addresses. All lie in ranges that no real host has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Addresses {
    pub(crate) version: u8,
}

impl Addresses {
    /// A device: 10.0.0.0/8 (RFC 1918) or 2001:db8:1::/48 (RFC 3849).
    pub(crate) fn device(self, index: u32) -> IpAddr {
        self.address(Ipv4Addr::new(10, 0, 0, 0), 1, index)
    }

    /// A server: 198.18.0.0/15 (RFC 2544) or 2001:db8:2::/48.
    pub(crate) fn server(self, index: u32) -> IpAddr {
        self.address(Ipv4Addr::new(198, 18, 0, 0), 2, index)
    }

    /// What devices that change theirs get, one after the other: 172.16.0.0/12 (RFC 1918) or 2001:db8:4::/48.
    pub(crate) fn changed(self, index: u32) -> IpAddr {
        self.address(Ipv4Addr::new(172, 16, 0, 0), 4, index)
    }

    /// The outside of a device's translator: 100.64.0.0/10 (RFC 6598).
    pub(crate) fn outside_v4(index: u32) -> Ipv4Addr {
        Ipv4Addr::from_bits(Ipv4Addr::new(100, 64, 0, 0).to_bits() + index + 1)
    }

    /// The outside of a device's translator: 2001:db8:3::/48.
    pub(crate) fn outside_v6(index: u32) -> Ipv6Addr {
        v6(3, index)
    }

    /// The outside of a device's translator, of either version.
    pub(crate) fn outside(device: u32) -> [IpAddr; 2] {
        [
            Self::outside_v4(device).into(),
            Self::outside_v6(device).into(),
        ]
    }

    fn address(self, base: Ipv4Addr, site: u16, index: u32) -> IpAddr {
        if self.version == 6 {
            IpAddr::V6(v6(site, index))
        } else {
            IpAddr::V4(Ipv4Addr::from_bits(base.to_bits() + index + 1))
        }
    }
}

fn v6(site: u16, index: u32) -> Ipv6Addr {
    let host = index + 1;
    let (high, low) = ((host >> 16) as u16, host as u16);
    Ipv6Addr::new(0x2001, 0xdb8, site, 0, 0, 0, high, low)
}
