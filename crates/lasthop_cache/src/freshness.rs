use lasthop_units::Duration;

/// The freshness of a representation, as a server declares it (RFC 7252 section 5.10, RFC 9111 section 4.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Freshness {
    /// The lifetime from its creation; `None` if it is not declared.
    pub lifetime: Option<Duration>,
    /// Its age.
    pub age: Duration,
    /// Its entity tag.
    pub tag: Option<u32>,
}

impl Freshness {
    /// Returns the remaining lifetime in whole seconds; `None` if it is not declared.
    #[must_use]
    pub fn seconds_left(&self) -> Option<u32> {
        let left = self
            .lifetime?
            .as_nanos()
            .saturating_sub(self.age.as_nanos());
        Some(u32::try_from(left / 1_000_000_000).unwrap_or(u32::MAX))
    }
}

/// What a client has read from a response.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// The declared freshness.
    pub freshness: Freshness,
    /// Whether it is the one that was named in the request, so that it was not sent again.
    pub is_unchanged: bool,
    /// Whether the time that the answer took counts as age (RFC 9111 section 4.2.3).
    pub counts_delay: bool,
}
