use lasthop_classify::{Account, Classifier, Sight};
use lasthop_contract::{Direction, Packet};
use lasthop_units::Instant;
use serde::Serialize;

/// The byte ledgers of the two ends, classified from the packets that each end sent.
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

/// Bytes that an end sent, by layer and cause. The rows of a direction add up to all bytes offered in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct OfferedBytes {
    /// The direction.
    pub direction: &'static str,
    /// The layer that sent the bytes.
    pub layer: &'static str,
    /// The purpose of the bytes.
    pub cause: &'static str,
    /// The number of bytes.
    pub bytes: u64,
}

impl Ledgers {
    /// Records a packet that leaves the end where its direction begins.
    pub(super) fn sent(&mut self, now: Instant, packet: &Packet) {
        self.ends[packet.direction() as usize].read(now, Sight::Sent, packet);
    }

    /// Records a packet that arrives at the other end.
    pub(super) fn received(&mut self, now: Instant, packet: &Packet) {
        self.ends[1 - packet.direction() as usize].read(now, Sight::Received, packet);
    }

    /// Returns all rows after the last packet.
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
