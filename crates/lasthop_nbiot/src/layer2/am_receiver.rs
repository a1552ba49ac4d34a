use smallvec::SmallVec;

use super::am_pdu::{AM_WINDOW, AmPdu};
use super::rlc_config::{RlcConfig, StatusReports};
use super::status_report::{Nack, StatusReport};

/// The receiving side of an RLC AM entity (TS 36.322 sections 5.1.3.2 and 5.2.3, without t-Reordering as in NB-IoT Release 13).
///
/// SDUs are seen as one stream of bytes; what it delivers is "the stream is here up to this byte".
#[derive(Clone, Debug, Default)]
pub struct AmReceiver {
    /// VR(R): the lowest sequence number that is not complete.
    next: u32,
    /// VR(H): one above the highest sequence number seen.
    highest: u32,
    /// Bytes of the stream in the PDUs before `next`.
    complete_bytes: u32,
    /// What is here of PDUs from `next` on, in order, without overlap.
    pieces: SmallVec<[Piece; 1]>,
    /// A STATUS PDU has been asked for and not been sent.
    status_due: bool,
}

/// Neighbouring bytes of the data field of one PDU.
#[derive(Clone, Copy, Debug)]
struct Piece {
    sn: u32,
    from: u16,
    to: u16,
    /// `to` is the end of the data field.
    last: bool,
}

impl AmReceiver {
    /// Creates an entity that has received nothing.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Receives a PDU and returns up to which byte the SDU stream is complete, for
    /// [`AmTransmitter::take_delivered`](super::AmTransmitter::take_delivered). Duplicates are ignored.
    pub fn receive(&mut self, pdu: &AmPdu, config: &RlcConfig) -> u32 {
        let StatusReports::Transmitted { on_gap } = config.status_reports else {
            self.keep(pdu);
            return self.in_order_bytes();
        };
        let gap = pdu.sn > self.highest && on_gap;
        self.status_due |= pdu.poll || gap;
        self.keep(pdu);
        self.in_order_bytes()
    }

    /// Returns the number of SDU stream bytes received without a gap.
    #[must_use]
    pub fn in_order_bytes(&self) -> u32 {
        let begun = self
            .pieces
            .first()
            .filter(|piece| piece.sn == self.next && piece.from == 0)
            .map_or(0, |piece| piece.to);
        self.complete_bytes + u32::from(begun)
    }

    /// Whether a STATUS PDU waits to be sent.
    #[must_use]
    pub const fn is_status_due(&self) -> bool {
        self.status_due
    }

    /// Returns the size of the pending STATUS PDU, if there is one.
    #[must_use]
    pub fn status_bytes(&self) -> Option<u16> {
        self.status_due.then(|| self.report(u16::MAX).bytes())
    }

    /// Takes the pending STATUS PDU, cut to `limit_bytes`.
    ///
    /// Returns `None` if none is pending or the smallest does not fit.
    pub fn take_status(&mut self, limit_bytes: u16) -> Option<StatusReport> {
        if !self.status_due || limit_bytes < StatusReport::SMALLEST_BYTES {
            return None;
        }
        self.status_due = false;
        Some(self.report(limit_bytes))
    }

    fn keep(&mut self, pdu: &AmPdu) {
        if pdu.sn < self.next || pdu.sn >= self.next + AM_WINDOW {
            return;
        }
        self.highest = self.highest.max(pdu.sn + 1);
        let whole = pdu.from == 0 && pdu.last;
        if whole && pdu.sn == self.next && self.pieces.is_empty() {
            self.next += 1;
            self.complete_bytes += u32::from(pdu.data_bytes);
            return;
        }
        self.insert(Piece {
            sn: pdu.sn,
            from: pdu.from,
            to: pdu.to(),
            last: pdu.last,
        });
        self.advance();
    }

    /// Adds a piece and joins it with those that it touches.
    fn insert(&mut self, mut new: Piece) {
        let touches =
            |old: &Piece, new: &Piece| old.sn == new.sn && old.from <= new.to && new.from <= old.to;
        let place = self
            .pieces
            .iter()
            .position(|old| old.sn > new.sn || (old.sn == new.sn && old.to >= new.from))
            .unwrap_or(self.pieces.len());
        while let Some(old) = self.pieces.get(place).filter(|old| touches(old, &new)) {
            new.from = new.from.min(old.from);
            new.to = new.to.max(old.to);
            new.last |= old.last;
            self.pieces.remove(place);
        }
        self.pieces.insert(place, new);
    }

    fn advance(&mut self) {
        let mut complete = 0;
        for piece in &self.pieces {
            if piece.sn != self.next || piece.from != 0 || !piece.last {
                break;
            }
            self.next += 1;
            self.complete_bytes += u32::from(piece.to);
            complete += 1;
        }
        self.pieces.drain(..complete);
    }

    /// What is here and what is missing (TS 36.322 section 5.2.3).
    fn report(&self, limit_bytes: u16) -> StatusReport {
        let mut report = StatusReport::nothing_missing(self.highest);
        let mut rest = self.pieces.as_slice();
        for sn in self.next..self.highest {
            let count = rest.iter().take_while(|piece| piece.sn == sn).count();
            let (here, later) = rest.split_at(count);
            rest = later;
            if !report_missing(&mut report, sn, here, limit_bytes) {
                break;
            }
        }
        report
    }
}

/// Adds what is missing of the PDU `sn`. Where it does not fit, the report ends before it, and the answer is no.
fn report_missing(report: &mut StatusReport, sn: u32, here: &[Piece], limit_bytes: u16) -> bool {
    let before = report.nacks.len();
    let mut push = |part| {
        let fits = report.push(Nack { sn, part }, limit_bytes);
        if !fits {
            // What is named in part counts as missing; the rest of it is named another time.
            report.ack_sn = sn + u32::from(report.nacks.len() > before);
        }
        fits
    };
    if here.is_empty() {
        return push(None);
    }
    let mut from = 0;
    for piece in here {
        if piece.from > from && !push(Some((from, piece.from))) {
            return false;
        }
        from = piece.to;
    }
    here.last().is_none_or(|piece| piece.last) || push(Some((from, Nack::END)))
}

const _: () = assert!(
    size_of::<AmReceiver>() <= 40,
    "an idle entity takes little room"
);
