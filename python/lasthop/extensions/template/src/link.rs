//! An example of a link: a radio that takes turns. Each direction of each device may send one frame a slot, a frame that
//! is lost is sent again in the next slot, and after some tries the packet is given up.

use std::collections::VecDeque;

use lasthop_contract::{DropReason, Link, LinkInput, LinkOutput, Packet, Port, RandomStream};
use lasthop_units::{Duration, Instant};
use lasthop_world::{LinkEntry, LinkPlace, OptionEntry, OptionKind, Options};

/// The link as a study has it: `path: {extension_link: toy_protocol_link tries=3}`.
pub const ENTRY: LinkEntry = LinkEntry {
    name: "toy_protocol_link",
    summary: "one frame a slot, sent again where it is lost",
    options: &[
        OptionEntry::new("slot", OptionKind::Time, "from one frame to the next").default("50ms"),
        OptionEntry::new(
            "loss",
            OptionKind::Number(0.0, 1.0),
            "how likely a frame is lost",
        )
        .default("0.1"),
        OptionEntry::new(
            "tries",
            OptionKind::Count(1, 100),
            "how often a packet is sent at most",
        )
        .default("4"),
        OptionEntry::new(
            "queue",
            OptionKind::Count(1, 10_000),
            "packets that wait behind one another at most",
        )
        .default("16"),
    ],
    build: |options, place| Box::new(SlottedRadio::new(options, place)),
};

/// The radio with every device on it: the k-th has port 2k, its server port 2k + 1.
#[derive(Debug)]
pub struct SlottedRadio {
    slot: Duration,
    loss: f64,
    tries: u16,
    queue: usize,
    random: RandomStream,
    /// By the port at which packets enter.
    senders: Vec<Sender>,
    outputs: VecDeque<LinkOutput>,
}

/// What enters at a port: the first packet is in the air, the others wait for it.
#[derive(Debug, Default)]
struct Sender {
    packets: VecDeque<Packet>,
    /// When the frame in the air ends, and the how manieth of its packet it is.
    frame: Option<(Instant, u16)>,
}

impl SlottedRadio {
    fn new(options: Options<'_>, place: &LinkPlace) -> Self {
        Self {
            slot: options.time("slot"),
            loss: options.number("loss"),
            tries: options.small("tries"),
            queue: options.small("queue").into(),
            random: place.stream("frames"),
            senders: Vec::new(),
            outputs: VecDeque::new(),
        }
    }

    fn take(&mut self, now: Instant, port: Port, packet: Packet) {
        let place = port.0 as usize;
        if self.senders.len() <= place {
            self.senders.resize_with(place + 1, Sender::default);
        }
        let (ends, sender) = (self.end_of_next_slot(now), &mut self.senders[place]);
        if sender.packets.len() > self.queue {
            let reason = DropReason::QueueFull;
            return self.outputs.push_back(LinkOutput::Drop {
                port,
                packet,
                reason,
            });
        }
        sender.packets.push_back(packet);
        sender.frame.get_or_insert((ends, 1));
    }

    /// Slots begin at multiples of their length, for everybody alike.
    fn end_of_next_slot(&self, now: Instant) -> Instant {
        let (slot, now) = (self.slot.as_nanos(), now.as_nanos());
        Instant::from_nanos((now.div_ceil(slot) + 1) * slot)
    }

    /// Ends the frame of a sender that is due, if there is one.
    fn end_frame(&mut self, now: Instant, place: usize) {
        let sender = &mut self.senders[place];
        let Some((ends, tries)) = sender.frame.filter(|(ends, _)| *ends <= now) else {
            return;
        };
        let is_lost = self.random.unit() < self.loss;
        if is_lost && tries < self.tries {
            sender.frame = Some((ends + self.slot, tries + 1));
            return;
        }
        let packet = sender.packets.pop_front().expect("a frame has a packet");
        sender.frame = (!sender.packets.is_empty()).then(|| (ends + self.slot, 1));
        let entered = place as u32;
        self.outputs.push_back(if is_lost {
            LinkOutput::Drop {
                port: Port(entered),
                packet,
                reason: DropReason::GaveUp,
            }
        } else {
            // The other end of a pair: 0 and 1, 2 and 3.
            LinkOutput::Deliver {
                port: Port(entered ^ 1),
                packet,
            }
        });
    }
}

impl Link for SlottedRadio {
    fn handle(&mut self, now: Instant, input: LinkInput) {
        match input {
            LinkInput::Offered { port, packet } => self.take(now, port, packet),
            LinkInput::Timeout => {
                for place in 0..self.senders.len() {
                    self.end_frame(now, place);
                }
            }
            // Whatever is attached or off, the radio is the same.
            _ => {}
        }
    }

    fn poll(&mut self, _now: Instant) -> LinkOutput {
        if let Some(output) = self.outputs.pop_front() {
            return output;
        }
        let frames = self.senders.iter().filter_map(|sender| sender.frame);
        LinkOutput::WaitUntil(frames.map(|(ends, _)| ends).min())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn radio(loss: f64) -> SlottedRadio {
        SlottedRadio {
            slot: Duration::from_millis(50),
            loss,
            tries: 3,
            queue: 1,
            random: RandomStream::named(1, "frames"),
            senders: Vec::new(),
            outputs: VecDeque::new(),
        }
    }

    fn offered(radio: &mut SlottedRadio, at_ms: u64, port: u32) {
        let packet = Packet::new();
        let port = Port(port);
        radio.handle(at(at_ms), LinkInput::Offered { port, packet });
    }

    fn at(ms: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(ms)
    }

    /// What leaves where and when, and what ends.
    fn told(radio: &mut SlottedRadio) -> Vec<(u64, &'static str, u32)> {
        let (mut now, mut told) = (Instant::ZERO, Vec::new());
        loop {
            let ms = now.as_nanos() / 1_000_000;
            match radio.poll(now) {
                LinkOutput::Deliver { port, .. } => told.push((ms, "delivered", port.0)),
                LinkOutput::Drop { port, reason, .. } => told.push((ms, reason.name(), port.0)),
                LinkOutput::WaitUntil(Some(deadline)) => {
                    now = deadline;
                    radio.handle(now, LinkInput::Timeout);
                }
                _ => return told,
            }
        }
    }

    #[test]
    fn a_frame_fills_the_next_slot_and_the_one_behind_it_the_next() {
        let mut radio = radio(0.0);
        offered(&mut radio, 0, 0);
        offered(&mut radio, 10, 0);
        offered(&mut radio, 60, 3);
        let expected = [
            (50, "delivered", 1),
            (100, "delivered", 1),
            (150, "delivered", 2),
        ];
        assert_eq!(told(&mut radio), expected);
    }

    #[test]
    fn a_packet_that_is_always_lost_is_given_up_after_its_tries() {
        let mut radio = radio(1.0);
        offered(&mut radio, 0, 0);
        assert_eq!(told(&mut radio), [(150, "gave_up", 0)]);
    }

    #[test]
    fn a_packet_without_room_to_wait_ends() {
        let mut radio = radio(0.0);
        for _ in 0..3 {
            offered(&mut radio, 0, 0);
        }
        let ends: Vec<_> = told(&mut radio)
            .into_iter()
            .map(|(_, what, _)| what)
            .collect();
        assert_eq!(ends, ["queue_full", "delivered", "delivered"]);
    }
}
