use crate::config::NetworkConfig;
use crate::phy::Subframe;

/// Which cell has the next event: by time, then by the kind of event, then by the number of the cell.
///
/// Cells stand in groups of as many as a cache line holds, so that a change looks through two short lists.
#[derive(Debug)]
pub(super) struct CellOrder {
    cells: [Group; GROUPS],
    /// The first of each group.
    firsts: [Key; GROUPS],
    first: Key,
}

/// From the highest bit on: the time, the kind, the cell.
type Key = u64;

#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Group([Key; GROUP]);

const GROUP: usize = 8;
const GROUPS: usize = (NetworkConfig::MAX_CELLS as usize).div_ceil(GROUP);
const NOTHING: Key = Key::MAX;
const KIND_BITS: u32 = 8;
const CELL_BITS: u32 = 8;

impl CellOrder {
    /// No cell has an event.
    pub(super) const fn new() -> Self {
        Self {
            cells: [Group([NOTHING; GROUP]); GROUPS],
            firsts: [NOTHING; GROUPS],
            first: NOTHING,
        }
    }

    /// The next event of a cell is this one now.
    pub(super) fn set(&mut self, cell: usize, next: Option<(Subframe, u8)>) {
        let key = next.map_or(NOTHING, |(subframe, kind)| {
            (subframe.0 << KIND_BITS | u64::from(kind)) << CELL_BITS | cell as u64
        });
        let Group(keys) = &mut self.cells[cell / GROUP];
        if keys[cell % GROUP] == key {
            return;
        }
        keys[cell % GROUP] = key;
        let first = first_of(keys);
        if self.firsts[cell / GROUP] == first {
            return;
        }
        self.firsts[cell / GROUP] = first;
        self.first = first_of(&self.firsts);
    }

    /// The cell with the next event, and when that comes.
    pub(super) fn first(&self) -> Option<(Subframe, usize)> {
        let cell = self.first as usize & ((1 << CELL_BITS) - 1);
        (self.first < NOTHING).then_some((Subframe(self.first >> (KIND_BITS + CELL_BITS)), cell))
    }
}

fn first_of<const COUNT: usize>(keys: &[Key; COUNT]) -> Key {
    keys.iter().fold(NOTHING, |first, key| first.min(*key))
}
