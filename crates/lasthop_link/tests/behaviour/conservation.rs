use lasthop_contract::{Direction, RandomStream};
use lasthop_link::delay::{
    Constant, Delay, DelayModel, Exponential, HeldBack, Normal, Pareto, Reordering, Trace,
    TracePoint, Uniform,
};
use lasthop_link::loss::{Bernoulli, GilbertElliottPacket, GilbertElliottTime, Loss, PacketList};
use lasthop_link::rate::{QueueLimit, Rate};
use lasthop_link::{
    Corrupt, DirectionConfig, DuplexLink, Duplicate, LinkConfig, Mtu, Outage, OutageSchedule,
    StageOrder,
};
use lasthop_units::Probability;

use crate::test_bench::*;

/// Draws links: any order, any impairments.
struct Dice(RandomStream);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0.below(bound)
    }

    fn maybe<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        (self.below(2) == 0).then(|| make(self))
    }

    fn probability(&mut self) -> Probability {
        // Certainty is worth a try of its own.
        match self.below(5) {
            0 => Probability::ALWAYS,
            _ => probability(self.0.unit()),
        }
    }

    fn order(&mut self) -> StageOrder {
        let mut stages = *StageOrder::default().stages();
        for last in (1..stages.len()).rev() {
            stages.swap(last, self.below(last as u64 + 1) as usize);
        }
        StageOrder::new(stages).unwrap()
    }

    fn loss(&mut self) -> Loss {
        match self.below(4) {
            0 => Bernoulli {
                probability: probability(self.0.unit() / 2.0),
            }
            .into(),
            1 => GilbertElliottPacket {
                good_to_bad: self.probability(),
                bad_to_good: self.probability(),
                loss_in_good: self.probability(),
                loss_in_bad: self.probability(),
            }
            .into(),
            2 => {
                let (good, bad) = (millis(1 + self.below(99)), millis(1 + self.below(99)));
                let (in_good, in_bad) = (self.probability(), self.probability());
                GilbertElliottTime::new(good, bad, in_good, in_bad)
                    .unwrap()
                    .into()
            }
            _ => PacketList::new((0..20).map(|_| 1 + self.below(300)))
                .unwrap()
                .into(),
        }
    }

    fn delay(&mut self) -> Delay {
        let some = millis(self.below(50));
        let model = match self.below(7) {
            0 => DelayModel::Constant(Constant { delay: some }),
            1 => DelayModel::Uniform(Uniform::new(some, some + millis(self.below(50))).unwrap()),
            5 => DelayModel::Exponential(Exponential::new(some, some + millis(20)).unwrap()),
            6 => DelayModel::HeldBack(HeldBack {
                delay: some,
                probability: probability(self.0.unit()),
                by: millis(self.below(50)),
            }),
            2 => DelayModel::Normal(Normal {
                mean: some,
                standard_deviation: millis(self.below(50)),
            }),
            3 => DelayModel::Pareto(Pareto::new(some, 1.5 + self.0.unit() * 4.0).unwrap()),
            _ => {
                let points = [0, 30].map(|from| TracePoint {
                    from: millis(from),
                    delay: millis(self.below(50)),
                });
                DelayModel::Trace(Trace::new(points, Some(millis(60))).unwrap())
            }
        };
        let reordering = match self.below(2) {
            0 => Reordering::Allowed,
            _ => Reordering::Fifo,
        };
        Delay { model, reordering }
    }

    fn queue(&mut self) -> QueueLimit {
        match self.below(2) {
            0 => QueueLimit::Bytes(bytes(self.below(20_000))),
            _ => QueueLimit::Packets(self.below(20) as u32),
        }
    }

    fn rate(&mut self) -> Rate {
        let rate = bits_per_second(10_000 + self.below(4_000_000));
        match self.below(2) {
            0 => Rate::serial(rate, self.queue()),
            _ => Rate::token_bucket(rate, bytes(self.below(3_000)), self.queue()),
        }
    }

    fn direction(&mut self) -> DirectionConfig {
        let outage = |dice: &mut Self| {
            let start = at_millis(dice.below(500));
            let every = dice.maybe(|dice| millis(100 + dice.below(100)));
            Outage::new(start, millis(dice.below(100)), every).unwrap()
        };
        DirectionConfig {
            block: None,
            mtu: self.maybe(|dice| Mtu {
                largest: bytes(500 + dice.below(1_000)),
            }),
            outages: OutageSchedule::new(self.maybe(outage)),
            loss: self.maybe(Self::loss),
            delay: self.maybe(Self::delay),
            rate: self.maybe(Self::rate),
            corrupt: self.maybe(|dice| Corrupt {
                probability: dice.probability(),
            }),
            duplicate: self.maybe(|dice| Duplicate {
                probability: dice.probability(),
            }),
        }
    }

    fn link(&mut self) -> LinkConfig {
        let (up, mut down) = (self.direction(), self.direction());
        let shared = up.rate.is_some() && self.below(3) == 0;
        if shared {
            let queue = self.queue();
            down.rate = up.rate.clone().map(|rate| Rate { queue, ..rate });
        }
        LinkConfig {
            order: self.order(),
            shared,
            up,
            down,
        }
    }
}

