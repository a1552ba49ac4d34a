use std::collections::BTreeMap;

use lasthop_contract::ConnectionId;
use lasthop_units::{Duration, Instant};

use crate::block::{Assembled, Assembly, Block};

/// Request bodies that arrive in blocks (RFC 7959 section 2.5).
#[derive(Debug, Default)]
pub(super) struct Uploads {
    by_peer: BTreeMap<ConnectionId, Vec<Upload>>,
}

#[derive(Debug)]
struct Upload {
    /// The method and the path: blocks of one body have the same.
    key: Box<[u8]>,
    assembly: Assembly,
    at: Instant,
}

/// The state of a request body after a block was added.
#[derive(Debug)]
pub(crate) enum Collected {
    /// The body is complete.
    Whole(Vec<u8>),
    /// The next block is expected.
    Continue,
    /// An earlier block is missing.
    Incomplete,
    /// The body is too large, or the peer has too many unfinished bodies.
    TooLarge,
}

/// How many bodies a peer may have under way.
const MAX_UPLOADS: usize = 4;

impl Uploads {
    /// Adds a block to a body.
    pub(super) fn add(
        &mut self,
        now: Instant,
        connection: ConnectionId,
        key: &[u8],
        block: Block,
        payload: &[u8],
        bound: usize,
    ) -> Collected {
        let uploads = self.by_peer.entry(connection).or_default();
        if block.number == 0 {
            // A body that begins again replaces what was there of it (RFC 7959 section 2.5).
            uploads.retain(|upload| *upload.key != *key);
            let longest_at_rest = (0..uploads.len()).min_by_key(|place| uploads[*place].at);
            if let Some(place) = longest_at_rest.filter(|_| uploads.len() >= MAX_UPLOADS) {
                // Its next block is answered 4.08.
                uploads.swap_remove(place);
            }
            uploads.push(Upload {
                key: key.into(),
                assembly: Assembly::default(),
                at: now,
            });
        }
        let place = uploads.iter().position(|upload| *upload.key == *key);
        let collected = match place {
            None => Collected::Incomplete,
            Some(place) => {
                uploads[place].at = now;
                match uploads[place].assembly.add(block, payload, bound) {
                    Assembled::Continue | Assembled::Repeated => Collected::Continue,
                    Assembled::Whole => {
                        Collected::Whole(uploads.remove(place).assembly.into_bytes())
                    }
                    Assembled::Incomplete => Collected::Incomplete,
                    Assembled::TooLarge => {
                        uploads.remove(place);
                        Collected::TooLarge
                    }
                }
            }
        };
        if uploads.is_empty() {
            self.by_peer.remove(&connection);
        }
        collected
    }

    /// Drops bodies without a new block for `lifetime`. Returns whether any are left.
    pub(super) fn forget_old(&mut self, now: Instant, lifetime: Duration) -> bool {
        self.by_peer.retain(|_, uploads| {
            uploads.retain(|upload| upload.at + lifetime > now);
            !uploads.is_empty()
        });
        !self.by_peer.is_empty()
    }

    pub(super) fn forget(&mut self, connection: ConnectionId) {
        self.by_peer.remove(&connection);
    }
}
