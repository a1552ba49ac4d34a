mod headers;

use smallvec::SmallVec;

use self::headers::Headers;

/// A compressor for robust header compression (ROHC) on a data bearer (TS 36.323 section 5.5).
///
/// It computes the size of compressed headers. The packet itself is not changed.
///
/// Profiles 0x0002 for UDP (RFC 3095) and 0x0006 for TCP (RFC 6846), unidirectional mode: the first packets of a flow
/// establish its context, and so does every SYN; RLC loses nothing and keeps the order, so that no context is ever
/// refreshed or repaired.
#[derive(Clone, Debug, Default)]
pub struct HeaderCompression {
    contexts: SmallVec<[Context; 1]>,
    /// The context to give up for the next new flow, once all are taken.
    oldest: u8,
}

#[derive(Clone, Copy, Debug)]
struct Context {
    /// Addresses, ports and protocol.
    flow: u64,
    /// Packets that told the whole header.
    initialisations: u8,
}

/// How often a context is told in full, the optimistic approach of RFC 3095 4.1.2.
const INITIALISATIONS: u8 = 3;

/// Contexts with small identifiers, 0 to 15 (RFC 3095 5.1.3).
const CONTEXTS: usize = 16;

impl HeaderCompression {
    /// Creates a compressor without a context.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the size of this packet with compressed headers.
    ///
    /// Packets without a profile keep their size: fragments, extension headers, other protocols and unreadable packets.
    pub fn compressed_bytes(&mut self, packet: &[u8]) -> usize {
        let Some(headers) = Headers::read(packet) else {
            return packet.len();
        };
        let place = self.place_of(headers.flow);
        let context = &mut self.contexts[place];
        let compressed = if headers.opens || context.initialisations < INITIALISATIONS {
            context.initialisations = context.initialisations.saturating_add(1);
            headers.initialisation_bytes
        } else {
            headers.compressed_bytes
        };
        // Context 0 needs no identifier (RFC 3095 5.2.1).
        let identifier = usize::from(place > 0);
        packet.len() - headers.original_bytes + compressed + identifier
    }

    fn place_of(&mut self, flow: u64) -> usize {
        let known = self
            .contexts
            .iter()
            .position(|context| context.flow == flow);
        if let Some(place) = known {
            return place;
        }
        let fresh = Context {
            flow,
            initialisations: 0,
        };
        if self.contexts.len() < CONTEXTS {
            self.contexts.push(fresh);
            return self.contexts.len() - 1;
        }
        let place = usize::from(self.oldest);
        self.oldest = (self.oldest + 1) % CONTEXTS as u8;
        self.contexts[place] = fresh;
        place
    }
}
