use lasthop_contract::{ConnectionId, LookupMap, RandomStream};

use crate::codec::{Content, option_number};

/// Which peers have shown that they receive what is sent to their address (RFC 9175 section 2.3).
///
/// A stranger may have written another's address into its datagrams, to have that one flooded with answers.
#[derive(Debug)]
pub(super) struct Proofs {
    by_peer: LookupMap<ConnectionId, Proof>,
    stream: RandomStream,
}

#[derive(Clone, Copy, Debug)]
enum Proof {
    /// It was told this, and has not told it back.
    Awaited([u8; 8]),
    Given,
}

/// How many times as many bytes as it sent a stranger is answered (RFC 9175 section 2.6).
pub(super) const MAX_FACTOR: usize = 3;

impl Proofs {
    pub(super) const fn new(stream: RandomStream) -> Self {
        Self {
            by_peer: LookupMap::new(),
            stream,
        }
    }

    /// Takes what a request proves; whether its sender is no stranger.
    pub(super) fn take(&mut self, peer: ConnectionId, content: &Content, datagram: &[u8]) -> bool {
        let told = content.option(datagram, option_number::ECHO);
        match self.by_peer.get_mut(&peer) {
            Some(Proof::Given) => true,
            Some(proof @ Proof::Awaited(_)) => {
                let is_given = matches!(proof, Proof::Awaited(echo) if told == Some(&echo[..]));
                if is_given {
                    *proof = Proof::Given;
                }
                is_given
            }
            None => false,
        }
    }

    /// What a stranger is to tell back.
    pub(super) fn challenge(&mut self, peer: ConnectionId) -> [u8; 8] {
        let stream = &mut self.stream;
        let proof = self
            .by_peer
            .get_or_insert_with(peer, || Proof::Awaited(stream.next_u64().to_be_bytes()));
        match proof {
            Proof::Awaited(echo) => *echo,
            Proof::Given => [0; 8],
        }
    }

    pub(super) fn forget(&mut self, peer: ConnectionId) {
        self.by_peer.remove(&peer);
    }
}
