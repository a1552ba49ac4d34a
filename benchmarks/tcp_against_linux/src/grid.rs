use crate::CongestionControl::{self, Bbr, Cubic, Reno};
use crate::Workload::{
    self, Bulk, IdleRestart, Message, Nagle, SmallWindow, Tail, ThinStream, Upload,
};

/// A cell as it is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) workload: Workload,
    pub(crate) congestion: CongestionControl,
    /// Each way.
    pub(crate) loss_percent: u8,
    /// One way.
    pub(crate) delay_ms: u16,
    pub(crate) timestamps: bool,
}

/// Every cell. Each two levels of two factors meet in one of them, but 1 MB and more than 5 % loss; the last ones are of
/// BBR.
pub(crate) const GRID: &[Row] = &[
    cell(Message, Reno, 0, 150, false),
    cell(Message, Reno, 1, 40, false),
    cell(Message, Reno, 5, 10, true),
    cell(Message, Reno, 10, 400, true),
    cell(Message, Reno, 25, 10, false),
    cell(Message, Cubic, 0, 40, true),
    cell(Message, Cubic, 1, 150, true),
    cell(Message, Cubic, 5, 400, false),
    cell(Message, Cubic, 10, 10, false),
    cell(Message, Cubic, 25, 40, true),
    cell(Tail, Reno, 0, 150, true),
    cell(Tail, Reno, 1, 400, false),
    cell(Tail, Reno, 5, 10, true),
    cell(Tail, Reno, 5, 150, false),
    cell(Tail, Reno, 10, 40, false),
    cell(Tail, Reno, 25, 400, false),
    cell(Tail, Cubic, 0, 10, false),
    cell(Tail, Cubic, 1, 10, true),
    cell(Tail, Cubic, 5, 400, true),
    cell(Tail, Cubic, 10, 40, true),
    cell(Tail, Cubic, 25, 150, true),
    cell(Upload, Reno, 0, 150, true),
    cell(Upload, Reno, 1, 400, true),
    cell(Upload, Reno, 5, 10, false),
    cell(Upload, Reno, 10, 40, true),
    cell(Upload, Reno, 25, 400, true),
    cell(Upload, Cubic, 0, 40, false),
    cell(Upload, Cubic, 1, 40, false),
    cell(Upload, Cubic, 5, 150, true),
    cell(Upload, Cubic, 10, 400, false),
    cell(Upload, Cubic, 25, 10, true),
    cell(Upload, Cubic, 25, 150, false),
    cell(ThinStream, Reno, 0, 40, true),
    cell(ThinStream, Reno, 0, 400, true),
    cell(ThinStream, Reno, 1, 150, false),
    cell(ThinStream, Reno, 5, 40, false),
    cell(ThinStream, Reno, 10, 10, false),
    cell(ThinStream, Reno, 10, 400, true),
    cell(ThinStream, Reno, 25, 400, true),
    cell(ThinStream, Cubic, 0, 150, false),
    cell(ThinStream, Cubic, 1, 40, true),
    cell(ThinStream, Cubic, 5, 150, true),
    cell(ThinStream, Cubic, 10, 10, true),
    cell(ThinStream, Cubic, 25, 400, false),
    cell(Bulk, Reno, 0, 400, false),
    cell(Bulk, Reno, 1, 10, true),
    cell(Bulk, Reno, 1, 40, false),
    cell(Bulk, Reno, 5, 150, true),
    cell(Bulk, Cubic, 0, 400, true),
    cell(Bulk, Cubic, 1, 150, false),
    cell(Bulk, Cubic, 5, 10, false),
    cell(Bulk, Cubic, 5, 40, true),
    cell(IdleRestart, Reno, 0, 150, false),
    cell(IdleRestart, Reno, 1, 40, true),
    cell(IdleRestart, Reno, 5, 400, false),
    cell(IdleRestart, Reno, 10, 10, false),
    cell(IdleRestart, Reno, 25, 150, true),
    cell(IdleRestart, Cubic, 0, 400, true),
    cell(IdleRestart, Cubic, 1, 400, false),
    cell(IdleRestart, Cubic, 5, 10, true),
    cell(IdleRestart, Cubic, 5, 150, false),
    cell(IdleRestart, Cubic, 10, 40, true),
    cell(IdleRestart, Cubic, 25, 40, false),
    cell(Nagle, Reno, 0, 40, false),
    cell(Nagle, Reno, 1, 40, true),
    cell(Nagle, Reno, 5, 10, true),
    cell(Nagle, Reno, 5, 400, false),
    cell(Nagle, Reno, 10, 40, true),
    cell(Nagle, Reno, 25, 150, true),
    cell(Nagle, Cubic, 0, 10, true),
    cell(Nagle, Cubic, 1, 10, false),
    cell(Nagle, Cubic, 1, 400, true),
    cell(Nagle, Cubic, 5, 40, false),
    cell(Nagle, Cubic, 10, 150, false),
    cell(Nagle, Cubic, 25, 400, false),
    cell(SmallWindow, Reno, 0, 10, true),
    cell(SmallWindow, Reno, 0, 400, false),
    cell(SmallWindow, Reno, 1, 400, true),
    cell(SmallWindow, Reno, 5, 400, false),
    cell(SmallWindow, Reno, 10, 150, true),
    cell(SmallWindow, Reno, 25, 40, false),
    cell(SmallWindow, Cubic, 0, 40, false),
    cell(SmallWindow, Cubic, 0, 150, false),
    cell(SmallWindow, Cubic, 1, 10, false),
    cell(SmallWindow, Cubic, 5, 40, true),
    cell(SmallWindow, Cubic, 10, 10, false),
    cell(SmallWindow, Cubic, 10, 400, true),
    cell(SmallWindow, Cubic, 25, 40, true),
    cell(Upload, Bbr, 0, 40, true),
    cell(Upload, Bbr, 10, 40, true),
    cell(Upload, Bbr, 25, 150, true),
    cell(ThinStream, Bbr, 10, 40, true),
    cell(ThinStream, Bbr, 25, 150, true),
    cell(Bulk, Bbr, 1, 150, true),
    cell(Bulk, Bbr, 5, 40, true),
    cell(IdleRestart, Bbr, 5, 150, true),
];

