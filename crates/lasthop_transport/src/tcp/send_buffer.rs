use std::collections::VecDeque;

use lasthop_contract::{Cause, Chunk, Layer, Packet, Provenance};

use super::sequence::Seq;

/// Bytes that were written and are not acknowledged yet, with where they come from. Empty, it holds no memory.
#[derive(Debug)]
pub(crate) struct SendBuffer {
    /// The number of the first byte.
    start: Seq,
    content: Option<Box<Content>>,
}

#[derive(Debug, Default)]
struct Content {
    bytes: VecDeque<u8>,
    /// Where the bytes come from, up to a number each.
    runs: VecDeque<(Seq, Provenance)>,
}

impl SendBuffer {
    pub(crate) fn new(start: Seq) -> Self {
        Self {
            start,
            content: None,
        }
    }

    /// How many bytes there are.
    pub(crate) fn len(&self) -> u32 {
        self.content
            .as_ref()
            .map_or(0, |content| content.bytes.len() as u32)
    }

    /// The number after the last byte.
    pub(crate) fn end(&self) -> Seq {
        self.start + self.len()
    }

    /// Adds the beginning of a chunk.
    pub(crate) fn push(&mut self, chunk: Chunk<'_>, length: usize) {
        if length == 0 {
            return;
        }
        let end = self.end() + length as u32;
        let content = self.content.get_or_insert_default();
        content.bytes.extend(&chunk.bytes[..length]);
        match content.runs.back_mut() {
            Some((last, provenance)) if *provenance == chunk.provenance => *last = end,
            _ => content.runs.push_back((end, chunk.provenance)),
        }
    }

    /// Lets go of everything before a number.
    pub(crate) fn release(&mut self, up_to: Seq) {
        let Some(content) = &mut self.content else {
            return;
        };
        if !up_to.is_after(self.start) {
            return;
        }
        let count = (up_to - self.start).min(content.bytes.len() as u32);
        self.start += count;
        if count as usize == content.bytes.len() {
            self.content = None;
            return;
        }
        content.bytes.drain(..count as usize);
        let start = self.start;
        while content
            .runs
            .front()
            .is_some_and(|(end, _)| !end.is_after(start))
        {
            content.runs.pop_front();
        }
    }

    /// Appends the bytes from one number to another to a packet. Sent again, they are a retransmission of ours.
    pub(crate) fn copy(&self, from: Seq, to: Seq, again: bool, packet: &mut Packet) {
        let Some(content) = &self.content else {
            return;
        };
        let start = self.start;
        let mut run = content.runs.partition_point(|(end, _)| !end.is_after(from));
        let mut at = from;
        while at.is_before(to) {
            let Some((end, provenance)) = content.runs.get(run) else {
                return;
            };
            let end = end.earlier(to);
            let provenance = if again {
                Provenance {
                    layer: Layer::Tcp,
                    cause: Cause::Retransmission,
                    message: provenance.message,
                }
            } else {
                *provenance
            };
            let place = (at - start) as usize..(end - start) as usize;
            let (front, back) = content.bytes.as_slices();
            let split = front.len();
            if place.start < split {
                packet.append(&front[place.start..place.end.min(split)], provenance);
            }
            if place.end > split {
                let place = place.start.saturating_sub(split)..place.end - split;
                packet.append(&back[place], provenance);
            }
            at = end;
            run += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use core::num::NonZeroU32;

    use lasthop_contract::{FlowId, MessageId, RandomStream};

    use super::*;

    #[test]
    fn gives_any_range_with_the_provenance_of_each_byte() {
        let provenance = |number: u32| {
            let number = NonZeroU32::new(number + 1).unwrap();
            let id = MessageId {
                flow: FlowId(0),
                number,
            };
            Provenance::of_message(Cause::Payload, id)
        };
        let mut buffer = SendBuffer::new(Seq(u32::MAX - 500));
        let mut model: VecDeque<(u8, Provenance)> = VecDeque::new();
        let mut random = RandomStream::named(1, "send buffer");
        for step in 0..5000_u32 {
            if model.len() < 3000 && random.below(3) > 0 {
                let bytes: Vec<u8> = (0..random.below(60)).map(|i| i as u8).collect();
                let provenance = provenance(step / 3);
                buffer.push(
                    Chunk {
                        bytes: &bytes,
                        provenance,
                    },
                    bytes.len(),
                );
                model.extend(bytes.iter().map(|byte| (*byte, provenance)));
            } else {
                let count = random.below(model.len() as u64 + 1) as u32;
                buffer.release(buffer.start + count);
                model.drain(..count as usize);
            }
            assert_eq!(buffer.len() as usize, model.len());
            assert_eq!(buffer.content.is_none(), model.is_empty());
            let from = random.below(model.len() as u64 + 1) as usize;
            let to = from + random.below((model.len() - from) as u64 + 1) as usize;
            let mut packet = Packet::new();
            let start = buffer.start;
            buffer.copy(start + from as u32, start + to as u32, false, &mut packet);
            let spans = packet.spans().iter();
            let origins = spans.flat_map(|s| vec![s.provenance; usize::from(s.length)]);
            let copied: Vec<_> = packet.bytes().iter().copied().zip(origins).collect();
            assert!(model.range(from..to).eq(&copied));
        }
    }
}
