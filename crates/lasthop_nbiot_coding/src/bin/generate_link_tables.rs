//! Measures block error rates and writes the link tables of `lasthop_nbiot`.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "it tells its user how far it is"
)]

use core::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{fs, io};

use lasthop_nbiot_coding::{Effort, Table};

const HELP: &str = "\
usage: generate_link_tables --into FOLDER [--seed N] [--threads N] [--errors N] [--blocks N] [--most-bits N]

Measures how often each transport format of NB-IoT fails over white noise, and writes npdcch.csv, npusch.csv and
npdsch.csv into the folder. What stands there already from the same seed, errors, blocks and version is kept, so
that a run that was stopped goes on where it was. The result does not depend on the number of threads.

  --into FOLDER    where to write; it must exist
  --seed N         of the random streams (default 1)
  --threads N      formats measured side by side (default 1)
  --errors N       a point is measured until so many blocks are lost (default 200)
  --blocks N       but no more blocks are sent than these (default 5000)
  --most-bits N    leave out larger transport blocks (default 2536, the largest of Cat NB2)

examples:
  go on with the committed tables:  generate_link_tables --into crates/lasthop_nbiot/tables
  make them anew and compare:       mkdir anew && generate_link_tables --into anew --threads 2
  a rough look in a minute:         mkdir rough && generate_link_tables --into rough --errors 10 --blocks 200
";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("generate_link_tables: {error}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    use lexopt::prelude::*;

    let (mut folder, mut seed, mut threads, mut most_bits) = (None, 1, 1, 2536);
    let mut effort = Effort::COMMITTED;
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("help") => {
                print!("{HELP}");
                return Ok(());
            }
            Long("into") => folder = Some(PathBuf::from(parser.value()?)),
            Long("seed") => seed = parser.value()?.parse()?,
            Long("threads") => threads = parser.value()?.parse()?,
            Long("errors") => effort.errors = parser.value()?.parse()?,
            Long("blocks") => effort.blocks = parser.value()?.parse()?,
            Long("most-bits") => most_bits = parser.value()?.parse()?,
            other => return Err(other.unexpected().into()),
        }
    }
    let folder = folder.ok_or("say where to write: --into FOLDER")?;
    if !folder.is_dir() {
        return Err(format!("--into {}: no such folder; make it first", folder.display()).into());
    }
    for (option, value) in [
        ("threads", threads),
        ("errors", effort.errors as usize),
        ("blocks", effort.blocks as usize),
    ] {
        if value == 0 {
            return Err(format!("--{option} 0: nothing would be measured; give at least 1").into());
        }
    }
    for table in &mut Table::all(seed, effort, most_bits) {
        write(table, &folder, threads)?;
    }
    Ok(())
}

fn write(table: &mut Table, folder: &Path, threads: usize) -> Result<(), Box<dyn Error>> {
    let file = folder.join(table.file);
    if file.exists() {
        table.continue_from(&fs::read_to_string(&file).map_err(naming(&file))?);
    }
    loop {
        let (done, of) = table.progress();
        eprintln!("{}: {done} of {of} formats", table.file);
        if !table.measure_some(threads) {
            return Ok(());
        }
        fs::write(&file, table.text()).map_err(naming(&file))?;
    }
}

fn naming(file: &Path) -> impl Fn(io::Error) -> String {
    move |error| format!("{}: {error}", file.display())
}
