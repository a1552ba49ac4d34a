use std::collections::VecDeque;

use lasthop_contract::{Packet, RandomStream};

use crate::stage::rate::QueueLimit;

use super::QueueConfig;

/// One side of the air: what waits there, and its back-off.
#[derive(Debug)]
pub(super) struct Transmitter {
    /// Each with the station that it is of or for.
    waiting: VecDeque<(usize, Packet)>,
    bytes: u64,
    window: u32,
    /// How often the first one was sent.
    attempts: u16,
    /// The count of slots until which it may not send though nothing waits: the back-off behind a frame.
    quiet_until: u64,
    back_off: RandomStream,
}

impl Transmitter {
    pub(super) fn new(config: &QueueConfig, back_off: RandomStream) -> Self {
        Self {
            waiting: VecDeque::new(),
            bytes: 0,
            window: config.cw_min,
            attempts: 0,
            quiet_until: 0,
            back_off,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    pub(super) fn quiet_until(&self) -> u64 {
        self.quiet_until
    }

    /// Whether this is not the first time that the first packet is sent.
    pub(super) fn repeats(&self) -> bool {
        self.attempts > 0
    }

    /// The first packet, with its station.
    pub(super) fn first(&self) -> Option<&(usize, Packet)> {
        self.waiting.front()
    }

    /// Takes a packet in, or gives it back when there is no room.
    pub(super) fn push(
        &mut self,
        station: usize,
        packet: Packet,
        limit: QueueLimit,
    ) -> Result<(), Packet> {
        let bytes = self.bytes + packet.length() as u64;
        let fits = self.waiting.is_empty()
            || match limit {
                QueueLimit::Bytes(limit) => bytes <= limit.as_bytes(),
                QueueLimit::Packets(limit) => self.waiting.len() < limit as usize,
            };
        if !fits {
            return Err(packet);
        }
        self.bytes = bytes;
        self.waiting.push_back((station, packet));
        Ok(())
    }

    /// A back-off of the window, in slots.
    pub(super) fn draw(&mut self) -> u64 {
        self.back_off.below(u64::from(self.window) + 1)
    }

    /// The first packet is through, or is given up: the window is the first one again, and a back-off follows
    /// whether anything waits or not. Returns the packet and the count at which the next may be sent.
    pub(super) fn finish(&mut self, config: &QueueConfig, counted: u64) -> Option<(Packet, u64)> {
        let (_, packet) = self.waiting.pop_front()?;
        self.bytes -= packet.length() as u64;
        self.window = config.cw_min;
        self.attempts = 0;
        self.quiet_until = counted + self.draw();
        Some((packet, self.quiet_until))
    }

    /// The first packet was not acknowledged: the count at which it is sent again, or `None` when it was sent as
    /// often as may be.
    pub(super) fn fail(
        &mut self,
        config: &QueueConfig,
        retry_limit: u16,
        counted: u64,
    ) -> Option<u64> {
        self.attempts += 1;
        if self.attempts >= retry_limit {
            return None;
        }
        self.window = config.wider(self.window);
        Some(counted + self.draw())
    }

    /// Takes out what is for a station.
    pub(super) fn without(&mut self, station: usize, config: &QueueConfig) -> Vec<Packet> {
        if self.first().is_some_and(|(of, _)| *of == station) {
            self.attempts = 0;
            self.window = config.cw_min;
        }
        let (gone, stays): (VecDeque<_>, _) = core::mem::take(&mut self.waiting)
            .into_iter()
            .partition(|(of, _)| *of == station);
        self.waiting = stays;
        let gone: Vec<Packet> = gone.into_iter().map(|(_, packet)| packet).collect();
        self.bytes -= gone
            .iter()
            .map(|packet| packet.length() as u64)
            .sum::<u64>();
        gone
    }
}
