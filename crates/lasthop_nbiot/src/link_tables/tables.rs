use std::sync::OnceLock;

use super::BlockErrorRate;
use super::curve::Curve;
use super::format::Slot;
use super::reading;

/// All curves of the committed tables, read once in a process.
#[derive(Debug)]
pub(super) struct LinkTables {
    curves: Vec<Curve>,
    by_slot: Vec<Option<BlockErrorRate>>,
}

/// How often NPUSCH format 2 sends its bit (TS 36.212 section 6.3.3).
const FORMAT_2_TIMES: u16 = 16;

impl LinkTables {
    #[inline]
    pub(super) fn get() -> &'static Self {
        static TABLES: OnceLock<LinkTables> = OnceLock::new();
        TABLES.get_or_init(Self::read)
    }

    pub(super) fn find(&self, slot: Slot) -> Option<BlockErrorRate> {
        self.by_slot[slot.number()]
    }

    pub(super) fn in_every_table(&self, slot: Slot) -> BlockErrorRate {
        self.find(slot).expect("a test looks this format up")
    }

    #[inline]
    pub(super) fn curve(&self, number: u16) -> &Curve {
        &self.curves[usize::from(number)]
    }

    fn read() -> Self {
        let mut tables = Self {
            curves: Vec::with_capacity(Slot::COUNT),
            by_slot: vec![None; Slot::COUNT],
        };
        let format_2 = Curve::of_repeated_bit(FORMAT_2_TIMES);
        tables.add(Slot::NPUSCH_FORMAT_2, format_2);
        reading::read_committed(|slot, curve| tables.add(slot, curve));
        tables
    }

    fn add(&mut self, slot: Slot, curve: Curve) {
        let number = u16::try_from(self.curves.len()).expect("there are fewer slots than that");
        self.by_slot[slot.number()] = Some(BlockErrorRate(number));
        self.curves.push(curve);
    }
}