const fn cell(
    workload: Workload,
    congestion: CongestionControl,
    loss_percent: u8,
    delay_ms: u16,
    timestamps: bool,
) -> Row {
    Row {
        workload,
        congestion,
        loss_percent,
        delay_ms,
        timestamps,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOSSES: [u8; 5] = [0, 1, 5, 10, 25];
    const DELAYS: [u16; 4] = [10, 40, 150, 400];

    /// The levels of a cell as numbers: workload, control, loss, delay, time stamps.
    fn levels(row: &Row) -> [usize; 5] {
        let at = |found: Option<usize>| found.expect("a level of the grid");
        [
            at(Workload::ALL.iter().position(|it| *it == row.workload)),
            at([Reno, Cubic].iter().position(|it| *it == row.congestion)),
            at(LOSSES.iter().position(|it| *it == row.loss_percent)),
            at(DELAYS.iter().position(|it| *it == row.delay_ms)),
            usize::from(row.timestamps),
        ]
    }

    #[test]
    fn each_two_levels_meet_in_a_cell_and_no_cell_is_there_twice() {
        assert!(GRID.len() <= 100);
        let modelled: Vec<&Row> = GRID.iter().filter(|row| row.congestion != Bbr).collect();
        let cells: Vec<[usize; 5]> = modelled.iter().map(|row| levels(row)).collect();
        for (place, cell) in cells.iter().enumerate() {
            assert!(!cells[..place].contains(cell), "{cell:?}");
        }
        let counts = [8, 2, 5, 4, 2];
        for one in 0..5 {
            for other in 0..one {
                for (a, b) in (0..counts[one]).flat_map(|a| (0..counts[other]).map(move |b| (a, b)))
                {
                    let is_left_out = (one, other) == (2, 0) && b == 4 && LOSSES[a] > 5;
                    let meets = cells.iter().any(|cell| cell[one] == a && cell[other] == b);
                    assert_eq!(meets, !is_left_out, "{one}: {a}, {other}: {b}");
                }
            }
        }
    }
}
