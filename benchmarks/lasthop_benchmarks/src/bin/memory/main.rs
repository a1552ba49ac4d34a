//! Measures how many bytes the parts of a run hold, as a table, and checks the limits that some of them have.
//!
//! Without arguments it prints the table. `--write FILE` writes it, `--check FILE` says whether the file is up
//! to date. It fails when a limit is exceeded.
//!
//! Bytes are those that the program asks the allocator for and holds at the end; what an allocator adds to that
//! is its own.

mod fleet;
mod objects;
mod table;

use core::error::Error;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use table::Table;

enum Task {
    Print,
    Write(PathBuf),
    Check(PathBuf),
}

fn main() -> ExitCode {
    let table = Table {
        rows: objects::measure_all(),
    };
    match task().and_then(|task| table.carry_out(&task)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("memory: {error}");
            ExitCode::FAILURE
        }
    }
}

fn task() -> Result<Task, Box<dyn Error>> {
    use lexopt::prelude::*;

    let mut parser = lexopt::Parser::from_env();
    let mut task = Task::Print;
    while let Some(argument) = parser.next()? {
        task = match argument {
            Long("write") => Task::Write(parser.value()?.into()),
            Long("check") => Task::Check(parser.value()?.into()),
            other => return Err(other.unexpected().into()),
        };
    }
    Ok(task)
}

impl Table {
    fn carry_out(&self, task: &Task) -> Result<(), Box<dyn Error>> {
        match task {
            Task::Print => print!("{self}"),
            Task::Write(file) => fs::write(file, self.to_string())?,
            Task::Check(file) if fs::read_to_string(file)? == self.to_string() => {}
            Task::Check(file) => {
                let file = file.display();
                let problem = format!(
                    "{file} is out of date; write it by `cargo run --release -p lasthop_benchmarks \
                     --bin memory -- --write {file}`. It should read:\n{self}"
                );
                return Err(problem.into());
            }
        }
        match self.rows.iter().find(|row| row.exceeds_its_limit()) {
            Some(row) => Err(format!("{} takes {} B, too much", row.object, row.bytes).into()),
            None => Ok(()),
        }
    }
}
