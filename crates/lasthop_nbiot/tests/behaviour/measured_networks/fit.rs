//! Which candidates explain what was measured, each alone and all together; printed by
//! `cargo test --release -p lasthop_nbiot --test behaviour measured_networks::fit -- --nocapture --include-ignored`.

use super::candidates::{CANDIDATES, Choice, TODAY, network};
use super::rows::{LOSSES_DB, ROWS, Row};

/// Seeds of a median while the fit looks around, and of what is printed.
const SEEDS_OF_A_STEP: u64 = 15;
const SEEDS: u64 = 60;

fn medians(choice: &Choice, seeds: u64) -> [f64; ROWS.len()] {
    ROWS.map(|row| row.median(&network(choice, LOSSES_DB[row.level]), seeds))
}

/// The sum of the squared misses of some rows.
fn misses(medians: &[f64; ROWS.len()], counts: impl Fn(&Row) -> bool) -> f64 {
    let rows = ROWS.iter().zip(medians).filter(|(row, _)| counts(row));
    rows.map(|(row, median)| row.miss(*median) * row.miss(*median))
        .sum()
}

fn header(first: &str) {
    let names: Vec<String> = ROWS.iter().map(Row::name).collect();
    println!("| {first} | {} | miss |", names.join(" | "));
    println!("|---|{}", "---|".repeat(ROWS.len() + 1));
    let ranges = ROWS.map(|row| format!("{:.1} to {:.1}", row.measured[0], row.measured[1]));
    println!("| measured, s | {} | |", ranges.join(" | "));
}

fn show(name: &str, medians: &[f64; ROWS.len()]) {
    let cells = medians.map(|median| format!("{median:.2}"));
    let miss = misses(medians, |_| true);
    println!("| {name} | {} | {miss:.2} |", cells.join(" | "));
}

/// Goes from a choice to better ones by one candidate at a time, until none is better. Among equals the one that was there
/// first stays.
fn descend(from: Choice, counts: &dyn Fn(&Row) -> bool, seen: &mut Seen) -> (f64, Choice) {
    let mut best = (seen.misses(&from, counts), from);
    loop {
        let before = best.0;
        for (place, candidate) in CANDIDATES.iter().enumerate() {
            for value in 0..candidate.values.len() {
                let mut choice = best.1;
                choice[place] = value;
                let miss = seen.misses(&choice, counts);
                if miss < best.0 - 1e-4 {
                    best = (miss, choice);
                }
            }
        }
        if best.0 >= before {
            return best;
        }
    }
}

/// Medians of the choices that were looked at.
#[derive(Default)]
struct Seen(std::collections::BTreeMap<Choice, [f64; ROWS.len()]>);

impl Seen {
    fn misses(&mut self, choice: &Choice, counts: &dyn Fn(&Row) -> bool) -> f64 {
        let medians = self
            .0
            .entry(*choice)
            .or_insert_with(|| medians(choice, SEEDS_OF_A_STEP));
        misses(medians, counts)
    }

    fn fit(&mut self, counts: &dyn Fn(&Row) -> bool) -> (f64, Choice) {
        let mut one_grant = TODAY;
        one_grant[5] = 1;
        let mut drx = TODAY;
        drx[8] = 2;
        let mut polls = TODAY;
        polls[7] = 1;
        let starts = [TODAY, one_grant, drx, polls];
        let ends = starts.map(|start| descend(start, counts, self));
        ends.into_iter()
            .min_by(|a, b| a.0.total_cmp(&b.0))
            .expect("there are starts")
    }
}

fn described(choice: &Choice) -> String {
    let parts = CANDIDATES
        .iter()
        .zip(choice)
        .filter(|(_, value)| **value > 0);
    let parts: Vec<String> = parts
        .map(|(candidate, value)| format!("{}: {}", candidate.name, candidate.values[*value].name))
        .collect();
    parts.join("; ")
}

#[test]
fn each_candidate_alone() {
    header("candidate alone");
    show("today", &medians(&TODAY, SEEDS));
    for (place, candidate) in CANDIDATES.iter().enumerate() {
        for (number, value) in candidate.values.iter().enumerate().skip(1) {
            let mut choice = TODAY;
            choice[place] = number;
            let name = format!("{}: {}", candidate.name, value.name);
            show(&name, &medians(&choice, SEEDS));
        }
    }
}

#[test]
#[ignore = "soak: some thousand networks"]
fn the_fit_and_what_it_says_of_rows_that_it_has_not_seen() {
    let mut seen = Seen::default();
    let (_, best) = seen.fit(&|_| true);
    println!("fit to all rows: {}\n", described(&best));
    header("the fit, and without each of its parts");
    let of_all = medians(&best, SEEDS);
    show("fit", &of_all);
    for (place, candidate) in CANDIDATES.iter().enumerate() {
        if best[place] > 0 {
            let mut without = best;
            without[place] = 0;
            show(
                &format!("without {}", candidate.name),
                &medians(&without, SEEDS),
            );
        }
    }
    println!();
    header("fit without a row, and that row");
    for held in ["V-M1", "V-M3", "V-M4", "V-M5"] {
        let (_, choice) = seen.fit(&|row| row.id != held);
        let found = medians(&choice, SEEDS);
        let miss = misses(&found, |row| row.id == held);
        show(
            &format!(
                "{held} held back (its miss: {miss:.2}): {}",
                described(&choice)
            ),
            &found,
        );
    }
}
