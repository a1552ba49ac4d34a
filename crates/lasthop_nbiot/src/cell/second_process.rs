use super::{Cell, Settings};
use crate::phy::{DownlinkSpan, SearchSpace};

/// Subframes before an NPDSCH or an NPUSCH in which a device with two HARQ processes does not listen (TS 36.213 section 16.6).
pub(super) const DEAF_BEFORE_CHANNEL: u64 = 2;
/// For the second of two blocks, so many candidates of its DCI are tried.
const CANDIDATES_TRIED: usize = 8;

impl Cell {
    /// Where the DCI of a second block may go: free candidates behind the first DCI, within a period of the search space.
    pub(super) fn second_dcis(
        &self,
        space: &SearchSpace,
        repetitions: u16,
        first: &DownlinkSpan,
        settings: &Settings,
    ) -> impl Iterator<Item = DownlinkSpan> {
        let mut from = first.end;
        let until = from + space.period();
        let first_only = settings.config.switches.first_candidate_only;
        core::iter::from_fn(move || {
            let dci =
                (self.resources.timeline).find_dci(space, repetitions, from, until, first_only)?;
            from = dci.start + 1;
            Some(dci)
        })
        .take(CANDIDATES_TRIED)
    }
}
