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
has once: aimed at are 4 KiB with TLS, 2 KiB with DTLS and 16 KiB with QUIC, and all are reached. Of TLS an end has 1.1 kB of session, 1.1 kB of two keys of
`ring`, 0.6 kB of room for pieces of messages that `rustls` makes at the start and keeps, 0.3 kB of state and 0.3 kB of the peer's certificate, which the client keeps (valgrind's
dhat over 100 pairs). Of DTLS the session of `dimpl` and the layer of the host, which is there once, are most; a device has the settings of its key beside them. Expanded keys
of DTLS are in a table of 32 places that all hosts of a thread share. Of QUIC the connection of `quinn-proto` in our tree (`third_party/quinn-proto`) and its keys are most: it
enters streams of the peer when they come, has the spaces of the handshake until it is confirmed, and derives its next keys when they are asked for.

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
