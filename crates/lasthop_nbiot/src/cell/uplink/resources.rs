use super::Formats;
use crate::cell::npusch::grant_delays;
use crate::cell::second_process::DEAF_BEFORE_CHANNEL;
use crate::cell::{Cell, Settings};
use crate::phy::{
    DownlinkSpan, SearchSpace, Subframe, UplinkAllocation, monitoring_after_npusch, npusch_delays,
};

/// A grant: NPDCCH and NPUSCH.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grant {
    pub(super) dci: DownlinkSpan,
    pub(super) dci_repetitions: u16,
    pub(super) allocation: UplinkAllocation,
}

/// An NPUSCH whose grant comes behind another one ends so long after the start of that one's NPUSCH, at the latest
/// (TS 36.213 section 16.6).
const LONGEST_PAIR: u64 = 256;

impl Cell {
    /// The first place that the search space and the uplink have.
    pub(super) fn find_grant(
        &self,
        space: &SearchSpace,
        formats: &Formats,
        (mut from, until): (Subframe, Subframe),
        settings: &Settings,
    ) -> Option<Grant> {
        let switches = &settings.config.switches;
        loop {
            let dci = self.resources.timeline.find_dci(
                space,
                formats.dci_repetitions,
                from,
                until,
                switches.first_candidate_only,
            )?;
            match self.find_npusch(formats, dci.end, dci.end, settings) {
                Some(allocation) => {
                    return Some(Grant {
                        dci,
                        dci_repetitions: formats.dci_repetitions,
                        allocation,
                    });
                }
                None => from = dci.end,
            }
        }
    }

    fn find_npusch(
        &self,
        formats: &Formats,
        dci_end: Subframe,
        from: Subframe,
        settings: &Settings,
    ) -> Option<UplinkAllocation> {
        let delays = grant_delays(settings.config.switches.minimum_k0_only);
        let (length_ms, tones) = (formats.data.duration_ms(), formats.data.unit.tones);
        let found = self
            .resources
            .grid
            .find_grant_from(dci_end, delays, length_ms, tones, from);
        found.map(|(_, allocation)| allocation)
    }

    /// The places of two blocks with which the second ends first, where there are any within a period of the search space.
    /// The second DCI ends while the device still listens, which it does not from two subframes before the first NPUSCH on
    /// (TS 36.213 section 16.6). A pair is none whose second NPUSCH would end sooner by a DCI behind a first one that
    /// goes alone, as after long ones: the delays of grants have gaps.
    pub(super) fn find_grants(
        &self,
        space: &SearchSpace,
        formats: [&Formats; 2],
        alone: &Grant,
        settings: &Settings,
    ) -> Option<[Grant; 2]> {
        let repetitions = formats[1].dci_repetitions;
        let pair = |second_dci: DownlinkSpan| {
            let ready = second_dci.end + DEAF_BEFORE_CHANNEL;
            let first = self.find_npusch(formats[0], alone.dci.end, ready, settings)?;
            let second = self.find_npusch(formats[1], second_dci.end, first.span.end, settings)?;
            let by_itself = monitoring_after_npusch(alone.allocation.span.end)
                + (second_dci.end - second_dci.start)
                + u64::from(npusch_delays()[0])
                + (second.span.end - second.span.start);
            let is_sooner = second.span.end <= by_itself;
            (is_sooner && second.span.end <= first.span.start + LONGEST_PAIR).then_some([
                Grant {
                    allocation: first,
                    ..*alone
                },
                Grant {
                    dci: second_dci,
                    dci_repetitions: repetitions,
                    allocation: second,
                },
            ])
        };
        self.second_dcis(space, repetitions, &alone.dci, settings)
            .filter_map(pair)
            .min_by_key(|pair| pair[1].allocation.span.end)
    }
}
