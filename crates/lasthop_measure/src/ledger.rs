use lasthop_contract::{Cause, Direction, DiscardReason, DropReason, Layer, Packet, PathId, Span};
use lasthop_units::Instant;

/// The byte ledger: the fate of every byte by path, direction, layer and cause.
///
/// For each path and direction: offered + duplicated = delivered + dropped + in flight. What is on its way when it begins
/// to count is offered then.
#[derive(Clone, Debug)]
pub struct Ledger {
    counts_from: Instant,
    /// By the numbers of the paths; most runs have one.
    paths: Vec<[DirectionLedger; 2]>,
    retransmitting_packets: u64,
}

/// The fate of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fate {
    /// The packet entered the path.
    Offered,
    /// A link created the packet as a duplicate.
    Duplicated,
    /// The packet arrived at a host.
    Delivered,
    /// A link dropped the packet.
    Dropped(DropReason),
    /// The packet was in flight when the run ended.
    InFlight,
    /// The receiving host discarded the packet.
    Discarded(DiscardReason),
}

/// Bytes of one direction, fate, layer and cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LedgerRow {
    /// The path.
    pub path: PathId,
    /// The direction.
    pub direction: Direction,
    /// The fate of the bytes.
    pub fate: Fate,
    /// The layer that sent the bytes.
    pub layer: Layer,
    /// The purpose of the bytes.
    pub cause: Cause,
    /// The number of bytes.
    pub bytes: u64,
}

/// Packets of one direction and fate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PacketRow {
    /// The path.
    pub path: PathId,
    /// The direction.
    pub direction: Direction,
    /// The fate of the packets.
    pub fate: Fate,
    /// The number of packets.
    pub packets: u64,
    /// The total size of the packets in bytes.
    pub bytes: u64,
}

#[derive(Clone, Debug, Default)]
struct DirectionLedger {
    offered: Account,
    duplicated: Account,
    delivered: Account,
    /// By reason, in the order of their first use.
    dropped: Vec<(DropReason, Account)>,
    discarded: Vec<(DiscardReason, Account)>,
}

/// Packets and bytes of one fate.
#[derive(Clone, Debug)]
struct Account {
    packets: u64,
    bytes: [[u64; Cause::ALL.len()]; Layer::ALL.len()],
}

impl Ledger {
    /// Creates an empty ledger that counts from this moment on.
    ///
    /// Packets on different paths can be added in any order of time.
    #[must_use]
    pub fn counting_from(counts_from: Instant) -> Self {
        Self {
            counts_from,
            paths: vec![Default::default()],
            retransmitting_packets: 0,
        }
    }

    pub(crate) fn offered(&mut self, now: Instant, packet: &Packet) {
        let retransmits = |span: &Span| {
            span.provenance.cause == Cause::Retransmission
                && span.provenance.layer != Layer::Application
        };
        let counts = now >= self.counts_from;
        let is_again = counts && packet.spans().iter().any(retransmits);
        self.retransmitting_packets += u64::from(is_again);
        self.of_packet(packet).offered.add(packet.spans());
    }

    pub(crate) fn delivered(&mut self, now: Instant, packet: &Packet) {
        let counts = now >= self.counts_from;
        let of_packet = self.of_packet(packet);
        match counts {
            true => of_packet.delivered.add(packet.spans()),
            false => of_packet.offered.take(packet.spans()),
        }
    }

    pub(crate) fn duplicated(
        &mut self,
        now: Instant,
        direction: Direction,
        path: PathId,
        spans: &[Span],
    ) {
        let counts = now >= self.counts_from;
        let of_path = self.of(direction, path);
        match counts {
            true => of_path.duplicated.add(spans),
            false => of_path.offered.add(spans),
        }
    }

    pub(crate) fn dropped(&mut self, now: Instant, packet: &Packet, reason: DropReason) {
        let counts = now >= self.counts_from;
        let of_packet = self.of_packet(packet);
        match counts {
            true => account_of(&mut of_packet.dropped, reason).add(packet.spans()),
            false => of_packet.offered.take(packet.spans()),
        }
    }

    pub(crate) fn discarded(&mut self, now: Instant, packet: &Packet, reason: DiscardReason) {
        if now >= self.counts_from {
            let discarded = &mut self.of_packet(packet).discarded;
            account_of(discarded, reason).add(packet.spans());
        }
    }

    /// Returns the number of packets with retransmissions by layers below the application.
    #[must_use]
    pub fn retransmitting_packets(&self) -> u64 {
        self.retransmitting_packets
    }

