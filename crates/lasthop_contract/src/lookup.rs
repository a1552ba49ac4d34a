use core::borrow::Borrow;
use core::hash::Hash;
use core::mem;

#[expect(
    clippy::disallowed_types,
    reason = "the one place that names the hash map; it cannot be iterated from outside"
)]
type Map<K, V> = std::collections::HashMap<K, V, rustc_hash::FxBuildHasher>;

/// A map for look-up only: a hash map with a fixed hasher, or a list while it has few keys.
///
/// It has no iterator: an order that nobody chose cannot leak into a result. A device has a map here and there
/// with one key in it; a list takes a quarter of the memory then, and is faster.
#[derive(Clone, Debug)]
pub struct LookupMap<K, V> {
    entries: Entries<K, V>,
}

#[derive(Clone, Debug)]
enum Entries<K, V> {
    /// At most [`FEW`] entries, in any order.
    Few(Vec<(K, V)>),
    Many(Box<Map<K, V>>),
}

const FEW: usize = 8;

impl<K: Eq + Hash, V> LookupMap<K, V> {
    /// Creates an empty map without allocating.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            entries: Entries::Few(Vec::new()),
        }
    }

    /// Returns the value of a key.
    pub fn get<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        match &self.entries {
            Entries::Few(list) => place(list, key).map(|place| &list[place].1),
            Entries::Many(map) => map.get(key),
        }
    }

    /// Returns the value of a key for modification.
    pub fn get_mut<Q: Eq + Hash + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        match &mut self.entries {
            Entries::Few(list) => place(list, key).map(|place| &mut list[place].1),
            Entries::Many(map) => map.get_mut(key),
        }
    }

    /// Returns the value of a key. `make` creates it if it is missing.
    pub fn get_or_insert_with(&mut self, key: K, make: impl FnOnce() -> V) -> &mut V {
        self.make_room(&key);
        match &mut self.entries {
            Entries::Few(list) => {
                let place = place(list, &key).unwrap_or_else(|| append(list, key, make()));
                &mut list[place].1
            }
            Entries::Many(map) => map.entry(key).or_insert_with(make),
        }
    }

    /// Sets the value of a key. Returns the previous value.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        self.make_room(&key);
        match &mut self.entries {
            Entries::Few(list) => match place(list, &key) {
                Some(place) => Some(mem::replace(&mut list[place].1, value)),
                None => {
                    append(list, key, value);
                    None
                }
            },
            Entries::Many(map) => map.insert(key, value),
        }
    }

    /// Removes a key and returns its value. A map that is empty then holds no memory.
    pub fn remove<Q: Eq + Hash + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let value = match &mut self.entries {
            Entries::Few(list) => place(list, key).map(|place| list.swap_remove(place).1),
            Entries::Many(map) => map.remove(key),
        };
        if value.is_some() && self.is_empty() {
            *self = Self::new();
        }
        value
    }

    /// Removes the values for which `is_kept` returns false.
    ///
    /// The order is unspecified, so each result must be independent of the others.
    pub fn retain(&mut self, mut is_kept: impl FnMut(&mut V) -> bool) {
        match &mut self.entries {
            Entries::Few(list) => list.retain_mut(|(_, value)| is_kept(value)),
            Entries::Many(map) => map.retain(|_, value| is_kept(value)),
        }
        if self.is_empty() {
            *self = Self::new();
        }
    }

    /// Whether `holds` is true for all values. The order is unspecified.
    pub fn all(&self, mut holds: impl FnMut(&V) -> bool) -> bool {
        match &self.entries {
            Entries::Few(list) => list.iter().all(|(_, value)| holds(value)),
            Entries::Many(map) => map.values().all(holds),
        }
    }

    /// Whether the key is present.
    pub fn contains<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.get(key).is_some()
    }

    /// Returns the number of keys.
    #[must_use]
    pub fn len(&self) -> usize {
        match &self.entries {
            Entries::Few(list) => list.len(),
            Entries::Many(map) => map.len(),
        }
    }

    /// Whether the table is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Makes a full list a hash map, if the key is not in it.
    fn make_room(&mut self, key: &K) {
        if let Entries::Few(list) = &mut self.entries
            && list.len() == FEW
            && place(list, key).is_none()
        {
            self.entries = Entries::Many(Box::new(list.drain(..).collect()));
        }
    }
}

fn place<K: Borrow<Q>, V, Q: Eq + ?Sized>(list: &[(K, V)], key: &Q) -> Option<usize> {
    list.iter().position(|(known, _)| known.borrow() == key)
}

/// Appends a new entry and returns its index.
///
/// The first entry allocates no spare capacity.
fn append<K, V>(list: &mut Vec<(K, V)>, key: K, value: V) -> usize {
    if list.is_empty() {
        list.reserve_exact(1);
    }
    list.push((key, value));
    list.len() - 1
}

impl<K: Eq + Hash, V> Default for LookupMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

/// A set for look-up only, built on [`LookupMap`].
#[derive(Clone, Debug, Default)]
pub struct LookupSet<K: Eq + Hash> {
    map: LookupMap<K, ()>,
}

impl<K: Eq + Hash> LookupSet<K> {
    /// Creates an empty set without allocating.
    #[must_use]
    pub fn new() -> Self {
        Self {
            map: LookupMap::new(),
        }
    }

    /// Inserts a key and returns whether it is new.
    pub fn insert(&mut self, key: K) -> bool {
        self.map.insert(key, ()).is_none()
    }

    /// Removes a key and returns whether it was present.
    pub fn remove(&mut self, key: &K) -> bool {
        self.map.remove(key).is_some()
    }

    /// Whether the key is present.
    pub fn contains(&self, key: &K) -> bool {
        self.map.contains(key)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::RandomStream;

    #[test]
    fn behaves_as_a_map_does_with_few_keys_and_with_many() {
        let mut map = LookupMap::new();
        let mut model = BTreeMap::new();
        let mut random = RandomStream::named(1, "map");
        for step in 0..50_000_u64 {
            let keys = if step / 1000 % 2 == 0 { 5 } else { 50 };
            let key = random.below(keys);
            match random.below(5) {
                0 => assert_eq!(map.insert(key, step), model.insert(key, step)),
                1 => {
                    let value = map.get_or_insert_with(key, || step);
                    assert_eq!(value, model.entry(key).or_insert(step));
                }
                2 => assert_eq!(map.get_mut(&key), model.get_mut(&key)),
                _ => assert_eq!(map.remove(&key), model.remove(&key)),
            }
            assert_eq!(map.len(), model.len());
            let key = random.below(keys);
            assert_eq!(map.get(&key), model.get(&key));
            assert_eq!(map.contains(&key), model.contains_key(&key));
        }
    }
}
