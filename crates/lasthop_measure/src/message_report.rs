use core::fmt;
use core::ops::Range;
use std::collections::BTreeMap;
use std::io::{self, Write};

use lasthop_contract::FlowId;
use lasthop_units::{Duration, Instant};

use crate::arrow_stream::StreamWriter;
use crate::backlog::{Backlog, FlowShape};
use crate::group_results::{FlowAges, GroupSums};
use crate::message_spill::{MessageSpill, Messages, OpenStore};
use crate::message_sums::{MeasuredTime, MessageSums};
use crate::message_table::message_table;
use crate::summary::PER_MILLE;
use crate::tables::Table;
use crate::{Directory, Histogram, MessageRecord};

/// Opens the destination of a table when it is first needed.
pub type OpenTable = Box<dyn FnOnce() -> io::Result<Box<dyn Write>>>;

/// The files for the message records of a run, so that memory stays bounded.
pub struct MessageFiles {
    /// The ID of the run in the rows.
    pub run_id: Box<str>,
    /// The maximum number of finished messages in memory. Runs with fewer need no file.
    pub most_in_memory: usize,
    /// The temporary store for further messages during the run.
    pub spill: OpenStore,
    /// The destination of the table for a run that needs files.
    pub table: OpenTable,
}

/// The destination of the message table, and the ID of its run.
pub(crate) struct TableFile {
    pub(crate) run_id: Box<str>,
    pub(crate) open: OpenTable,
}

/// The results of all messages of a run at its end.
#[derive(Debug)]
pub(crate) struct MessageReport {
    pub(crate) sums: MessageSums,
    pub(crate) by_group: GroupSums,
    pub(crate) uncarried_share: Option<f64>,
    /// Bytes of payloads that first entered the path when their messages had ended.
    pub(crate) payload_first_sent: u64,
    /// The exact latency percentiles over all offered messages.
    pub(crate) percentiles: [Option<Duration>; PER_MILLE.len()],
    /// The message table as an Arrow IPC stream; empty if it was written elsewhere.
    pub(crate) stream: Vec<u8>,
}

/// Properties of a run that the report needs beside its messages.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known<'a> {
    pub(crate) directory: &'a Directory,
    pub(crate) time: MeasuredTime,
    /// Overload is judged from messages due before this instant.
    pub(crate) disturbed: Instant,
}

/// So many rows are in memory at a time.
const ROWS: usize = 1 << 14;

impl MessageReport {
    /// Reads all messages flow by flow, and writes the message table if it has a destination.
    ///
    /// # Errors
    /// Those of the files.
    pub(crate) fn of(
        mut spill: MessageSpill,
        table: Option<TableFile>,
        known: Known<'_>,
    ) -> io::Result<Self> {
        spill.finish()?;
        let mut told = Self {
            sums: MessageSums::default(),
            by_group: GroupSums::new(known.directory),
            uncarried_share: None,
            payload_first_sent: 0,
            percentiles: [None; PER_MILLE.len()],
            stream: Vec::new(),
        };
        let mut stream = Vec::new();
        match table {
            Some(TableFile { run_id, open }) if spill.is_stored() => {
                let mut out = open()?;
                told.read(&spill, known, Some(&run_id), &mut out)?;
                out.flush()?;
            }
            table => {
                let run_id = table.as_ref().map(|table| &*table.run_id);
                told.read(&spill, known, run_id, &mut stream)?;
            }
        }
        told.stream = stream;
        told.percentiles = percentiles(&spill, &told.sums.latency, known.time)?;
        Ok(told)
    }

