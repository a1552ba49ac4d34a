use lasthop_contract::RadioCause;
use lasthop_device::PowerProfile;
use lasthop_nbiot::{RadioEvent, RadioSpan};
use lasthop_units::{Energy, Instant};

use crate::energy::energy_configs;
use crate::plan::numbers_of_groups;
use crate::simulated::Simulated;
use crate::spec::{RunSpec, SpecError};

/// The activity of a device's radio from the due time of its message until its next sleep.
#[derive(Clone, Debug)]
pub struct ExplainedRadio {
    /// The transmissions and waits, in the order of their start.
    pub events: Vec<RadioEvent>,
    /// The radio states, without gaps.
    pub spans: Vec<RadioSpan>,
    /// What it draws, where the study says.
    profile: Option<PowerProfile>,
}

impl ExplainedRadio {
    /// Returns the energy of a radio span, or `None` if the study has no power profile.
    #[must_use]
    pub fn energy(&self, span: &RadioSpan) -> Option<Energy> {
        let profile = self.profile.as_ref()?;
        Some(profile.draws(span.state) * (span.until - span.from))
    }
}

impl Simulated {
    /// Returns the radio activity for the explained message, or `None` if its device has no radio.
    ///
    /// # Errors
    /// When the spec is not the one of this run.
    pub fn explained_radio(&self, spec: &RunSpec) -> Result<Option<ExplainedRadio>, SpecError> {
        let line = self.network.as_ref().and_then(|told| told.line.as_ref());
        let (Some(line), Some(timeline)) = (line, self.meter().timeline()) else {
            return Ok(None);
        };
        let [first, .., last] = timeline.entries() else {
            return Ok(None);
        };
        let (begin, end) = (first.at, last.at);
        let asleep = line
            .spans
            .iter()
            .find(|span| span.until > end && sleeps(span));
        let until = asleep.map_or(Instant::FAR_FUTURE, |span| span.from.max(end));
        let device = timeline.message().flow.device().0;
        let groups = numbers_of_groups(spec);
        let group = groups.iter().position(|numbers| numbers.contains(&device));
        let energy = energy_configs(spec)?;
        let energy = group.and_then(|group| energy[group].as_ref());
        let mut events: Vec<RadioEvent> = (line.events.iter())
            .filter(|event| event.until > begin && event.from < until)
            .cloned()
            .collect();
        events.sort_by_key(|event| event.from);
        let spans = line.spans.iter().filter_map(|span| {
            let (from, until) = (span.from.max(begin), span.until.min(until));
            (from < until).then_some(RadioSpan {
                from,
                until,
                ..*span
            })
        });
        Ok(Some(ExplainedRadio {
            events,
            spans: spans.collect(),
            profile: energy.map(|energy| energy.profile),
        }))
    }
}

/// Whether a radio has nothing to do with a connection.
fn sleeps(span: &RadioSpan) -> bool {
    matches!(span.cause, RadioCause::Sleep | RadioCause::Paging)
}
