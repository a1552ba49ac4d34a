use lasthop_units::Instant;

use super::{BurstKind, Tones, UplinkBurst};
use crate::deployment::CellIndex;

/// The uplink transmissions that are on the air or planned, as each cell hears them.
///
/// The harm that two transmissions do each other is added up once, when the later one is decided on; what is over is
/// forgotten. So the memory and the work follow how many are at once on the air, not how long they last.
#[derive(Clone, Debug)]
pub(super) struct UplinkInterference {
    cells: Vec<Cell>,
}

/// An uplink transmission on the air or planned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BurstId {
    cell: CellIndex,
    number: u32,
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
    heard: Vec<Heard>,
    next_number: u32,
}

#[derive(Clone, Copy, Debug)]
struct Own {
    number: u32,
    what: Heard,
    kind: BurstKind,
    repetitions: u16,
    /// Interference so far, in mW on a step of 3.75 kHz times nanoseconds, summed over steps.
    harm: f64,
}

/// Times are nanoseconds since the start of the run.
#[derive(Clone, Copy, Debug)]
struct Heard {
    from: u64,
    until: u64,
    tones: Tones,
    tone_mw: f32,
}

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
    pub(super) fn start(
        &mut self,
        now: Instant,
        cell: CellIndex,
        burst: &UplinkBurst,
        tone_mw: f32,
    ) -> BurstId {
        let receiver = &mut self.cells[cell.as_usize()];
        let what = Heard::new(burst, tone_mw);
        let mut harm = 0.0;
        receiver.heard.retain(|other| {
            let goes_on = other.until > now.as_nanos();
            if goes_on {
                harm += other.harm_to(&what);
            }
            goes_on
        });
        // The tones of a cell are its own to give: two on the same are a collision. Preambles hop past each other.
        if burst.kind != BurstKind::Preamble {
            let own = receiver.own.iter_mut();
            for other in own.filter(|other| other.kind != BurstKind::Preamble) {
                harm += other.what.harm_to(&what);
                other.harm += what.harm_to(&other.what);
            }
        }
        let number = receiver.next_number;
        receiver.next_number = number.wrapping_add(1);
        receiver.own.push(Own {
            number,
            what,
            kind: burst.kind,
            repetitions: burst.repetitions,
            harm,
        });
        BurstId { cell, number }
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
        for own in &mut receiver.own {
            own.harm += what.harm_to(&own.what);
        }
        if receiver.heard.len() == receiver.heard.capacity() {
            receiver.forget_what_is_over(now);
        }
        receiver.heard.push(what);
    }

    /// Takes a transmission that has ended off the air.
    ///
    /// # Panics
    ///
    /// If it has been taken off before.
    pub(super) fn end(&mut self, id: BurstId) -> Received {
        let own = self.take(id).expect("a transmission ends once");
        let Heard {
            from,
            until,
            tones,
            tone_mw,
        } = own.what;
        let over = (until - from).max(1) as f64 * f64::from(tones.count());
        Received {
            from,
            until,
            tones,
            kind: own.kind,
            repetitions: own.repetitions,
            tone_mw,
            interference_tone_mw: (own.harm / over) as f32,
        }
    }

    pub(super) fn withdraw(&mut self, id: BurstId) {
        self.take(id);
    }

    fn take(&mut self, id: BurstId) -> Option<Own> {
        let own = &mut self.cells[id.cell.as_usize()].own;
        let at = own.iter().position(|own| own.number == id.number)?;
        Some(own.swap_remove(at))
    }
}

impl Cell {
    fn forget_what_is_over(&mut self, now: Instant) {
        let now = now.as_nanos();
        self.heard.retain(|heard| heard.until > now);
    }
}

impl Heard {
    fn new(burst: &UplinkBurst, tone_mw: f32) -> Self {
        Self {
            from: burst.from.as_nanos(),
            until: burst.until.as_nanos(),
            tones: burst.tones,
            tone_mw,
        }
    }

    /// What this one adds to the harm of another at the same receiver.
    #[inline]
    fn harm_to(&self, other: &Self) -> f64 {
        let overlap = self
            .until
            .min(other.until)
            .saturating_sub(self.from.max(other.from));
        let steps = self.tones.in_common(other.tones);
        f64::from(self.tone_mw) * overlap as f64 * f64::from(steps)
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
                let id = air.start(Instant::ZERO, CELL, &data(0, 8, three), 5.0);
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
            let first = air.start(Instant::ZERO, CELL, &burst(0, 8, tone, kind), 3.0);
            let second = air.start(Instant::ZERO, CELL, &burst(0, 8, tone, kind), 7.0);
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
        let id = air.start(Instant::ZERO, CELL, &data(0, 8, Tones::CARRIER), 1.0);
        air.withdraw(id);
        assert!(air.cells[0].own.is_empty());
    }
}
