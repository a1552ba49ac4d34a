use core::net::{IpAddr, Ipv6Addr};
use std::collections::{BTreeMap, BTreeSet};

/// Bytes that a server holds for unfinished messages and unread answers, with a common limit.
///
/// Above the limit, connections of the address that holds most are closed.
#[derive(Debug)]
pub struct HeldBytes<K> {
    most: usize,
    all: usize,
    of: BTreeMap<K, Held>,
    /// In each network, in the order in which they changed last.
    changed: BTreeSet<(IpAddr, u64, K)>,
    by_network: BTreeMap<IpAddr, usize>,
    /// The network with the most last.
    by_size: BTreeSet<(usize, IpAddr)>,
    changes: u64,
}

#[derive(Clone, Copy, Debug)]
struct Held {
    network: IpAddr,
    size: usize,
    changed: u64,
}

/// What any connection may hold without being counted: the number of connections bounds that.
const UNCOUNTED: usize = 4 << 10;

impl<K: Copy + Ord> HeldBytes<K> {
    /// Creates an account with a limit of `most` bytes.
    #[must_use]
    pub const fn new(most: usize) -> Self {
        Self {
            most,
            all: 0,
            of: BTreeMap::new(),
            changed: BTreeSet::new(),
            by_network: BTreeMap::new(),
            by_size: BTreeSet::new(),
            changes: 0,
        }
    }

    /// Records how many bytes are held now for a connection from an address.
    pub fn set(&mut self, connection: K, size: usize, address: impl FnOnce() -> Option<IpAddr>) {
        let known = self.of.get(&connection).copied();
        if known.map_or(0, |it| it.size) == size || (known.is_none() && size <= UNCOUNTED) {
            return;
        }
        self.remove(connection);
        let network = known.map(|it| it.network);
        if size > UNCOUNTED
            && let Some(network) = network.or_else(|| address().map(network_of))
        {
            self.changes += 1;
            let changed = self.changes;
            let held = Held {
                network,
                size,
                changed,
            };
            self.of.insert(connection, held);
            self.changed.insert((network, changed, connection));
            self.grow(network, size, 0);
        }
    }

    /// Removes a closed connection.
    pub fn remove(&mut self, connection: K) {
        if let Some(held) = self.of.remove(&connection) {
            self.changed
                .remove(&(held.network, held.changed, connection));
            self.grow(held.network, 0, held.size);
        }
    }

    /// Returns the connection to close when the limit is exceeded.
    ///
    /// It is the least recently changed connection of the address that holds most.
    #[must_use]
    pub fn first_to_go(&self) -> Option<K> {
        if self.all <= self.most {
            return None;
        }
        let (_, network) = self.by_size.last()?;
        let least = self.of.keys().next()?;
        let (.., connection) = self.changed.range((*network, 0, *least)..).next()?;
        Some(*connection)
    }

    fn grow(&mut self, network: IpAddr, more: usize, less: usize) {
        let before = self.by_network.get(&network).copied().unwrap_or(0);
        let now = before + more - less;
        self.all = self.all + more - less;
        self.by_size.remove(&(before, network));
        if now > 0 {
            self.by_size.insert((now, network));
            self.by_network.insert(network, now);
        } else {
            self.by_network.remove(&network);
        }
    }
}

/// Returns the network that counts as one address: a /64 for IPv6.
fn network_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => {
            Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX)).into()
        }
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u64) -> Option<IpAddr> {
        Some(Ipv6Addr::from_bits(0x2001_0db8_u128 << 96 | u128::from(last)).into())
    }

    fn other(last: u64) -> Option<IpAddr> {
        format!("192.0.2.{last}").parse().ok()
    }

    #[test]
    fn of_a_thousand_attackers_some_go_and_the_honest_one_stays() {
        let mut held = HeldBytes::new(10 << 20);
        held.set(0, 8 << 10, || other(1));
        for attacker in 1..=1000_usize {
            let network = 2 + attacker as u64 % 200;
            held.set(attacker, 1 << 20, || other(network));
            while let Some(gone) = held.first_to_go() {
                assert_ne!(gone, 0, "attacker {attacker}");
                held.remove(gone);
            }
        }
        assert!(held.all <= 10 << 20 && held.of.contains_key(&0));
    }

    #[test]
    fn who_changed_longest_ago_at_the_largest_address_goes_first() {
        let mut held = HeldBytes::new(50_000);
        for (connection, place) in [(1, 7), (2, 8), (3, 9)] {
            held.set(connection, 10_000, || address(place));
        }
        held.set(1, 10_001, || None);
        held.set(4, 25_000, || other(1));
        assert_eq!(held.first_to_go(), Some(2), "one /64 holds 30,001");
        held.set(2, 0, || None);
        assert_eq!(held.first_to_go(), None);
        held.remove(4);
        held.remove(4);
        assert_eq!((held.all, held.by_size.len()), (20_001, 1));
    }

    #[test]
    fn a_little_is_not_counted() {
        let mut held = HeldBytes::new(0);
        held.set(1, UNCOUNTED, || other(1));
        assert_eq!(held.first_to_go(), None);
        held.set(1, UNCOUNTED + 1, || other(1));
        assert_eq!(held.first_to_go(), Some(1));
        held.set(1, UNCOUNTED, || other(1));
        assert_eq!((held.first_to_go(), held.all), (None, 0));
    }
}
