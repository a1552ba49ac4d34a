use lasthop_contract::{Cause, FlowId, LookupMap, Packet};

/// Counts the messages in packets of one direction. A message is counted once, with the first packet that carries bytes
/// of it.
#[derive(Default)]
pub(crate) struct MessageCount {
    /// The number of the message of each flow that was counted last.
    counted: LookupMap<FlowId, u32>,
}

impl MessageCount {
    /// Returns the number of messages that begin in a received packet.
    pub(crate) fn of_coming(&mut self, packet: &Packet) -> u64 {
        // The first copy may have been lost.
        self.count(packet, |cause| {
            matches!(
                cause,
                Cause::Header | Cause::Payload | Cause::Retransmission
            )
        })
    }

    /// Returns the number of messages that begin in a packet to send. Retransmissions do not count.
    pub(crate) fn of_leaving(&mut self, packet: &Packet) -> u64 {
        self.count(packet, |cause| {
            matches!(cause, Cause::Header | Cause::Payload)
        })
    }

    fn count(&mut self, packet: &Packet, carries: impl Fn(Cause) -> bool) -> u64 {
        let spans = packet.spans().iter().map(|span| span.provenance);
        let messages = spans
            .filter(|it| carries(it.cause))
            .filter_map(|it| it.message);
        let mut count = 0;
        for id in messages {
            let number = id.number.get();
            if self.counted.insert(id.flow, number) != Some(number) {
                count += 1;
            }
        }
        count
    }
}
