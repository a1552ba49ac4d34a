//! Rate matching of TS 36.212 section 5.1.4: interleaved streams in a circular buffer, read from a starting point.
//!
//! What comes out is a list of places in the three coded streams, set one behind the other: place
//! `stream x length + index`.

/// Returns the rate matching of the turbo code (clause 5.1.4.1): the position of each transmitted bit in the three
/// coded streams.
///
/// `length` is that of a stream, and `bits` is the number of bits in a transmission of this redundancy version.
///
/// The soft buffer is taken to hold all, as for every uplink.
#[must_use]
pub fn turbo(length: usize, redundancy_version: usize, bits: usize) -> Vec<usize> {
    let rows = length.div_ceil(COLUMNS);
    let size = rows * COLUMNS;
    let first = column_by_column(length, 0, &TURBO_COLUMNS);
    let second = column_by_column(length, 1, &TURBO_COLUMNS);
    let mut buffer: Vec<Option<usize>> = first;
    for (index, place) in second.into_iter().enumerate() {
        buffer.push(place);
        // Clause 5.1.4.1.1: the third stream is also shifted by one place.
        let column = TURBO_COLUMNS[index / rows];
        let shifted = (column + COLUMNS * (index % rows) + 1) % size;
        buffer.push(in_stream(shifted, length, 2));
    }
    let start = rows * (2 * buffer.len().div_ceil(8 * rows) * redundancy_version + 2);
    read(&buffer, start, bits)
}

/// Returns the rate matching of the convolutional code (clause 5.1.4.2): the position of each of the `bits` transmitted
/// bits in the coded streams of this length.
#[must_use]
pub fn convolutional(length: usize, bits: usize) -> Vec<usize> {
    let streams = 0..3;
    let interleaved =
        streams.flat_map(|stream| column_by_column(length, stream, &CONVOLUTIONAL_COLUMNS));
    read(&interleaved.collect::<Vec<_>>(), 0, bits)
}

const COLUMNS: usize = 32;

/// The order in which columns are read: TS 36.212 table 5.1.4-1.
const TURBO_COLUMNS: [usize; COLUMNS] = [
    0, 16, 8, 24, 4, 20, 12, 28, 2, 18, 10, 26, 6, 22, 14, 30, 1, 17, 9, 25, 5, 21, 13, 29, 3, 19,
    11, 27, 7, 23, 15, 31,
];

/// The order in which columns are read: TS 36.212 table 5.1.4-2.
const CONVOLUTIONAL_COLUMNS: [usize; COLUMNS] = [
    1, 17, 9, 25, 5, 21, 13, 29, 3, 19, 11, 27, 7, 23, 15, 31, 0, 16, 8, 24, 4, 20, 12, 28, 2, 18,
    10, 26, 6, 22, 14, 30,
];

/// A stream written row by row behind as many dummies as fill the first row, and read column by column.
fn column_by_column(
    length: usize,
    stream: usize,
    columns: &[usize; COLUMNS],
) -> Vec<Option<usize>> {
    let rows = length.div_ceil(COLUMNS);
    let columns = columns.iter();
    let cells = columns.flat_map(|column| (0..rows).map(move |row| row * COLUMNS + column));
    cells.map(|cell| in_stream(cell, length, stream)).collect()
}

/// The place of what stands in this cell; `None` for a dummy.
fn in_stream(cell: usize, length: usize, stream: usize) -> Option<usize> {
    let dummies = length.div_ceil(COLUMNS) * COLUMNS - length;
    let index = cell.checked_sub(dummies)?;
    Some(stream * length + index)
}

/// Around the buffer, without dummies.
fn read(buffer: &[Option<usize>], start: usize, bits: usize) -> Vec<usize> {
    let around = buffer.iter().cycle().skip(start);
    around.flatten().copied().take(bits).collect()
}