    /// Returns the packets and bytes that entered a path.
    #[must_use]
    pub fn total_offered(&self, direction: Direction) -> (u64, u64) {
        sum(self.of_all(direction).map(|it| it.offered.totals()))
    }

    /// Returns the packets and bytes that left their path at a host.
    #[must_use]
    pub fn total_delivered(&self, direction: Direction) -> (u64, u64) {
        sum(self.of_all(direction).map(|it| it.delivered.totals()))
    }

    /// Whether no more bytes left the path than entered it, for every layer and cause.
    #[must_use]
    pub fn is_balanced(&self) -> bool {
        let mut all = self.paths.iter().flatten();
        all.all(|direction| direction.in_flight().is_some())
    }

    /// Returns the non-zero amounts of bytes in a fixed order.
    #[must_use]
    pub fn rows(&self) -> Vec<LedgerRow> {
        let mut rows = Vec::new();
        self.each_account(|(path, direction), fate, account| {
            for layer in Layer::ALL {
                for cause in Cause::ALL {
                    let bytes = account.bytes[layer as usize][cause as usize];
                    if bytes > 0 {
                        rows.push(LedgerRow {
                            path,
                            direction,
                            fate,
                            layer,
                            cause,
                            bytes,
                        });
                    }
                }
            }
        });
        rows
    }

    /// Returns the non-zero numbers of packets in a fixed order.
    #[must_use]
    pub fn packet_rows(&self) -> Vec<PacketRow> {
        let mut rows = Vec::new();
        self.each_account(|(path, direction), fate, account| {
            let (packets, bytes) = account.totals();
            if packets > 0 {
                rows.push(PacketRow {
                    path,
                    direction,
                    fate,
                    packets,
                    bytes,
                });
            }
        });
        rows
    }

    fn each_account(&self, mut visit: impl FnMut((PathId, Direction), Fate, &Account)) {
        for (path, directions) in (0..).map(PathId).zip(&self.paths) {
            for (direction, ledger) in Direction::ALL.into_iter().zip(directions) {
                ledger.each_account(|fate, account| visit((path, direction), fate, account));
            }
        }
    }

    fn of_packet(&mut self, packet: &Packet) -> &mut DirectionLedger {
        self.of(packet.direction(), packet.path())
    }

    #[inline]
    fn of(&mut self, direction: Direction, PathId(path): PathId) -> &mut DirectionLedger {
        let place = usize::from(path);
        if self.paths.len() <= place {
            self.paths.resize_with(place + 1, Default::default);
        }
        &mut self.paths[place][direction as usize]
    }

    fn of_all(&self, direction: Direction) -> impl Iterator<Item = &DirectionLedger> {
        self.paths.iter().map(move |path| &path[direction as usize])
    }
}

fn sum(totals: impl Iterator<Item = (u64, u64)>) -> (u64, u64) {
    totals.fold((0, 0), |(packets, bytes), (more, larger)| {
        (packets + more, bytes + larger)
    })
}

impl Default for Ledger {
    fn default() -> Self {
        Self::counting_from(Instant::ZERO)
    }
}

impl Fate {
    /// The name in result tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Offered => "offered",
            Self::Duplicated => "duplicated",
            Self::Delivered => "delivered",
            Self::Dropped(_) => "dropped",
            Self::InFlight => "in_flight",
            Self::Discarded(_) => "discarded",
        }
    }

    /// Returns the reason, if there is one.
    #[must_use]
    pub const fn reason(self) -> Option<&'static str> {
        match self {
            Self::Dropped(reason) => Some(reason.name()),
            Self::Discarded(reason) => Some(reason.name()),
            _ => None,
        }
    }
}

impl DirectionLedger {
    fn each_account(&self, mut visit: impl FnMut(Fate, &Account)) {
        visit(Fate::Offered, &self.offered);
        visit(Fate::Duplicated, &self.duplicated);
        visit(Fate::Delivered, &self.delivered);
        let mut dropped: Vec<_> = self.dropped.iter().collect();
        dropped.sort_by_key(|(reason, _)| *reason);
        for (reason, account) in dropped {
            visit(Fate::Dropped(*reason), account);
        }
        if let Some(in_flight) = self.in_flight() {
            visit(Fate::InFlight, &in_flight);
        }
        let mut discarded: Vec<_> = self.discarded.iter().collect();
        discarded.sort_by_key(|(reason, _)| *reason);
        for (reason, account) in discarded {
            visit(Fate::Discarded(*reason), account);
        }
    }

