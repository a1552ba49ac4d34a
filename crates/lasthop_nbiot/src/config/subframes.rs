use serde::{Deserialize, Serialize};

use super::ConfigError;
use super::allowed::one_of;

/// The downlink subframes that carry data.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SubframeMapConfig {
    /// The number of SIB1-NB repetitions in its period of 2560 ms: 4, 8 or 16 (TS 36.213 table 16.4.1.3-3).
    pub sib1_repetitions: u8,
    /// The system information messages other than SIB1-NB, in the order of their windows.
    pub system_information: Vec<SystemInformation>,
    /// `si-WindowLength`: the window of a system information message, in ms.
    pub si_window_ms: u16,
    /// `si-RadioFrameOffset`: the offset of all windows, in frames; 0 if absent.
    pub si_radio_frame_offset: u8,
    /// The downlink gaps: pauses in long transmissions for devices in good coverage; `None` for none.
    pub downlink_gap: Option<DownlinkGap>,
}

/// A system information message (TS 36.331 `schedulingInfoList`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SystemInformation {
    /// `si-TB`: the block size in bits. Blocks of 56 and 120 bit take 2 subframes, larger ones 8.
    pub transport_block_bits: u16,
    /// `si-Periodicity`, in radio frames.
    pub periodicity_frames: u16,
    /// `si-RepetitionPattern`: the distance between repetitions in the window, in radio frames.
    pub every_frames: u8,
}

/// Downlink gaps (TS 36.211 section 10.2.3.4, TS 36.331 `DL-GapConfig-NB`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DownlinkGap {
    /// `dl-GapThreshold`: gaps apply to search spaces with at least this Rmax.
    pub threshold_rmax: u16,
    /// `dl-GapPeriodicity`, in subframes.
    pub period_subframes: u16,
    /// `dl-GapDurationCoeff`: the duration of a gap, in eighths of the period.
    pub duration_eighths: u8,
}

impl SubframeMapConfig {
    pub(super) fn check(&self) -> Result<(), ConfigError> {
        one_of(
            "sib1_repetitions",
            self.sib1_repetitions,
            &[4, 8, 16],
            "TS 36.213 table 16.4.1.3-3",
            "",
        )?;
        one_of(
            "si_window_ms",
            self.si_window_ms,
            &[160, 320, 480, 640, 960, 1280, 1600],
            "TS 36.331 si-WindowLength",
            "ms",
        )?;
        super::integer_within(
            "si_radio_frame_offset",
            u64::from(self.si_radio_frame_offset),
            0..=15,
            "TS 36.331 si-RadioFrameOffset (0 is absent)",
            "frames",
        )?;
        for (number, message) in self.system_information.iter().enumerate() {
            message
                .check()
                .and_then(|()| self.check_window(number, message))
                .map_err(|e| e.under(&format!("system_information[{number}]")))?;
        }
        match &self.downlink_gap {
            None => Ok(()),
            Some(gap) => gap.check().map_err(|e| e.under("downlink_gap")),
        }
    }

    /// The window lies inside the message's period.
    fn check_window(&self, number: usize, message: &SystemInformation) -> Result<(), ConfigError> {
        let end_frame = (number + 1) * usize::from(self.si_window_ms / 10)
            + usize::from(self.si_radio_frame_offset);
        if end_frame <= usize::from(message.periodicity_frames) {
            return Ok(());
        }
        Err(ConfigError::new(
            "periodicity_frames",
            format!(
                "is {} frames, and the window of this message ends in frame {end_frame} (TS 36.331 section 5.2.3a); choose a \
                 longer si-Periodicity or a shorter si-WindowLength",
                message.periodicity_frames
            ),
        ))
    }
}

impl SystemInformation {
    /// The subframes of one repetition.
    pub(crate) const fn subframes(&self) -> u64 {
        if self.transport_block_bits <= 120 {
            2
        } else {
            8
        }
    }

    fn check(&self) -> Result<(), ConfigError> {
        one_of(
            "transport_block_bits",
            self.transport_block_bits,
            &[56, 120, 208, 256, 328, 440, 552, 680],
            "TS 36.331 si-TB",
            "bit",
        )?;
        one_of(
            "periodicity_frames",
            self.periodicity_frames,
            &[64, 128, 256, 512, 1024, 2048, 4096],
            "TS 36.331 si-Periodicity",
            "frames",
        )?;
        one_of(
            "every_frames",
            self.every_frames,
            &[2, 4, 8, 16],
            "TS 36.331 si-RepetitionPattern",
            "frames",
        )
    }
}

impl DownlinkGap {
    fn check(&self) -> Result<(), ConfigError> {
        one_of(
            "threshold_rmax",
            self.threshold_rmax,
            &[32, 64, 128, 256],
            "TS 36.331 dl-GapThreshold",
            "",
        )?;
        one_of(
            "period_subframes",
            self.period_subframes,
            &[64, 128, 256, 512],
            "TS 36.331 dl-GapPeriodicity",
            "subframes",
        )?;
        one_of(
            "duration_eighths",
            self.duration_eighths,
            &[1, 2, 3, 4],
            "TS 36.331 dl-GapDurationCoeff",
            "eighths",
        )
    }
}
