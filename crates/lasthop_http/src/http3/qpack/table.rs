use std::collections::VecDeque;

use bytes::Bytes;

/// A field line: its name and its value.
pub type Field = (Bytes, Bytes);

/// The dynamic table of one direction (RFC 9204 section 3.2). An entry's number is its absolute index.
#[derive(Debug, Default)]
pub(super) struct Table {
    entries: VecDeque<Field>,
    /// How many entries have gone.
    evicted: u64,
    size: usize,
    capacity: usize,
}

/// What an entry takes beside its text (RFC 9204 section 3.2.1).
const OVERHEAD: usize = 32;

pub(super) fn size_of(name: &[u8], value: &[u8]) -> usize {
    name.len() + value.len() + OVERHEAD
}

impl Table {
    pub(super) fn capacity(&self) -> usize {
        self.capacity
    }

    /// Returns the number of entries ever inserted.
    pub(super) fn inserted(&self) -> u64 {
        self.evicted + self.entries.len() as u64
    }

    /// Returns the number of the oldest entry.
    pub(super) fn oldest(&self) -> u64 {
        self.evicted
    }

    pub(super) fn get(&self, number: u64) -> Option<&Field> {
        let place = number.checked_sub(self.evicted)?;
        self.entries.get(usize::try_from(place).ok()?)
    }

    /// Iterates over the entries with their numbers, the newest first.
    pub(super) fn youngest_first(&self) -> impl Iterator<Item = (u64, &Field)> {
        let numbered = self.entries.iter().enumerate().rev();
        numbered.map(|(place, field)| (self.evicted + place as u64, field))
    }

    /// Returns the newest entry with this field.
    pub(super) fn find(&self, name: &[u8], value: &[u8]) -> Option<u64> {
        let mut entries = self.youngest_first();
        let found = entries.find(|(_, field)| field.0 == name && field.1 == value);
        found.map(|(number, _)| number)
    }

    /// Returns how many of the oldest entries must be evicted to make room for this size, or `None` if the size exceeds
    /// the table.
    pub(super) fn evictions_for(&self, size: usize) -> Option<usize> {
        let mut free = self.capacity.checked_sub(self.size)?;
        let mut count = 0;
        while free < size {
            let (name, value) = self.entries.get(count)?;
            free += size_of(name, value);
            count += 1;
        }
        Some(count)
    }

    /// Inserts an entry and evicts older ones. Returns whether the entry fits.
    pub(super) fn insert(&mut self, name: Bytes, value: Bytes) -> bool {
        let size = size_of(&name, &value);
        let Some(count) = self.evictions_for(size) else {
            return false;
        };
        (0..count).for_each(|_| self.evict());
        self.size += size;
        self.entries.push_back((name, value));
        true
    }

    /// Sets the capacity of the table, and evicts entries above it.
    pub(super) fn set_capacity(&mut self, capacity: usize) {
        self.capacity = capacity;
        while self.size > capacity {
            self.evict();
        }
    }

    fn evict(&mut self) {
        if let Some((name, value)) = self.entries.pop_front() {
            self.size -= size_of(&name, &value);
            self.evicted += 1;
        }
    }
}
