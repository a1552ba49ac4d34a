use core::net::{IpAddr, SocketAddr};
use std::collections::VecDeque;

use lasthop_contract::{LookupMap, Packet};
use lasthop_units::{Duration, Instant};

use super::connection::Connection;
use super::options::{MAX_OPTIONS, Options};
use super::output::TEAR_DOWN;
use super::segment::{Flags, Header, Segment};
use super::sequence::Seq;

/// Connections that are over and still answer late segments (RFC 9293 section 3.6.1): 96 B each and no timer of their own.
///
/// All wait for the same time, so that they end in the order in which they came.
#[derive(Debug, Default)]
pub(crate) struct TimeWaits {
    /// In the order of their ends; `None` where one was taken out.
    slots: VecDeque<Option<Slot>>,
    /// The number of the first slot, counted from the first ever.
    first: u64,
    numbers: LookupMap<Key, u64>,
}

#[derive(Debug)]
struct Slot {
    key: Key,
    entry: TimeWait,
}

/// What is left of a connection.
#[derive(Debug)]
pub(crate) struct TimeWait {
    pub(crate) next: Seq,
    pub(crate) received: Seq,
    /// The time stamp to echo, and what to add to the time for ours, where both were agreed on.
    pub(crate) timestamps: Option<(u32, u32)>,
    pub(crate) window: u16,
    pub(crate) until: Instant,
    pub(crate) last_answer: Option<Instant>,
}

/// Address and port of the peer, and the local port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Key([u8; 20]);

/// What a late segment asks for.
#[derive(Debug)]
pub(crate) enum Late {
    /// No answer.
    Ignored,
    /// The last acknowledgement once more.
    Answered(Packet),
    /// A new connection in its place.
    Replaced,
    /// The end.
    Ended,
}

impl TimeWaits {
    pub(crate) fn contains(&self, local_port: u16, peer: SocketAddr) -> bool {
        self.numbers.contains(&Key::new(local_port, peer))
    }

    pub(crate) fn add(&mut self, local_port: u16, peer: SocketAddr, entry: TimeWait) {
        let key = Key::new(local_port, peer);
        self.take(key);
        self.push(Slot { key, entry });
    }

    pub(crate) fn next_deadline(&self) -> Option<Instant> {
        self.slots.front()?.as_ref().map(|slot| slot.entry.until)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.numbers.len()
    }

    /// Forgets those whose time is over.
    pub(crate) fn expire(&mut self, now: Instant) {
        while self.next_deadline().is_some_and(|until| until <= now) {
            if let Some(slot) = self.slots.front().and_then(Option::as_ref) {
                self.take(slot.key);
            }
        }
    }

    /// Takes a late segment (RFC 9293 section 3.10.7.4, RFC 6191; of resets, only the exact one, RFC 5961 section 3.2).
    pub(crate) fn receive(
        &mut self,
        now: Instant,
        segment: &Segment<'_>,
        span: Duration,
        interval: Duration,
    ) -> Late {
        let key = Key::new(segment.destination.port(), segment.source);
        let Some(entry) = self.entry_mut(key) else {
            return Late::Ignored;
        };
        let flags = segment.flags;
        if flags.has(Flags::RST) && segment.seq == entry.received {
            self.take(key);
            return Late::Ended;
        }
        if flags.has(Flags::SYN) && !flags.has(Flags::ACK) && entry.is_before(segment) {
            self.take(key);
            return Late::Replaced;
        }
        let has_data = segment.length() > 0 && !flags.has(Flags::SYN);
        let asks = !flags.has(Flags::RST) && (has_data || segment.seq != entry.received);
        if !asks
            && let (Some((recent, _)), Some((value, _))) =
                (&mut entry.timestamps, segment.options.timestamps)
            && (value.wrapping_sub(*recent) as i32) > 0
        {
            *recent = value;
        }
        // What carries something is part of no endless exchange of acknowledgements (`tcp_oow_rate_limited`).
        let is_soon = !has_data && entry.last_answer.is_some_and(|last| now - last < interval);
        let answer = (asks && !is_soon).then(|| entry.acknowledgement(now, segment));
        if answer.is_some() && !has_data {
            entry.last_answer = Some(now);
        }
        if flags.has(Flags::ACK)
            && !flags.has(Flags::RST)
            && let Some(mut entry) = self.take(key)
        {
            // The peer is still there: the wait begins anew.
            entry.until = now + span;
            self.push(Slot { key, entry });
        }
        answer.map_or(Late::Ignored, Late::Answered)
    }

