use crate::phy::Subframe;

/// Which cell has the next event: by time, then by the kind of event, then by the number of the cell.
///
/// Cells stand in groups of as many as a cache line holds, so that a change looks through two short lists.
#[derive(Debug)]
pub(super) struct CellOrder {
    cells: Box<[Group]>,
    /// The first of each group.
    firsts: Box<[Key]>,
    first: Key,
}

/// From the highest bit on: the time, the kind, the cell.
type Key = u64;

#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Group([Key; GROUP]);

const GROUP: usize = 8;
const NOTHING: Key = Key::MAX;
const KIND_BITS: u32 = 8;
const CELL_BITS: u32 = 8;

impl CellOrder {
    /// None of so many cells has an event.
    pub(super) fn new(cells: usize) -> Self {
        let groups = cells.div_ceil(GROUP);
        Self {
            cells: vec![Group([NOTHING; GROUP]); groups].into(),
            firsts: vec![NOTHING; groups].into(),
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

fn first_of(keys: &[Key]) -> Key {
    keys.iter().fold(NOTHING, |first, key| first.min(*key))
}

#[cfg(test)]
mod tests {
    use lasthop_contract::RandomStream;

    use super::*;

    #[test]
    fn the_first_is_the_least_by_time_kind_and_number_of_all_cells() {
        let mut stream = RandomStream::named(1, "cells");
        let mut known = [None; 255];
        let mut order = CellOrder::new(known.len());
        assert_eq!(order.first(), None);
        for _ in 0..20_000 {
            let cell = stream.below(known.len() as u64) as usize;
            let at = Subframe(stream.below(50));
            known[cell] = (stream.below(4) > 0).then(|| (at, stream.below(3) as u8));
            order.set(cell, known[cell]);
            let next = known.iter().zip(0..);
            let next = next.filter_map(|(known, cell)| known.map(|(at, kind)| (at, kind, cell)));
            assert_eq!(order.first(), next.min().map(|(at, _, cell)| (at, cell)));
        }
    }
}
