use std::collections::BTreeMap;

use lasthop_contract::{Direction, Layer, Span};
use lasthop_units::Instant;

use crate::account::{Account, AccountRow};
use crate::capture::{CaptureError, CaptureReader, Link, Lowpan, Unpacked, strip};
use crate::capture_bill::CaptureBill;
use crate::classifier::Classifier;
use crate::conversation::{Conversation, Protocol};
use crate::portion::{Portion, Remark, Sight};
use crate::portion_log::PortionLog;

/// The byte ledger of captures: reads capture files and adds up the bytes by purpose.
///
/// Memory grows with the number of conversations and with what streams hold back, not with the size of the files.
#[derive(Debug, Default)]
pub struct Accountant {
    reader: CaptureReader,
    lowpan: Lowpan,
    classifier: Classifier,
    books: Books,
    /// How many frames of the file were read.
    frames_of_file: u64,
    /// The rest of the file is not read.
    is_damaged: bool,
    bill: Option<CaptureBill>,
    portions: Option<PortionLog>,
}

/// What is added up.
#[derive(Debug, Default)]
struct Books {
    totals: BTreeMap<(Sight, Direction), Account>,
    conversations: Vec<[Tally; 2]>,
    findings: Findings,
}

/// Bytes of all conversations, by sight and direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TotalRow {
    /// Whether the capturing host sent or received the bytes.
    pub sight: Sight,
    /// The direction. Up is away from the opener of the conversation.
    pub direction: Direction,
    /// The bytes of a layer and cause.
    pub row: AccountRow,
}

/// What one side of a conversation sent.
#[derive(Clone, Debug, Default)]
struct Tally {
    packets: u64,
    repeated: u64,
    account: Account,
}

/// A conversation with the traffic of each direction, up first.
#[derive(Clone, Copy, Debug)]
pub struct ConversationReport<'a> {
    /// The two ends and the protocol.
    pub conversation: &'a Conversation,
    /// The number of IP packets.
    pub packets: [u64; 2],
    /// The number of packets that only retransmit data.
    pub repeated: [u64; 2],
    /// The bytes by layer and cause.
    pub accounts: [&'a Account; 2],
}

/// Findings about the capture beside its bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    /// The number of captured frames.
    pub frames: u64,
    /// The number of IP packets.
    pub packets: u64,
    /// The number of frames without IP.
    pub not_ip: u64,
    /// The number of frames with fragments of incomplete 6LoWPAN packets.
    pub lone_fragments: u64,
    /// The number of frames of each unsupported link layer, by its LINKTYPE value.
    pub unknown_links: BTreeMap<u32, u64>,
    /// The number of packets that the capture truncated.
    pub cut_short: u64,
    /// The number of packets with a wrong checksum.
    pub damaged: u64,
    /// The number of TCP packets that only retransmit data.
    pub repeated_by_tcp: u64,
    /// The number of TCP packets that only retransmit data which was already acknowledged.
    pub repeated_in_vain: u64,
    /// The number of datagrams whose message was sent before.
    pub repeated_by_application: u64,
    /// The bytes of incomplete blocks at the ends of files.
    pub unfinished_bytes: u64,
    /// The positions at which files are damaged after valid frames. The rest of such a file is not read.
    pub damaged_at: Vec<u64>,
    /// When the first frame was captured.
    pub first: Option<Instant>,
    /// When the last frame was captured.
    pub last: Option<Instant>,
}

impl Accountant {
    /// Creates an accountant without captures.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Also computes the cost of the packets.
    pub fn bill_by(&mut self, bill: CaptureBill) {
        self.bill = Some(bill);
    }

    /// Keeps every packet from now on. Memory grows with their number.
    pub fn keep_portions(&mut self) {
        self.portions.get_or_insert_default();
    }

    /// Returns the packets, if they are kept.
    #[must_use]
    pub fn portions(&self) -> Option<&PortionLog> {
        self.portions.as_ref()
    }

    /// Returns the cost of the packets, if it is computed.
    #[must_use]
    pub fn bill(&self) -> Option<&CaptureBill> {
        self.bill.as_ref()
    }

    /// Sets the protocol at a server port, regardless of IANA's registry.
    pub fn say_port(&mut self, port: u16, protocol: Protocol) {
        self.classifier.say_port(port, protocol);
    }

