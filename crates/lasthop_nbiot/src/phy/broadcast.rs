use super::{DownlinkMap, Subframe};
use crate::config::{SubframeMapConfig, SystemInformation};

/// A block of NPBCH lasts 80 ms, and 8 blocks carry the same information (TS 36.211 section 10.2.4).
const NPBCH_BLOCK: u64 = 80;
const NPBCH_BLOCKS: u64 = 8;
/// From the first subframe of a repetition of SIB1-NB to the end of its last one: subframe 4 of frames 0, 2, ..., 14.
const SIB1_REPETITION: u64 = 145;
const SIB1_PERIOD: u64 = 2560;

/// When a device that begins to listen has received so many blocks of NPBCH with the same content.
#[must_use]
pub fn npbch_received(from: Subframe, blocks: u64) -> Subframe {
    let blocks = blocks.clamp(1, NPBCH_BLOCKS);
    let first = from.0.div_ceil(NPBCH_BLOCK);
    let place = first % NPBCH_BLOCKS;
    let first = if place + blocks > NPBCH_BLOCKS {
        first + NPBCH_BLOCKS - place
    } else {
        first
    };
    Subframe((first + blocks) * NPBCH_BLOCK)
}

/// When a device that begins to listen has received so many whole repetitions of SIB1-NB (TS 36.213 section 16.4.1).
#[must_use]
pub fn sib1_received(from: Subframe, config: &SubframeMapConfig, repetitions: u64) -> Subframe {
    let spacing = SIB1_PERIOD / u64::from(config.sib1_repetitions);
    let first = from.0.div_ceil(spacing) * spacing;
    Subframe(first + (repetitions.max(1) - 1) * spacing + SIB1_REPETITION)
}

/// When a device that begins to listen has received so many repetitions of a system information message, in as many windows
/// as that takes (TS 36.331 section 5.2.3a). The number is the place of the message in the scheduling list.
#[must_use]
pub fn system_information_received(
    from: Subframe,
    config: &SubframeMapConfig,
    (number, message): (usize, &SystemInformation),
    repetitions: u64,
) -> Subframe {
    let period = u64::from(message.periodicity_frames) * Subframe::PER_FRAME;
    let window = u64::from(config.si_window_ms);
    let every = u64::from(message.every_frames) * Subframe::PER_FRAME;
    let offset =
        number as u64 * window + u64::from(config.si_radio_frame_offset) * Subframe::PER_FRAME;
    let in_window = window.div_ceil(every);
    // Repetitions before `from`, counted over whole periods and within one.
    let running = from.0.saturating_sub(offset);
    let before = running / period * in_window + (running % period).div_ceil(every).min(in_window);
    let last = before + repetitions.max(1) - 1;
    let start = offset + last / in_window * period + last % in_window * every;
    let mut at = Subframe(start);
    let mut left = message.subframes();
    loop {
        left -= u64::from(DownlinkMap::is_free_of_broadcast(
            at,
            config.sib1_repetitions,
        ));
        at += 1;
        if left == 0 {
            return at;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config() -> SubframeMapConfig {
        crate::config::NetworkConfig::single_device(144.0).subframes
    }

    #[test]
    fn blocks_of_npbch_lie_within_640_ms_of_the_same_content() {
        let received = |from, blocks| npbch_received(Subframe(from), blocks).0;
        assert_eq!(received(0, 1), 80);
        assert_eq!(received(1, 1), 160);
        assert_eq!(received(560, 1), 640);
        // Two blocks after 560 ms lie in the next 640 ms.
        assert_eq!(received(560, 2), 800);
        assert_eq!(received(1, 8), 1280);
    }

    /// Eight repetitions a period: one begins every 320 ms.
    #[test]
    fn sib1_is_received_in_whole_repetitions() {
        let received = |from, repetitions| sib1_received(Subframe(from), &config(), repetitions).0;
        assert_eq!(received(0, 1), 145);
        assert_eq!(received(1, 1), 320 + 145);
        assert_eq!(received(640, 3), 640 + 2 * 320 + 145);
    }

    /// A message of 440 bits takes 8 subframes: every 40 ms of the first 160 ms of each 5.12 s. In an even frame with SIB1-NB it
    /// has subframes 1, 2, 3, 6, 7 and 8, and then 1 and 2 of the next; without SIB1-NB also subframe 4.
    #[test]
    fn a_message_is_received_in_one_window_or_in_more() {
        let config = config();
        let message = (0, &config.system_information[0]);
        let received = |from, repetitions| {
            system_information_received(Subframe(from), &config, message, repetitions).0
        };
        assert_eq!(received(0, 1), 13);
        assert_eq!(received(1, 1), 40 + 13);
        assert_eq!(received(0, 4), 120 + 13);
        assert_eq!(received(121, 1), 5120 + 13);
        assert_eq!(received(785, 1), 5120 + 13);
        assert_eq!(received(785, 5), 2 * 5120 + 13);
        // Its second window, where 7 of 10 subframes are free in frame 16, which has no SIB1-NB.
        let second = (1, &config.system_information[0]);
        let received = system_information_received(Subframe(0), &config, second, 1).0;
        assert_eq!(received, 160 + 12);
    }
}
