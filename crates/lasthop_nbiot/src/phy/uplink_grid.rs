use smallvec::SmallVec;

use super::{
    NprachOccasions, Subframe, UplinkSpan, acknowledgement_duration_ms, acknowledgement_resources,
    acknowledgement_start, nprach_free_span, npusch_start,
};
use crate::config::{NetworkConfig, SubcarrierSpacing};

/// The reserved resources of a cell's uplink: 12 tones of 15 kHz, or 48 of 3.75 kHz.
///
/// A reservation holds its tones from its first to its last subframe, the waits for preambles and the uplink gaps included.
/// Call [`UplinkGrid::advance`] when time has passed; then find, then reserve.
#[derive(Clone, Debug)]
pub struct UplinkGrid {
    spacing: SubcarrierSpacing,
    /// The reservations; those that have ended stay until the next one.
    taken: Vec<Taken>,
    /// The opportunities that NPUSCH waits for; none if it waits for none.
    nprach: SmallVec<[NprachOccasions; 3]>,
    /// Which opportunities each tone meets, a bit for each.
    meets: Box<[u8]>,
    now: Subframe,
    /// By [`UplinkChannel`].
    sent_tone_ms: [u64; 2],
    held_tone_ms: u64,
}

/// The tones and the span of an NPUSCH.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UplinkAllocation {
    /// The lowest tone, in tones of the grid's subcarrier spacing.
    pub first_tone: u8,
    /// The number of tones.
    pub tones: u8,
    /// The span in time.
    pub span: UplinkSpan,
}

/// The content of an NPUSCH.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UplinkChannel {
    /// Data (NPUSCH format 1).
    Data,
    /// Acknowledgements (NPUSCH format 2).
    Acknowledgement,
}

/// Tones that are taken, a bit for each, from the first subframe to before the second.
#[derive(Clone, Copy, Debug)]
struct Taken {
    start: Subframe,
    end: Subframe,
    tones: u64,
}

impl UplinkGrid {
    /// Creates a grid that reserves only the preamble opportunities of the coverage levels.
    #[must_use]
    pub fn new(config: &NetworkConfig) -> Self {
        let spacing = config.uplink.subcarrier_spacing;
        let nprach: SmallVec<[NprachOccasions; 3]> = config
            .preamble_opportunities()
            .filter(|_| config.switches.nprach_postponement)
            .collect();
        Self::around(spacing, nprach)
    }

    /// The grid of a carrier on which nobody sends preambles.
    pub(crate) fn without_preambles(config: &NetworkConfig) -> Self {
        Self::around(config.uplink.subcarrier_spacing, SmallVec::new())
    }

    fn around(spacing: SubcarrierSpacing, nprach: SmallVec<[NprachOccasions; 3]>) -> Self {
        let meets = (0..spacing.tones())
            .map(|tone| {
                let bits = nprach.iter().enumerate();
                bits.filter(|(_, opportunities)| is_met(opportunities, tone, spacing))
                    .fold(0, |bits, (level, _)| bits | 1 << level)
            })
            .collect();
        Self {
            spacing,
            taken: Vec::new(),
            nprach,
            meets,
            now: Subframe(0),
            sent_tone_ms: [0; 2],
            held_tone_ms: 0,
        }
    }

    /// Drops reservations that have ended. Later searches must not start earlier.
    pub fn advance(&mut self, now: Subframe) {
        self.now = now;
    }