    fn entry_mut(&mut self, key: Key) -> Option<&mut TimeWait> {
        let number = *self.numbers.get(&key)?;
        let slot = self.slots.get_mut((number - self.first) as usize)?;
        slot.as_mut().map(|slot| &mut slot.entry)
    }

    fn push(&mut self, slot: Slot) {
        let number = self.first + self.slots.len() as u64;
        self.numbers.insert(slot.key, number);
        self.slots.push_back(Some(slot));
    }

    fn take(&mut self, key: Key) -> Option<TimeWait> {
        let number = self.numbers.remove(&key)?;
        let slot = self.slots.get_mut((number - self.first) as usize)?.take();
        while let Some(None) = self.slots.front() {
            self.slots.pop_front();
            self.first += 1;
        }
        if self.slots.is_empty() {
            self.slots = VecDeque::new();
        }
        slot.map(|slot| slot.entry)
    }
}

impl Key {
    fn new(local_port: u16, peer: SocketAddr) -> Self {
        let mut bytes = [0; 20];
        let address = match peer.ip() {
            IpAddr::V4(address) => address.to_ipv6_mapped(),
            IpAddr::V6(address) => address,
        };
        bytes[..16].copy_from_slice(&address.octets());
        bytes[16..18].copy_from_slice(&peer.port().to_be_bytes());
        bytes[18..].copy_from_slice(&local_port.to_be_bytes());
        Self(bytes)
    }
}

impl TimeWait {
    /// Whether a SYN begins something new, by its number or its time stamp.
    fn is_before(&self, segment: &Segment<'_>) -> bool {
        let is_newer = match (self.timestamps, segment.options.timestamps) {
            (Some((recent, _)), Some((value, _))) => (value.wrapping_sub(recent) as i32) > 0,
            _ => false,
        };
        is_newer || segment.seq.is_after(self.received)
    }

    fn acknowledgement(&self, now: Instant, segment: &Segment<'_>) -> Packet {
        let mut room = [0; MAX_OPTIONS];
        let stamps = self.timestamps.map(|(echo, offset)| {
            let value = ((now.as_nanos() / 1_000_000) as u32).wrapping_add(offset);
            (value, echo)
        });
        let length = Options::write_data(stamps, &[], &mut room);
        let header = Header {
            source: segment.destination,
            destination: segment.source,
            seq: self.next,
            ack: self.received,
            flags: Flags::ACK,
            window: self.window,
            options: &room[..length],
            provenance: TEAR_DOWN,
        };
        let mut packet = header.packet(|_| {});
        if let Some(interface) = segment.interface {
            packet.set_interface(interface);
        }
        packet
    }
}

impl Connection {
    /// What is left when both ends are done.
    pub(crate) fn time_wait(&self, now: Instant) -> TimeWait {
        let offset = self.timestamp_offset;
        TimeWait {
            next: self.next,
            received: self.received,
            timestamps: self.timestamps.then_some((self.recent_timestamp, offset)),
            window: (self.offered >> self.own_scale) as u16,
            until: now + self.profile.time_wait,
            last_answer: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_takes_little_room() {
        let all = size_of::<Option<Slot>>() + size_of::<(Key, u64)>();
        assert!(all <= 96, "{all}");
    }

    #[test]
    fn they_end_in_order_and_one_that_was_put_off_later() {
        let peer = |port: u16| SocketAddr::from(([192, 0, 2, 1], port));
        let at = |seconds| Instant::ZERO + Duration::from_secs(seconds);
        let entry = |until| TimeWait {
            next: Seq(1),
            received: Seq(1),
            timestamps: None,
            window: 0,
            until,
            last_answer: None,
        };
        let mut waits = TimeWaits::default();
        for port in 1..=3 {
            waits.add(80, peer(port), entry(at(60 + u64::from(port))));
        }
        waits.take(Key::new(80, peer(1)));
        waits.add(80, peer(2), entry(at(70)));
        assert_eq!(waits.next_deadline(), Some(at(63)));
        waits.expire(at(63));
        assert!(waits.contains(80, peer(2)) && !waits.contains(80, peer(3)));
        waits.expire(at(70));
        assert_eq!(waits.next_deadline(), None);
        assert!(waits.numbers.is_empty() && waits.slots.capacity() == 0);
    }
}
