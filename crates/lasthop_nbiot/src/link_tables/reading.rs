use core::str::FromStr;

use super::curve::Curve;
use super::format::{Carrier, Combining, ControlMessage, Slot, Tones};
use super::measured::{Count, Measured};

const NPUSCH: &str = include_str!("../../tables/npusch.csv");
const NPDSCH: &str = include_str!("../../tables/npdsch.csv");
const NPDCCH: &str = include_str!("../../tables/npdcch.csv");

/// Hands over each curve of the committed tables.
///
/// # Panics
/// When a table is not as its generator writes it, which the tests would have found.
pub(super) fn read_committed(mut add: impl FnMut(Slot, Curve)) {
    for mut row in rows(NPUSCH) {
        let tones = match row.word() {
            "single" => Tones::Single,
            "multi" => Tones::Multi,
            other => panic!("npusch.csv: no such tones: {other}"),
        };
        let (i_tbs, i_ru) = (row.number(), row.number());
        let combining = match row.word() {
            "chase" => Combining::Chase,
            "rv_0_and_2" => Combining::RedundancyVersions0And2,
            other => panic!("npusch.csv: no such combining: {other}"),
        };
        let slot = Slot::npusch(tones, i_tbs, i_ru, combining).expect("npusch.csv: a format");
        add(slot, row.curve());
    }
    for mut row in rows(NPDSCH) {
        let (carrier, i_tbs, i_sf) = (row.carrier(), row.number(), row.number());
        let slot = Slot::npdsch(carrier, i_tbs, i_sf).expect("npdsch.csv: a format");
        add(slot, row.curve());
    }
    for mut row in rows(NPDCCH) {
        let carrier = row.carrier();
        let message = match row.word() {
            "n0_or_n1_on_1" => ControlMessage::N0OrN1OnOne,
            "n0_or_n1_on_2" => ControlMessage::N0OrN1OnTwo,
            "n2_on_2" => ControlMessage::N2OnTwo,
            other => panic!("npdcch.csv: no such message: {other}"),
        };
        add(Slot::npdcch(carrier, message), row.curve());
    }
}

/// The rows below the comments and the line of column names.
fn rows(table: &'static str) -> impl Iterator<Item = Row> {
    let lines = table.lines().filter(|line| !line.starts_with('#'));
    lines.skip(1).map(|line| Row(line.split(',')))
}

/// Enough for most rows; a longer one is read as well.
const MOST_POINTS: usize = 24;

struct Row(core::str::Split<'static, char>);

impl Row {
    fn word(&mut self) -> &'static str {
        self.0.next().expect("a row has all columns")
    }

    fn number<T: FromStr>(&mut self) -> T {
        parsed(self.word())
    }

    fn carrier(&mut self) -> Carrier {
        match self.word() {
            "standalone" => Carrier::Standalone,
            "in_band" => Carrier::InBand,
            other => panic!("no such carrier: {other}"),
        }
    }

    /// The columns that all tables end with.
    fn curve(mut self) -> Curve {
        let (payload_bits, coded_bits) = (self.number(), self.number());
        let _modulation = self.word();
        let (from_db, step_db) = (self.number(), self.number());
        let words = self.word().as_bytes().split(|byte| *byte == b' ');
        let mut counts = Vec::with_capacity(MOST_POINTS);
        counts.extend(words.map(count));
        let measured = Measured::new(from_db, step_db, &counts);
        Curve::through(&measured, payload_bits, coded_bits)
    }
}

/// Errors and blocks, with a stroke between them. By bytes, since the tables hold thousands of them.
fn count(text: &[u8]) -> Count {
    let mut numbers = text.split(|byte| *byte == b'/');
    let mut number = || {
        let digits = numbers.next().expect("errors/blocks");
        digits.iter().fold(0, |number, digit| {
            assert!(digit.is_ascii_digit(), "errors/blocks");
            10 * number + u32::from(digit - b'0')
        })
    };
    Count {
        errors: number(),
        blocks: number(),
    }
}

fn parsed<T: FromStr>(text: &str) -> T {
    let Ok(value) = text.parse() else {
        panic!("not a number: {text}");
    };
    value
}
