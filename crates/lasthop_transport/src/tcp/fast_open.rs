use core::net::{IpAddr, SocketAddr};

use lasthop_contract::{LookupMap, RandomStream};

use super::handshake::Cookie;

/// The cookies of Fast Open (RFC 7413): those that we give, and those that we were given.
#[derive(Debug)]
pub(crate) struct FastOpen {
    key: [u64; 2],
    /// By the server's address: a cookie is good for all its ports (RFC 7413 section 4.1.3).
    servers: LookupMap<IpAddr, Box<Known>>,
}

/// What is known of a server (RFC 7413 section 4.1.3).
#[derive(Clone, Debug, Default)]
pub(crate) struct Known {
    /// An empty one to ask for another.
    pub(crate) cookie: Cookie,
    /// The largest segment that it takes.
    pub(crate) segment_size: u16,
}

impl FastOpen {
    pub(crate) fn new(stream: &mut RandomStream) -> Self {
        Self {
            key: [stream.next_u64(), stream.next_u64()],
            servers: LookupMap::new(),
        }
    }

    /// What is known of a server.
    pub(crate) fn of_server(&self, server: SocketAddr) -> Known {
        let known = self.servers.get(&server.ip());
        known.map(|known| Known::clone(known)).unwrap_or_default()
    }

    /// Keeps what a server gave.
    pub(crate) fn keep(&mut self, server: SocketAddr, known: Known) {
        if !known.cookie.is_empty() {
            self.servers.insert(server.ip(), Box::new(known));
        }
    }

    /// Whether a client shows the cookie that it was given.
    pub(crate) fn is_good(&self, client: SocketAddr, cookie: &Cookie) -> bool {
        *cookie == self.for_client(client)
    }

    /// The cookie of a client: a keyed mix of its address (RFC 7413 section 4.1.2; the attacker it must withstand is no
    /// part of a model).
    pub(crate) fn for_client(&self, client: SocketAddr) -> Cookie {
        let address = match client.ip() {
            IpAddr::V4(address) => u128::from(address.to_bits()),
            IpAddr::V6(address) => address.to_bits(),
        };
        let mut value = self.key[0] ^ address as u64;
        for part in [(address >> 64) as u64, self.key[1], 0] {
            value = (value ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            value ^= value >> 29;
        }
        Cookie::from_slice(&value.to_be_bytes())
    }
}
