use lasthop_contract::CacheOutcome;

/// How caching proxies answered requests.
#[derive(Clone, Debug, Default)]
pub struct CacheLog {
    is_watched: bool,
    sums: CacheSums,
}

/// The number of responses of a run's proxies, by cache outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CacheSums {
    /// Responses from fresh cache entries.
    pub hits: u64,
    /// Responses that were fetched for the request.
    pub misses: u64,
    /// Responses from cache entries that the server validated.
    pub validated: u64,
    /// Responses that another request had fetched.
    pub collapsed: u64,
    /// Responses from stale cache entries, because the server did not answer.
    pub stale: u64,
    /// Failed requests, because the server did not answer.
    pub failed: u64,
    /// Writes that the server answered.
    pub written: u64,
    /// The sum of the ages of all responses, in ms.
    pub age_ms: u64,
}

impl CacheLog {
    /// Records that the run has a caching proxy.
    pub(crate) fn watch(&mut self) {
        self.is_watched = true;
    }

    pub(crate) fn note(&mut self, by: CacheOutcome, age_ms: u32) {
        let sums = &mut self.sums;
        let count = match by {
            CacheOutcome::Hit => &mut sums.hits,
            CacheOutcome::Miss => &mut sums.misses,
            CacheOutcome::Validated => &mut sums.validated,
            CacheOutcome::Collapsed => &mut sums.collapsed,
            CacheOutcome::Stale => &mut sums.stale,
            CacheOutcome::Failed => &mut sums.failed,
            CacheOutcome::Written => &mut sums.written,
        };
        *count += 1;
        sums.age_ms += u64::from(age_ms);
    }

    /// Returns the counts, or `None` without a caching proxy.
    pub(crate) fn sums(&self) -> Option<CacheSums> {
        self.is_watched.then_some(self.sums)
    }
}

impl CacheSums {
    /// Returns the number of requests that got a response.
    #[must_use]
    pub const fn given(&self) -> u64 {
        self.hits + self.misses + self.validated + self.collapsed + self.stale
    }

    /// Returns the mean age of responses in ms, or `None` without responses.
    #[must_use]
    pub fn mean_age_ms(&self) -> Option<f64> {
        (self.given() > 0).then(|| self.age_ms as f64 / self.given() as f64)
    }
}
