use lasthop_contract::{Cause, FlowId, LookupMap, Packet};

/// Counts the messages in packets of one direction, each once: with the first packet that has bytes of it.
#[derive(Default)]
pub(crate) struct MessageCount {
    /// The number of the message of each flow that was counted last.
    counted: LookupMap<FlowId, u32>,
}

impl MessageCount {
    /// How many messages begin in a packet that has come.
    pub(crate) fn of_coming(&mut self, packet: &Packet) -> u64 {
        // The first copy may have been lost.
        self.count(packet, |cause| {
            matches!(
                cause,
                Cause::Header | Cause::Payload | Cause::Retransmission
            )
        })
    }

    /// How many messages begin in a packet that leaves; what is sent again does not.
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
