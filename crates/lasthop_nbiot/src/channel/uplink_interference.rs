use lasthop_units::Instant;

use super::{BurstKind, Tones, UplinkBurst};
use crate::deployment::CellIndex;

/// The uplink transmissions that are on the air or planned, as each cell hears them.
///
/// The harm that two transmissions do each other is added up once, when the later one is decided on; what is over is
/// forgotten. So the memory and the work follow how many are at once on the air, not how long they last. Preambles of
/// one opportunity on the same tones count as one, however many they are.
#[derive(Clone, Debug)]
pub(super) struct UplinkInterference {
    cells: Vec<Cell>,
}

/// The ID of an uplink transmission that is planned or on the air.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BurstId {
    cell: CellIndex,
    /// Tells apart those that had the place one after the other.
    number: u16,
    place: u32,
}

/// A transmission of the cell's own that has ended.
#[derive(Clone, Copy, Debug)]
pub(super) struct Received {
    pub(super) from: u64,
    pub(super) until: u64,
    pub(super) tones: Tones,
    pub(super) kind: BurstKind,
    pub(super) repetitions: u16,
    /// Power on a step of 3.75 kHz.
    pub(super) tone_mw: f32,
    /// Mean interference on a step of 3.75 kHz.
    pub(super) interference_tone_mw: f32,
}

#[derive(Clone, Debug, Default)]
struct Cell {
    own: Vec<Own>,
    free: Vec<u32>,
    victims: Vec<Victim>,
    heard: Vec<Heard>,
    heard_preambles: Vec<Heard>,
}

/// A transmission to the cell; a place without one belongs to no victim.
#[derive(Clone, Copy, Debug)]
struct Own {
    number: u16,
    repetitions: u16,
    kind: BurstKind,
    tone_mw: f32,
    victim: u32,
}

/// What suffers as one: a transmission to the cell, or all preambles to it at the same time and on the same tones.
#[derive(Clone, Copy, Debug)]
struct Victim {
    what: Heard,
    is_preamble: bool,
    /// Transmissions in it; without any its place is free.
    members: u32,
    /// Interference so far, in mW on a step of 3.75 kHz times nanoseconds, summed over steps.
    harm: f64,
}

/// Times are nanoseconds since the start of the run.
#[derive(Clone, Copy, Debug)]
struct Heard {
    from: u64,
    until: u64,
    tones: Tones,
    tone_mw: f64,
}

const NO_VICTIM: u32 = u32::MAX;

impl Received {
    pub(super) fn nanos_ms(&self) -> f32 {
        (self.until - self.from) as f32 * 1e-6
    }
}

impl UplinkInterference {
    pub(super) fn new(cells: usize) -> Self {
        Self {
            cells: vec![Cell::default(); cells],
        }
    }

    /// A transmission to a cell, which meets what is already known to overlap it there.
    pub(super) fn start(&mut self, cell: CellIndex, burst: &UplinkBurst, tone_mw: f32) -> BurstId {
        let receiver = &mut self.cells[cell.as_usize()];
        let what = Heard::new(burst, tone_mw);
        let victim = match burst.kind {
            BurstKind::Preamble => receiver.preamble(&what),
            BurstKind::Data | BurstKind::Acknowledgement => receiver.data(&what),
        };
        let (place, number) = receiver.place(Own {
            number: 0,
            repetitions: burst.repetitions,
            kind: burst.kind,
            tone_mw,
            victim,
        });
        BurstId {
            cell,
            number,
            place,
        }
    }

    /// A transmission to another cell that this one hears too.
    pub(super) fn hear(
        &mut self,
        now: Instant,
        cell: CellIndex,
        burst: &UplinkBurst,
        tone_mw: f32,
    ) {
        let receiver = &mut self.cells[cell.as_usize()];
        let what = Heard::new(burst, tone_mw);
        for victim in &mut receiver.victims {
            victim.harm += what.harm_to(&victim.what);
        }
        if burst.kind == BurstKind::Preamble {
            let heard = &mut receiver.heard_preambles;
            match heard.iter_mut().rev().find(|other| other.meets(&what)) {
                Some(other) => other.tone_mw += what.tone_mw,
                None => note(heard, what, now),
            }
        } else {
            note(&mut receiver.heard, what, now);
        }
    }

