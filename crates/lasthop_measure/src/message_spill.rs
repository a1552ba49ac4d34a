use core::cell::RefCell;
use core::cmp::Reverse;
use core::fmt;
use std::collections::{BinaryHeap, VecDeque};
use std::io::{self, Read, Seek, SeekFrom, Write};

use lasthop_contract::{FlowId, MessageId};
use lasthop_units::Instant;

use crate::MessageRecord;
use crate::message_change::MessageChange;
use crate::message_record::{Ending, STORED_BYTES};

/// A readable and writable byte store: a private temporary file.
pub trait Store: Read + Write + Seek {}

impl<T: Read + Write + Seek> Store for T {}

/// Creates a store when it is first needed.
pub type OpenStore = Box<dyn FnOnce() -> io::Result<Box<dyn Store>>>;

/// Finished messages, in memory up to a limit and then in a store. They are read by flow and number once all are there.
///
/// What happens to a message after its record came here follows it, and is noted in the record as it is read back: so
/// a record is what it would be had it stayed in memory.
pub(crate) struct MessageSpill {
    open: Option<OpenStore>,
    store: RefCell<Option<Box<dyn Store>>>,
    waiting: Vec<Entry>,
    /// Each in order, one behind the other in the store.
    chunks: Vec<Chunk>,
    words: Words,
    failure: Option<io::Error>,
    most_waiting: usize,
}

/// A record, or what happened to its message later.
#[derive(Clone, Debug)]
struct Entry {
    key: Key,
    what: What,
}

/// The order of messages: the channel and the device of their flow, then their number.
type Key = (u8, u32, u32);

#[derive(Clone, Debug)]
enum What {
    Record(FlowId, MessageRecord),
    Change(Instant, MessageChange),
}

/// Entries in a store.
#[derive(Clone, Copy, Debug)]
struct Chunk {
    start: u64,
    entries: u64,
}

/// What few entries differ in, by its place.
#[derive(Clone, Debug, Default)]
struct Words {
    endings: Vec<Ending>,
    changes: Vec<MessageChange>,
}

/// So many of a chunk are read at a time.
const READ_AT_A_TIME: u64 = 256;
/// What they are, the flow and the number stand before what is stored of them.
const HEAD_BYTES: usize = 1 + 4 + 4;
const ENTRY_BYTES: usize = HEAD_BYTES + STORED_BYTES;

impl MessageSpill {
    /// Creates an empty spill with this limit of messages in memory.
    pub(crate) fn new(most_waiting: usize, open: OpenStore) -> Self {
        Self {
            open: Some(open),
            store: RefCell::new(None),
            waiting: Vec::new(),
            chunks: Vec::new(),
            words: Words::default(),
            failure: None,
            most_waiting,
        }
    }

    /// Whether writing the store failed. The spill is then unusable.
    pub(crate) fn has_failed(&self) -> bool {
        self.failure.is_some()
    }

    /// Whether a store is in use because memory was not enough.
    pub(crate) fn is_stored(&self) -> bool {
        !self.chunks.is_empty()
    }

    /// Adds the record of a message.
    pub(crate) fn take(&mut self, flow: FlowId, record: MessageRecord) {
        let key = key(flow, record.number);
        self.add(key, What::Record(flow, record));
    }

    /// Applies an event to a message whose record is in the spill.
    pub(crate) fn follow(&mut self, now: Instant, id: MessageId, change: MessageChange) {
        self.add(key(id.flow, id.number.get()), What::Change(now, change));
    }

