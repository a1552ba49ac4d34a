use core::net::IpAddr;
use std::collections::VecDeque;
use std::sync::Arc;

use lasthop_contract::{CloseReason, Packet, RandomStream};
use lasthop_transport::tcp::{CongestionControl, KeepAlive};
use lasthop_transport::{Tcp, TcpProfile};
use lasthop_units::{Duration, Instant};

use crate::forged_segment::forged;
use crate::script::Script;
use crate::tcp_end::End;

/// TCP with connections open: a script of what two honest ends do, of what befalls their packets, and of segments
/// that a third party forges.
///
/// The first byte says which IP version there is; two bytes each are the profiles of client and server. A step is
/// a byte for the side (128) and the operation, and what that takes. Without forged segments, what arrives is what
/// was written, and on a network that loses nothing more both ends come to rest; whatever is forged, no end
/// panics, floods, holds more than it offered, or waits for what has passed.
pub fn tcp(data: &[u8]) {
    let mut script = Script::new(data);
    let mut duel = Duel::new(&mut script);
    while !script.is_empty() {
        duel.step(&mut script);
        duel.collect();
    }
    duel.end();
}

struct Duel {
    now: Instant,
    ends: [End; 2],
    /// What is on its way to each end.
    wires: [VecDeque<Packet>; 2],
    /// Nobody has forged anything yet.
    is_honest: bool,
}

/// More packets under way than this are lost.
const MOST_UNDER_WAY: usize = 500;
/// More events than this after the script are a loop.
const MOST_EVENTS: usize = 200_000;

impl Duel {
    fn new(script: &mut Script<'_>) -> Self {
        let addresses: [&str; 2] = if script.flag() {
            ["2001:db8::1", "2001:db8::2"]
        } else {
            ["10.0.0.1", "192.0.2.1"]
        };
        let addresses = addresses.map(|text| text.parse::<IpAddr>().expect("it is an address"));
        let ends = [0, 1].map(|side: usize| {
            let profile = any_profile(script);
            let random = RandomStream::named(1, ["client", "server"][side]);
            let host = Tcp::new(addresses[side], Arc::new(profile.clone()), random);
            End::new(host, &profile, addresses[side], addresses[1 - side])
        });
        let mut duel = Self {
            now: Instant::ZERO,
            ends,
            wires: [VecDeque::new(), VecDeque::new()],
            is_honest: true,
        };
        duel.ends[1].listen();
        duel
    }

    fn step(&mut self, script: &mut Script<'_>) {
        let operation = script.byte();
        let side = usize::from(operation >> 7);
        let now = self.now;
        match operation & 0x0f {
            0 => self.ends[side].open(now, script),
            1 => self.ends[side].write(now, script),
            2 => self.ends[side].read(now, script),
            3 => self.ends[side].finish(now, script),
            4 => self.ends[side].reset(now, script),
            5 => self.deliver_all(),
            6 => self.deliver(side, script.byte().into()),
            7 => drop(self.take(side, script.byte().into())),
            8 => self.duplicate(side, script.byte().into()),
            9 => self.pass(Duration::from_millis(script.word().into())),
            10 => self.pass(Duration::from_secs(u64::from(script.word()) * 60)),
            11 => self.pass_to_next_deadline(),
            12 => self.corrupt(side, script),
            _ => self.forge(side, script),
        }
    }

    fn forge(&mut self, side: usize, script: &mut Script<'_>) {
        self.is_honest = false;
        let end = &mut self.ends[side];
        let packet = forged(end.last_segment(), end.peer_address, end.address, script);
        end.receive(self.now, packet);
    }

    fn deliver(&mut self, side: usize, place: usize) {
        if let Some(packet) = self.take(side, place) {
            self.ends[side].receive(self.now, packet);
        }
    }

    fn take(&mut self, side: usize, place: usize) -> Option<Packet> {
        self.wires[side].remove(place)
    }

    fn duplicate(&mut self, side: usize, place: usize) {
        if let Some(packet) = self.wires[side].get(place) {
            let copy = packet.duplicate();
            self.wires[side].push_back(copy);
        }
    }

    /// One bit flips, which the checksums notice.
    fn corrupt(&mut self, side: usize, script: &mut Script<'_>) {
        let (place, bit) = (script.byte(), usize::from(script.word()));
        if let Some(packet) = self.wires[side].get_mut(usize::from(place)) {
            let bit = bit % (packet.length() * 8);
            packet.bytes_mut()[bit / 8] ^= 1 << (bit % 8);
        }
    }

