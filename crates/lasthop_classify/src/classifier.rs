use core::net::IpAddr;
use std::collections::VecDeque;

use lasthop_contract::ip_view::{add, checksum, sum_of_words};
use lasthop_contract::{
    Cause, Direction, IpView, Layer, LookupMap, Spans, TCP_PROTOCOL, UDP_PROTOCOL,
};
use lasthop_units::Instant;

use crate::conversation::{
    Conversation, ConversationId, Conversations, Opens, Protocol, without_port,
};
use crate::datagram::Datagrams;
use crate::fragments::{Added, Fragment, FragmentKey, FragmentPlace, FragmentSet, Fragments};
use crate::marks::mark;
use crate::message_kind::MessageKinds;
use crate::portion::{Portion, Remark, Sight};
use crate::ports::Ports;
use crate::tcp::{Connection, Segment};

/// Assigns a provenance to the bytes of IP packets. Each byte is reported once.
///
/// Packets come in the order in which one observer saw them. What a segment of TCP carries is told of when all before it
/// is there, or when it is clear that the capture lacks it; fragments when their packet is whole.
#[derive(Debug, Default)]
pub struct Classifier {
    conversations: Conversations,
    ports: Ports,
    connections: LookupMap<ConversationId, Box<Connection>>,
    datagrams: Datagrams,
    fragments: Fragments,
    told: VecDeque<Portion>,
    last: Instant,
}

/// A packet, as far as its IP header.
#[derive(Clone, Copy, Debug)]
struct Below {
    now: Instant,
    sight: Sight,
    /// The bytes of IP headers.
    header: usize,
    packets: u32,
    /// The bytes of fragments that were there already.
    again: usize,
}

/// What lies above IP.
#[derive(Clone, Copy, Debug)]
struct Above<'a> {
    protocol: u8,
    key: (IpAddr, IpAddr),
    /// What was kept of it.
    kept: &'a [u8],
    /// How long it was.
    length: usize,
}

/// The shortest headers.
const UDP_HEADER: usize = 8;

impl Classifier {
    /// Creates a classifier without packets.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the protocol at a server port, regardless of IANA's registry.
    pub fn say_port(&mut self, port: u16, protocol: Protocol) {
        self.ports.say(port, protocol);
    }

    /// Processes a packet. `kept` holds its captured bytes, `length` is the length of the frame after its link-layer
    /// header. Padding after the IP packet is not reported.
    pub fn handle(&mut self, now: Instant, sight: Sight, kept: &[u8], length: usize) {
        self.last = now;
        while let Some((key, set)) = self.fragments.expired(now) {
            self.give_up(key, set);
        }
        let Some(view) = IpView::read_beginning(kept, length) else {
            self.unreadable(now, sight, length);
            return;
        };
        let (header, protocol, fragment) = upper(&view, kept);
        let end = view.payload().end;
        let kept = &kept[..end.min(kept.len())];
        let (source, destination) = (view.source(kept), view.destination(kept));
        let below = Below {
            now,
            sight,
            header,
            packets: 1,
            again: 0,
        };
        let above = Above {
            protocol,
            key: (source, destination),
            kept: kept.get(header..).unwrap_or_default(),
            length: end - header,
        };
        let Some(place) = fragment else {
            self.handle_whole(below, above);
            return;
        };
        let key = FragmentKey {
            source,
            destination,
            protocol,
            identification: place.identification,
        };
        self.handle_fragment(below, above, key, place);
    }

    fn handle_fragment(
        &mut self,
        below: Below,
        above: Above<'_>,
        key: FragmentKey,
        place: FragmentPlace,
    ) {
        let fragment = Fragment {
            place,
            header: below.header,
            kept: above.kept,
            length: above.length,
        };
        match self.fragments.add(below.now, key, fragment) {
            Added::Waits => {}
            Added::Whole(set) => {
                let below = Below {
                    header: set.header_bytes,
                    packets: set.packets,
                    again: set.again,
                    ..below
                };
                let (kept, length) = set.join();
                let kept = &kept;
                self.handle_whole(
                    below,
                    Above {
                        kept,
                        length,
                        ..above
                    },
                );
            }
            Added::Copy(ports) => {
                let (id, direction) = self.find(above, ports, Opens::Unknown);
                let below = Below {
                    again: above.length,
                    ..below
                };
                self.told.push_back(portion(below, id, direction));
            }
            Added::OfAnother(set) => {
                if !set.is_told() {
                    self.give_up(key, set);
                }
                self.handle_fragment(below, above, key, place);
            }
        }
    }

