use smallvec::SmallVec;

use super::flight::Portion;

/// What is to be sent again, the oldest first, without overlap.
#[derive(Clone, Debug)]
pub(super) struct Retransmissions {
    portions: SmallVec<[Portion; 1]>,
}

impl Retransmissions {
    pub(super) fn new() -> Self {
        Self {
            portions: SmallVec::new(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.portions.is_empty()
    }

    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = &Portion> {
        self.portions.iter()
    }

    pub(super) fn first(&self) -> Option<Portion> {
        self.portions.first().copied()
    }

    /// Whether some of these bytes wait already.
    pub(super) fn has_some_of(&self, portion: &Portion) -> bool {
        self.portions.iter().any(|other| other.overlaps(portion))
    }

    pub(super) fn add(&mut self, portion: Portion) {
        let place = self
            .portions
            .partition_point(|other| (other.sn, other.from) < (portion.sn, portion.from));
        self.portions.insert(place, portion);
    }

    /// The first portion has been sent up to this place in its PDU.
    pub(super) fn sent_to(&mut self, to: u16) {
        if self.portions[0].to == to {
            self.portions.remove(0);
        } else {
            self.portions[0].from = to;
        }
    }

    /// This PDU has arrived.
    pub(super) fn forget(&mut self, sn: u32) {
        self.portions.retain(|portion| portion.sn != sn);
    }

    pub(super) fn bytes(&self) -> u32 {
        self.portions.iter().map(Portion::bytes).sum()
    }
}