    fn read(
        &mut self,
        spill: &MessageSpill,
        known: Known<'_>,
        run_id: Option<&str>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let mut rows = Rows {
            run_id: run_id.unwrap_or_default(),
            known,
            waiting: Vec::new(),
        };
        let mut writer = StreamWriter::new(out, &rows.table().fields)?;
        let mut shapes = Shapes::of(spill.messages(), known.disturbed);
        let (mut backlog, mut last) = (Backlog::default(), None);
        let mut ages: Option<(FlowId, FlowAges)> = None;
        let mut messages = spill.messages();
        for message in messages.by_ref() {
            let (flow, record) = message?;
            if last.replace(flow) != Some(flow) {
                backlog.begin(shapes.next_flow()?);
                let next = (flow, FlowAges::new(known.directory, flow, known.time));
                self.end_flow(known.directory, ages.replace(next));
            }
            if let Some((_, ages)) = &mut ages {
                ages.add(&record);
            }
            if record.intended < known.disturbed {
                backlog.add(&record);
            }
            self.sums.add(&record, known.time);
            let told = (flow, &record);
            self.by_group.add(known.directory, told, known.time);
            if run_id.is_some() {
                rows.waiting.push((flow, record));
            }
            if rows.waiting.len() == ROWS {
                writer.write(&rows.table().columns)?;
                rows.waiting.clear();
            }
        }
        self.end_flow(known.directory, ages);
        writer.write(&rows.table().columns)?;
        writer.finish()?;
        self.uncarried_share = backlog.uncarried_share();
        self.payload_first_sent = messages.first_sent();
        Ok(())
    }

    fn end_flow(&mut self, directory: &Directory, ages: Option<(FlowId, FlowAges)>) {
        if let Some((flow, ages)) = ages {
            self.by_group.add_age(directory, flow, ages);
        }
    }
}

/// Finds the latencies at the ranks of percentiles: of their buckets in the histogram, which are narrow, every value is
/// counted.
fn percentiles(
    spill: &MessageSpill,
    latencies: &Histogram,
    time: MeasuredTime,
) -> io::Result<[Option<Duration>; PER_MILLE.len()]> {
    let places = PER_MILLE.map(|part| latencies.place_of(part));
    let buckets: Vec<Range<Duration>> = places.iter().flatten().map(|(at, _)| at.clone()).collect();
    let mut counts: BTreeMap<Duration, u64> = BTreeMap::new();
    for message in spill.messages() {
        let (_, record) = message?;
        let latency = record
            .latency()
            .filter(|_| record.intended >= time.from)
            .filter(|latency| buckets.iter().any(|bucket| bucket.contains(latency)));
        if let Some(latency) = latency {
            *counts.entry(latency).or_default() += 1;
        }
    }
    Ok(places.map(|place| {
        let (bucket, rank) = place?;
        let mut below = 0;
        let mut found = counts.range(bucket);
        let reaches = found.find(|(_, count)| {
            below += **count;
            below >= rank
        });
        reaches.map(|(latency, _)| *latency)
    }))
}

/// Reads ahead by a flow, to know its shape before its messages are looked at.
struct Shapes<'a> {
    messages: Messages<'a>,
    next: Option<(FlowId, MessageRecord)>,
    until: Instant,
}

impl<'a> Shapes<'a> {
    /// Creates the shapes of the messages due before `until`.
    fn of(messages: Messages<'a>, until: Instant) -> Self {
        Self {
            messages,
            next: None,
            until,
        }
    }

    fn next_flow(&mut self) -> io::Result<Option<FlowShape>> {
        let (mut shape, mut flow) = (None, None);
        while let Some((of, record)) = self.take()? {
            if *flow.get_or_insert(of) != of {
                self.next = Some((of, record));
                break;
            }
            if record.intended < self.until {
                FlowShape::widen(&mut shape, &record);
            }
        }
        Ok(shape)
    }

    fn take(&mut self) -> io::Result<Option<(FlowId, MessageRecord)>> {
        match self.next.take() {
            Some(next) => Ok(Some(next)),
            None => self.messages.next().transpose(),
        }
    }
}

/// Messages on their way into a batch.
struct Rows<'a> {
    run_id: &'a str,
    known: Known<'a>,
    waiting: Vec<(FlowId, MessageRecord)>,
}

impl Rows<'_> {
    fn table(&self) -> Table {
        let Known {
            directory, time, ..
        } = self.known;
        let records = || self.waiting.iter().map(|(flow, record)| (*flow, record));
        message_table(self.run_id, directory, time.from, records)
    }
}

impl fmt::Debug for TableFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TableFile").finish_non_exhaustive()
    }
}

impl fmt::Debug for MessageFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MessageFiles").finish_non_exhaustive()
    }
}
