use super::Subframe;
use crate::config::{DownlinkGap, SubframeMapConfig, Switches, SystemInformation};

/// The downlink subframes that carry NPDCCH and NPDSCH. They are numbered by ordinals.
///
/// Left out: NPBCH (subframe 0), NPSS (5), NSSS (9 of even frames), SIB1-NB (4 of every other frame in its
/// repetitions), other system information, and the downlink gap if asked for (TS 36.211 section 10.2, TS 36.213 section 16.4.1,
/// TS 36.331 section 5.2.3a). The pattern repeats with a period of 2560 ms, or of the longest `si-Periodicity` above that.
#[derive(Clone, Debug)]
pub struct DownlinkMap {
    /// In subframes.
    period: u64,
    usable_per_period: u64,
    /// How many usable subframes there are in a period before each of its subframes.
    usable_before: Box<[u16]>,
    /// The usable subframes of a period.
    usable: Box<[u16]>,
}

impl DownlinkMap {
    /// Frames of a SIB1-NB period.
    const SIB1_PERIOD_FRAMES: u64 = 256;
    /// Frames of one SIB1-NB repetition, of which every other has it.
    const SIB1_REPETITION_FRAMES: u64 = 16;

    /// Creates the map of a cell. With `gap`, the map is for transmissions that pause in downlink gaps.
    #[must_use]
    pub fn new(config: &SubframeMapConfig, switches: &Switches, gap: Option<&DownlinkGap>) -> Self {
        let messages: &[SystemInformation] = if switches.other_system_information {
            &config.system_information
        } else {
            &[]
        };
        let frames = messages
            .iter()
            .map(|message| u64::from(message.periodicity_frames))
            .fold(Self::SIB1_PERIOD_FRAMES, u64::max);
        let period = frames * Subframe::PER_FRAME;
        let mut free: Vec<bool> = (0..period)
            .map(|subframe| Self::is_free_of_broadcast(Subframe(subframe), config.sib1_repetitions))
            .collect();
        for (number, message) in messages.iter().enumerate() {
            take_system_information(&mut free, config, number, message);
        }
        if let Some(gap) = gap {
            let pause = u64::from(gap.period_subframes) * u64::from(gap.duration_eighths) / 8;
            for subframe in 0..period {
                if subframe % u64::from(gap.period_subframes) < pause {
                    free[subframe as usize] = false;
                }
            }
        }
        Self::of_pattern(&free)
    }

    /// Creates the map of a non-anchor carrier, which has only downlink gaps.
    #[must_use]
    pub fn of_non_anchor(gap: Option<&DownlinkGap>) -> Self {
        let period = gap.map_or(10, |gap| usize::from(gap.period_subframes));
        let pause = gap.map_or(0, |gap| period * usize::from(gap.duration_eighths) / 8);
        let free: Vec<bool> = (0..period).map(|subframe| subframe >= pause).collect();
        Self::of_pattern(&free)
    }

    fn of_pattern(free: &[bool]) -> Self {
        let mut usable = Vec::new();
        let mut usable_before = Vec::with_capacity(free.len());
        for (subframe, is_free) in free.iter().enumerate() {
            usable_before.push(usable.len() as u16);
            if *is_free {
                usable.push(subframe as u16);
            }
        }
        Self {
            period: free.len() as u64,
            usable_per_period: usable.len() as u64,
            usable_before: usable_before.into(),
            usable: usable.into(),
        }
    }

    /// Nothing that every cell sends all the time.
    pub(super) fn is_free_of_broadcast(subframe: Subframe, sib1_repetitions: u8) -> bool {
        let frame = subframe.frame();
        let spacing = Self::SIB1_PERIOD_FRAMES / u64::from(sib1_repetitions);
        let has_sib1 = frame % spacing < Self::SIB1_REPETITION_FRAMES && frame.is_multiple_of(2);
        match subframe.in_frame() {
            0 | 5 => false,
            9 => !frame.is_multiple_of(2),
            4 => !has_sib1,
            _ => true,
        }
    }

    /// Whether the subframe carries NPDCCH and NPDSCH.
    #[must_use]
    pub fn is_usable(&self, subframe: Subframe) -> bool {
        self.subframe(self.usable_before(subframe)) == subframe
    }

    /// Returns the number of usable subframes before this one since the start of the run.
    ///
    /// It is the ordinal of the first usable subframe from this one on.
    #[inline]
    #[must_use]
    pub fn usable_before(&self, subframe: Subframe) -> u64 {
        let (periods, rest) = (subframe.0 / self.period, subframe.0 % self.period);
        periods * self.usable_per_period + u64::from(self.usable_before[rest as usize])
    }

    /// Returns the usable subframe with this ordinal.
    #[inline]
    #[must_use]
    pub fn subframe(&self, ordinal: u64) -> Subframe {
        let (periods, rest) = (
            ordinal / self.usable_per_period,
            ordinal % self.usable_per_period,
        );
        Subframe(periods * self.period + u64::from(self.usable[rest as usize]))
    }

    /// Returns the first usable subframe at or after this one.
    #[must_use]
    pub fn next_usable(&self, subframe: Subframe) -> Subframe {
        self.subframe(self.usable_before(subframe))
    }

    /// Returns the number of usable subframes from `from` until before `to`.
    #[must_use]
    pub fn usable_between(&self, from: Subframe, to: Subframe) -> u64 {
        self.usable_before(to)
            .saturating_sub(self.usable_before(from))
    }

    /// Returns the period of the pattern in subframes, and the number of usable ones in it.
    #[must_use]
    pub fn period(&self) -> (u64, u64) {
        (self.period, self.usable_per_period)
    }
}

/// Marks the subframes of one system information message: in its window, from every n-th frame on, 2 or 8 consecutive
/// subframes that carry no other broadcast.
fn take_system_information(
    free: &mut [bool],
    config: &SubframeMapConfig,
    number: usize,
    message: &SystemInformation,
) {
    let subframes = message.subframes() as usize;
    let window_frames = usize::from(config.si_window_ms) / 10;
    let first_frame = number * window_frames + usize::from(config.si_radio_frame_offset);
    let frames = free.len() / 10;
    for period_start in (0..frames).step_by(usize::from(message.periodicity_frames)) {
        for frame in (0..window_frames).step_by(usize::from(message.every_frames)) {
            let start = (period_start + first_frame + frame) * 10;
            free[start..]
                .iter_mut()
                .filter(|is_free| **is_free)
                .take(subframes)
                .for_each(|is_free| *is_free = false);
        }
    }
}
