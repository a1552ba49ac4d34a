//! Replays the corpora on stable Rust: a decoder that once panicked does not do so again.

use std::fs;
use std::panic;
use std::path::{Path, PathBuf};

use lasthop_fuzz::TARGETS;

/// All corpora together, the study's included.
const MOST_BYTES: u64 = 200_000;

#[test]
fn every_decoder_answers_its_whole_corpus() {
    for (name, target) in TARGETS {
        let files = files_of(name);
        assert!(!files.is_empty(), "the corpus of {name} is empty");
        for file in files {
            let data = fs::read(&file).expect("a corpus file is readable");
            let answered = panic::catch_unwind(|| target(&data));
            assert!(
                answered.is_ok(),
                "{name} does not answer {}",
                file.display()
            );
        }
    }
}

#[test]
fn every_decoder_answers_every_beginning_of_its_corpus() {
    for (name, target) in TARGETS {
        for file in files_of(name) {
            let data = fs::read(&file).expect("a corpus file is readable");
            for length in 0..data.len().min(512) {
                let answered = panic::catch_unwind(|| target(&data[..length]));
                assert!(answered.is_ok(), "{name}: {length} B of {}", file.display());
            }
        }
    }
}

#[test]
fn every_target_has_a_program_of_its_name() {
    let programs = root().join("fuzz_targets");
    for (name, _) in TARGETS {
        assert!(programs.join(name).with_extension("rs").is_file(), "{name}");
    }
    let count = fs::read_dir(programs).expect("the folder is there").count();
    assert_eq!(count, TARGETS.len());
}

#[test]
fn the_corpora_are_small() {
    let folders = fs::read_dir(root().join("corpus")).expect("the folder is there");
    let bytes: u64 = folders
        .flat_map(|folder| fs::read_dir(folder.expect("readable").path()).expect("a folder"))
        .map(|file| {
            file.expect("readable")
                .metadata()
                .expect("it has a size")
                .len()
        })
        .sum();
    assert!(bytes <= MOST_BYTES, "{bytes} B");
}

fn files_of(target: &str) -> Vec<PathBuf> {
    let folder = fs::read_dir(root().join("corpus").join(target)).expect("there is a corpus");
    let mut files: Vec<_> = folder
        .map(|entry| entry.expect("readable").path())
        .collect();
    files.sort();
    files
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
