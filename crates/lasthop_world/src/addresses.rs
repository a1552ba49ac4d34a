use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Which hosts of a run have which addresses. All lie in ranges that no real host has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Addresses {
    pub(crate) version: u8,
}

/// What the world sees of those behind a translator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Outside {
    pub(crate) ipv4: Ipv4Addr,
    pub(crate) ipv6: Ipv6Addr,
}

impl Outside {
    /// The address of either version.
    pub(crate) fn addresses(self) -> [IpAddr; 2] {
        [self.ipv4.into(), self.ipv6.into()]
    }
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

    /// The outside of a device's own translator, of either version: 100.64.0.0/10 (RFC 6598) and 2001:db8:3::/48.
    pub(crate) fn outside(index: u32) -> Outside {
        let first = Ipv4Addr::new(100, 64, 0, 0).to_bits();
        Outside {
            ipv4: Ipv4Addr::from_bits(first + index + 1),
            ipv6: v6(3, index),
        }
    }

    /// The outside of a translator that devices share: 203.0.113.0/24 (RFC 5737) and 2001:db8:5::/48.
    pub(crate) fn operator(index: u32) -> Outside {
        let first = Ipv4Addr::new(203, 0, 113, 0).to_bits();
        Outside {
            ipv4: Ipv4Addr::from_bits(first + index + 1),
            ipv6: v6(5, index),
        }
    }

    /// There are so many addresses of translators that devices share.
    pub(crate) const OPERATORS: usize = 254;

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