    /// Prepares the spill for reading.
    ///
    /// # Errors
    /// The first that the store had.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.waiting.sort_by_key(|entry| entry.key);
        self.failure.take().map_or(Ok(()), Err)
    }

    /// Returns all messages in order, after [`MessageSpill::finish`]. Several readers are possible.
    pub(crate) fn messages(&self) -> Messages<'_> {
        let stored = self.chunks.iter().map(|chunk| Cursor {
            left: *chunk,
            read: VecDeque::new(),
        });
        let mut messages = Messages {
            spill: self,
            cursors: stored.collect(),
            in_memory: self.waiting.iter(),
            next: BinaryHeap::new(),
            first_sent: 0,
            failure: None,
        };
        for source in 0..=messages.cursors.len() {
            messages.advance(source);
        }
        messages
    }

    fn add(&mut self, key: Key, what: What) {
        self.waiting.push(Entry { key, what });
        if self.waiting.len() >= self.most_waiting && self.failure.is_none() {
            self.failure = self.store_waiting().err();
        }
    }

    fn store_waiting(&mut self) -> io::Result<()> {
        // What happened to a message stays behind its record.
        self.waiting.sort_by_key(|entry| entry.key);
        let mut bytes = Vec::with_capacity(self.waiting.len() * ENTRY_BYTES);
        for entry in self.waiting.drain(..) {
            entry.store(&mut self.words, &mut bytes);
        }
        if let Some(open) = self.open.take() {
            *self.store.get_mut() = Some(open()?);
        }
        let start = self.chunks.last().map_or(0, Chunk::end);
        self.chunks.push(Chunk {
            start,
            entries: (bytes.len() / ENTRY_BYTES) as u64,
        });
        match self.store.get_mut() {
            Some(store) => store.write_all(&bytes),
            None => Ok(()),
        }
    }
}

impl Chunk {
    fn end(&self) -> u64 {
        self.start + self.entries * ENTRY_BYTES as u64
    }
}

/// Iterates over messages in order, with their final records.
pub(crate) struct Messages<'a> {
    spill: &'a MessageSpill,
    cursors: Vec<Cursor>,
    in_memory: core::slice::Iter<'a, Entry>,
    /// The next entry of each source, the first ones first.
    next: BinaryHeap<Reverse<Next>>,
    first_sent: u64,
    failure: Option<io::Error>,
}

/// A chunk that is being read.
struct Cursor {
    left: Chunk,
    read: VecDeque<Entry>,
}

/// An entry and where it is from: what came later is from a later source.
struct Next {
    source: usize,
    entry: Entry,
}

impl Iterator for Messages<'_> {
    type Item = io::Result<(FlowId, MessageRecord)>;

    fn next(&mut self) -> Option<Self::Item> {
        while let Some(first) = self.pop() {
            // What comes before any record is about none.
            let What::Record(flow, mut record) = first.what else {
                continue;
            };
            let sent = record.first_sent();
            while self.peek() == Some(first.key) {
                match self.pop().map(|entry| entry.what) {
                    Some(What::Change(now, change)) => change.apply(now, &mut record),
                    Some(What::Record(..)) | None => {}
                }
            }
            self.first_sent += record.first_sent() - sent;
            return Some(self.failure.take().map_or(Ok((flow, record)), Err));
        }
        self.failure.take().map(Err)
    }
}

impl Messages<'_> {
    /// Returns the payload bytes of read messages that were first sent after their records were spilled.
    pub(crate) fn first_sent(&self) -> u64 {
        self.first_sent
    }

    fn peek(&self) -> Option<Key> {
        self.next.peek().map(|Reverse(next)| next.entry.key)
    }

    fn pop(&mut self) -> Option<Entry> {
        let Reverse(Next { source, entry }) = self.next.pop()?;
        self.advance(source);
        Some(entry)
    }

    /// Advances a source to its next entry. The entries in memory come last.
    fn advance(&mut self, source: usize) {
        let entry = match self.cursors.get_mut(source) {
            None => self.in_memory.next().cloned(),
            Some(cursor) => match cursor.next(self.spill) {
                Ok(entry) => entry,
                Err(error) => {
                    self.failure.get_or_insert(error);
                    None
                }
            },
        };
        self.next
            .extend(entry.map(|entry| Reverse(Next { source, entry })));
    }
}