    /// Returns the next classified packet, in no particular order.
    pub fn poll(&mut self) -> Option<Portion> {
        self.told.pop_front()
    }

    /// Ends the capture. Waiting packets are classified as far as they can be read.
    pub fn finish(&mut self) {
        while let Some((key, set)) = self.fragments.take_any() {
            self.give_up(key, set);
        }
        for place in 0..self.conversations.all().len() as u32 {
            if let Some(connection) = self.connections.get_mut(&ConversationId(place)) {
                connection.give_up(&mut self.told);
            }
        }
    }

    /// Returns the conversations so far. A [`ConversationId`] is an index of this slice.
    #[must_use]
    pub fn conversations(&self) -> &[Conversation] {
        self.conversations.all()
    }

    fn handle_whole(&mut self, below: Below, above: Above<'_>) {
        match above.protocol {
            TCP_PROTOCOL => self.handle_tcp(below, above),
            UDP_PROTOCOL => self.handle_udp(below, above),
            _ => self.opaque(below, above, Layer::Ip),
        }
    }

    fn handle_tcp(&mut self, below: Below, above: Above<'_>) {
        let Some(segment) = Segment::read(above.kept, above.length) else {
            self.opaque(below, above, Layer::Tcp);
            return;
        };
        let opens = match (segment.has_syn, segment.has_ack) {
            (true, false) => Opens::Yes,
            (true, true) => Opens::Answers,
            (false, _) => Opens::Unknown,
        };
        let (id, direction) = self.find(above, segment.ports, opens);
        let is_damaged = is_damaged(above, 16);
        let mut portion = portion(below, id, direction);
        if is_damaged {
            portion.remark = Remark::Damaged;
            mark(&mut portion.spans, Layer::Tcp, Cause::Opaque, above.length);
            self.told.push_back(portion);
            return;
        }
        let connection = self.connections.get_or_insert_with(id, Box::default);
        let conversation = self.conversations.get_mut(id);
        connection.handle(conversation, &self.ports, portion, &segment, &mut self.told);
    }

    fn handle_udp(&mut self, below: Below, above: Above<'_>) {
        let Some(&header) = above.kept.first_chunk::<UDP_HEADER>() else {
            self.opaque(below, above, Layer::Udp);
            return;
        };
        let word = |at: usize| u16::from_be_bytes([header[at], header[at + 1]]);
        let (id, direction) = self.find(above, (word(0), word(2)), Opens::Unknown);
        let mut portion = portion(below, id, direction);
        if is_damaged(above, 6) {
            portion.remark = Remark::Damaged;
            mark(&mut portion.spans, Layer::Udp, Cause::Opaque, above.length);
            self.told.push_back(portion);
            return;
        }
        // A length that cannot be, as of packets before segmentation, is that of the IP packet.
        let length = match usize::from(word(4)) {
            stated if (UDP_HEADER..=above.length).contains(&stated) => stated,
            _ => above.length,
        };
        mark(&mut portion.spans, Layer::Udp, Cause::Header, UDP_HEADER);
        let kept = &above.kept[UDP_HEADER..length.min(above.kept.len())];
        let conversation = self.conversations.get_mut(id);
        self.datagrams.classify(
            conversation,
            &self.ports,
            &mut portion,
            kept,
            length - UDP_HEADER,
        );
        mark(
            &mut portion.spans,
            Layer::Udp,
            Cause::Opaque,
            above.length - length,
        );
        self.told.push_back(portion);
    }

    /// A packet of which nothing above IP can be read.
    fn opaque(&mut self, below: Below, above: Above<'_>, layer: Layer) {
        let (id, direction) = self.find(above, (0, 0), Opens::Unknown);
        let mut portion = portion(below, id, direction);
        mark(&mut portion.spans, layer, Cause::Opaque, above.length);
        self.told.push_back(portion);
    }

    /// Fragments whose packet never was whole.
    fn give_up(&mut self, key: FragmentKey, set: FragmentSet) {
        let below = Below {
            now: self.last,
            sight: Sight::Unknown,
            header: set.header_bytes,
            packets: set.packets,
            again: set.again,
        };
        let above = Above {
            protocol: key.protocol,
            key: (key.source, key.destination),
            kept: &[],
            length: set.payload_bytes(),
        };
        self.handle_whole(below, above);
    }

