//! Devices that come and go in a network, each with one packet, or with a packet and its answer.

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
    pub(crate) answers: bool,
    /// Packets in the network, as it says itself, summed over time.
    pub(crate) packet_time: Duration,
    /// How long each packet was between its offer and its end, together.
    pub(crate) packet_sojourn: Duration,
    queued: u64,
    offered_at: BTreeMap<Port, VecDeque<Instant>>,
    to_answer: VecDeque<Port>,
    present: BTreeMap<u32, (Instant, Instant)>,
    leaving: VecDeque<(Instant, u32)>,
    deadline: Option<Instant>,
    free: Vec<u32>,
    slots: u32,
}

impl City {
    pub(crate) fn new(config: &NetworkConfig, seed: u64) -> Self {
        Self {
            network: NbIotNetwork::new(config.clone(), seed)
                .expect("settings of 3GPP")
                .recording_downlink(),
            now: Instant::ZERO,
            offered: 0,
            delivered: 0,
            dropped: 0,
            attached_ns: 0,
            told_ns: 0,
            answers: false,
            packet_time: Duration::ZERO,
            packet_sojourn: Duration::ZERO,
            queued: 0,
            offered_at: BTreeMap::new(),
            to_answer: VecDeque::new(),
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
            self.advance(at);
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
        self.advance(at);
        let slot = self.free.pop().unwrap_or_else(|| {
            self.slots += 1;
            self.slots - 1
        });
        self.present.insert(slot, (at, at));
        let port = Port(2 * slot);
        self.tell(LinkInput::Attach { port });
        self.offer(port);
        slot
    }

    /// Time passes, with so many packets in the network.
    fn advance(&mut self, at: Instant) {
        self.packet_time += Duration::from_nanos((at - self.now).as_nanos() * self.queued);
        self.now = at;
    }

    /// A device comes and stays; it has nothing to send.
    pub(crate) fn stay(&mut self, radio: Port) {
        self.slots = self.slots.max(radio.0 / 2 + 1);
        self.present.insert(radio.0 / 2, (self.now, self.now));
        self.tell(LinkInput::Attach { port: radio });
    }

    /// The core has a packet for a device.
    pub(crate) fn call(&mut self, core: Port) {
        self.offer(core);
    }

    fn offer(&mut self, port: Port) {
        self.offered += 1;
        self.offered_at.entry(port).or_default().push_back(self.now);
        let packet = Packet::of(&[0; 73], PAYLOAD);
        self.tell(LinkInput::Offered { port, packet });
    }

    /// A packet that was offered at this port has come to its end.
    fn ends(&mut self, port: Port) {
        let waiting = self.offered_at.get_mut(&port).expect("one was offered");
        self.packet_sojourn += self.now - waiting.pop_front().expect("one is on its way");
    }

    pub(crate) fn leave(&mut self, slot: u32) {
        self.tell(LinkInput::Detach {
            port: Port(2 * slot),
        });
        let (since, told_until) = self.present.remove(&slot).expect("it is there");
        assert_eq!(told_until, self.now, "radio time is told to the end");
        self.attached_ns += (self.now - since).as_nanos();
        self.free.push(slot);
    }

    pub(crate) fn run_until(&mut self, at: Instant) {
        while let Some(deadline) = self.deadline.filter(|deadline| *deadline <= at) {
            self.advance(deadline);
            self.tell(LinkInput::Timeout);
        }
        self.advance(at);
    }

    pub(crate) fn devices_present(&self) -> usize {
        self.present.len()
    }

    fn tell(&mut self, input: LinkInput) {
        self.network.handle(self.now, input);
        let ended = self.drain();
        if ended || self.offered > self.delivered + self.dropped + self.queued {
            self.queued = self.network.report().packets_queued;
        }
        while let Some(core) = self.to_answer.pop_front() {
            self.offer(core);
        }
    }

    /// Takes what the network gives; tells whether a packet came to its end.
    fn drain(&mut self) -> bool {
        let stay = Duration::from_millis(100);
        let mut ended = false;
        loop {
            match self.network.poll(self.now) {
                LinkOutput::Deliver { port, .. } => {
                    ended = true;
                    self.delivered += 1;
                    self.ends(Port(port.0 ^ 1));
                    if self.answers && port.0 % 2 == 1 && self.present.contains_key(&(port.0 / 2)) {
                        self.to_answer.push_back(port);
                    } else {
                        self.leaving.push_back((self.now + stay, port.0 / 2));
                    }
                }
                LinkOutput::Drop { port, .. } => {
                    ended = true;
                    self.dropped += 1;
                    self.ends(port);
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
                    return ended;
                }
            }
        }
    }
}
