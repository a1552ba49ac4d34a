use core::borrow::Borrow;
use core::hash::Hash;

#[expect(
    clippy::disallowed_types,
    reason = "the one place that names the hash map; it cannot be iterated from outside"
)]
type Map<K, V> = std::collections::HashMap<K, V, rustc_hash::FxBuildHasher>;

/// A hash map for look-up only, with a fixed hasher.
///
/// It has no iterator: an order that nobody chose cannot leak into a result.
#[derive(Clone, Debug)]
pub struct LookupMap<K, V> {
    map: Map<K, V>,
}

impl<K: Eq + Hash, V> LookupMap<K, V> {
    /// An empty map, which holds no memory.
    #[must_use]
    pub fn new() -> Self {
        Self {
            map: Map::default(),
        }
    }

    /// The value of a key.
    pub fn get<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.map.get(key)
    }

    /// The value of a key, to be changed.
    pub fn get_mut<Q: Eq + Hash + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.map.get_mut(key)
    }

    /// The value of a key, made first where there is none.
    pub fn get_or_insert_with(&mut self, key: K, make: impl FnOnce() -> V) -> &mut V {
        self.map.entry(key).or_insert_with(make)
    }

    /// Sets the value of a key and returns the one it had.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        self.map.insert(key, value)
    }

    /// Takes a key out.
    pub fn remove<Q: Eq + Hash + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.map.remove(key)
    }

    /// Whether the key is there.
    pub fn contains<Q: Eq + Hash + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.map.contains_key(key)
    }

    /// How many keys there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.map.len()
    }

    /// Whether there is no key.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.map.is_empty()
    }
}

impl<K: Eq + Hash, V> Default for LookupMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

/// A hash set for look-up only, with a fixed hasher.
#[derive(Clone, Debug, Default)]
pub struct LookupSet<K: Eq + Hash> {
    map: LookupMap<K, ()>,
}

impl<K: Eq + Hash> LookupSet<K> {
    /// An empty set, which holds no memory.
    #[must_use]
    pub fn new() -> Self {
        Self {
            map: LookupMap::new(),
        }
    }

    /// Adds a key; whether it is new.
    pub fn insert(&mut self, key: K) -> bool {
        self.map.insert(key, ()).is_none()
    }

    /// Takes a key out; whether it was there.
    pub fn remove(&mut self, key: &K) -> bool {
        self.map.remove(key).is_some()
    }

    /// Whether the key is there.
    pub fn contains(&self, key: &K) -> bool {
        self.map.contains(key)
    }
}
