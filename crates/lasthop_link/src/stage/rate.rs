//! The rate limit of a link and its queue.

mod background;
mod opportunities;
mod pace;
mod queue;
mod serial_line;
mod shared_rate;
mod token_bucket;

pub use background::Background;
pub use opportunities::Opportunities;
pub use queue::QueueLimit;
pub use token_bucket::TokenBucket;

pub(crate) use shared_rate::SharedRate;

use lasthop_contract::BackgroundTraffic;
use lasthop_units::{BitRate, DataSize, Instant};
use serde::{Deserialize, Serialize};

use background::Lane;
use opportunities::OpportunityService;
use queue::WaitingRoom;
use serial_line::SerialService;
use token_bucket::TokenService;

/// A bottleneck: a rate and a queue.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rate {
    /// The rate, or its mean if it varies.
    pub bits_per_second: BitRate,
    /// How the bottleneck serves packets.
    pub kind: RateKind,
    /// The queue limit.
    pub queue: QueueLimit,
    /// Background traffic in the same queue.
    pub background: Option<Background>,
}

/// How a bottleneck serves packets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RateKind {
    /// By a token bucket: a packet passes at once while there are tokens. Tokens arrive at the rate.
    TokenBucket(TokenBucket),
    /// Serially: each packet leaves with its last bit.
    Serial,
    /// By a recorded trace of send opportunities, each for a number of bytes.
    Trace(Opportunities),
}

impl Rate {
    /// Creates a bottleneck that sends serially, bit by bit.
    #[must_use]
    pub const fn serial(bits_per_second: BitRate, queue: QueueLimit) -> Self {
        Self {
            bits_per_second,
            kind: RateKind::Serial,
            queue,
            background: None,
        }
    }

    /// Creates a bottleneck with a token bucket that holds `burst`.
    #[must_use]
    pub const fn token_bucket(
        bits_per_second: BitRate,
        burst: DataSize,
        queue: QueueLimit,
    ) -> Self {
        Self {
            bits_per_second,
            kind: RateKind::TokenBucket(TokenBucket { burst }),
            queue,
            background: None,
        }
    }

    pub(crate) fn start(&self, seed: u64, prefix: &str) -> Bottleneck {
        if self.background.is_some() {
            let lanes = [self.lane(seed, prefix)];
            return Bottleneck::Loaded(Box::new((self.server(), lanes)));
        }
        Bottleneck::Free(self.server(), WaitingRoom::new(self.queue))
    }

    /// Whether one shared_rate can be this and another: as fast, in the same way.
    pub(crate) fn is_as_fast_as(&self, other: &Self) -> bool {
        (self.bits_per_second, &self.kind) == (other.bits_per_second, &other.kind)
    }

    fn lane(&self, seed: u64, prefix: &str) -> Lane {
        let room = WaitingRoom::new(self.queue);
        Lane::new(room, self.background, seed, prefix)
    }

    fn server(&self) -> Server {
        match &self.kind {
            RateKind::TokenBucket(model) => Server::TokenBucket(model.start(self.bits_per_second)),
            RateKind::Serial => Server::Serial(SerialService::start(self.bits_per_second)),
            RateKind::Trace(opportunities) => Server::Trace(Box::new(opportunities.start())),
        }
    }
}

/// The bottleneck of one direction at work.
#[derive(Debug)]
pub(crate) enum Bottleneck {
    /// All traffic is offered to the link, without background traffic.
    Free(Server, WaitingRoom),
    /// Other traffic passes, too.
    Loaded(Box<(Server, [Lane; 1])>),
}

impl Bottleneck {
    /// When a packet leaves that arrives now; `None` when there is no room to wait. Instants never go back.
    pub(crate) fn pass(&mut self, at: Instant, size: DataSize) -> Option<Instant> {
        match self {
            Self::Free(server, room) => room.pass(server, at, size),
            Self::Loaded(loaded) => {
                let (server, lanes) = &mut **loaded;
                Lane::let_others_come(lanes, server, at);
                lanes[0].pass(server, at, size)
            }
        }
    }

    /// What other traffic there was up to an instant.
    pub(crate) fn background(&mut self, until: Instant) -> BackgroundTraffic {
        match self {
            Self::Free(..) => BackgroundTraffic::default(),
            Self::Loaded(loaded) => {
                let (server, lanes) = &mut **loaded;
                Lane::let_others_come(lanes, server, until);
                lanes[0].counted()
            }
        }
    }
}

/// What packets of one direction, or of both, pass one after the other.
#[derive(Debug)]
pub(crate) enum Server {
    TokenBucket(TokenService),
    Serial(SerialService),
    Trace(Box<OpportunityService>),
}

impl Server {
    /// Returns until when a packet that arrives now must wait.
    fn turn(&self, at: Instant, size: DataSize) -> Instant {
        match self {
            Self::TokenBucket(service) => service.turn(at, size),
            Self::Serial(service) => service.turn(at),
            Self::Trace(service) => service.turn(at),
        }
    }

    /// Serves a packet at its turn; returns when it leaves.
    fn serve(&mut self, turn: Instant, size: DataSize) -> Instant {
        match self {
            Self::TokenBucket(service) => service.serve(turn, size),
            Self::Serial(service) => service.serve(turn, size),
            Self::Trace(service) => service.serve(turn, size),
        }
    }
}
