use std::collections::VecDeque;

use lasthop_contract::{DropReason, Link, LinkInput, LinkOutput, Packet, Port, RandomStream};
use lasthop_units::{Duration, Instant, Probability};

use super::contention::Contention;
use super::transmitter::Transmitter;
use super::{CellConfig, CellReport, QueueConfig, StationConfig, StationReport};

/// One WLAN channel with an access point and stations that all receive each other.
///
/// The station k has `Port(2k)` at its radio and `Port(2k + 1)` on the wired side of the access point. All stations
/// share the queue of the access point; each has one of its own the other way.
#[derive(Debug)]
pub struct WlanCell {
    config: CellConfig,
    seed: u64,
    name: String,
    contention: Contention,
    /// The access point, and behind it the stations.
    transmitters: Vec<Transmitter>,
    stations: Vec<Station>,
    /// What is on the air, until nobody needs to hear it any more.
    on_air: VecDeque<(Instant, LinkOutput)>,
    done: VecDeque<LinkOutput>,
    /// Those whose turn it is: kept for its memory.
    senders: Vec<usize>,
    taken_until: Instant,
    report: CellReport,
}

#[derive(Debug)]
struct Station {
    config: StationConfig,
    presence: Presence,
    /// Frames from it and to it that are not read.
    losses: [RandomStream; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Presence {
    Here,
    /// It is off, and the access point does not know that.
    Off,
    Gone,
}

/// The number of the access point among those that send.
const ACCESS_POINT: usize = 0;

impl WlanCell {
    /// Creates a cell without stations from the seed of the run. `name` starts the names of its random streams.
    #[must_use]
    pub fn new(config: &CellConfig, seed: u64, name: &str) -> Self {
        let stream = RandomStream::named(seed, format_args!("{name}/access_point/back_off"));
        Self {
            config: *config,
            seed,
            name: name.into(),
            contention: Contention::new(Duration::from_nanos(config.slot_ns)),
            transmitters: vec![Transmitter::new(&config.access_point, stream)],
            stations: Vec::new(),
            on_air: VecDeque::new(),
            done: VecDeque::new(),
            senders: Vec::new(),
            taken_until: Instant::ZERO,
            report: CellReport::default(),
        }
    }

    /// Adds a station with a name and returns the station's number.
    pub fn add_station(&mut self, config: &StationConfig, name: &str) -> u32 {
        let stream = |purpose: &str| {
            RandomStream::named(self.seed, format_args!("{}/{name}/{purpose}", self.name))
        };
        let back_off = Transmitter::new(&self.config.station, stream("back_off"));
        let losses = [stream("up/loss"), stream("down/loss")];
        self.transmitters.push(back_off);
        self.stations.push(Station {
            config: *config,
            presence: Presence::Here,
            losses,
        });
        self.report.stations.push(StationReport::default());
        self.stations.len() as u32 - 1
    }

    /// Returns the counters until an instant, which must not be before the cell's last input.
    #[must_use]
    pub fn report(&self, until: Instant) -> CellReport {
        let mut report = self.report.clone();
        if self.taken_until > until {
            report.busy = report.busy - (self.taken_until - until);
        }
        report
    }

    fn side(&self, who: usize) -> QueueConfig {
        match who {
            ACCESS_POINT => self.config.access_point,
            _ => self.config.station,
        }
    }

    fn offer(&mut self, now: Instant, port: Port, packet: Packet) {
        let station = port.0 as usize / 2;
        let is_up = port.0.is_multiple_of(2);
        let presence = self.stations.get(station).map(|it| it.presence);
        let refused = match presence {
            None | Some(Presence::Gone) => Some(DropReason::NotAttached),
            Some(Presence::Off) if is_up => Some(DropReason::NotAttached),
            Some(_) if packet.length() > CellConfig::LARGEST_PACKET => Some(DropReason::TooBig),
            Some(_) => None,
        };
        let who = if is_up { station + 1 } else { ACCESS_POINT };
        let result = match refused {
            Some(reason) => Err((packet, reason)),
            None => self
                .enqueue(now, who, station, packet)
                .map_err(|packet| (packet, DropReason::QueueFull)),
        };
        if let Err((packet, reason)) = result {
            self.done.push_back(LinkOutput::Drop {
                port,
                packet,
                reason,
            });
        }
    }

    /// Queues a frame. A sender that was idle starts its back-off.
    ///
    /// It waits at most until the next slot boundary if the channel is idle and the back-off after its last frame is
    /// over.
    fn enqueue(
        &mut self,
        now: Instant,
        who: usize,
        station: usize,
        packet: Packet,
    ) -> Result<(), Packet> {
        let limit = self.side(who).queue;
        let sender = &mut self.transmitters[who];
        let waits_already = !sender.is_empty();
        sender.push(station, packet, limit)?;
        if !waits_already {
            let edge = self.contention.next_edge(now);
            let turn = if sender.quiet_until() > edge {
                sender.quiet_until()
            } else if self.contention.is_idle(now) {
                edge
            } else {
                edge + sender.draw()
            };
            self.contention.join(who, turn);
        }
        Ok(())
    }

    /// Transmits the frames of the stations whose back-off has ended.
    fn access(&mut self, at: Instant) {
        let mut senders = core::mem::take(&mut self.senders);
        self.contention.take(&mut senders);
        let is_alone = senders.len() == 1;
        let mut end = at;
        let mut ack = None;
        for &who in &senders {
            let (data, reply, is_read) = self.send(who, is_alone);
            end = end.max(at + data);
            ack = is_read.then_some(reply);
        }
        let heard_at = end;
        let (free, space) = match ack {
            Some(reply) => (end + self.config.sifs() + reply, self.config.difs_ns),
            None => (end, self.config.eifs_ns),
        };
        self.contention.resume(free + Duration::from_nanos(space));
        for &who in &senders {
            self.settle(who, heard_at, ack.is_some());
        }
        self.report.busy += free - at;
        self.taken_until = free;
        self.senders = senders;
    }

    /// Returns the airtime of the first frame of a sender and of its acknowledgement, and whether the acknowledgement
    /// comes.
    fn send(&mut self, who: usize, is_alone: bool) -> (Duration, Duration, bool) {
        let sender = &self.transmitters[who];
        let Some((number, packet)) = sender.first() else {
            return (Duration::ZERO, Duration::ZERO, false);
        };
        let is_up = who != ACCESS_POINT;
        let station = &mut self.stations[*number];
        let overhead = u64::from(self.config.overhead_bytes);
        let data = station
            .config
            .data
            .airtime(packet.length() as u64 + overhead);
        let ack = station.config.ack.airtime(u64::from(self.config.ack_bytes));
        let report = &mut self.report;
        report.transmissions += 1;
        report.repeated += u64::from(sender.repeats());
        report.collided += u64::from(!is_alone);
        let is_lost = is_alone && station.loses(is_up);
        report.lost += u64::from(is_lost);
        let is_read = is_alone && !is_lost;
        let airtime = &mut report.stations[*number];
        let share = if is_up {
            &mut airtime.up
        } else {
            &mut airtime.down
        };
        *share += if is_read { data + ack } else { data };
        (data, ack, is_read)
    }

    /// Updates a sender after its frame ended, once the result is known.
    fn settle(&mut self, who: usize, heard_at: Instant, is_read: bool) {
        let side = self.side(who);
        let counted = self.contention.counted();
        let sender = &mut self.transmitters[who];
        if !is_read && let Some(turn) = sender.fail(&side, self.config.retry_limit, counted) {
            self.contention.join(who, turn);
            return;
        }
        let Some(&(station, _)) = sender.first() else {
            return;
        };
        let Some((packet, turn)) = sender.finish(&side, counted) else {
            return;
        };
        if !sender.is_empty() {
            self.contention.join(who, turn);
        }
        let (radio, wired) = (Port(2 * station as u32), Port(2 * station as u32 + 1));
        let (entry, exit) = match who {
            ACCESS_POINT => (wired, radio),
            _ => (radio, wired),
        };
        let output = if is_read {
            LinkOutput::Deliver { port: exit, packet }
        } else {
            LinkOutput::Drop {
                port: entry,
                packet,
                reason: DropReason::RetryLimit,
            }
        };
        self.on_air.push_back((heard_at, output));
    }

    /// Processes everything due by `now`.
    ///
    /// A packet that arrives exactly at a slot boundary can be sent in that slot, so frames begin after that instant.
    fn advance(&mut self, now: Instant) {
        loop {
            let heard = self.on_air.front().map(|(at, _)| *at);
            let access = self.contention.next();
            match (heard, access) {
                (Some(at), next) if at <= now && next.is_none_or(|next| at <= next) => {
                    self.done.extend(self.on_air.pop_front().map(|(_, it)| it));
                }
                (_, Some(at)) if at < now => self.access(at),
                _ => return,
            }
        }
    }

    fn set_presence(&mut self, port: Port, presence: Presence) {
        let number = port.0 as usize / 2;
        if !port.0.is_multiple_of(2) || number >= self.stations.len() {
            return;
        }
        self.stations[number].presence = presence;
        if presence != Presence::Here {
            self.forget(number + 1, number, port);
        }
        if presence == Presence::Gone {
            self.forget(ACCESS_POINT, number, Port(port.0 + 1));
        }
    }

    /// Drops the packets that a sender has queued from or for a station.
    fn forget(&mut self, who: usize, station: usize, entry: Port) {
        let side = self.side(who);
        let sender = &mut self.transmitters[who];
        let gone = sender.without(station, &side);
        if !gone.is_empty() && sender.is_empty() {
            self.contention.leave(who);
        }
        let drops = gone.into_iter().map(|packet| LinkOutput::Drop {
            port: entry,
            packet,
            reason: DropReason::Detached,
        });
        self.done.extend(drops);
    }
}

impl Station {
    /// Whether a frame is not read though it met no other.
    fn loses(&mut self, is_up: bool) -> bool {
        if !is_up && self.presence != Presence::Here {
            return true;
        }
        let losses = &mut self.losses[usize::from(!is_up)];
        self.config.frame_loss != Probability::NEVER && losses.chance(self.config.frame_loss)
    }
}

impl Link for WlanCell {
    fn handle(&mut self, now: Instant, input: LinkInput) {
        self.advance(now);
        match input {
            LinkInput::Offered { port, packet } => self.offer(now, port, packet),
            LinkInput::Attach { port } | LinkInput::SwitchedOn { port } => {
                self.set_presence(port, Presence::Here);
            }
            LinkInput::SwitchedOff { port } => self.set_presence(port, Presence::Off),
            LinkInput::Detach { port } => self.set_presence(port, Presence::Gone),
            // Nobody offers anything meanwhile; what waits here is sent.
            LinkInput::OutageBegins | LinkInput::OutageEnds | LinkInput::Timeout => {}
        }
    }

    fn poll(&mut self, now: Instant) -> LinkOutput {
        self.advance(now);
        if let Some(output) = self.done.pop_front() {
            return output;
        }
        let heard = self.on_air.front().map(|(at, _)| *at);
        let edge_is_over = |edge: Instant| edge + Duration::from_nanos(1);
        let next = [heard, self.contention.next().map(edge_is_over)];
        LinkOutput::WaitUntil(next.into_iter().flatten().min())
    }
}
