//! Devices that come and go in a network, each with one packet.

use std::collections::{BTreeMap, VecDeque};

use lasthop_contract::{
    Cause, Layer, Link, LinkInput, LinkOutput, Packet, Port, Provenance, RandomStream,
};
use lasthop_nbiot::NbIotNetwork;
use lasthop_nbiot::config::NetworkConfig;
use lasthop_units::{Duration, Instant};

const PAYLOAD: Provenance = Provenance::new(Layer::Application, Cause::Payload);

/// A network and the devices in it.
pub(crate) struct City {
    pub(crate) network: NbIotNetwork,
    pub(crate) now: Instant,
    pub(crate) offered: u64,
    pub(crate) delivered: u64,
    pub(crate) dropped: u64,
    /// Of devices that have left, in nanoseconds: how long they were attached, and what their radio told.
    pub(crate) attached_ns: u64,
    pub(crate) told_ns: u64,
    pub(crate) sojourn: Duration,
    pub(crate) device_time: Duration,
    present: BTreeMap<u32, (Instant, Instant)>,
    leaving: VecDeque<(Instant, u32)>,
    deadline: Option<Instant>,
    free: Vec<u32>,
    slots: u32,
}

impl City {
    pub(crate) fn new(config: &NetworkConfig, seed: u64) -> Self {
        Self {
            network: NbIotNetwork::new(config.clone(), seed).expect("settings of 3GPP"),
            now: Instant::ZERO,
            offered: 0,
            delivered: 0,
            dropped: 0,
            attached_ns: 0,
            told_ns: 0,
            sojourn: Duration::ZERO,
            device_time: Duration::ZERO,
            present: BTreeMap::new(),
            leaving: VecDeque::new(),
            deadline: None,
            free: Vec::new(),
            slots: 0,
        }
    }

    /// Lets devices come for a time, `per_second` of them, and leave soon after their packet has come to its end; gives the last
    /// of them so long to.
    pub(crate) fn run(&mut self, seconds: u64, per_second: f64, drain: Duration) {
        let mut stream = RandomStream::named(1, "arrivals");
        let gap = Duration::from_nanos_f64(1e9 / per_second);
        let end = Instant::ZERO + Duration::from_secs(seconds);
        let mut arrival = Instant::ZERO + stream.exponential(gap);
        loop {
            let coming = Some(arrival).filter(|at| *at < end);
            let leaving = self.leaving.front().map(|(at, _)| *at);
            let next = [coming, leaving, self.deadline].into_iter().flatten().min();
            let Some(at) = next.filter(|at| *at <= end + drain) else {
                return;
            };
            self.device_time +=
                Duration::from_nanos((at - self.now).as_nanos() * self.present.len() as u64);
            self.now = at;
            if coming == Some(at) {
                self.come(at);
                arrival += stream.exponential(gap);
            } else if leaving == Some(at) {
                let (_, slot) = self.leaving.pop_front().expect("one leaves now");
                self.leave(slot);
            } else {
                self.tell(LinkInput::Timeout);
            }
        }
    }

    pub(crate) fn come(&mut self, at: Instant) -> u32 {
        self.now = at;
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots += 1;
            self.slots - 1
        });
        self.present.insert(slot, (at, at));
        let port = Port(2 * slot);
        self.tell(LinkInput::Attach { port });
        self.offered += 1;
        let packet = Packet::of(&[0; 73], PAYLOAD);
        self.tell(LinkInput::Offered { port, packet });
        slot
    }

    pub(crate) fn leave(&mut self, slot: u32) {
        self.tell(LinkInput::Detach {
            port: Port(2 * slot),
        });
        let (since, told_until) = self.present.remove(&slot).expect("it is there");
        assert_eq!(told_until, self.now, "radio time is told to the end");
        self.attached_ns += (self.now - since).as_nanos();
        self.sojourn += self.now - since;
        self.free.push(slot);
    }

    pub(crate) fn run_until(&mut self, at: Instant) {
        while let Some(deadline) = self.deadline.filter(|deadline| *deadline <= at) {
            self.now = deadline;
            self.tell(LinkInput::Timeout);
        }
        self.now = at;
    }

    pub(crate) fn devices_present(&self) -> usize {
        self.present.len()
    }

    fn tell(&mut self, input: LinkInput) {
        let stay = Duration::from_millis(100);
        self.network.handle(self.now, input);
        loop {
            match self.network.poll(self.now) {
                LinkOutput::Deliver { port, .. } => {
                    self.delivered += 1;
                    self.leaving.push_back((self.now + stay, port.0 / 2));
                }
                LinkOutput::Drop { port, .. } => {
                    self.dropped += 1;
                    if self.present.contains_key(&(port.0 / 2)) {
                        self.leaving.push_back((self.now + stay, port.0 / 2));
                    }
                }
                LinkOutput::RadioTime {
                    port,
                    from,
                    duration,
                    ..
                } => {
                    let (_, until) = self.present.get_mut(&(port.0 / 2)).expect("it is there");
                    assert_eq!(from, *until, "spans are laid end to end");
                    *until = from + duration;
                    assert!(*until <= self.now, "spans are told in hindsight");
                    self.told_ns += duration.as_nanos();
                }
                LinkOutput::Duplicated { .. } => panic!("a network duplicates nothing"),
                LinkOutput::WaitUntil(deadline) => {
                    self.deadline = deadline;
                    return;
                }
            }
        }
    }
}