    /// Reads the next bytes of a file. If the file is damaged after a valid frame, the frames before it count and the
    /// rest is ignored.
    ///
    /// # Errors
    /// They are no capture.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(), CaptureError> {
        if self.is_damaged {
            return Ok(());
        }
        match self.read(bytes) {
            Err(CaptureError::Damaged { at, .. }) if self.frames_of_file > 0 => {
                self.books.findings.damaged_at.push(at);
                self.is_damaged = true;
                Ok(())
            }
            result => result,
        }
    }

    fn read(&mut self, bytes: &[u8]) -> Result<(), CaptureError> {
        self.reader.feed(bytes);
        while let Some(frame) = self.reader.next_frame()? {
            self.frames_of_file += 1;
            let findings = &mut self.books.findings;
            findings.frames += 1;
            findings.first = Some(findings.first.map_or(frame.at, |first| first.min(frame.at)));
            findings.last = findings.last.max(Some(frame.at));
            match strip(&frame) {
                Link::NotIp => findings.not_ip += 1,
                Link::Unknown => {
                    *findings.unknown_links.entry(frame.link_type).or_default() += 1;
                }
                Link::Lowpan(carried) => match self.lowpan.take(frame.at, &carried) {
                    Unpacked::NotIp => findings.not_ip += 1,
                    Unpacked::Waits => {}
                    Unpacked::Packet(bytes, length) => {
                        findings.cut_short += u64::from(bytes.len() < length);
                        self.classifier
                            .handle(frame.at, frame.sight, &bytes, length);
                    }
                },
                Link::Ip {
                    bytes,
                    length,
                    sight,
                } => {
                    findings.cut_short += u64::from(frame.bytes.len() < frame.length);
                    self.classifier.handle(frame.at, sight, bytes, length);
                }
            }
            self.collect();
        }
        Ok(())
    }

    /// Ends a file. The next file continues the capture, as in a ring buffer of files.
    ///
    /// # Errors
    /// It is no capture.
    pub fn end_of_file(&mut self) -> Result<(), CaptureError> {
        if !core::mem::take(&mut self.is_damaged) {
            self.books.findings.unfinished_bytes += self.reader.finish()? as u64;
        }
        self.frames_of_file = 0;
        self.reader = CaptureReader::new();
        Ok(())
    }

    /// Ends the capture.
    pub fn finish(&mut self) {
        self.books.findings.lone_fragments = self.lowpan.finish();
        self.classifier.finish();
        self.collect();
    }

    /// Returns the bytes of all conversations.
    #[must_use]
    pub fn totals(&self) -> Vec<TotalRow> {
        let accounts = self.books.totals.iter();
        let rows = accounts.flat_map(|(&(sight, direction), account)| {
            account.rows().into_iter().map(move |row| TotalRow {
                sight,
                direction,
                row,
            })
        });
        rows.collect()
    }

    /// Iterates over the conversations, in the order of their first packets.
    pub fn conversations(&self) -> impl Iterator<Item = ConversationReport<'_>> {
        (0..self.books.conversations.len()).filter_map(|place| self.conversation(place))
    }

    /// Returns the conversation at an index of that order.
    #[must_use]
    pub fn conversation(&self, place: usize) -> Option<ConversationReport<'_>> {
        let conversation = self.classifier.conversations().get(place)?;
        let [up, down] = self.books.conversations.get(place)?;
        Some(ConversationReport {
            conversation,
            packets: [up.packets, down.packets],
            repeated: [up.repeated, down.repeated],
            accounts: [&up.account, &down.account],
        })
    }

    /// Returns the findings about the capture beside its bytes.
    #[must_use]
    pub fn findings(&self) -> &Findings {
        &self.books.findings
    }

    fn collect(&mut self) {
        while let Some(portion) = self.classifier.poll() {
            if let Some(bill) = &mut self.bill
                && let Some(conversation) = self
                    .classifier
                    .conversations()
                    .get(portion.conversation.0 as usize)
            {
                bill.add(&portion, conversation);
            }
            if let Some(portions) = &mut self.portions {
                portions.add(&portion);
            }
            self.books.enter(&portion);
        }
    }
}

impl Books {
    fn enter(&mut self, portion: &Portion) {
        let place = portion.conversation.0 as usize;
        if self.conversations.len() <= place {
            self.conversations.resize_with(place + 1, Default::default);
        }
        let is_repeated = matches!(portion.remark, Remark::Repeated | Remark::RepeatedInVain);
        let is_of_tcp = |span: &Span| span.provenance.layer == Layer::Tcp;
        let is_by_tcp = portion.spans.iter().any(is_of_tcp);
        let findings = &mut self.findings;
        findings.packets += u64::from(portion.packets);
        findings.damaged += u64::from(portion.remark == Remark::Damaged);
        findings.repeated_in_vain += u64::from(portion.remark == Remark::RepeatedInVain);
        findings.repeated_by_tcp += u64::from(is_repeated && is_by_tcp);
        findings.repeated_by_application += u64::from(is_repeated && !is_by_tcp);
        let tally = &mut self.conversations[place][portion.direction as usize];
        tally.packets += u64::from(portion.packets);
        tally.repeated += u64::from(is_repeated);
        tally.account.add(&portion.spans);
        let key = (portion.sight, portion.direction);
        self.totals.entry(key).or_default().add(&portion.spans);
    }
}
