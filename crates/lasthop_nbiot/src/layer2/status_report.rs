use smallvec::SmallVec;

/// A STATUS PDU: received and missing PDUs (TS 36.322 section 6.2.1.6).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusReport {
    /// All PDUs below this sequence number were received, except those in `nacks` (ACK_SN).
    pub ack_sn: u32,
    /// The missing PDUs in order.
    pub nacks: SmallVec<[Nack; 1]>,
}

/// A missing PDU or a missing part of one (NACK_SN, SOstart, SOend).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nack {
    /// The sequence number.
    pub sn: u32,
    /// The missing part of the PDU's data field as (first byte, end), with [`Nack::END`] for the end. `None` is the
    /// whole PDU.
    pub part: Option<(u16, u16)>,
}

impl Nack {
    /// Stands for the end of a data field of unknown length.
    pub const END: u16 = u16::MAX;

    /// The bits that it takes: NACK_SN 10, E1 and E2, and 30 for two segment offsets.
    const fn bits(&self) -> u16 {
        match self.part {
            None => 12,
            Some(_) => 42,
        }
    }
}

/// D/C, CPT, ACK_SN and E1.
const FIXED_BITS: u16 = 15;

impl StatusReport {
    /// The size of the smallest STATUS PDU, which reports no missing PDU.
    pub const SMALLEST_BYTES: u16 = FIXED_BITS.div_ceil(8);

    /// A report that everything below `ack_sn` has arrived.
    pub(super) fn nothing_missing(ack_sn: u32) -> Self {
        Self {
            ack_sn,
            nacks: SmallVec::new(),
        }
    }

    /// Adds what is missing, if the report stays within `limit_bytes`.
    pub(super) fn push(&mut self, nack: Nack, limit_bytes: u16) -> bool {
        let fits = (self.bits() + nack.bits()).div_ceil(8) <= limit_bytes;
        if fits {
            self.nacks.push(nack);
        }
        fits
    }

    /// Returns the size of the STATUS PDU in bytes.
    #[must_use]
    pub fn bytes(&self) -> u16 {
        self.bits().div_ceil(8)
    }

    fn bits(&self) -> u16 {
        FIXED_BITS + self.nacks.iter().map(Nack::bits).sum::<u16>()
    }
}
