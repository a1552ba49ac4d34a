//! The library's endpoint, which all connections of a host share.

use std::sync::Arc;

use lasthop_contract::RandomStream;
use lasthop_tls::Workplace;
use lasthop_units::Instant;
use quinn_proto::{
    ConnectionId, ConnectionIdGenerator, Endpoint, EndpointConfig, RandomConnectionIdGenerator,
};

use crate::profile::{ID_LENGTH, drawn};

/// Creates endpoints of a host, one after each start, from the same random stream.
#[derive(Debug)]
pub(crate) struct MakeEndpoint {
    config: EndpointConfig,
    is_of_the_run: bool,
}

impl MakeEndpoint {
    /// Uses the random numbers of a run, or else those of the system.
    pub(crate) fn new(random: Option<&mut RandomStream>) -> Self {
        let Some(random) = random else {
            let mut config = EndpointConfig::default();
            config.cid_generator(|| Box::new(RandomConnectionIdGenerator::new(ID_LENGTH)));
            return Self {
                config,
                is_of_the_run: false,
            };
        };
        // A server that lost its memory is known by it to its clients (RFC 9000 section 10.3).
        let key: [u8; 32] = core::array::from_fn(|_| random.next_u64() as u8);
        let key = ring::hmac::Key::new(ring::hmac::HMAC_SHA256, &key);
        let mut config = EndpointConfig::new(Arc::new(key));
        config.cid_generator(|| Box::new(Drawn));
        Self {
            config,
            is_of_the_run: true,
        }
    }

    /// Creates an endpoint without connections.
    pub(crate) fn endpoint(&self, now: Instant, work: &mut Workplace) -> Endpoint {
        let mut config = self.config.clone();
        work.enter(now, None, || {
            if self.is_of_the_run {
                let mut seed = [0; 32];
                let is_drawn = Workplace::draw(&mut seed);
                config.rng_seed(is_drawn.then_some(seed));
            }
            Endpoint::new(Arc::new(config), None, true, None)
        })
    }
}

/// Connection ids of the run.
struct Drawn;

impl ConnectionIdGenerator for Drawn {
    fn generate_cid(&mut self) -> ConnectionId {
        drawn()
    }

    fn cid_len(&self) -> usize {
        ID_LENGTH
    }

    fn cid_lifetime(&self) -> Option<core::time::Duration> {
        None
    }
}