    /// What begins as IP and is not.
    fn unreadable(&mut self, now: Instant, sight: Sight, length: usize) {
        let nowhere = without_port(IpAddr::from([0; 4]));
        let (id, direction) =
            self.conversations
                .find(0, nowhere, nowhere, Opens::Unknown, &self.ports);
        let below = Below {
            now,
            sight,
            header: 0,
            packets: 1,
            again: 0,
        };
        let mut portion = portion(below, id, direction);
        mark(&mut portion.spans, Layer::Ip, Cause::Opaque, length);
        self.told.push_back(portion);
    }

    fn find(
        &mut self,
        above: Above<'_>,
        ports: (u16, u16),
        opens: Opens,
    ) -> (ConversationId, Direction) {
        let mut ends = (without_port(above.key.0), without_port(above.key.1));
        ends.0.set_port(ports.0);
        ends.1.set_port(ports.1);
        self.conversations
            .find(above.protocol, ends.0, ends.1, opens, &self.ports)
    }
}

fn portion(below: Below, conversation: ConversationId, direction: Direction) -> Portion {
    let mut spans = Spans::new();
    mark(&mut spans, Layer::Ip, Cause::Header, below.header);
    mark(&mut spans, Layer::Ip, Cause::Retransmission, below.again);
    Portion {
        at: below.now,
        conversation,
        direction,
        sight: below.sight,
        packets: below.packets,
        spans,
        messages: MessageKinds::new(),
        remark: Remark::None,
    }
}

/// Where what is above IP begins, what it is, and which part of it: behind the extension headers of IPv6 (RFC 8200 section 4).
fn upper(view: &IpView, kept: &[u8]) -> (usize, u8, Option<FragmentPlace>) {
    let mut at = view.header_length();
    let mut protocol = view.protocol();
    if !view.is_ipv6() {
        let word = |at: usize| u16::from_be_bytes([kept[at], kept[at + 1]]);
        let place = view.is_fragment().then(|| FragmentPlace {
            identification: word(4).into(),
            offset: usize::from(word(6) & 0x1fff) * 8,
            has_more: word(6) & 0x2000 != 0,
        });
        return (at, protocol, place);
    }
    let mut place = None;
    loop {
        let Some(&[next, length, high, low]) =
            kept.get(at..).and_then(|header| header.first_chunk())
        else {
            return (at, protocol, place);
        };
        let header = match protocol {
            0 | 43 | 60 | 135 => (usize::from(length) + 1) * 8,
            51 => (usize::from(length) + 2) * 4,
            44 => 8,
            _ => return (at, protocol, place),
        };
        if at + header > view.payload().end {
            return (at, protocol, place);
        }
        if protocol == 44 {
            let word = u16::from_be_bytes([high, low]);
            let number = kept.get(at + 4..).and_then(|number| number.first_chunk());
            let is_part = word & 0xfff9 != 0;
            place = number.filter(|_| is_part).map(|number| FragmentPlace {
                identification: u32::from_be_bytes(*number),
                offset: usize::from(word & 0xfff8),
                has_more: word & 1 != 0,
            });
        }
        at += header;
        protocol = next;
        if place.is_some_and(|place: FragmentPlace| place.offset > 0) {
            return (at, protocol, place);
        }
    }
}

/// Whether the checksum at a place says that the bytes changed on the way. None says so where bytes are missing, where the
/// sender left it to its hardware, which finds the sum over addresses and length there or nothing, or where there is none.
fn is_damaged(above: Above<'_>, at: usize) -> bool {
    let Some(&stated) = above
        .kept
        .get(at..)
        .and_then(|field| field.first_chunk::<2>())
    else {
        return false;
    };
    if above.kept.len() < above.length || stated == [0, 0] {
        return false;
    }
    let sum = |address: IpAddr| match address {
        IpAddr::V4(address) => sum_of_words(&address.octets()),
        IpAddr::V6(address) => sum_of_words(&address.octets()),
    };
    let protocol = sum_of_words(&[0, above.protocol]);
    let addresses = add(add(sum(above.key.0), sum(above.key.1)), protocol);
    let length = sum_of_words(&(above.length as u32).to_be_bytes());
    let pseudo = add(addresses, length);
    if checksum(add(pseudo, sum_of_words(above.kept))) == 0 {
        return false;
    }
    let left_to_hardware = [pseudo, addresses].map(|sum| (!checksum(sum)).to_be_bytes());
    !left_to_hardware.contains(&stated)
}
