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

/// Time and kind, and the cell.
type Key = (u64, u8, u8);

const NOTHING: Key = (u64::MAX, u8::MAX, u8::MAX);

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
        let key = next.map_or(NOTHING, |(subframe, kind)| (subframe.0, kind, cell as u8));
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
        let (at, _, cell) = self.tree[1];
        (at < u64::MAX).then(|| (Subframe(at), usize::from(cell)))
    }
}
