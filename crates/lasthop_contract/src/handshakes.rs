use core::net::IpAddr;
use std::collections::BTreeMap;

use crate::ConnectionId;

/// The unfinished handshakes of a server, limited for each address because handshakes cost the most.
#[derive(Debug, Default)]
pub struct Handshakes {
    of: BTreeMap<ConnectionId, IpAddr>,
    by_address: BTreeMap<IpAddr, usize>,
}

impl Handshakes {
    /// Returns the number of unfinished handshakes over all addresses.
    #[must_use]
    pub fn count(&self) -> usize {
        self.of.len()
    }

    /// Whether an address with a limit of `most` can begin another handshake.
    #[must_use]
    pub fn has_room(&self, address: IpAddr, most: usize) -> bool {
        self.by_address.get(&address).copied().unwrap_or(0) < most
    }

    /// Begins a handshake if the address is below its limit of `most`; returns whether it began.
    pub fn begin(&mut self, id: ConnectionId, address: IpAddr, most: usize) -> bool {
        let has_room = self.has_room(address, most);
        if has_room {
            *self.by_address.entry(address).or_default() += 1;
            self.of.insert(id, address);
        }
        has_room
    }

    /// Removes a handshake that ended, successful or not.
    pub fn end(&mut self, id: ConnectionId) {
        if let Some(address) = self.of.remove(&id)
            && let Some(count) = self.by_address.get_mut(&address)
        {
            *count -= 1;
            if *count == 0 {
                self.by_address.remove(&address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_its_share_and_gets_it_back() {
        let [one, other]: [IpAddr; 2] = ["192.0.2.1", "::1"].map(|it| it.parse().unwrap());
        let mut handshakes = Handshakes::default();
        let mut begin = |id, address| handshakes.begin(ConnectionId(id), address, 2);
        assert_eq!(
            [begin(1, one), begin(2, one), begin(3, one)],
            [true, true, false]
        );
        assert!(begin(4, other));
        for id in [2, 2, 3] {
            handshakes.end(ConnectionId(id));
        }
        let mut begin = |id, address| handshakes.begin(ConnectionId(id), address, 2);
        assert_eq!([begin(5, one), begin(6, one)], [true, false]);
        for id in [1, 4, 5] {
            handshakes.end(ConnectionId(id));
        }
        assert!(handshakes.of.is_empty() && handshakes.by_address.is_empty());
    }

    #[test]
    fn who_may_have_none_leaves_nothing_behind() {
        let mut handshakes = Handshakes::default();
        assert!(!handshakes.begin(ConnectionId(1), "::1".parse().unwrap(), 0));
        assert!(handshakes.by_address.is_empty());
    }
}
