use core::fmt;

/// What `benchmarks/memory.md` says.
pub(crate) struct Table {
    pub(crate) rows: Vec<Row>,
}

/// How much memory an object takes.
pub(crate) struct Row {
    pub(crate) object: &'static str,
    pub(crate) bytes: u64,
    pub(crate) limit: Option<u64>,
}

const INTRODUCTION: &str = "\
# Bytes per object

Written by `cargo run --release -p lasthop_benchmarks --bin memory -- --write benchmarks/memory.md`; a test checks
that it is up to date and that the limits hold. Bytes are those held of the allocator, on a 64-bit machine, the mean
over 1,000 objects of a kind. A host or a link includes its place in the event loop. Buffers of packets that have
arrived wait for reuse in a pool that a whole run shares; they belong to no object. With TLS a pair holds two sessions of the
library as well, one at each end: 4 KiB beyond the plain pair are aimed at for both together, and not reached;
with DTLS 2 KiB and with QUIC 16 KiB, and both by far not reached.

| object | bytes | limit |
|---|---:|---:|
";

impl Row {
    pub(crate) fn exceeds_its_limit(&self) -> bool {
        self.limit.is_some_and(|limit| self.bytes > limit)
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(INTRODUCTION)?;
        for Row {
            object,
            bytes,
            limit,
        } in &self.rows
        {
            let limit = limit.map_or_else(String::new, |limit| limit.to_string());
            writeln!(f, "| {object} | {bytes} | {limit} |")?;
        }
        Ok(())
    }
}