    /// Takes a transmission that has ended off the air.
    ///
    /// # Panics
    ///
    /// If it has been taken off before.
    pub(super) fn end(&mut self, id: BurstId) -> Received {
        let (own, victim) = self.take(id).expect("a transmission ends once");
        let Heard {
            from, until, tones, ..
        } = victim.what;
        let over = (until - from).max(1) as f64 * f64::from(tones.count());
        Received {
            from,
            until,
            tones,
            kind: own.kind,
            repetitions: own.repetitions,
            tone_mw: own.tone_mw,
            interference_tone_mw: (victim.harm / over) as f32,
        }
    }

    pub(super) fn withdraw(&mut self, id: BurstId) {
        self.take(id);
    }

    fn take(&mut self, id: BurstId) -> Option<(Own, Victim)> {
        let receiver = &mut self.cells[id.cell.as_usize()];
        let place = receiver.own.get_mut(id.place as usize)?;
        if place.number != id.number || place.victim == NO_VICTIM {
            return None;
        }
        let own = *place;
        place.victim = NO_VICTIM;
        receiver.free.push(id.place);
        let victim = &mut receiver.victims[own.victim as usize];
        victim.members -= 1;
        let met = *victim;
        while receiver.victims.pop_if(|last| last.members == 0).is_some() {}
        Some((own, met))
    }
}

impl Cell {
    /// The victim that a preamble belongs to: preambles hop past each other and do each other no harm.
    fn preamble(&mut self, what: &Heard) -> u32 {
        let mut victims = (0..).zip(&mut self.victims);
        let same = victims.find(|(_, victim)| {
            victim.is_preamble && victim.members > 0 && victim.what.meets(what)
        });
        if let Some((at, victim)) = same {
            victim.members += 1;
            return at;
        }
        let harm = self.harm_of_others(what);
        self.add(what, true, harm)
    }

    /// The tones of a cell are its own to give: two on the same are a collision.
    fn data(&mut self, what: &Heard) -> u32 {
        let mut harm = self.harm_of_others(what);
        let victims = self.victims.iter_mut();
        for other in victims.filter(|other| !other.is_preamble && other.members > 0) {
            harm += other.what.harm_to(what);
            other.harm += what.harm_to(&other.what);
        }
        self.add(what, false, harm)
    }

    fn harm_of_others(&self, what: &Heard) -> f64 {
        let heard = self.heard.iter().chain(&self.heard_preambles);
        heard.fold(0.0, |harm, other| harm + other.harm_to(what))
    }

    fn add(&mut self, what: &Heard, is_preamble: bool, harm: f64) -> u32 {
        let victim = Victim {
            what: *what,
            is_preamble,
            members: 1,
            harm,
        };
        match self.victims.iter().position(|victim| victim.members == 0) {
            Some(free) => {
                self.victims[free] = victim;
                free as u32
            }
            None => {
                self.victims.push(victim);
                (self.victims.len() - 1) as u32
            }
        }
    }

    fn place(&mut self, own: Own) -> (u32, u16) {
        let Some(place) = self.free.pop() else {
            self.own.push(own);
            return ((self.own.len() - 1) as u32, own.number);
        };
        let before = &mut self.own[place as usize];
        let number = before.number.wrapping_add(1);
        *before = Own { number, ..own };
        (place, number)
    }
}

/// Notes what is heard; makes room by forgetting what is over.
fn note(heard: &mut Vec<Heard>, what: Heard, now: Instant) {
    if heard.len() == heard.capacity() {
        heard.retain(|heard| heard.until > now.as_nanos());
    }
    heard.push(what);
}

impl Heard {
    fn new(burst: &UplinkBurst, tone_mw: f32) -> Self {
        Self {
            from: burst.from.as_nanos(),
            until: burst.until.as_nanos(),
            tones: burst.tones,
            tone_mw: f64::from(tone_mw),
        }
    }

    /// Whether it is at the same time and on the same tones.
    fn meets(&self, other: &Self) -> bool {
        (self.from, self.until, self.tones) == (other.from, other.until, other.tones)
    }

    /// What this one adds to the harm of another at the same receiver.
    #[inline]
    fn harm_to(&self, other: &Self) -> f64 {
        let (from, until) = (self.from.max(other.from), self.until.min(other.until));
        if until <= from || !self.tones.overlap(other.tones) {
            return 0.0;
        }
        let steps = self.tones.in_common(other.tones);
        self.tone_mw * (until - from) as f64 * f64::from(steps)
    }
}

#[cfg(test)]
mod tests {
    use lasthop_units::{DecibelMilliwatts, Duration};

    use super::*;
    use crate::config::SubcarrierSpacing::Khz15;

    const CELL: CellIndex = CellIndex(0);

