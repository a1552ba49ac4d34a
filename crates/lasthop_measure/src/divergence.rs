use core::num::NonZeroU32;

use lasthop_units::{DataSize, Duration, Instant};

/// The maximum number of packets of a run, from its offered messages. A run with more has diverged.
///
/// A run above it grows without bound, as a storm of repairs does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketBound {
    /// Packets allowed for each segment of a message and each receiver.
    pub per_segment: u64,
    /// The segment size. A message without a payload counts as one segment.
    pub segment: DataSize,
    /// Packets allowed for each device and interval, in addition to those for messages.
    pub per_device: u64,
    /// The length of an interval.
    pub interval: Duration,
    /// Additional time before the start of the run, for the set-up of sessions over slow paths.
    pub head_start: Duration,
    /// The number of devices.
    pub devices: u64,
}

/// Counts the packets of a run and compares them with their bound.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Divergence {
    bound: PacketBound,
    segments: u64,
    packets: u64,
    /// So many packets are not too many, since the bound only grows.
    allowed: u64,
    is_exceeded: bool,
}

impl Divergence {
    pub(crate) const fn beyond(bound: PacketBound) -> Self {
        Self {
            bound,
            segments: 0,
            packets: 0,
            allowed: 0,
            is_exceeded: false,
        }
    }

    /// Adds a message that is due for this number of devices.
    pub(crate) fn offer(&mut self, payload: DataSize, audience: NonZeroU32) {
        let segments = 1 + payload.as_bytes() / self.bound.segment.as_bytes().max(1);
        self.segments += segments * u64::from(audience.get());
    }

    /// Counts a packet that has left a host.
    #[inline]
    pub(crate) fn add(&mut self, now: Instant) {
        self.packets += 1;
        if self.packets > self.allowed {
            self.allowed = self.at(now);
            self.is_exceeded |= self.packets > self.allowed;
        }
    }

    /// Whether the number of packets exceeded the bound at any time.
    pub(crate) const fn is_exceeded(&self) -> bool {
        self.is_exceeded
    }

    fn at(&self, now: Instant) -> u64 {
        let PacketBound {
            per_segment,
            per_device,
            interval,
            head_start,
            devices,
            ..
        } = self.bound;
        let intervals = 1 + (now + head_start).as_nanos() / interval.as_nanos().max(1);
        per_segment * self.segments + per_device * devices.max(1) * intervals
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn divergence() -> Divergence {
        Divergence::beyond(PacketBound {
            per_segment: 4,
            segment: DataSize::from_bytes(100),
            per_device: 3,
            interval: Duration::from_secs(5),
            head_start: Duration::from_secs(10),
            devices: 2,
        })
    }

    fn at(seconds: u64) -> Instant {
        Instant::ZERO + Duration::from_secs(seconds)
    }

    fn add(divergence: &mut Divergence, packets: u32, seconds: u64) -> bool {
        (0..packets).for_each(|_| divergence.add(at(seconds)));
        divergence.is_exceeded()
    }

    #[test]
    fn each_device_has_its_packets_in_each_interval() {
        let mut divergence = divergence();
        // The first three at once, as if 10 s had passed.
        assert!(!add(&mut divergence, 18, 4));
        assert!(!add(&mut divergence, 6, 5));
        assert!(add(&mut divergence, 1, 9));
        // It stays so.
        assert!(add(&mut divergence, 0, 100));
    }

    #[test]
    fn each_segment_of_a_message_has_its_packets_for_each_whom_it_is_for() {
        let mut divergence = divergence();
        let three = NonZeroU32::new(3).expect("three is not zero");
        divergence.offer(DataSize::from_bytes(0), NonZeroU32::MIN);
        divergence.offer(DataSize::from_bytes(250), three);
        // One segment, and three for each of three devices.
        assert!(!add(&mut divergence, 18 + 4 * 10, 0));
        assert!(add(&mut divergence, 1, 0));
    }
}
