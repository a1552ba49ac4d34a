use smallvec::SmallVec;

use crate::layer2::am_pdu::AmPdu;
use crate::layer2::status_report::Nack;

/// The PDUs that have been sent and not been acknowledged, from VT(A) to VT(S).
#[derive(Clone, Debug)]
pub(super) struct Flight {
    /// VT(A): the lowest sequence number that has not been acknowledged.
    first_sn: u32,
    /// Where the data of `first_sn` begin in the stream of SDUs.
    start: u32,
    /// Where what has never been sent begins.
    end: u32,
    pdus: SmallVec<[Sent; 3]>,
}

#[derive(Clone, Copy, Debug)]
struct Sent {
    data_bytes: u16,
    /// Bytes known to have arrived, where that is told piece by piece.
    arrived_bytes: u16,
    /// RETX_COUNT, and one for its first step.
    times_again: u8,
    acknowledged: bool,
}

/// A part of the data field of a PDU that is to be sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Portion {
    pub(super) sn: u32,
    pub(super) from: u16,
    pub(super) to: u16,
}

impl Portion {
    pub(super) const fn of(pdu: &AmPdu) -> Self {
        Self {
            sn: pdu.sn,
            from: pdu.from,
            to: pdu.to(),
        }
    }

    pub(super) fn bytes(&self) -> u32 {
        u32::from(self.to - self.from)
    }

    pub(super) const fn overlaps(&self, other: &Self) -> bool {
        self.sn == other.sn && self.from < other.to && other.from < self.to
    }
}

impl Flight {
    pub(super) fn new() -> Self {
        Self {
            first_sn: 0,
            start: 0,
            end: 0,
            pdus: SmallVec::new(),
        }
    }

    pub(super) const fn first_sn(&self) -> u32 {
        self.first_sn
    }

    /// VT(S): the sequence number of the next new PDU.
    pub(super) fn next_sn(&self) -> u32 {
        self.first_sn + self.pdus.len() as u32
    }

    pub(super) const fn start(&self) -> u32 {
        self.start
    }

    pub(super) const fn end(&self) -> u32 {
        self.end
    }

    pub(super) fn is_empty(&self) -> bool {
        self.pdus.is_empty()
    }

    /// Sends the next `data_bytes` of the stream and gives their sequence number.
    pub(super) fn send(&mut self, data_bytes: u16) -> u32 {
        let sn = self.next_sn();
        self.end += u32::from(data_bytes);
        self.pdus.push(Sent {
            data_bytes,
            arrived_bytes: 0,
            times_again: 0,
            acknowledged: false,
        });
        sn
    }

    /// Where the data of a PDU begin in the stream, and how many they are.
    pub(super) fn range(&self, sn: u32) -> (u32, u16) {
        let place = (sn - self.first_sn) as usize;
        let before = self.pdus[..place]
            .iter()
            .map(|pdu| u32::from(pdu.data_bytes));
        (
            self.start + before.sum::<u32>(),
            self.pdus[place].data_bytes,
        )
    }

    /// Whether this sequence number has been sent and not been acknowledged.
    pub(super) fn is_waiting(&self, sn: u32) -> bool {
        self.place(sn)
            .is_some_and(|place| !self.pdus[place].acknowledged)
    }

    /// What a NACK asks for; `None` where it is about nothing that waits.
    pub(super) fn portion(&self, nack: &Nack) -> Option<Portion> {
        let pdu = &self.pdus[self.place(nack.sn)?];
        let (from, to) = nack.part.unwrap_or((0, Nack::END));
        let to = to.min(pdu.data_bytes);
        let portion = Portion {
            sn: nack.sn,
            from,
            to,
        };
        (!pdu.acknowledged && from < to).then_some(portion)
    }

    /// The newest PDU that has not been acknowledged, all of it. There is one: an acknowledged front is dropped.
    pub(super) fn newest_unacknowledged(&self) -> Portion {
        let place = self
            .pdus
            .iter()
            .rposition(|pdu| !pdu.acknowledged)
            .expect("acknowledged PDUs at the front are dropped, so one that is not is left");
        Portion {
            sn: self.first_sn + place as u32,
            from: 0,
            to: self.pdus[place].data_bytes,
        }
    }

    /// Counts another transmission; no where that is one too many.
    pub(super) fn count_retransmission(&mut self, sn: u32, threshold: u8) -> bool {
        let place = (sn - self.first_sn) as usize;
        let pdu = &mut self.pdus[place];
        // RETX_COUNT starts at 0 with the first retransmission (TS 36.322 section 5.2.1).
        let retx_count = pdu.times_again;
        pdu.times_again = pdu.times_again.saturating_add(1);
        retx_count < threshold
    }

    /// Notes that these bytes have arrived; yes where all of the PDU now have.
    pub(super) fn note_arrival(&mut self, pdu: &AmPdu) -> bool {
        let Some(place) = self.place(pdu.sn) else {
            return false;
        };
        let sent = &mut self.pdus[place];
        sent.arrived_bytes += pdu.data_bytes;
        sent.arrived_bytes == sent.data_bytes
    }

    pub(super) fn acknowledge(&mut self, sn: u32) {
        if let Some(place) = self.place(sn) {
            self.pdus[place].acknowledged = true;
        }
    }

    pub(super) fn drop_acknowledged(&mut self) {
        let count = self.pdus.iter().take_while(|pdu| pdu.acknowledged).count();
        let bytes = self
            .pdus
            .drain(..count)
            .map(|pdu| u32::from(pdu.data_bytes));
        self.start += bytes.sum::<u32>();
        self.first_sn += count as u32;
    }

    fn place(&self, sn: u32) -> Option<usize> {
        let place = sn.checked_sub(self.first_sn)? as usize;
        (place < self.pdus.len()).then_some(place)
    }
}
