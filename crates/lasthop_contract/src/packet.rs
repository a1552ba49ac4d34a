use core::cell::RefCell;

use smallvec::SmallVec;

use crate::{Expectation, InterfaceId, MessageId, Provenance, Trigger};

/// An IP packet with the provenance of each of its bytes.
///
/// A packet is a handle on a pooled buffer: it is moved, never copied, and dropping it gives the buffer back.
#[derive(Debug)]
pub struct Packet {
    /// `None` only while the handle is being dropped.
    body: Option<Box<Body>>,
}

/// The provenance of a packet's bytes, from the first to the last.
pub type Spans = SmallVec<[Span; 4]>;

/// A run of neighbouring bytes with one provenance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The origin of the bytes.
    pub provenance: Provenance,
    /// The number of bytes.
    pub length: u16,
}

/// The direction of a packet. Up is away from the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Direction {
    /// From the device to the server.
    Up,
    /// From the server to the device.
    Down,
}

/// The index of a path of the run: from a device to its server, or from a gateway to its upstream server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PathId(pub u16);

impl Direction {
    /// Both directions, up first.
    pub const ALL: [Self; 2] = [Self::Up, Self::Down];

    /// The name in result tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Up => "up",
            Self::Down => "down",
        }
    }
}

#[derive(Debug)]
struct Body {
    bytes: Vec<u8>,
    spans: Spans,
    number: u64,
    direction: Direction,
    path: PathId,
    corrupted: bool,
    lane: u32,
    expectation: Option<Expectation>,
    /// [`NO_INTERFACE`] where none is known.
    interface: u32,
    trigger: Option<Trigger>,
}

/// Buffers that wait for reuse. The pool is invisible in results: a buffer is empty when it is taken.
const POOL_LIMIT: usize = 1024;

const NO_INTERFACE: u32 = u32::MAX;

thread_local! {
    #[expect(clippy::vec_box, reason = "the box itself is what is reused")]
    static POOL: RefCell<Vec<Box<Body>>> = const { RefCell::new(Vec::new()) };
}

impl Packet {
    /// Creates an empty packet.
    #[must_use]
    pub fn new() -> Self {
        let body = POOL
            .with_borrow_mut(Vec::pop)
            .unwrap_or_else(|| Box::new(Body::new()));
        Self { body: Some(body) }
    }

    /// Creates a packet of bytes with the same provenance.
    #[must_use]
    pub fn of(bytes: &[u8], provenance: Provenance) -> Self {
        let mut packet = Self::new();
        packet.append(bytes, provenance);
        packet
    }

    /// Appends bytes.
    pub fn append(&mut self, bytes: &[u8], provenance: Provenance) {
        let body = self.body_mut();
        body.bytes.extend_from_slice(bytes);
        body.note(bytes.len(), provenance);
    }

    /// Appends zeroed bytes to be filled in later through [`Packet::bytes_mut`].
    pub fn reserve(&mut self, length: usize, provenance: Provenance) {
        self.reserve_headers([(length, provenance)]);
    }

    /// Reserves several consecutive headers, each with its length and provenance.
    #[inline]
    pub fn reserve_headers<const N: usize>(&mut self, headers: [(usize, Provenance); N]) {
        let body = self.body_mut();
        let length: usize = headers.iter().map(|(length, _)| length).sum();
        body.bytes.resize(body.bytes.len() + length, 0);
        for (length, provenance) in headers {
            body.note(length, provenance);
        }
    }

    /// Returns the bytes on the wire, from the IP header on.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.body().bytes
    }

    /// Returns the bytes for modification.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.body_mut().bytes
    }

    /// Returns the length in bytes.
    #[must_use]
    pub fn length(&self) -> usize {
        self.body().bytes.len()
    }

    /// Returns the provenance of the bytes. The lengths add up to the packet's length.
    #[must_use]
    pub fn spans(&self) -> &[Span] {
        &self.body().spans
    }

    /// Iterates over the messages with bytes in the packet, each once.
    pub fn messages(&self) -> impl Iterator<Item = MessageId> + '_ {
        let mut previous = None;
        self.spans()
            .iter()
            .filter_map(|span| span.provenance.message)
            .filter(move |id| previous.replace(*id) != Some(*id))
    }

    /// Returns the packet's number in the run.
    ///
    /// It is assigned when the packet enters the path, and copies share it.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.body().number
    }

    /// Returns the direction.
    #[must_use]
    pub fn direction(&self) -> Direction {
        self.body().direction
    }

    /// Returns the path.
    #[must_use]
    pub fn path(&self) -> PathId {
        self.body().path
    }

    /// Sets the number, direction and path of a packet that enters a path.
    pub fn enter(&mut self, number: u64, direction: Direction, path: PathId) {
        let body = self.body_mut();
        body.number = number;
        body.direction = direction;
        body.path = path;
    }

    /// Returns the pair of ends between which a shared link carries the packet.
    #[must_use]
    pub fn lane(&self) -> u32 {
        self.body().lane
    }

    /// Sets the pair of ends between which a shared link carries the packet.
    pub fn set_lane(&mut self, lane: u32) {
        self.body_mut().lane = lane;
    }

    /// Whether a link corrupted the packet's bytes.
    #[must_use]
    pub fn is_corrupted(&self) -> bool {
        self.body().corrupted
    }

    /// Marks the packet as corrupted by a link.
    pub fn mark_corrupted(&mut self) {
        self.body_mut().corrupted = true;
    }

    /// Returns what the sender expects to follow, if it declared that.
    #[must_use]
    pub fn expectation(&self) -> Option<Expectation> {
        self.body().expectation
    }

    /// Declares what is expected to follow, for the radio.
    pub fn expect(&mut self, expectation: Expectation) {
        self.body_mut().expectation = Some(expectation);
    }

    /// Returns the host interface by which the packet arrived or must leave.
    ///
    /// `None` leaves the choice to the host's routes.
    #[inline]
    #[must_use]
    pub fn interface(&self) -> Option<InterfaceId> {
        let number = self.body().interface;
        (number != NO_INTERFACE).then_some(InterfaceId(number))
    }

    /// Sets the interface by which the packet arrived or must leave.
    #[inline]
    pub fn set_interface(&mut self, interface: InterfaceId) {
        self.body_mut().interface = interface.0;
    }

    /// Returns why the sender sent the packet now.
    ///
    /// It is `None` for new data and immediate answers.
    #[must_use]
    pub fn trigger(&self) -> Option<Trigger> {
        self.body().trigger
    }

    /// Sets why the sender sends the packet now.
    pub fn set_trigger(&mut self, trigger: Trigger) {
        self.body_mut().trigger = Some(trigger);
    }

    /// Returns a copy of the packet with the same number, as a duplicating link creates it.
    #[must_use]
    pub fn duplicate(&self) -> Self {
        let mut copy = Self::new();
        let (from, to) = (self.body(), copy.body_mut());
        to.bytes.extend_from_slice(&from.bytes);
        to.spans.extend_from_slice(&from.spans);
        to.number = from.number;
        to.direction = from.direction;
        to.path = from.path;
        to.corrupted = from.corrupted;
        to.lane = from.lane;
        to.expectation = from.expectation;
        to.trigger = from.trigger;
        copy
    }

    fn body(&self) -> &Body {
        self.body
            .as_ref()
            .expect("a packet has a body until it is dropped")
    }

    fn body_mut(&mut self) -> &mut Body {
        self.body
            .as_mut()
            .expect("a packet has a body until it is dropped")
    }
}

