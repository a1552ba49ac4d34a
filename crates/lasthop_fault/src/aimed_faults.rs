use std::collections::VecDeque;

use lasthop_classify::{Classifier, MessageKind, Protocol, Sight};
use lasthop_contract::{
    Direction, DropReason, Link, LinkInput, LinkOutput, Packet, Port, RandomStream,
};
use lasthop_units::Instant;

use crate::cut_connections::CutConnections;
use crate::{AimedFault, FaultKind, Which};

/// A point on a link at which faults happen to the messages in passing packets.
///
/// Port 0 is on the side of the device, port 1 on that of the server. A packet is dropped when a message that a fault is
/// aimed at begins in it, or when it fills the hole before one that was let through already: whoever reads the
/// stream has all that came before, and not the message.
#[derive(Debug)]
pub struct AimedFaults {
    aims: Vec<Aim>,
    classifier: Classifier,
    cut: CutConnections,
    done: VecDeque<(Port, Packet, bool)>,
}

/// A fault at work.
#[derive(Debug)]
struct Aim {
    fault: AimedFault,
    /// How many messages of its kind have passed or been lost, those that go its way.
    met: u64,
    random: RandomStream,
}

impl AimedFaults {
    /// Creates a fault point for these faults. `seed` is the seed of the run, `name` that of its random streams.
    #[must_use]
    pub fn new(faults: &[AimedFault], seed: u64, name: &str) -> Self {
        let aim = |(number, fault): (usize, &AimedFault)| Aim {
            fault: *fault,
            met: 0,
            random: RandomStream::named(seed, format_args!("{name}/{number}")),
        };
        Self {
            aims: faults.iter().enumerate().map(aim).collect(),
            classifier: Classifier::new(),
            cut: CutConnections::default(),
            done: VecDeque::new(),
        }
    }

    /// Sets the protocol at a server port, regardless of IANA's registry.
    pub fn say_port(&mut self, port: u16, protocol: Protocol) {
        self.classifier.say_port(port, protocol);
    }

    /// Whether a packet is lost.
    fn stops(&mut self, now: Instant, direction: Direction, packet: &Packet) -> bool {
        // Whoever gets a damaged packet reads nothing in it.
        if packet.is_corrupted() {
            return self.cut.stop(packet.bytes());
        }
        let bytes = packet.bytes();
        let is_cut = self.cut.stop(bytes);
        self.classifier
            .handle(now, Sight::Unknown, bytes, bytes.len());
        let mut stops = is_cut;
        while let Some(portion) = self.classifier.poll() {
            for message in portion.messages {
                // What follows the cut is not there: it counts for no fault.
                let found = (!is_cut).then(|| self.strike(message, direction));
                match found.flatten() {
                    Some(FaultKind::Drop) => stops = true,
                    Some(FaultKind::CutBefore) => {
                        stops = true;
                        self.cut.cut(bytes);
                    }
                    None => {}
                }
            }
        }
        stops
    }

    /// What happens to a message.
    fn strike(&mut self, message: MessageKind, direction: Direction) -> Option<FaultKind> {
        let goes = |fault: &AimedFault| fault.direction.is_none_or(|only| only == direction);
        let aims = self.aims.iter_mut();
        let met = aims.filter(|aim| aim.fault.message == message && goes(&aim.fault));
        let struck = met.filter_map(|aim| aim.meet().then_some(aim.fault.kind));
        // Every fault counts the message, and a cut says more than a loss.
        struck.max_by_key(|kind| matches!(kind, FaultKind::CutBefore))
    }
}

impl Aim {
    /// Counts a message, and says whether the fault happens to it.
    fn meet(&mut self) -> bool {
        self.met += 1;
        match self.fault.which {
            Which::All => true,
            Which::Nth(number) => self.met == number,
            Which::Share(share) => self.random.unit() < share,
        }
    }
}

impl Link for AimedFaults {
    fn handle(&mut self, now: Instant, input: LinkInput) {
        if let LinkInput::Offered { port, packet } = input {
            let direction = Direction::ALL[usize::from(port != Port(0))];
            let stops = self.stops(now, direction, &packet);
            self.done.push_back((port, packet, stops));
        }
    }

    fn poll(&mut self, _now: Instant) -> LinkOutput {
        match self.done.pop_front() {
            None => LinkOutput::WaitUntil(None),
            Some((port, packet, true)) => LinkOutput::Drop {
                port,
                packet,
                reason: DropReason::Fault,
            },
            Some((port, packet, false)) => LinkOutput::Deliver {
                port: Port(1 - port.0),
                packet,
            },
        }
    }
}