    /// Returns the bytes in flight, or `None` if more left than entered.
    fn in_flight(&self) -> Option<Account> {
        let mut rest = self.offered.clone();
        rest.plus(&self.duplicated);
        rest.minus(&self.delivered)?;
        for (_, account) in &self.dropped {
            rest.minus(account)?;
        }
        Some(rest)
    }
}

impl Account {
    fn add(&mut self, spans: &[Span]) {
        self.packets += 1;
        for span in spans {
            let (layer, cause) = (span.provenance.layer, span.provenance.cause);
            self.bytes[layer as usize][cause as usize] += u64::from(span.length);
        }
    }

    /// Removes packets that ended before the count begins.
    fn take(&mut self, spans: &[Span]) {
        self.packets -= 1;
        for span in spans {
            let (layer, cause) = (span.provenance.layer, span.provenance.cause);
            self.bytes[layer as usize][cause as usize] -= u64::from(span.length);
        }
    }

    fn plus(&mut self, other: &Self) {
        self.packets += other.packets;
        for (mine, other) in self.cells_mut().zip(other.cells()) {
            *mine += other;
        }
    }

    fn minus(&mut self, other: &Self) -> Option<()> {
        self.packets = self.packets.checked_sub(other.packets)?;
        for (mine, other) in self.cells_mut().zip(other.cells()) {
            *mine = mine.checked_sub(other)?;
        }
        Some(())
    }

    fn totals(&self) -> (u64, u64) {
        (self.packets, self.cells().sum())
    }

    fn cells(&self) -> impl Iterator<Item = u64> + '_ {
        self.bytes.iter().flatten().copied()
    }

    fn cells_mut(&mut self) -> impl Iterator<Item = &mut u64> + '_ {
        self.bytes.iter_mut().flatten()
    }
}

impl Default for Account {
    fn default() -> Self {
        Self {
            packets: 0,
            bytes: [[0; Cause::ALL.len()]; Layer::ALL.len()],
        }
    }
}

fn account_of<R: Copy + PartialEq>(accounts: &mut Vec<(R, Account)>, reason: R) -> &mut Account {
    let index = accounts
        .iter()
        .position(|(known, _)| *known == reason)
        .unwrap_or_else(|| {
            accounts.push((reason, Account::default()));
            accounts.len() - 1
        });
    &mut accounts[index].1
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use lasthop_contract::Provenance;

    fn packet(bytes: usize) -> Packet {
        let mut packet = Packet::new();
        packet.reserve(20, Provenance::new(Layer::Ip, Cause::Header));
        packet.reserve(bytes, Provenance::new(Layer::Application, Cause::Payload));
        packet
    }

    #[test]
    fn what_entered_left_or_is_on_its_way() {
        let mut ledger = Ledger::default();
        for size in [100, 200, 300] {
            ledger.offered(Instant::ZERO, &packet(size));
        }
        ledger.delivered(Instant::ZERO, &packet(100));
        ledger.dropped(Instant::ZERO, &packet(200), DropReason::Loss);
        let in_flight: u64 = ledger
            .rows()
            .iter()
            .filter(|row| row.fate == Fate::InFlight)
            .map(|row| row.bytes)
            .sum();
        assert_eq!(in_flight, 320);
        assert!(ledger.is_balanced());
        ledger.delivered(Instant::ZERO, &packet(301));
        assert!(!ledger.is_balanced());
    }

    #[test]
    fn what_ended_before_it_counts_was_never_there_and_what_is_on_its_way_is_offered_then() {
        let (before, after) = (Instant::from_nanos(9), Instant::from_nanos(10));
        let mut ledger = Ledger::counting_from(after);
        for size in [100, 200, 300, 400] {
            ledger.offered(before, &packet(size));
        }
        // Other paths may be ahead.
        ledger.offered(after, &packet(500));
        ledger.delivered(before, &packet(100));
        ledger.dropped(before, &packet(200), DropReason::Loss);
        let copy = packet(600);
        ledger.duplicated(before, Direction::Up, PathId(0), copy.spans());
        ledger.discarded(before, &packet(100), DiscardReason::Malformed);
        ledger.delivered(after, &packet(300));
        assert_eq!(
            ledger.total_offered(Direction::Up),
            (4, 300 + 400 + 500 + 600 + 4 * 20)
        );
        assert_eq!(ledger.total_delivered(Direction::Up), (1, 320));
        assert!(ledger.is_balanced());
        let fates: BTreeSet<Fate> = ledger.rows().iter().map(|row| row.fate).collect();
        let expected = [Fate::Offered, Fate::Delivered, Fate::InFlight];
        assert_eq!(fates, BTreeSet::from(expected));
    }
}