/// Offered and duplicated are delivered, dropped or in flight, in each direction.
fn assert_conserved(bench: &TestBench<DuplexLink>, sent: &[Direction], config: &LinkConfig) {
    for (direction, port) in [(Direction::Up, DEVICE), (Direction::Down, SERVER)] {
        let went = |number: &u64| sent[*number as usize - 1] == direction;
        let offered = sent.iter().filter(|d| **d == direction).count();
        let duplicated = bench
            .duplicated
            .iter()
            .filter(|number| went(number))
            .count();
        let exit = if port == DEVICE { SERVER } else { DEVICE };
        let delivered = bench.delivered.iter().filter(|d| d.port == exit).count();
        let dropped = bench.dropped.iter().filter(|d| d.port == port).count();
        let in_flight = bench.link.in_flight_from(port);
        assert_eq!(
            offered + duplicated,
            delivered + dropped + in_flight,
            "{config:?}"
        );
        assert!(
            bench
                .delivered
                .iter()
                .all(|d| (d.port == exit) == went(&d.packet.number()))
        );
    }
}

#[test]
fn every_packet_is_accounted_for_on_any_link_in_any_order() {
    for seed in 0..400 {
        let mut dice = Dice(RandomStream::named(seed, "links"));
        let config = dice.link();
        let mut bench = TestBench::new(DuplexLink::new(&config, seed, "path/0"));
        let mut sent = Vec::new();
        let mut time = 0;
        for _ in 0..300 {
            time += dice.below(2) * dice.below(8_000_000);
            let direction = Direction::ALL[dice.below(2) as usize];
            let port = if direction == Direction::Up {
                DEVICE
            } else {
                SERVER
            };
            sent.push(direction);
            bench.offer(at(time), port, packet(dice.below(1_500) as usize));
            if dice.below(20) == 0 {
                assert_conserved(&bench, &sent, &config);
            }
        }
        bench.run();
        assert_conserved(&bench, &sent, &config);
        assert_eq!(
            bench.link.in_flight_from(DEVICE) + bench.link.in_flight_from(SERVER),
            0
        );
    }
}

#[test]
fn no_packet_is_seen_more_often_than_it_was_made() {
    for seed in 400..500 {
        let mut dice = Dice(RandomStream::named(seed, "links"));
        let mut bench = TestBench::new(DuplexLink::new(&dice.link(), seed, "path/0"));
        (0..200).for_each(|n| bench.send(at_millis(n), 300));
        bench.run();
        let mut ends = [0_u32; 201];
        let delivered = bench.delivered.iter().map(|d| &d.packet);
        let dropped = bench.dropped.iter().map(|d| &d.packet);
        delivered
            .chain(dropped)
            .for_each(|packet| ends[packet.number() as usize] += 1);
        bench
            .duplicated
            .iter()
            .for_each(|number| ends[*number as usize] -= 1);
        assert_eq!(ends[0], 0);
        assert!(ends[1..].iter().all(|ends| *ends == 1));
    }
}