    /// Whatever is under way arrives, and what answers it, until nothing is under way.
    fn deliver_all(&mut self) {
        for _ in 0..MOST_UNDER_WAY {
            if self.wires.iter().all(VecDeque::is_empty) {
                return;
            }
            for side in 0..2 {
                self.deliver(side, 0);
            }
            self.collect();
        }
    }

    fn pass(&mut self, span: Duration) {
        self.now += span;
        for end in &mut self.ends {
            end.wake(self.now);
        }
    }

    fn pass_to_next_deadline(&mut self) {
        let next = self.ends.iter().filter_map(|end| end.deadline).min();
        if let Some(next) = next {
            self.pass(next - self.now);
        }
    }

    /// Puts what the ends sent on the wires.
    fn collect(&mut self) {
        for side in 0..2 {
            let wire = &mut self.wires[1 - side];
            wire.extend(self.ends[side].take_sent());
            wire.truncate(MOST_UNDER_WAY);
        }
    }

    /// Lets everything end: honest ends read and finish, others are reset.
    fn end(&mut self) {
        if self.is_honest {
            self.run_to_rest();
            self.check_streams();
        }
        for end in &mut self.ends {
            end.reset_all(self.now);
        }
        self.collect();
        self.run_to_rest();
        for end in &self.ends {
            assert_eq!(end.deadline, None, "a timer is left");
            assert_eq!(end.open_connections(), 0, "a connection is left");
        }
    }

    fn run_to_rest(&mut self) {
        for _ in 0..MOST_EVENTS {
            for end in &mut self.ends {
                end.come_to_an_end(self.now);
            }
            self.collect();
            let is_silent = self.wires.iter().all(VecDeque::is_empty);
            if !is_silent {
                self.pass(Duration::from_millis(10));
                for side in 0..2 {
                    self.deliver(side, 0);
                }
            } else if self.ends.iter().all(|end| end.deadline.is_none()) {
                return;
            } else {
                self.pass_to_next_deadline();
            }
        }
        panic!("the ends do not come to rest");
    }

    /// What one application read is what the other wrote, all of it if both ended in peace.
    fn check_streams(&self) {
        let [a, b] = [0, 1].map(|side: usize| &self.ends[side].first);
        for (from, to) in [(a, b), (b, a)] {
            assert!(from.written.starts_with(&to.read), "bytes were made up");
            if to.peer_finished {
                assert_eq!(from.written.len(), to.read.len(), "the end came too soon");
            }
        }
        let finished = Some(CloseReason::Finished);
        if a.closed == finished && b.closed == finished {
            assert_eq!(a.written.len(), b.read.len());
            assert_eq!(b.written.len(), a.read.len());
        }
    }
}

/// A profile, from two bytes.
fn any_profile(script: &mut Script<'_>) -> TcpProfile {
    let (first, second) = (script.byte(), script.byte());
    let has = |byte: u8, bit: u8| byte >> bit & 1 == 0;
    let base = match first & 3 {
        2 => TcpProfile::larmo_2019(),
        3 => TcpProfile::lwip_esp8266(),
        _ => TcpProfile::linux(),
    };
    let is_small = !has(second, 1);
    TcpProfile {
        sack: base.sack && has(first, 2),
        timestamps: base.timestamps && has(first, 3),
        rack: base.rack && has(first, 4),
        loss_probe: base.loss_probe && has(first, 5),
        frto: base.frto && has(first, 6),
        collapse: base.collapse && has(first, 7),
        nodelay: has(second, 0),
        receive_buffer: if is_small { 700 } else { base.receive_buffer },
        window_scale: if has(second, 2) {
            base.window_scale
        } else {
            Some(14)
        },
        fast_open_client: has(second, 3),
        fast_open_server: has(second, 3),
        congestion: if has(second, 4) {
            base.congestion
        } else {
            CongestionControl::Reno
        },
        user_timeout: (!has(second, 5)).then_some(Duration::from_secs(20)),
        keeps_out_of_order: base.keeps_out_of_order && has(second, 6),
        minshall: base.minshall && has(second, 7),
        max_half_open: 8,
        // So that the loss of a reset is noticed.
        keep_alive: Some(KeepAlive {
            idle: Duration::from_secs(30),
            interval: Duration::from_secs(10),
            probes: 9,
        }),
        ..base
    }
}
