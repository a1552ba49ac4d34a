use std::collections::BTreeMap;

use lasthop_units::{Duration, Instant};

use crate::Freshness;

/// The resources of a server that is not a proxy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnResources {
    /// The lifetime of responses; `None` if it is not declared.
    pub lifetime: Option<Duration>,
    /// The interval at which each resource gets a new entity tag; `None` without tags.
    pub changes: Option<Duration>,
    /// How often each was written.
    writes: BTreeMap<u32, u32>,
}

/// How many states by time there are between two writes in an entity tag.
const WRITE_STEP: u32 = 1 << 20;

impl OwnResources {
    /// Creates resources without any writes.
    #[must_use]
    pub fn new(lifetime: Option<Duration>, changes: Option<Duration>) -> Self {
        Self {
            lifetime,
            changes,
            writes: BTreeMap::new(),
        }
    }

    /// Returns the current freshness of a resource.
    #[must_use]
    pub fn freshness(&self, now: Instant, resource: u32) -> Freshness {
        let writes = self.writes.get(&resource).copied().unwrap_or_default();
        let tag = self.changes.map(|changes| {
            let by_time = now.as_nanos() / changes.as_nanos().max(1);
            (by_time as u32 % WRITE_STEP).wrapping_add(writes.wrapping_mul(WRITE_STEP))
        });
        Freshness {
            lifetime: self.lifetime,
            age: Duration::ZERO,
            tag,
        }
    }

    /// Records a write to a resource.
    pub fn write(&mut self, resource: u32) {
        *self.writes.entry(resource).or_default() += 1;
    }
}
