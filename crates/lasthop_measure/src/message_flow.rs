use core::num::NonZeroU32;
use core::ops::RangeInclusive;
use std::collections::VecDeque;

use lasthop_contract::MessageId;
use lasthop_units::Instant;

use crate::MessageRecord;

/// The kept messages of a flow, and a summary of those that were removed.
#[derive(Clone, Debug, Default)]
pub(crate) struct MessageFlow {
    /// The records in the order of their numbers.
    pub(crate) records: VecDeque<MessageRecord>,
    pub(crate) is_closed: bool,
    /// Whether a measured message that is forgotten was served.
    has_served: bool,
    /// The first that is measured, of those that are forgotten.
    first_measured: Option<NonZeroU32>,
    /// For how many devices more than one its messages are: there is a record for each, one behind the other.
    further: u32,
}

impl MessageFlow {
    /// Sets the number of devices that each message is for, before the first message.
    pub(crate) fn widen(&mut self, audience: NonZeroU32) {
        self.further = audience.get() - 1;
    }

    /// Returns the number of devices that each message is for.
    pub(crate) fn audience(&self) -> u32 {
        self.further + 1
    }

    /// Returns the numbers of a message's records.
    pub(crate) fn copies(&self, number: NonZeroU32) -> RangeInclusive<u32> {
        let last = number.get().saturating_mul(self.audience());
        last - self.further..=last
    }

    /// Returns the records of a message; none if they were removed.
    pub(crate) fn records_of(
        &mut self,
        number: NonZeroU32,
    ) -> Option<impl Iterator<Item = &mut MessageRecord>> {
        let place = self.place(*self.copies(number).start())?;
        Some(
            self.records
                .range_mut(place..=place + self.further as usize),
        )
    }

    /// Returns the first record of a message, which represents it.
    #[inline]
    pub(crate) fn leader(&mut self, number: NonZeroU32) -> Option<&mut MessageRecord> {
        if self.further == 0 {
            return self.record(number);
        }
        self.records_of(number)?.next()
    }

    /// Adds a message after all others.
    pub(crate) fn begin(&mut self, record: MessageRecord) {
        debug_assert!(
            self.records
                .back()
                .is_none_or(|last| last.number < record.number)
        );
        self.records.push_back(record);
    }

    #[inline]
    pub(crate) fn record(&mut self, number: NonZeroU32) -> Option<&mut MessageRecord> {
        let place = self.place(number.get())?;
        self.records.get_mut(place)
    }

    /// Removes a message if all of its records are done, and passes each record on. Messages due from `measured_from`
    /// on are measured.
    pub(crate) fn forget(
        &mut self,
        id: MessageId,
        measured_from: Instant,
        mut tell: impl FnMut(MessageRecord),
    ) {
        let Some(place) = self.place(*self.copies(id.number).start()) else {
            return;
        };
        let copies = place..=place + self.further as usize;
        if !self
            .records
            .range(copies.clone())
            .all(MessageRecord::is_done)
        {
            return;
        }
        for _ in copies {
            if let Some(record) = self.records.remove(place) {
                self.remember(&record, measured_from);
                tell(record);
            }
        }
    }

    /// Removes messages without an event for a long time, and passes each record on.
    pub(crate) fn forget_forlorn(
        &mut self,
        now: Instant,
        measured_from: Instant,
        mut tell: impl FnMut(MessageRecord),
    ) {
        if !self.records.iter().any(|record| record.is_forlorn(now)) {
            return;
        }
        let mut records = core::mem::take(&mut self.records);
        while !records.is_empty() {
            let copies = ..records.len().min(self.audience() as usize);
            let is_forlorn = records.range(copies).all(|record| record.is_forlorn(now));
            for record in records.drain(copies) {
                if is_forlorn {
                    self.remember(&record, measured_from);
                    tell(record);
                } else {
                    self.records.push_back(record);
                }
            }
        }
    }

    /// Whether a message due from this instant on was served.
    pub(crate) fn has_served(&self, from: Instant) -> bool {
        let is_served = |record: &MessageRecord| record.intended >= from && record.is_served();
        self.has_served || self.records.iter().any(is_served)
    }

    /// Whether a removed message is a measured one.
    pub(crate) fn has_measured(&self, number: NonZeroU32) -> bool {
        // They are due in the order of their numbers.
        self.first_measured.is_some_and(|first| first <= number)
    }

    fn remember(&mut self, record: &MessageRecord, measured_from: Instant) {
        if record.intended < measured_from {
            return;
        }
        self.has_served |= record.is_served();
        let number = NonZeroU32::new(record.number);
        if self.first_measured.is_none_or(|first| Some(first) > number) {
            self.first_measured = number;
        }
    }

    /// Returns the index of the record with a number.
    #[inline]
    fn place(&self, number: u32) -> Option<usize> {
        // Where none between was forgotten it stands so far behind the first.
        let behind = number.checked_sub(self.records.front()?.number)? as usize;
        match self.records.get(behind) {
            Some(record) if record.number == number => Some(behind),
            _ => self.place_among_gaps(number),
        }
    }

    #[cold]
    fn place_among_gaps(&self, number: u32) -> Option<usize> {
        let of_record = |record: &MessageRecord| record.number;
        self.records.binary_search_by_key(&number, of_record).ok()
    }
}

#[cfg(test)]
mod tests {
    use lasthop_contract::FlowId;
    use lasthop_units::DataSize;

    use super::*;

    const LATEST: u32 = 1000;

    /// What is kept goes round in its memory, and every third message stays for longer.
    #[test]
    fn a_message_is_found_wherever_it_lies_and_none_that_is_forgotten() {
        let mut flow = MessageFlow::default();
        let mut kept = Vec::new();
        for number in 1..=LATEST {
            let mut record = MessageRecord::new(Instant::ZERO, number, DataSize::from_bytes(8));
            record.arrive(Instant::ZERO);
            flow.begin(record);
            kept.push(number);
            let forgotten = kept.iter().position(|it| it % 3 > 0 || it + 30 < number);
            if let Some(place) = forgotten.filter(|_| kept.len() > 6) {
                let id = MessageId {
                    flow: FlowId(0),
                    number: NonZeroU32::new(kept.remove(place)).unwrap(),
                };
                let mut told = 0;
                flow.forget(id, Instant::ZERO, |_| told += 1);
                assert_eq!(told, 1);
            }
            for number in number.saturating_sub(40).max(1)..=number + 1 {
                let found = flow.record(NonZeroU32::new(number).unwrap());
                let found = found.map(|record| record.number);
                assert_eq!(found, kept.contains(&number).then_some(number));
            }
        }
        assert!(kept.len() < 50);
    }
}
