#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "the library counts from an instant of the host; it sees differences alone"
)]

use std::sync::LazyLock;
use std::time;

use lasthop_units::{Duration, Instant};

/// What stands for the start of a run. Nothing that the library does depends on it.
static START: LazyLock<time::Instant> = LazyLock::new(time::Instant::now);

/// The library sleeps for years where it waits for nothing.
const NEVER: time::Duration = time::Duration::from_secs(365 * 24 * 3600);

/// An instant of the run, as the library has it.
pub(crate) fn of_library(now: Instant) -> time::Instant {
    *START + library_span(now - Instant::ZERO)
}

/// When the library wants to be woken; `None` where it waits for nothing.
pub(crate) fn of_run(now: Instant, deadline: time::Instant) -> Option<Instant> {
    let rest = deadline.saturating_duration_since(of_library(now));
    let nanos = u64::try_from(rest.as_nanos()).ok()?;
    (rest < NEVER).then(|| now + Duration::from_nanos(nanos))
}

/// A span, as the library has it.
pub(crate) fn library_span(span: Duration) -> time::Duration {
    time::Duration::from_nanos(span.as_nanos())
}
