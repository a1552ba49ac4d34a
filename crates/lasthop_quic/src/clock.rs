//! Conversion of a run's time for `quinn-proto`.

use core::time::Duration;
use std::sync::LazyLock;
use std::time::UNIX_EPOCH;

use lasthop_tls::Workplace;
use lasthop_units::Instant;
use quinn_proto::TimeSource;

#[expect(
    clippy::disallowed_types,
    reason = "the library takes it as an argument: ours, counted from a moment that nobody asks for"
)]
pub(crate) type LibraryInstant = std::time::Instant;

#[expect(
    clippy::disallowed_types,
    reason = "the library stamps the tokens of Retry packets with it"
)]
type LibraryCalendar = std::time::SystemTime;

/// The moment that stands for the start of a run.
#[expect(
    clippy::disallowed_methods,
    reason = "the type can be had by no other way; only differences to it are used"
)]
static START: LazyLock<LibraryInstant> = LazyLock::new(LibraryInstant::now);

/// Converts an instant of the run to one of the library.
pub(crate) fn to_library(at: Instant) -> LibraryInstant {
    *START + Duration::from_nanos(at.as_nanos())
}

/// Converts an instant of the library to one of the run.
pub(crate) fn from_library(at: LibraryInstant) -> Instant {
    let since = at.saturating_duration_since(*START).as_nanos();
    Instant::from_nanos(u64::try_from(since).unwrap_or(u64::MAX))
}

/// The calendar time of a run, for certificates.
pub(crate) struct Calendar;

impl TimeSource for Calendar {
    fn now(&self) -> LibraryCalendar {
        UNIX_EPOCH + Workplace::calendar().unwrap_or_default()
    }
}
