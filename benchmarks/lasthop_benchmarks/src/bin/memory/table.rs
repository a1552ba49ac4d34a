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
arrived wait for reuse in a pool that a whole run shares; they belong to no object.

Each end of a pair holds a session of its own. What one takes beyond the plain pair is half of the difference, with all that its host
has once: aimed at are 4 KiB with TLS, 2 KiB with DTLS and 16 KiB with QUIC, and none is reached. Of DTLS 1.2 kB are the session of `dimpl` and
0.8 kB the layer of the host, which is there once; a device has 0.3 kB for the settings of its key. Of TLS two keys of `ring`
(568 B each), 1.1 kB of `rustls` and 0.6 kB of ours are an end's largest parts. Of QUIC `quinn-proto` has 6.2 kB in one piece, 8.4 kB of places for 100 streams
each way that the peer may open (`quic.streams`), and some 6 kB of keys: two directions, now and after the next update.

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
