/// The counters of an endpoint for input that it could not use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoapCounters {
    /// Invalid messages: ignored, or rejected if they were confirmable.
    pub malformed: u32,
    /// Messages of a reserved class, or that make no sense where they came.
    pub unexpected: u32,
    /// Messages that came before (RFC 7252 section 4.5).
    pub duplicates: u32,
    /// Resets that were sent.
    pub resets_sent: u32,
    /// Resets that arrived and belonged to something.
    pub resets_received: u32,
    /// Acknowledgements and resets that belong to nothing.
    pub unmatched: u32,
    /// Responses without a matching request.
    pub unmatched_responses: u32,
    /// Requests refused because of an unknown critical option or an invalid block.
    pub bad_options: u32,
    /// Bodies that were too large.
    pub too_large: u32,
    /// Bodies with a block missing.
    pub incomplete: u32,
    /// Notifications older than one that came before (RFC 7641 section 3.4).
    pub stale_notifications: u32,
    /// Stream connections aborted for an error of the peer's.
    pub aborted: u32,
}

/// Counters that take no room before the first event.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    counters: Option<Box<CoapCounters>>,
}

impl Tally {
    /// The counters, to be raised.
    pub(crate) fn count(&mut self) -> &mut CoapCounters {
        self.counters.get_or_insert_default()
    }

    pub(crate) fn counters(&self) -> CoapCounters {
        self.counters.as_deref().copied().unwrap_or_default()
    }
}
