//! The purpose of handshake bytes, from the messages that an end writes (RFC 8446 section 4).

use core::ops::Range;

use lasthop_contract::Cause;

use crate::extensions::{Extensions, Hello};

// Of messages.
const CLIENT_HELLO: u8 = 1;
const SERVER_HELLO: u8 = 2;
const END_OF_EARLY_DATA: u8 = 5;
const ENCRYPTED_EXTENSIONS: u8 = 8;
const CERTIFICATE: u8 = 11;

const HEADER_LENGTH: usize = 4;

/// The handshake messages that an end has written, as far as they show the kind of session.
#[derive(Clone, Debug, Default)]
pub struct WrittenHandshake {
    /// The earlier session that was asked for, or agreed to.
    is_resumption: bool,
    /// Data goes with the first flight, or is taken there.
    has_early_data: bool,
    has_ended_early_data: bool,
}

/// The purpose of consecutive handshake bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A Certificate message (RFC 8446 section 4.4.2).
    Certificate,
    /// The key share of ML-KEM.
    PostQuantumShare,
    /// Any other handshake bytes.
    Other,
}

impl WrittenHandshake {
    /// Reads whole handshake messages and returns the purpose of all bytes.
    pub fn read(&mut self, mut flight: &[u8]) -> Vec<(Part, usize)> {
        let mut parts = Vec::new();
        while let Some(&[kind, high, middle, low]) = flight.first_chunk::<HEADER_LENGTH>() {
            let length = HEADER_LENGTH + u32::from_be_bytes([0, high, middle, low]) as usize;
            let (message, after) = flight.split_at(length.min(flight.len()));
            flight = after;
            let share = self.note(kind, &message[HEADER_LENGTH..]);
            if kind == CERTIFICATE {
                parts.push((Part::Certificate, message.len()));
                continue;
            }
            let (start, end) = (HEADER_LENGTH + share.start, HEADER_LENGTH + share.end);
            if share.is_empty() {
                parts.push((Part::Other, message.len()));
            } else {
                parts.push((Part::Other, start));
                parts.push((Part::PostQuantumShare, end - start));
                parts.push((Part::Other, message.len() - end));
            }
        }
        if !flight.is_empty() {
            parts.push((Part::Other, flight.len()));
        }
        parts
    }

    /// Returns the cause of handshake bytes. `is_resumed` says whether the session was resumed, once known.
    #[must_use]
    pub fn cause_of(&self, part: Part, is_resumed: Option<bool>) -> Cause {
        match part {
            Part::Certificate => Cause::Certificates,
            Part::PostQuantumShare => Cause::PostQuantumShare,
            Part::Other if !is_resumed.unwrap_or(self.is_resumption) => Cause::SessionSetUp,
            Part::Other if self.has_early_data => Cause::SessionResumptionEarly,
            Part::Other => Cause::SessionResumption,
        }
    }

    /// Whether the end of early data was written, as a client does whose early data is taken (RFC 8446 section 4.5).
    pub(crate) fn has_ended_early_data(&self) -> bool {
        self.has_ended_early_data
    }