impl Default for Packet {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Packet {
    fn drop(&mut self) {
        let Some(mut body) = self.body.take() else {
            return;
        };
        body.clear();
        // The pool itself may be gone when a thread ends; then the buffer is simply freed.
        let _ = POOL.try_with(|pool| {
            let mut pool = pool.borrow_mut();
            if pool.len() < POOL_LIMIT {
                pool.push(body);
            }
        });
    }
}

impl Body {
    fn new() -> Self {
        Self {
            bytes: Vec::with_capacity(512),
            spans: Spans::new(),
            number: 0,
            direction: Direction::Up,
            path: PathId::default(),
            corrupted: false,
            lane: 0,
            expectation: None,
            interface: NO_INTERFACE,
            trigger: None,
        }
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.spans.clear();
        self.corrupted = false;
        self.lane = 0;
        self.expectation = None;
        self.interface = NO_INTERFACE;
        self.trigger = None;
    }

    fn note(&mut self, length: usize, provenance: Provenance) {
        let mut rest = length;
        if let Some(last) = self.spans.last_mut()
            && last.provenance == provenance
        {
            let more = rest.min(usize::from(u16::MAX - last.length));
            last.length += more as u16;
            rest -= more;
            if rest == 0 {
                return;
            }
        }
        match u16::try_from(rest) {
            Ok(0) => {}
            Ok(length) => self.spans.push(Span { provenance, length }),
            Err(_) => self.note_in_pieces(rest, provenance),
        }
    }

    /// Notes more bytes than a span counts.
    #[cold]
    fn note_in_pieces(&mut self, length: usize, provenance: Provenance) {
        let mut rest = length;
        while rest > 0 {
            let length = rest.min(usize::from(u16::MAX));
            self.spans.push(Span {
                provenance,
                length: length as u16,
            });
            rest -= length;
        }
    }
}

const _: () = assert!(size_of::<Packet>() == 8, "moving a packet moves a pointer");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cause, Layer};

    const HEADER: Provenance = Provenance::new(Layer::Udp, Cause::Header);
    const PAYLOAD: Provenance = Provenance::new(Layer::Application, Cause::Payload);

    #[test]
    fn spans_cover_every_byte_and_join_equal_neighbours() {
        let mut packet = Packet::new();
        packet.reserve(8, HEADER);
        packet.append(b"one", PAYLOAD);
        packet.append(b"two", PAYLOAD);
        let lengths: Vec<u16> = packet.spans().iter().map(|span| span.length).collect();
        assert_eq!(lengths, [8, 6]);
        assert_eq!(packet.length(), 14);
    }

    #[test]
    fn a_reused_buffer_is_empty() {
        let mut packet = Packet::of(b"secret", PAYLOAD);
        packet.mark_corrupted();
        packet.set_trigger(Trigger::TailLossProbe);
        packet.expect(Expectation::OneAnswer);
        packet.set_interface(InterfaceId(3));
        drop(packet);
        let packet = Packet::new();
        assert!(packet.bytes().is_empty() && packet.spans().is_empty());
        assert!(!packet.is_corrupted() && packet.trigger().is_none());
        assert_eq!((packet.expectation(), packet.interface()), (None, None));
    }

    #[test]
    fn a_span_longer_than_its_counter_is_split() {
        let packet = Packet::of(&[0; 70_000], PAYLOAD);
        let total: usize = packet.spans().iter().map(|s| usize::from(s.length)).sum();
        assert_eq!(total, 70_000);
    }
}
