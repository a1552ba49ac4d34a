/// The counters of input that an endpoint could not use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoapCounters {
    /// Invalid messages: ignored, or rejected if they were confirmable.
    pub malformed: u32,
    /// Messages of a reserved class, or messages that are invalid in their context.
    pub unexpected: u32,
    /// Duplicate messages (RFC 7252 section 4.5).
    pub duplicates: u32,
    /// Reset messages that were sent.
    pub resets_sent: u32,
    /// Reset messages received that matched a message.
    pub resets_received: u32,
    /// Acknowledgements and resets received that matched no message.
    pub unmatched: u32,
    /// Responses without a matching request.
    pub unmatched_responses: u32,
    /// Requests refused because of an unknown critical option or an invalid block.
    pub bad_options: u32,
    /// Bodies that exceeded the size limit.
    pub too_large: u32,
    /// Bodies with a missing block.
    pub incomplete: u32,
    /// Notifications older than one received before (RFC 7641 section 3.4).
    pub stale_notifications: u32,
    /// Stream connections aborted because of a peer's error.
    pub aborted: u32,
}

/// Counters that are allocated at the first event.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    counters: Option<Box<CoapCounters>>,
}

impl Tally {
    /// Returns the counters for modification.
    pub(crate) fn count(&mut self) -> &mut CoapCounters {
        self.counters.get_or_insert_default()
    }

    pub(crate) fn counters(&self) -> CoapCounters {
        self.counters.as_deref().copied().unwrap_or_default()
    }
}
