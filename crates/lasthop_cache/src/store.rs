use std::collections::BTreeMap;
use std::rc::Rc;

use lasthop_units::{DataSize, Duration, Instant};

use crate::Freshness;

/// A cache of representations with a size limit. The least recently used entry is evicted first.
#[derive(Debug)]
pub(crate) struct Store {
    room: DataSize,
    /// With the number of its last use.
    entries: BTreeMap<Key, (u64, Entry)>,
    bytes: u64,
    uses: u64,
}

/// The key of a cache entry.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Key {
    /// A resource of a study, by its number.
    Number(u32),
    /// An observable resource, by its name.
    Name(Rc<str>),
}

/// A cached representation.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) payload: Rc<[u8]>,
    /// When the representation was created, as far as known.
    pub(crate) made: Instant,
    pub(crate) lifetime: Duration,
    pub(crate) tag: Option<u32>,
    /// The content format, if it is known.
    pub(crate) format: Option<u16>,
}

impl Entry {
    /// Creates an entry from a representation that arrives now, with its declared age.
    pub(crate) fn of(now: Instant, payload: Rc<[u8]>, said: Freshness) -> Self {
        let made = now.as_nanos().saturating_sub(said.age.as_nanos());
        Self {
            payload,
            made: Instant::from_nanos(made),
            lifetime: said.lifetime.unwrap_or(Duration::ZERO),
            tag: said.tag,
            format: None,
        }
    }

    pub(crate) fn is_fresh(&self, now: Instant) -> bool {
        now < self.made + self.lifetime
    }

    /// Whether the entry is fresh, or became stale less than `by` ago.
    pub(crate) fn may_be_stale(&self, now: Instant, by: Duration) -> bool {
        now < self.made + self.lifetime + by
    }

    /// Returns the current freshness.
    pub(crate) fn freshness(&self, now: Instant) -> Freshness {
        Freshness {
            lifetime: Some(self.lifetime),
            age: now.max(self.made) - self.made,
            tag: self.tag,
        }
    }
}

impl Store {
    pub(crate) fn new(room: DataSize) -> Self {
        Self {
            room,
            entries: BTreeMap::new(),
            bytes: 0,
            uses: 0,
        }
    }

    /// Whether the store has any capacity.
    pub(crate) fn keeps(&self) -> bool {
        self.room > DataSize::ZERO
    }

    pub(crate) fn get(&mut self, resource: &Key) -> Option<&mut Entry> {
        self.uses += 1;
        let (used, entry) = self.entries.get_mut(resource)?;
        *used = self.uses;
        Some(entry)
    }

    /// Stores a representation in place of the previous one, if there is room.
    pub(crate) fn put(&mut self, resource: Key, entry: Entry) {
        self.remove(&resource);
        let (length, room) = (entry.payload.len() as u64, self.room.as_bytes());
        if length > room {
            return;
        }
        while self.bytes + length > room {
            let oldest = self.entries.iter().min_by_key(|(_, (used, _))| *used);
            let Some(oldest) = oldest.map(|(resource, _)| resource.clone()) else {
                break;
            };
            self.remove(&oldest);
        }
        self.uses += 1;
        self.bytes += length;
        self.entries.insert(resource, (self.uses, entry));
    }

    pub(crate) fn remove(&mut self, resource: &Key) {
        if let Some((_, entry)) = self.entries.remove(resource) {
            self.bytes -= entry.payload.len() as u64;
        }
    }

    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.bytes = 0;
    }
}
