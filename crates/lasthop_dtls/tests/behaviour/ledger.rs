use std::collections::BTreeMap;

use lasthop_contract::Direction::{Down, Up};
use lasthop_contract::{Cause, Direction, Layer, ResetReason, Transport};

use crate::world::{IDENTITY, Setting, World};

type Sums = BTreeMap<(Layer, Cause), usize>;

/// Bytes by layer and cause that an end sent.
fn sums(world: &mut World, end: Direction) -> Sums {
    let mut sums = Sums::new();
    for datagram in world.sent(end) {
        let labelled: usize = datagram.spans.iter().map(|(_, length)| length).sum();
        assert_eq!(labelled, datagram.bytes.len());
        for (provenance, length) in datagram.spans {
            *sums
                .entry((provenance.layer, provenance.cause))
                .or_default() += length;
        }
    }
    sums
}

const RECORD: usize = 13;
const MESSAGE: usize = 12;
/// An explicit nonce and a tag (RFC 6655 section 3).
const SEAL: usize = 8 + 8;
const FINISHED: usize = MESSAGE + 12;

#[test]
fn every_byte_is_known_by_what_it_was_before_it_was_sealed() {
    let mut world = Setting::new(4).world();
    let (here, there) = world.connect();
    world.send(Up, here, &[1; 100]);
    world.send(Up, here, &[1; 200]);
    world.send(Down, there, &[1; 1000]);
    let now = world.ends.now();
    world.ends.client.reset(now, here, ResetReason::NotNeeded);
    world.run(2);
    let (up, down) = (sums(&mut world, Up), sums(&mut world, Down));
    // Version, random, session, cookie, one suite, no compression; extended master secret.
    let hello = MESSAGE + 2 + 32 + 1 + 1 + 2 + 2 + 2 + 2 + 4;
    let cookie = 32;
    let key_exchange = MESSAGE + 2 + IDENTITY.len();
    let change = 1;
    let set_up = 2 * hello + key_exchange + change + FINISHED;
    assert_eq!(
        up,
        Sums::from([
            ((Layer::Dtls, Cause::SessionSetUp), set_up),
            ((Layer::Dtls, Cause::AddressValidation), cookie),
            // Two hellos, key exchange, change of the cipher; sealed: finished, two of data, the alert.
            ((Layer::Dtls, Cause::Header), 8 * RECORD + 4 * SEAL),
            ((Layer::Application, Cause::Payload), 300),
            ((Layer::Dtls, Cause::SessionTearDown), 2),
        ])
    );
    let verify = MESSAGE + 2 + 1 + cookie;
    assert_eq!(down[&(Layer::Dtls, Cause::AddressValidation)], verify);
    // Extended master secret, renegotiation info.
    let server_hello = MESSAGE + 2 + 32 + 1 + 2 + 1 + 2 + 4 + 5;
    assert_eq!(
        down[&(Layer::Dtls, Cause::SessionSetUp)],
        server_hello + MESSAGE + change + FINISHED
    );
    assert_eq!(down[&(Layer::Application, Cause::Payload)], 1000);
}

#[test]
fn what_is_sent_again_is_a_retransmission_whatever_it_is() {
    let mut without = Setting::new(4).world();
    without.connect();
    for lost in [(Up, 0), (Up, 1), (Up, 2), (Down, 1), (Down, 2)] {
        let mut world = Setting::new(4).world();
        world.ends.lost = vec![lost];
        world.open();
        world.run(30);
        for end in [Up, Down] {
            let mut sums_here = sums(&mut world, end);
            let again = sums_here.remove(&(Layer::Dtls, Cause::Retransmission));
            assert_eq!(sums_here, sums(&mut without, end), "{lost:?} {end:?}");
            if lost.0 == end {
                assert!(again.unwrap() > 0, "{lost:?} {end:?}");
            }
        }
    }
}

#[test]
fn a_resumed_handshake_is_known_as_one() {
    let mut world = Setting {
        resumes: true,
        sessions: 1,
        ..Setting::new(4)
    }
    .world();
    let (here, _) = world.connect();
    world.close(here);
    let before = [Up, Down].map(|end| sums(&mut world, end));
    world.connect();
    let after = [Up, Down].map(|end| sums(&mut world, end));
    let [up, down] = [0, 1].map(|end: usize| {
        let mut sums = after[end].clone();
        for (key, bytes) in &before[end] {
            *sums.get_mut(key).unwrap() -= bytes;
        }
        sums.retain(|_, bytes| *bytes > 0);
        sums
    });
    let id = 32;
    let cookie = 32;
    let change = 1;
    let hello = MESSAGE + 2 + 32 + 1 + id + 1 + 2 + 2 + 2 + 2 + 4;
    assert_eq!(
        up,
        Sums::from([
            (
                (Layer::Dtls, Cause::SessionResumption),
                2 * hello + change + FINISHED
            ),
            ((Layer::Dtls, Cause::AddressValidation), cookie),
            ((Layer::Dtls, Cause::Header), 4 * RECORD + SEAL),
        ])
    );
    let server_hello = MESSAGE + 2 + 32 + 1 + id + 2 + 1 + 2 + 4 + 5;
    assert_eq!(
        down,
        Sums::from([
            (
                (Layer::Dtls, Cause::SessionResumption),
                server_hello + change + FINISHED
            ),
            (
                (Layer::Dtls, Cause::AddressValidation),
                MESSAGE + 2 + 1 + cookie
            ),
            ((Layer::Dtls, Cause::Header), 4 * RECORD + SEAL),
        ])
    );
}
