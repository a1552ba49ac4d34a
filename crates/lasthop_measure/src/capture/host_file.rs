use std::collections::VecDeque;
use std::io::{self, Write};

use lasthop_contract::Packet;
use lasthop_units::Instant;

use super::captured_host::CapturedHost;
use super::pcapng::{self, CapturedPacket};

/// The capture file of one host. Packets are written in order of time. A packet in flight delays those after it, so
/// memory holds the packets since the oldest one in flight.
pub(super) struct HostFile {
    host: CapturedHost,
    out: Box<dyn Write>,
    /// What is not written yet.
    waiting: VecDeque<Waiting>,
    /// How many packets are.
    written: u64,
    /// What happened to the host since its last packet.
    notes: Vec<String>,
}

struct Waiting {
    packet: CapturedPacket,
    /// How many copies are under way: none, once all have arrived or were dropped.
    copies: u32,
}

impl HostFile {
    pub(super) fn new(host: CapturedHost, out: Box<dyn Write>) -> Self {
        Self {
            host,
            out,
            waiting: VecDeque::new(),
            written: 0,
            notes: Vec::new(),
        }
    }

    pub(super) fn host(&self) -> CapturedHost {
        self.host
    }

    pub(super) fn begin(&mut self, interface: &str) -> io::Result<()> {
        self.out.write_all(&pcapng::section_header())?;
        self.out
            .write_all(&pcapng::interface_description(interface))
    }

    /// Records a packet that leaves the host. Returns its place.
    pub(super) fn sent(&mut self, now: Instant, packet: &Packet) -> u64 {
        let place = self.written + self.waiting.len() as u64;
        let packet = self.captured(now, packet, false);
        self.waiting.push_back(Waiting { packet, copies: 1 });
        place
    }

    /// Records a packet that arrives at the host.
    pub(super) fn received(&mut self, now: Instant, packet: &Packet) -> io::Result<()> {
        let mut captured = self.captured(now, packet, true);
        if packet.is_corrupted() {
            captured.comments.push("corrupted by the link".into());
        }
        self.waiting.push_back(Waiting {
            packet: captured,
            copies: 0,
        });
        self.write_what_has_ended()
    }

    pub(super) fn duplicated(&mut self, place: u64) {
        if let Some(waiting) = self.waiting_at(place) {
            waiting.copies += 1;
            let comment = "duplicated by the link";
            waiting.packet.comments.push(comment.into());
        }
    }

    /// Records that a copy of a sent packet has ended, with a comment if it was not delivered. Returns whether it was
    /// the last copy.
    pub(super) fn one_has_ended(&mut self, place: u64, comment: Option<String>) -> bool {
        let Some(waiting) = self.waiting_at(place) else {
            return true;
        };
        waiting.copies -= 1;
        waiting.packet.comments.extend(comment);
        waiting.copies == 0
    }

    /// Writes the packets before the oldest one in flight.
    pub(super) fn write_what_has_ended(&mut self) -> io::Result<()> {
        while let Some(ended) = self.waiting.pop_front_if(|first| first.copies == 0) {
            self.written += 1;
            self.out.write_all(&ended.packet.block(0))?;
        }
        Ok(())
    }

    /// Writes all packets, and marks those in flight.
    pub(super) fn finish(&mut self) -> io::Result<()> {
        for waiting in &mut self.waiting {
            if waiting.copies > 0 {
                waiting.copies = 0;
                let comment = "under way when the run ended";
                waiting.packet.comments.push(comment.into());
            }
        }
        self.write_what_has_ended()?;
        self.out.flush()
    }

    /// Records an event of the host as a comment on its next packet.
    pub(super) fn note(&mut self, what: String) {
        self.notes.push(what);
    }

    fn captured(&mut self, at: Instant, packet: &Packet, is_inbound: bool) -> CapturedPacket {
        let mut comments = vec![format!("packet {}", packet.number())];
        comments.append(&mut self.notes);
        CapturedPacket {
            at,
            is_inbound,
            bytes: packet.bytes().into(),
            comments,
        }
    }

    fn waiting_at(&mut self, place: u64) -> Option<&mut Waiting> {
        let index = place.checked_sub(self.written)?;
        self.waiting.get_mut(index as usize)
    }
}
