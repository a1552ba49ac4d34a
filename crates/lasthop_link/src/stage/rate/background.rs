use lasthop_contract::{BackgroundTraffic, RandomStream};
use lasthop_units::{DataSize, Duration, Instant};
use serde::{Deserialize, Serialize};

use super::{Server, WaitingRoom};
use crate::ConfigError;
use crate::config::read_checked;

/// Background traffic at a bottleneck: packets of one size in a Poisson process.
///
/// They wait, pass and find no room as all packets do, and no device sends or receives them. Their instants are a
/// function of seed and name alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(remote = "Self", deny_unknown_fields)]
pub struct Background {
    #[serde(rename = "packet_bytes")]
    packet: DataSize,
    #[serde(rename = "every_ns")]
    every: Duration,
}

read_checked!(Background);

/// More packets a second than this are no traffic that a link of this kind is asked about.
const SHORTEST_MEAN: Duration = Duration::from_nanos(1_000);

impl Background {
    /// Creates background traffic from a packet size and the mean time between packets.
    ///
    /// # Errors
    /// [`ConfigError::BackgroundTooDense`] for a mean below one microsecond.
    pub fn new(packet: DataSize, every: Duration) -> Result<Self, ConfigError> {
        Self { packet, every }.checked()
    }

    fn checked(self) -> Result<Self, ConfigError> {
        if self.every < SHORTEST_MEAN {
            return Err(ConfigError::BackgroundTooDense);
        }
        Ok(self)
    }

    fn start(self, seed: u64, prefix: &str) -> OtherTraffic {
        let mut draws = RandomStream::named(seed, format_args!("{prefix}/background"));
        OtherTraffic {
            next: Instant::ZERO + draws.exponential(self.every),
            model: self,
            draws,
            counted: BackgroundTraffic::default(),
        }
    }
}

/// A waiting room, and who comes to it beside the packets that the link is offered.
///
/// Others come when somebody looks: until then nothing depends on them, so that they cost no wake-up.
#[derive(Debug)]
pub(crate) struct Lane {
    room: WaitingRoom,
    others: Option<OtherTraffic>,
}

#[derive(Debug)]
struct OtherTraffic {
    model: Background,
    /// When the next packet comes.
    next: Instant,
    draws: RandomStream,
    counted: BackgroundTraffic,
}

impl Lane {
    pub(super) fn new(
        room: WaitingRoom,
        background: Option<Background>,
        seed: u64,
        prefix: &str,
    ) -> Self {
        let others = background.map(|model| model.start(seed, prefix));
        Self { room, others }
    }

    /// When a packet leaves that arrives now; `None` when there is no room to wait.
    pub(super) fn pass(
        &mut self,
        server: &mut Server,
        at: Instant,
        size: DataSize,
    ) -> Option<Instant> {
        self.room.pass(server, at, size)
    }

    /// Lets the others come to all the lanes of a server, up to and at an instant, in the order of their arrival.
    pub(super) fn let_others_come(lanes: &mut [Self], server: &mut Server, until: Instant) {
        loop {
            let coming = lanes.iter_mut().filter(|lane| lane.others.is_some());
            let first = coming.min_by_key(|lane| lane.others.as_ref().map(|others| others.next));
            let Some(Self {
                room,
                others: Some(others),
            }) = first
            else {
                return;
            };
            if others.next > until {
                return;
            }
            others.come(room, server);
        }
    }

    /// What has come until now.
    pub(super) fn counted(&self) -> BackgroundTraffic {
        let others = self.others.as_ref();
        others.map_or_else(BackgroundTraffic::default, |others| others.counted)
    }
}

impl OtherTraffic {
    fn come(&mut self, room: &mut WaitingRoom, server: &mut Server) {
        let size = self.model.packet;
        self.counted.packets_offered += 1;
        self.counted.bytes_offered += size.as_bytes();
        if room.pass(server, self.next, size).is_none() {
            self.counted.packets_dropped += 1;
            self.counted.bytes_dropped += size.as_bytes();
        }
        self.next += self.draws.exponential(self.model.every);
    }
}
