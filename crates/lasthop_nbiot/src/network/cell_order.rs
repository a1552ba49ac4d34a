use crate::phy::Subframe;

/// Which cell has the next event: by time, then by the kind of event, then by the number of the cell.
///
/// A tournament: the winner of each pair plays on, so that a change replays one way to the top.
#[derive(Debug)]
pub(super) struct CellOrder {
    /// From the root on; the second half are the cells.
    tree: Vec<Key>,
    leaves: usize,
}

/// From the highest bit on: the time, the kind, the cell.
type Key = u64;

const NOTHING: Key = Key::MAX;
const KIND_BITS: u32 = 8;
const CELL_BITS: u32 = 8;

impl CellOrder {
    pub(super) fn new(cells: usize) -> Self {
        let leaves = cells.next_power_of_two();
        Self {
            tree: vec![NOTHING; 2 * leaves],
            leaves,
        }
    }

    /// The next event of a cell is this one now.
    pub(super) fn set(&mut self, cell: usize, next: Option<(Subframe, u8)>) {
        let mut at = self.leaves + cell;
        let key = next.map_or(NOTHING, |(subframe, kind)| {
            (subframe.0 << KIND_BITS | u64::from(kind)) << CELL_BITS | cell as u64
        });
        if self.tree[at] == key {
            return;
        }
        self.tree[at] = key;
        while at > 1 {
            at /= 2;
            let winner = self.tree[2 * at].min(self.tree[2 * at + 1]);
            if self.tree[at] == winner {
                return;
            }
            self.tree[at] = winner;
        }
    }

    /// The cell with the next event, and when that comes.
    pub(super) fn first(&self) -> Option<(Subframe, usize)> {
        let key = self.tree[1];
        let cell = key as usize & ((1 << CELL_BITS) - 1);
        (key < NOTHING).then_some((Subframe(key >> (KIND_BITS + CELL_BITS)), cell))
    }
}
