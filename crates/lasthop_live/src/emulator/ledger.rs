use lasthop_classify::{Account, Classifier, Sight};
use lasthop_contract::{Direction, Packet};
use lasthop_units::Instant;
use serde::Serialize;

/// What the bytes are for that the two ends gave, as somebody at each of them reads it from the packets.
#[derive(Debug, Default)]
pub(super) struct Ledgers {
    ends: [Books; 2],
}

/// Of one end.
#[derive(Debug, Default)]
struct Books {
    classifier: Classifier,
    sent: Account,
}

/// Bytes that an end sent, of one layer and cause. The rows of a direction add up to all bytes offered in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct OfferedBytes {
    /// The direction.
    pub direction: &'static str,
    /// The layer that sent them.
    pub layer: &'static str,
    /// Their purpose.
    pub cause: &'static str,
    /// The number of bytes.
    pub bytes: u64,
}

impl Ledgers {
    /// A packet leaves the end that its direction begins at.
    pub(super) fn sent(&mut self, now: Instant, packet: &Packet) {
        self.ends[packet.direction() as usize].read(now, Sight::Sent, packet);
    }

    /// A packet arrives at the other one.
    pub(super) fn received(&mut self, now: Instant, packet: &Packet) {
        self.ends[1 - packet.direction() as usize].read(now, Sight::Received, packet);
    }

    /// All rows, when nothing more comes.
    pub(super) fn finish(self) -> Vec<OfferedBytes> {
        let ends = Direction::ALL.into_iter().zip(self.ends);
        let rows = ends.flat_map(|(direction, mut books)| {
            books.classifier.finish();
            books.collect();
            books.sent.rows().into_iter().map(move |row| OfferedBytes {
                direction: direction.name(),
                layer: row.layer.name(),
                cause: row.cause.name(),
                bytes: row.bytes,
            })
        });
        rows.collect()
    }
}

impl Books {
    fn read(&mut self, now: Instant, sight: Sight, packet: &Packet) {
        self.classifier
            .handle(now, sight, packet.bytes(), packet.length());
        self.collect();
    }

    fn collect(&mut self) {
        while let Some(portion) = self.classifier.poll() {
            if portion.sight == Sight::Sent {
                self.sent.add(&portion.spans);
            }
        }
    }
}
