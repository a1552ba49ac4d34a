use lasthop_units::{Duration, Instant};
use time::OffsetDateTime;

/// The limits of a server for each client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerLimits {
    /// The timeout of a request head.
    pub head: Duration,
    /// The timeout of a body without progress.
    pub body: Duration,
    /// The timeout of a connection without a request.
    pub idle: Duration,
    /// How long a client may take to close after its last answer.
    pub linger: Duration,
    /// The largest accepted request body, in bytes.
    pub largest_body: usize,
    /// The maximum size of a QPACK dynamic table in HTTP/3, in bytes; 0 for the static table only.
    pub qpack_table: usize,
    /// The maximum bytes of incomplete requests and unread answers over all connections.
    pub most_pending: usize,
    /// The start of the run in seconds since 1970. With it, answers have a date (RFC 9110 section 6.6.1).
    pub calendar: Option<u64>,
}

/// The number of body bytes that restart the body timeout. Slow clients are served, but not those that send a byte a
/// minute.
pub(crate) const PROGRESS: usize = 256;

/// The maximum number of response bytes queued for a slow client. Above it, no further requests are read.
pub(crate) const MOST_UNSENT: usize = 256 << 10;

/// The bodies that come at the same time on one connection have as many bytes as so many of the largest one.
const MOST_BODIES: usize = 4;

const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];
const MONTHS: [&str; 12] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
];

impl Default for ServerLimits {
    /// The times of nginx; a client on a slow link has a minute to close.
    fn default() -> Self {
        Self {
            head: Duration::from_secs(60),
            body: Duration::from_secs(60),
            idle: Duration::from_secs(75),
            linger: Duration::from_secs(60),
            largest_body: 1 << 20,
            qpack_table: 4096,
            most_pending: usize::MAX,
            calendar: None,
        }
    }
}

impl ServerLimits {
    /// Returns the maximum total size of bodies that arrive at the same time on one connection, in bytes.
    pub(crate) const fn room_for_bodies(&self) -> usize {
        self.largest_body.saturating_mul(MOST_BODIES)
    }

    /// Returns the `Date` of a response: `Thu, 01 Jan 2026 00:00:00 GMT` (RFC 9110 section 5.6.7).
    pub(crate) fn date(&self, now: Instant) -> Option<String> {
        let seconds = self.calendar? + now.as_nanos() / 1_000_000_000;
        let date = OffsetDateTime::from_unix_timestamp(i64::try_from(seconds).ok()?).ok()?;
        let day = DAYS[usize::from(date.weekday().number_days_from_monday())];
        let month = MONTHS[usize::from(u8::from(date.month())) - 1];
        let year = date.year();
        let mut written = String::with_capacity("Thu, 01 Jan 2026 00:00:00 GMT".len());
        written.push_str(day);
        written.push_str(", ");
        push_two_digits(&mut written, date.day());
        for part in [" ", month, " "] {
            written.push_str(part);
        }
        push_two_digits(&mut written, (year / 100) as u8);
        push_two_digits(&mut written, (year % 100) as u8);
        for (before, number) in [
            (' ', date.hour()),
            (':', date.minute()),
            (':', date.second()),
        ] {
            written.push(before);
            push_two_digits(&mut written, number);
        }
        written.push_str(" GMT");
        Some(written)
    }
}

/// A number below 100: each answer has a date, and what formats any number takes five times as long.
fn push_two_digits(into: &mut String, number: u8) {
    for digit in [number / 10, number % 10] {
        into.push(char::from(b'0' + digit));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_written_as_in_the_example_of_the_rfc() {
        let limits = ServerLimits {
            calendar: Some(784_111_700),
            ..ServerLimits::default()
        };
        let date = limits.date(Instant::ZERO + Duration::from_secs(77));
        assert_eq!(date.as_deref(), Some("Sun, 06 Nov 1994 08:49:37 GMT"));
    }
}