impl Cursor {
    fn next(&mut self, spill: &MessageSpill) -> io::Result<Option<Entry>> {
        if self.read.is_empty() && self.left.entries > 0 {
            let entries = self.left.entries.min(READ_AT_A_TIME);
            let mut bytes = vec![0; entries as usize * ENTRY_BYTES];
            if let Some(store) = &mut *spill.store.borrow_mut() {
                store.seek(SeekFrom::Start(self.left.start))?;
                store.read_exact(&mut bytes)?;
            }
            self.left.start += bytes.len() as u64;
            self.left.entries -= entries;
            let (pieces, _) = bytes.as_chunks::<ENTRY_BYTES>();
            self.read
                .extend(pieces.iter().map(|piece| Entry::read(&spill.words, piece)));
        }
        Ok(self.read.pop_front())
    }
}

impl Next {
    fn order(&self) -> (Key, usize) {
        (self.entry.key, self.source)
    }
}

impl PartialEq for Next {
    fn eq(&self, other: &Self) -> bool {
        self.order() == other.order()
    }
}

impl Eq for Next {}

impl PartialOrd for Next {
    fn partial_cmp(&self, other: &Self) -> Option<core::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Next {
    fn cmp(&self, other: &Self) -> core::cmp::Ordering {
        self.order().cmp(&other.order())
    }
}

const RECORD: u8 = 0;
const CHANGE: u8 = 1;

impl Entry {
    fn store(&self, words: &mut Words, bytes: &mut Vec<u8>) {
        let (channel, device, number) = self.key;
        let flow = FlowId::of(lasthop_contract::DeviceId(device), channel);
        let kind = match self.what {
            What::Record(..) => RECORD,
            What::Change(..) => CHANGE,
        };
        bytes.push(kind);
        bytes.extend(flow.0.to_le_bytes());
        bytes.extend(number.to_le_bytes());
        let start = bytes.len();
        match &self.what {
            What::Record(_, record) => {
                let ending = place(&mut words.endings, record.ending());
                bytes.extend(record.stored(ending));
            }
            What::Change(now, change) => {
                bytes.extend(now.as_nanos().to_le_bytes());
                bytes.extend(place(&mut words.changes, *change).to_le_bytes());
            }
        }
        bytes.resize(start + STORED_BYTES, 0);
    }

    fn read(words: &Words, bytes: &[u8; ENTRY_BYTES]) -> Self {
        let mut stored = Stored(bytes);
        let [kind] = stored.take();
        let flow = FlowId(u32::from_le_bytes(stored.take()));
        let number = u32::from_le_bytes(stored.take());
        let what = if kind == RECORD {
            let record = MessageRecord::from_stored(number, &words.endings, &mut stored);
            What::Record(flow, record)
        } else {
            let now = Instant::from_nanos(u64::from_le_bytes(stored.take()));
            let place = u32::from_le_bytes(stored.take());
            What::Change(now, words.changes[place as usize])
        };
        let key = key(flow, number);
        Self { key, what }
    }
}

/// A reader of stored bytes.
pub(crate) struct Stored<'a>(&'a [u8]);

impl Stored<'_> {
    /// Returns the next `N` bytes. There must be that many.
    pub(crate) fn take<const N: usize>(&mut self) -> [u8; N] {
        let (taken, rest) = self
            .0
            .split_first_chunk()
            .expect("an entry holds what was stored of it");
        self.0 = rest;
        *taken
    }
}

fn key(flow: FlowId, number: u32) -> Key {
    (flow.channel(), flow.device().0, number)
}

/// Returns the index of a word and adds it if it is new. There are few words.
fn place<T: PartialEq>(words: &mut Vec<T>, word: T) -> u32 {
    let known = words.iter().position(|known| *known == word);
    let place = known.unwrap_or_else(|| {
        words.push(word);
        words.len() - 1
    });
    place as u32
}

impl fmt::Debug for MessageSpill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MessageSpill")
            .field("chunks", &self.chunks.len())
            .field("waiting", &self.waiting.len())
            .finish_non_exhaustive()
    }
}
