use core::net::{IpAddr, Ipv6Addr};
use std::collections::{BTreeMap, BTreeSet};

use crate::Identity;

/// The user or address to whom the broker charges state when room is short.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Holder {
    /// The host itself.
    #[default]
    Host,
    /// A user, from any address.
    User(u32),
    /// Anonymous clients at one IPv4 address, or in one IPv6 /64.
    Address(IpAddr),
}

/// Weighted entries of holders, for eviction. When room is short, the oldest entry of the largest holder is evicted
/// first.
#[derive(Clone, Debug)]
pub(crate) struct Shares<K> {
    /// There as soon as anything is.
    held: Option<Box<Held<K>>>,
}

#[derive(Clone, Debug)]
struct Held<K> {
    /// With their weights, of each holder in the order in which they were kept.
    things: BTreeMap<(Holder, u64), (K, usize)>,
    /// What each holder has, in the order of [`Short`].
    by_holder: BTreeMap<Holder, [usize; 2]>,
    /// What each holder has, by [`Short`], the largest one last.
    by_size: [BTreeSet<(usize, Holder)>; 2],
    last: u64,
}

/// The limit that is exceeded; the largest holder is chosen by this measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Short {
    /// The number of entries.
    Number,
    /// The total weight of the entries.
    Weight,
}

/// The place of an entry in the [`Shares`] of all holders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    holder: Holder,
    number: u64,
}

impl Holder {
    /// Returns the holder for a client: its user, or else its address.
    #[must_use]
    pub fn of(identity: Identity, address: Option<IpAddr>) -> Self {
        match address {
            _ if identity != Identity::ANONYMOUS => Self::User(identity.0),
            None => Self::Host,
            Some(IpAddr::V6(address)) => match address.to_ipv4_mapped() {
                Some(address) => Self::Address(address.into()),
                None => {
                    let network = address.to_bits() & !u128::from(u64::MAX);
                    Self::Address(Ipv6Addr::from_bits(network).into())
                }
            },
            Some(address) => Self::Address(address),
        }
    }
}

impl<K: Clone> Shares<K> {
    pub(crate) const fn new() -> Self {
        Self { held: None }
    }

    /// Adds an entry to a holder.
    pub(crate) fn add(&mut self, holder: Holder, thing: K, weight: usize) -> Place {
        let held = self.held.get_or_insert_default();
        held.last += 1;
        let number = held.last;
        held.things.insert((holder, number), (thing, weight));
        let [count, all] = held.sizes(holder);
        held.set_sizes(holder, [count + 1, all + weight]);
        Place { holder, number }
    }

    /// Removes an entry.
    pub(crate) fn remove(&mut self, place: Place) {
        let Place { holder, number } = place;
        let Some(held) = &mut self.held else {
            return;
        };
        if let Some((_, weight)) = held.things.remove(&(holder, number)) {
            let [count, all] = held.sizes(holder);
            held.set_sizes(holder, [count - 1, all - weight]);
        }
    }

    /// Returns the entry to evict when this limit is exceeded.
    pub(crate) fn first_to_go(&self, short: Short) -> Option<K> {
        let held = self.held.as_ref()?;
        let (_, holder) = held.by_size[short as usize].last()?;
        let (_, (thing, _)) = held.things.range((*holder, 0)..).next()?;
        Some(thing.clone())
    }
}

impl<K> Held<K> {
    fn sizes(&self, holder: Holder) -> [usize; 2] {
        self.by_holder.get(&holder).copied().unwrap_or_default()
    }

    fn set_sizes(&mut self, holder: Holder, sizes: [usize; 2]) {
        let before = self.sizes(holder);
        let has_any = sizes[Short::Number as usize] > 0;
        for (place, of_all) in self.by_size.iter_mut().enumerate() {
            of_all.remove(&(before[place], holder));
            if has_any {
                of_all.insert((sizes[place], holder));
            }
        }
        if has_any {
            self.by_holder.insert(holder, sizes);
        } else {
            self.by_holder.remove(&holder);
        }
    }
}

impl<K> Default for Held<K> {
    fn default() -> Self {
        Self {
            things: BTreeMap::new(),
            by_holder: BTreeMap::new(),
            by_size: [BTreeSet::new(), BTreeSet::new()],
            last: 0,
        }
    }
}

impl<K: Clone> Default for Shares<K> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> Holder {
        Holder::of(Identity::ANONYMOUS, text.parse().ok())
    }

    #[test]
    fn what_the_largest_has_kept_for_longest_goes_first() {
        let mut shares = Shares::new();
        let (small, large) = (address("192.0.2.1"), address("192.0.2.2"));
        let heavy = shares.add(small, "heavy", 10);
        let second = shares.add(large, "old", 1);
        shares.add(large, "young", 2);
        assert_eq!(shares.first_to_go(Short::Number), Some("old"));
        assert_eq!(shares.first_to_go(Short::Weight), Some("heavy"));
        shares.remove(second);
        shares.add(small, "new", 1);
        assert_eq!(shares.first_to_go(Short::Number), Some("heavy"));
        shares.remove(heavy);
        shares.remove(heavy);
        assert_eq!(shares.first_to_go(Short::Weight), Some("young"));
        let held = shares.held.expect("things are kept");
        assert_eq!(held.by_size.each_ref().map(BTreeSet::len), [2, 2]);
    }

    #[test]
    fn a_user_is_one_wherever_it_is_and_an_address_of_ipv6_a_network() {
        let user = |text: &str| Holder::of(Identity(7), text.parse().ok());
        assert_eq!(user("192.0.2.1"), user("2001:db8::1"));
        assert_eq!(address("2001:db8::1"), address("2001:db8::2"));
        assert_ne!(address("2001:db8::1"), address("2001:db8:0:1::1"));
        assert_eq!(address("::ffff:192.0.2.1"), address("192.0.2.1"));
    }
}
