use std::path::PathBuf;
use std::process::{Command, Output};

use lasthop_nbiot_coding::{
    Carrier, Combining, ControlMessage, Effort, Simulation, Sweep, Table, Tones, TransportFormat,
};

const NPUSCH: &str = include_str!("../../../lasthop_nbiot/tables/npusch.csv");
const NPDSCH: &str = include_str!("../../../lasthop_nbiot/tables/npdsch.csv");
const NPDCCH: &str = include_str!("../../../lasthop_nbiot/tables/npdcch.csv");

const LITTLE: Effort = Effort {
    errors: 4,
    blocks: 20,
};

fn tables(threads: usize) -> Vec<String> {
    let mut tables = Table::all(7, LITTLE, 32);
    for table in &mut tables {
        while table.measure_some(threads) {}
    }
    tables.iter().map(Table::text).collect()
}

/// The row of a format in a committed table: its first Es/N0, its step, and errors/blocks for each point.
fn committed(table: &str, format: TransportFormat) -> (f64, f64, Vec<String>) {
    let name = format!("{format},");
    let row = table.lines().find(|line| line.starts_with(&name));
    let columns: Vec<&str> = row.expect("a row of this format").split(',').collect();
    let [.., from_db, step_db, counts] = columns[..] else {
        panic!("a row has more than two columns");
    };
    let number = |text: &str| text.parse().expect("a number");
    let counts = counts.split(' ').map(str::to_owned).collect();
    (number(from_db), number(step_db), counts)
}

#[test]
fn committed_points_come_out_again_bit_for_bit() {
    let effort = Effort::COMMITTED;
    let chase = Combining::Chase;
    let both = Combining::RedundancyVersions0And2;
    let cases = [
        (
            NPUSCH,
            TransportFormat::npusch(Tones::Single, 0, 0, chase).unwrap(),
        ),
        (
            NPUSCH,
            TransportFormat::npusch(Tones::Single, 6, 2, both).unwrap(),
        ),
        (
            NPUSCH,
            TransportFormat::npusch(Tones::Multi, 12, 3, chase).unwrap(),
        ),
        (
            NPDSCH,
            TransportFormat::npdsch(Carrier::Standalone, 4, 3).unwrap(),
        ),
        (
            NPDSCH,
            TransportFormat::npdsch(Carrier::InBand, 10, 3).unwrap(),
        ),
        (
            NPDCCH,
            TransportFormat::npdcch(Carrier::InBand, ControlMessage::N2OnTwo),
        ),
    ];
    for (table, format) in cases {
        let (from_db, step_db, counts) = committed(table, format);
        let mut simulation = Simulation::new(format);
        for point in [0, counts.len() / 2] {
            let es_n0_db = from_db + point as f64 * step_db;
            let count = simulation.run(1, es_n0_db, effort.errors, effort.blocks);
            let count = format!("{}/{}", count.errors, count.blocks);
            assert_eq!(count, counts[point], "{format} at {es_n0_db} dB");
        }
    }
}

#[test]
fn committed_tables_name_the_command_and_the_version() {
    for (table, text) in Table::all(1, Effort::COMMITTED, 0)
        .iter()
        .zip([NPDCCH, NPUSCH, NPDSCH])
    {
        let head: Vec<&str> = text.lines().take(4).collect();
        let expected = table.text();
        assert_eq!(head, expected.lines().take(4).collect::<Vec<_>>());
        assert!(
            head[1].contains("generate_link_tables --seed 1 "),
            "{}",
            head[1]
        );
    }
}

#[test]
fn tables_do_not_depend_on_the_number_of_threads() {
    assert_eq!(tables(1), tables(3));
}

#[test]
fn a_run_goes_on_where_another_stopped() {
    let whole = tables(1);
    for (table, text) in Table::all(7, LITTLE, 32).iter_mut().zip(&whole) {
        let (_, formats) = table.progress();
        let lines = text.lines().count();
        let half: Vec<&str> = text.lines().take(lines - formats / 2).collect();
        table.continue_from(&(half.join("\n") + "\n"));
        assert_eq!(table.progress(), (formats - formats / 2, formats));
        while table.measure_some(1) {}
        assert_eq!(&table.text(), text);
    }
}

#[test]
fn rows_of_another_seed_are_not_taken_over() {
    let mut others = Table::all(8, LITTLE, 32);
    others[0].continue_from(&tables(1)[0]);
    assert_eq!(others[0].progress(), (0, 6));
}

#[test]
fn a_sweep_goes_from_nearly_all_to_nearly_none() {
    let format = TransportFormat::npdcch(Carrier::Standalone, ControlMessage::N0OrN1OnTwo);
    let effort = Effort {
        errors: 50,
        blocks: 2_000,
    };
    let sweep = Sweep::of(format, 1, effort);
    let shares: Vec<f64> = sweep.counts.iter().map(|count| count.share()).collect();
    assert!(shares[0] >= 0.95 && shares[1] < 0.95, "{shares:?}");
    let (last, before) = (shares[shares.len() - 1], shares[shares.len() - 2]);
    assert!(last <= 1e-3 && before > 1e-3, "{shares:?}");
}

fn generate(arguments: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_generate_link_tables");
    Command::new(program)
        .args(arguments)
        .output()
        .expect("cargo builds it")
}

#[test]
fn help_shows_examples() {
    let output = generate(&["--help"]);
    assert!(output.status.success());
    let help = String::from_utf8(output.stdout).unwrap();
    assert!(help.contains("examples:") && help.contains("--into crates/lasthop_nbiot/tables"));
}

#[test]
fn a_mistake_is_one_line_that_says_what_to_write() {
    let cases = [
        (&[][..], "say where to write: --into FOLDER"),
        (
            &["--into", "nowhere"],
            "--into nowhere: no such folder; make it first",
        ),
        (
            &["--into", ".", "--threads", "0"],
            "--threads 0: nothing would be measured; give at least 1",
        ),
        (
            &["--into", ".", "--errors", "0"],
            "--errors 0: nothing would be measured; give at least 1",
        ),
        (
            &["--into", ".", "--blocks", "0"],
            "--blocks 0: nothing would be measured; give at least 1",
        ),
        (
            &["--into", ".", "--seed", "one"],
            "cannot parse argument \"one\": invalid digit found in string",
        ),
        (&["--out", "."], "invalid option '--out'"),
    ];
    for (arguments, expected) in cases {
        let output = generate(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(error, format!("generate_link_tables: {expected}\n"));
    }
}

#[test]
fn the_program_writes_what_the_library_measures() {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("tables");
    std::fs::create_dir_all(&folder).unwrap();
    let options = "--seed 7 --errors 4 --blocks 20 --most-bits 32 --threads 2".split(' ');
    let mut arguments = vec!["--into", folder.to_str().unwrap()];
    arguments.extend(options);
    assert!(generate(&arguments).status.success());
    for (file, text) in ["npdcch.csv", "npusch.csv", "npdsch.csv"]
        .iter()
        .zip(tables(1))
    {
        assert_eq!(std::fs::read_to_string(folder.join(file)).unwrap(), text);
    }
}