    /// Finds free tones for a time on air from a subframe on: those with the earliest end, and among these the highest.
    ///
    /// Tones of acknowledgements are used only if no others are free.
    #[must_use]
    pub fn find(&self, start: Subframe, sent_ms: u32, tones: u8) -> Option<UplinkAllocation> {
        // Nothing ends sooner than this.
        let undisturbed = start + u64::from(sent_ms);
        let taken = self.taken_during(start, undisturbed);
        // By the opportunities that tones meet: the span, and what is taken in it.
        let mut found = SmallVec::<[(u8, UplinkSpan, u64); 8]>::new();
        let mut find_among = |mut first_tones: u64| {
            let mut best: Option<UplinkAllocation> = None;
            while let Some(first_tone) = first_tones.checked_ilog2() {
                first_tones ^= 1 << first_tone;
                let first_tone = first_tone as u8;
                let meets = self.meets(first_tone, tones);
                let known = found.iter().find(|(other, ..)| *other == meets);
                let (span, taken) = if let Some((_, span, taken)) = known {
                    (*span, *taken)
                } else {
                    let span = self.span(meets, start, sent_ms);
                    let taken = self.taken_during(start, span.end);
                    found.push((meets, span, taken));
                    (span, taken)
                };
                let is_best = best.is_none_or(|best| span.end < best.span.end);
                if is_best && taken & bits(first_tone, tones) == 0 {
                    best = Some(UplinkAllocation {
                        first_tone,
                        tones,
                        span,
                    });
                    if span.end == undisturbed {
                        break;
                    }
                }
            }
            best
        };
        let [others, of_acknowledgements] = self.free_first_tones(taken, tones);
        find_among(others).or_else(|| find_among(of_acknowledgements))
    }

    /// The first tones, as bits, of free allocations of so many tones: those without tones of acknowledgements, and the others.
    fn free_first_tones(&self, taken: u64, tones: u8) -> [u64; 2] {
        let acknowledgements = match self.spacing {
            SubcarrierSpacing::Khz15 => bits(0, 4),
            SubcarrierSpacing::Khz3_75 => bits(38, 8),
        };
        if tones == 1 {
            let free = bits(0, self.spacing.tones()) & !taken;
            return [free & !acknowledgements, free & acknowledgements];
        }
        let mut first_tones = [0, 0];
        for first_tone in (0..self.spacing.tones()).step_by(usize::from(tones)) {
            let own = bits(first_tone, tones);
            if own & taken == 0 {
                first_tones[usize::from(own & acknowledgements != 0)] |= 1 << first_tone;
            }
        }
        first_tones
    }

    /// Finds free tones for the NPUSCH of a grant, by the first scheduling delay that has them.
    ///
    /// Returns the delay field and the allocation, or `None` if all are occupied.
    ///
    /// `end` is the subframe after the DCI, or after the response that carries the grant; `delays` its table.
    #[must_use]
    pub fn find_grant(
        &self,
        end: Subframe,
        delays: &[u16],
        sent_ms: u32,
        tones: u8,
    ) -> Option<(u8, UplinkAllocation)> {
        self.find_grant_from(end, delays, sent_ms, tones, end)
    }

    /// Finds free tones for an NPUSCH that does not start before a given subframe.
    #[must_use]
    pub fn find_grant_from(
        &self,
        end: Subframe,
        delays: &[u16],
        sent_ms: u32,
        tones: u8,
        from: Subframe,
    ) -> Option<(u8, UplinkAllocation)> {
        delays.iter().enumerate().find_map(|(field, k0)| {
            let start = npusch_start(end, *k0, self.spacing);
            if start < from {
                return None;
            }
            Some((field as u8, self.find(start, sent_ms, tones)?))
        })
    }

    /// Finds free tones for the acknowledgement of an NPDSCH that ends before `npdsch_end`.
    ///
    /// Returns the resource field and the allocation, or `None` if all are occupied. With `minimum_k0_only`, only the
    /// smallest delay is used.
    #[must_use]
    pub fn find_acknowledgement(
        &self,
        npdsch_end: Subframe,
        repetitions: u16,
        minimum_k0_only: bool,
    ) -> Option<(u8, UplinkAllocation)> {
        self.find_acknowledgement_from(npdsch_end, repetitions, minimum_k0_only, npdsch_end)
    }

