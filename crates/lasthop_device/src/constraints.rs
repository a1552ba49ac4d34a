use core::num::NonZeroU32;

use lasthop_contract::Survives;
use lasthop_units::{DataSize, Duration, Instant};

/// The resource limits of a device, and the consequences of exceeding them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constraints {
    /// The queue of received frames for the network task, which takes one at a time.
    pub frames: NonZeroU32,
    /// The processing time of a frame.
    pub frame_time: Duration,
    /// The mailbox of a connection for segments or datagrams, and the backlog of connections to accept.
    pub mailbox: NonZeroU32,
    /// The maximum number of connections, including those being established.
    pub connections: NonZeroU32,
    /// The memory for connections.
    pub heap: Heap,
    /// How the application's task reads received data.
    pub reading: Reading,
    /// The size of a read.
    pub read_size: DataSize,
    /// Whether a read returns at most one segment.
    pub reads_segments: bool,
    /// The processing time of a received message.
    pub message_time: Duration,
    /// The processing time of a byte.
    pub byte_time: Duration,
    /// The processing time of a new connection.
    pub connection_time: Duration,
    /// The time of a handshake with certificates.
    pub handshake_time: Duration,
    /// The time of a resumed handshake, or of one with a pre-shared key.
    pub resumption_time: Duration,
    /// Whether the device answers a message before it processes it.
    pub answers_first: bool,
    /// The tick of network timers; zero for exact timers.
    pub tick: Duration,
    /// The watchdog limit of the application's task, after which the device resets.
    pub watchdog: Option<Duration>,
    /// The time from a crash until the application starts with a network.
    pub boot_time: Duration,
    /// The state that survives a crash.
    pub survives: Survives,
}

/// The memory that a booted device has for its connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heap {
    /// The total heap size.
    pub size: DataSize,
    /// The memory of a connection, with the state of its application.
    pub connection: DataSize,
    /// The additional memory of a secured connection.
    pub secured: DataSize,
    /// The overhead of a queued segment.
    pub segment: DataSize,
}

/// How the ends of a secured connection authenticate each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Secures {
    /// By certificates or bare public keys.
    ByCertificates,
    /// With a pre-shared key.
    BySharedKey,
}

/// How a reader treats the data of one read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Every message.
    All,
    /// The first message. Further messages in the same read are discarded.
    FirstMessageOnly,
}

impl Constraints {
    /// Returns the processing time of the application's task for received data.
    pub(crate) fn work(&self, messages: u32, bytes: usize) -> Duration {
        self.message_time * u64::from(messages) + self.byte_time * bytes as u64
    }

    /// Returns when a network timer that is set to an instant expires, by the tick.
    pub(crate) fn fires(&self, at: Instant) -> Instant {
        let tick = self.tick.as_nanos();
        if tick == 0 {
            return at;
        }
        let late = at.as_nanos().div_ceil(tick).checked_mul(tick);
        late.map_or(at, Instant::from_nanos)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    const fn some(count: u32) -> NonZeroU32 {
        NonZeroU32::new(count).expect("it is above 0")
    }

    /// Returns the constraints of an ESP8266 with the MQTT reader of 2019.
    pub(crate) fn esp8266() -> Constraints {
        Constraints {
            frames: some(5),
            frame_time: Duration::from_nanos(200_000),
            mailbox: some(6),
            connections: some(5),
            heap: Heap {
                size: DataSize::from_bytes(43_848),
                connection: DataSize::from_bytes(3_400),
                secured: DataSize::from_bytes(13_321),
                segment: DataSize::from_bytes(90),
            },
            reading: Reading::FirstMessageOnly,
            read_size: DataSize::from_bytes(1024),
            reads_segments: true,
            message_time: Duration::from_millis(23),
            byte_time: Duration::from_nanos(133_500),
            connection_time: Duration::ZERO,
            handshake_time: Duration::from_secs(3),
            resumption_time: Duration::from_millis(600),
            answers_first: true,
            tick: Duration::from_millis(10),
            watchdog: Some(Duration::from_nanos(26_214_400_000)),
            boot_time: Duration::from_secs(5),
            survives: Survives::default(),
        }
    }

    #[test]
    fn timers_fire_at_the_next_tick() {
        let at = |micros: u64| Instant::ZERO + Duration::from_nanos(1_000 * micros);
        let device = esp8266();
        assert_eq!(device.fires(at(10_001)), at(20_000));
        assert_eq!(device.fires(at(20_000)), at(20_000));
        let exact = Constraints {
            tick: Duration::ZERO,
            ..device
        };
        assert_eq!(exact.fires(at(10_001)), at(10_001));
        assert_eq!(esp8266().fires(Instant::FAR_FUTURE), Instant::FAR_FUTURE);
    }
}