    fn burst(from_ms: u64, until_ms: u64, tones: Tones, kind: BurstKind) -> UplinkBurst {
        let at = |ms| Instant::ZERO + Duration::from_millis(ms);
        UplinkBurst {
            from: at(from_ms),
            until: at(until_ms),
            tones,
            power: DecibelMilliwatts::new(23.0),
            kind,
            repetitions: 1,
        }
    }

    fn data(from_ms: u64, until_ms: u64, tones: Tones) -> UplinkBurst {
        burst(from_ms, until_ms, tones, BurstKind::Data)
    }

    #[test]
    fn interference_is_the_mean_over_time_and_tones() {
        let three = Tones::new(Khz15, 0, 3);
        let cases = [
            (data(0, 8, three), 1.0, "all of it"),
            (data(4, 30, three), 0.5, "half of the time"),
            (
                data(0, 8, Tones::new(Khz15, 2, 1)),
                1.0 / 3.0,
                "one tone of three",
            ),
            (data(8, 16, three), 0.0, "afterwards"),
            (data(0, 8, Tones::new(Khz15, 3, 6)), 0.0, "beside it"),
        ];
        for (other, expected, what) in cases {
            for heard_first in [true, false] {
                let mut air = UplinkInterference::new(1);
                if heard_first {
                    air.hear(Instant::ZERO, CELL, &other, 2.0);
                }
                let id = air.start(CELL, &data(0, 8, three), 5.0);
                if !heard_first {
                    air.hear(Instant::ZERO, CELL, &other, 2.0);
                }
                let received = air.end(id);
                assert!(
                    (received.interference_tone_mw - 2.0 * expected as f32).abs() < 1e-6,
                    "{what}"
                );
                assert_eq!(received.tone_mw, 5.0);
            }
        }
    }

    #[test]
    fn two_of_a_cell_on_the_same_tones_harm_each_other_and_preambles_do_not() {
        let tone = Tones::new(Khz15, 4, 1);
        for (kind, harm) in [(BurstKind::Data, 1.0), (BurstKind::Preamble, 0.0)] {
            let mut air = UplinkInterference::new(1);
            let first = air.start(CELL, &burst(0, 8, tone, kind), 3.0);
            let second = air.start(CELL, &burst(0, 8, tone, kind), 7.0);
            assert_eq!(air.end(first).interference_tone_mw, 7.0 * harm);
            assert_eq!(air.end(second).interference_tone_mw, 3.0 * harm);
        }
    }

    #[test]
    fn what_is_over_is_forgotten_even_in_a_cell_that_is_silent() {
        let mut air = UplinkInterference::new(1);
        for ms in 0..100_000 {
            let now = Instant::ZERO + Duration::from_millis(ms);
            air.hear(now, CELL, &data(ms, ms + 8, Tones::CARRIER), 1.0);
        }
        assert!(air.cells[0].heard.capacity() <= 64);
    }

    #[test]
    fn a_withdrawn_transmission_is_gone() {
        let mut air = UplinkInterference::new(1);
        let id = air.start(CELL, &data(0, 8, Tones::CARRIER), 1.0);
        air.withdraw(id);
        assert!(air.cells[0].victims.is_empty());
        assert_eq!(air.cells[0].free.len(), air.cells[0].own.len());
    }

    #[test]
    fn a_thousand_preambles_of_an_opportunity_are_as_one() {
        let preamble = burst(0, 6, Tones::new(Khz15, 0, 3), BurstKind::Preamble);
        let mut air = UplinkInterference::new(2);
        let mut ids = Vec::new();
        for number in 1..=1000_u16 {
            air.hear(Instant::ZERO, CELL, &preamble, 2.0);
            ids.push(air.start(CELL, &preamble, f32::from(number)));
            air.hear(Instant::ZERO, CELL, &preamble, 1.0);
        }
        assert_eq!(air.cells[0].heard_preambles.len(), 1);
        assert_eq!(air.cells[0].victims.len(), 1);
        for (number, id) in (1..).zip(ids) {
            let received = air.end(id);
            assert_eq!(received.tone_mw, number as f32);
            assert_eq!(received.interference_tone_mw, 3000.0);
        }
        assert!(air.cells[0].victims.is_empty());
    }

    #[test]
    fn the_name_of_a_transmission_that_is_over_means_no_later_one() {
        let mut air = UplinkInterference::new(1);
        let first = air.start(CELL, &data(0, 8, Tones::CARRIER), 1.0);
        air.end(first);
        let second = air.start(CELL, &data(8, 16, Tones::CARRIER), 2.0);
        air.withdraw(first);
        assert_eq!(air.end(second).tone_mw, 2.0);
    }
}
