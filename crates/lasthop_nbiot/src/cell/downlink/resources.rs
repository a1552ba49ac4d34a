use super::Formats;
use crate::cell::second_process::DEAF_BEFORE_CHANNEL;
use crate::cell::{Cell, Settings};
use crate::phy::{DownlinkSpan, SearchSpace, Subframe, UplinkAllocation};

/// Where a block goes: NPDCCH, NPDSCH and acknowledgement.
#[derive(Clone, Copy, Debug)]
pub(super) struct Assignment {
    pub(super) dci: DownlinkSpan,
    pub(super) data: DownlinkSpan,
    pub(super) acknowledgement: UplinkAllocation,
}

/// The guard subframe between receiving and sending (TS 36.211 section 10.2.2.3).
const GUARD: u64 = 1;

impl Cell {
    /// The first place that the search space, the downlink and the acknowledgements have.
    pub(super) fn find_assignment(
        &self,
        space: &SearchSpace,
        formats: &Formats,
        (mut from, until): (Subframe, Subframe),
        settings: &Settings,
    ) -> Option<Assignment> {
        let switches = &settings.config.switches;
        loop {
            let dci = self.resources.timeline.find_dci(
                space,
                formats.dci_repetitions,
                from,
                until,
                switches.first_candidate_only,
            )?;
            let found = self.resources.timeline.find_npdsch(
                space.rmax(),
                dci.end,
                formats.data.subframes(),
                switches.minimum_k0_only,
            );
            // A millisecond later there is hardly more room.
            let Some((_, data)) = found else {
                from = space.next_start(dci.end);
                continue;
            };
            let found = self.resources.grid.find_acknowledgement(
                data.end,
                formats.ack_repetitions,
                switches.minimum_k0_only,
            );
            match found {
                Some((_, acknowledgement)) => {
                    return Some(Assignment {
                        dci,
                        data,
                        acknowledgement,
                    });
                }
                None => from = space.next_start(dci.end),
            }
        }
    }

    /// The places of two blocks with which the second ends first, where there are any within a period of the search space.
    pub(super) fn find_assignments(
        &self,
        space: &SearchSpace,
        formats: [&Formats; 2],
        alone: &Assignment,
        settings: &Settings,
    ) -> Option<[Assignment; 2]> {
        let minimum = settings.config.switches.minimum_k0_only;
        self.second_dcis(space, formats[1].dci_repetitions, &alone.dci, settings)
            .filter_map(|second| self.pair(space, formats, [alone.dci, second], minimum))
            .min_by_key(|pair| pair[1].acknowledgement.span.end)
    }

    /// The places of two blocks whose DCIs are these. The second DCI ends while the device still listens, which it does
    /// not from the first NPDSCH to the first acknowledgement (TS 36.213 section 16.6).
    fn pair(
        &self,
        space: &SearchSpace,
        formats: [&Formats; 2],
        dcis: [DownlinkSpan; 2],
        minimum_k0_only: bool,
    ) -> Option<[Assignment; 2]> {
        let data = |place: usize, from: Subframe| {
            let found = self.resources.timeline.find_npdsch_from(
                space.rmax(),
                dcis[place].end,
                formats[place].data.subframes(),
                minimum_k0_only,
                from,
            );
            found.map(|(_, data)| data)
        };
        let first_data = data(0, dcis[1].end + DEAF_BEFORE_CHANNEL)?;
        let second_data = data(1, first_data.end)?;
        let acknowledgement = |place: usize, data: &DownlinkSpan, from: Subframe| {
            let found = self.resources.grid.find_acknowledgement_from(
                data.end,
                formats[place].ack_repetitions,
                minimum_k0_only,
                from,
            );
            found.map(|(_, acknowledgement)| acknowledgement)
        };
        let first = acknowledgement(0, &first_data, second_data.end + GUARD)?;
        let second = acknowledgement(1, &second_data, first.span.end)?;
        Some([
            Assignment {
                dci: dcis[0],
                data: first_data,
                acknowledgement: first,
            },
            Assignment {
                dci: dcis[1],
                data: second_data,
                acknowledgement: second,
            },
        ])
    }
}