    /// Finds free tones for an acknowledgement that does not start before a given subframe.
    #[must_use]
    pub fn find_acknowledgement_from(
        &self,
        npdsch_end: Subframe,
        repetitions: u16,
        minimum_k0_only: bool,
        from: Subframe,
    ) -> Option<(u8, UplinkAllocation)> {
        let resources = acknowledgement_resources(self.spacing);
        let sent_ms = acknowledgement_duration_ms(self.spacing, repetitions);
        let considered = resources
            .iter()
            .take_while(|resource| !minimum_k0_only || resource.k0 == resources[0].k0);
        considered.enumerate().find_map(|(field, resource)| {
            let start = acknowledgement_start(npdsch_end, resource.k0, self.spacing);
            if start < from {
                return None;
            }
            let span = self.span(self.meets(resource.tone, 1), start, sent_ms);
            self.is_free(resource.tone, 1, start, span.end).then_some((
                field as u8,
                UplinkAllocation {
                    first_tone: resource.tone,
                    tones: 1,
                    span,
                },
            ))
        })
    }

    /// Reserves free tones for a channel.
    ///
    /// # Panics
    ///
    /// If they are not: no resource unit may be used twice.
    pub fn reserve(&mut self, allocation: &UplinkAllocation, channel: UplinkChannel) {
        let UplinkSpan {
            start,
            end,
            sent_ms,
        } = allocation.span;
        let (first, tones) = (allocation.first_tone, allocation.tones);
        assert!(
            self.is_free(first, tones, start, end),
            "no resource unit may be used twice"
        );
        let now = self.now;
        self.taken.retain(|taken| taken.end > now);
        self.taken.push(Taken {
            start,
            end,
            tones: bits(first, tones),
        });
        self.sent_tone_ms[channel as usize] += u64::from(tones) * u64::from(sent_ms);
        self.held_tone_ms += u64::from(tones) * (end - start);
    }

    /// Whether nothing is reserved on these tones from `start` until before `end`.
    #[must_use]
    pub fn is_free(&self, first_tone: u8, tones: u8, start: Subframe, end: Subframe) -> bool {
        self.taken_during(start, end) & bits(first_tone, tones) == 0
    }

    /// Returns the transmitted tone time of a channel since the start of the run, in milliseconds of a 15 kHz tone.
    #[must_use]
    pub fn sent_tone_ms(&self, channel: UplinkChannel) -> f64 {
        self.sent_tone_ms[channel as usize] as f64 * self.share_of_15_khz()
    }

    /// Returns the reserved tone time of both channels since the start of the run, including waits and gaps, in
    /// milliseconds of a 15 kHz tone.
    #[must_use]
    pub fn held_tone_ms(&self) -> f64 {
        self.held_tone_ms as f64 * self.share_of_15_khz()
    }

    /// Returns the subcarrier spacing.
    #[must_use]
    pub const fn spacing(&self) -> SubcarrierSpacing {
        self.spacing
    }

    fn share_of_15_khz(&self) -> f64 {
        12.0 / f64::from(self.spacing.tones())
    }

    /// The tones on which something is reserved between two subframes, a bit for each.
    fn taken_during(&self, start: Subframe, end: Subframe) -> u64 {
        let overlapping =
            (self.taken.iter()).filter(|taken| taken.start < end && taken.end > start);
        overlapping.fold(0, |all, taken| all | taken.tones)
    }

    fn span(&self, meets: u8, start: Subframe, sent_ms: u32) -> UplinkSpan {
        let met = self.nprach.iter().enumerate();
        let met = met.filter(|(level, _)| meets >> level & 1 == 1);
        nprach_free_span(
            met.map(|(_, opportunities)| opportunities),
            start,
            sent_ms,
            self.spacing,
        )
    }

    fn meets(&self, first_tone: u8, tones: u8) -> u8 {
        let range = usize::from(first_tone)..usize::from(first_tone + tones);
        self.meets[range].iter().fold(0, |all, bits| all | bits)
    }
}

/// Tones as bits.
const fn bits(first_tone: u8, tones: u8) -> u64 {
    ((1 << tones) - 1) << first_tone
}

/// Whether preambles and a tone of the grid share spectrum.
fn is_met(opportunities: &NprachOccasions, tone: u8, spacing: SubcarrierSpacing) -> bool {
    let width = 48 / spacing.tones();
    let (first, tones) = opportunities.tones();
    tone * width < first + tones && (tone + 1) * width > first
}