    /// Reads the body of a message; where in it a share of ML-KEM stands.
    fn note(&mut self, kind: u8, body: &[u8]) -> Range<usize> {
        match kind {
            CLIENT_HELLO | SERVER_HELLO => {
                let is_of_client = kind == CLIENT_HELLO;
                let Some(hello) = Hello::read(body, is_of_client) else {
                    return 0..0;
                };
                self.is_resumption |= hello.is_resumption(is_of_client);
                self.has_early_data |= hello.extensions.have_early_data();
                hello.extensions.share_of_ml_kem(is_of_client)
            }
            ENCRYPTED_EXTENSIONS => {
                self.has_early_data |= Extensions::read(body, 0).have_early_data();
                0..0
            }
            END_OF_EARLY_DATA => {
                self.has_ended_early_data = true;
                0..0
            }
            _ => 0..0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ClientHello with these extensions, each with its body.
    fn client_hello(session: &[u8], extensions: &[(u16, Vec<u8>)]) -> Vec<u8> {
        let mut body = [&[3, 3][..], &[7; 32], &[session.len() as u8], session].concat();
        body.extend([0, 2, 0x13, 0x01, 1, 0]);
        message(CLIENT_HELLO, body, extensions)
    }

    fn server_hello(extensions: &[(u16, Vec<u8>)]) -> Vec<u8> {
        let body = [&[3, 3][..], &[7; 32], &[0, 0x13, 0x01, 0]].concat();
        message(SERVER_HELLO, body, extensions)
    }

    fn message(kind: u8, mut body: Vec<u8>, extensions: &[(u16, Vec<u8>)]) -> Vec<u8> {
        let all: Vec<u8> = extensions
            .iter()
            .flat_map(|(kind, body)| [&kind.to_be_bytes()[..], &two(body)].concat())
            .collect();
        body.extend(two(&all));
        [&[kind, 0], &two(&body)[..]].concat()
    }

    /// Bytes behind their number.
    fn two(bytes: &[u8]) -> Vec<u8> {
        [&(bytes.len() as u16).to_be_bytes()[..], bytes].concat()
    }

    fn tls13() -> (u16, Vec<u8>) {
        (43, vec![2, 3, 4])
    }

    fn causes(flight: &[u8], is_resumed: Option<bool>) -> Vec<(Cause, usize)> {
        let mut written = WrittenHandshake::default();
        let parts = written.read(flight);
        assert_eq!(parts.iter().map(|it| it.1).sum::<usize>(), flight.len());
        let cause = |(part, length)| (written.cause_of(part, is_resumed), length);
        parts.into_iter().map(cause).collect()
    }

    #[test]
    fn a_hello_that_asks_for_an_earlier_session_says_so_by_its_extension_or_its_session_id() {
        let (early, old) = ((42, vec![]), (41, vec![0; 40]));
        for (hello, expected) in [
            (client_hello(&[1; 32], &[tls13()]), Cause::SessionSetUp),
            (
                client_hello(&[1; 32], &[tls13(), old.clone()]),
                Cause::SessionResumption,
            ),
            (
                client_hello(&[], &[early, tls13(), old.clone()]),
                Cause::SessionResumptionEarly,
            ),
            // TLS 1.2
            (client_hello(&[], &[]), Cause::SessionSetUp),
            (client_hello(&[1; 32], &[]), Cause::SessionResumption),
            (
                client_hello(&[1; 32], &[(43, vec![2, 3, 3])]),
                Cause::SessionResumption,
            ),
            (server_hello(&[tls13()]), Cause::SessionSetUp),
            (server_hello(&[tls13(), old]), Cause::SessionResumption),
        ] {
            assert_eq!(causes(&hello, None), [(expected, hello.len())]);
            // What became of it counts.
            assert_eq!(
                causes(&hello, Some(false)),
                [(Cause::SessionSetUp, hello.len())]
            );
        }
    }

    #[test]
    fn a_share_of_ml_kem_is_found_before_or_behind_that_of_its_curve() {
        for (group, share, ours) in [(0x11ecu16, 1216, 1184), (0x11eb, 65 + 1184, 1184)] {
            let of_curve = [&29u16.to_be_bytes()[..], &two(&[9; 32])].concat();
            let hybrid = [&group.to_be_bytes()[..], &two(&vec![8; share])].concat();
            let shares = two(&[of_curve, hybrid].concat());
            let hello = client_hello(&[], &[tls13(), (51, shares), (0, vec![0; 9])]);
            let found = causes(&hello, None);
            assert_eq!(found[1], (Cause::PostQuantumShare, ours));
            let is_behind = group == 0x11eb;
            // Two numbers, the curve alone and the group stand before it.
            let of_extension = hello.len() - (4 + 9) - share;
            assert_eq!(found[0].1, of_extension + if is_behind { 65 } else { 0 });
        }
        let answer = [&0x11ecu16.to_be_bytes()[..], &two(&[8; 1088 + 32])].concat();
        let hello = server_hello(&[(51, answer), tls13()]);
        assert_eq!(causes(&hello, None)[1], (Cause::PostQuantumShare, 1088));
        // The group alone, as when another hello is asked for.
        let again = server_hello(&[(51, 0x11ecu16.to_be_bytes().to_vec()), tls13()]);
        assert_eq!(causes(&again, None), [(Cause::SessionSetUp, again.len())]);
    }

    #[test]
    fn whatever_is_cut_or_changed_is_told_from_the_first_byte_to_the_last() {
        let shares = two(&[&0x11ecu16.to_be_bytes()[..], &two(&[8; 1216])].concat());
        let hello = client_hello(&[1; 32], &[tls13(), (51, shares), (41, vec![0; 40])]);
        for end in 0..hello.len() {
            causes(&hello[..end], None);
        }
        for at in 0..hello.len() {
            let mut changed = hello.clone();
            changed[at] ^= 0xff;
            causes(&changed, None);
        }
    }
}
