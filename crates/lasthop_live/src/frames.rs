use core::net::Ipv4Addr;

use lasthop_contract::IpView;

/// The station behind a packet socket. Converts between IP packets and Ethernet frames (IEEE 802.3).
///
/// The path between two stations carries IP alone. Whoever asks for an address by ARP (RFC 826) is answered here: all that
/// is not the station lies behind the path. The station's own address is [`STATION`] until it has sent a frame.
#[derive(Debug)]
pub(crate) struct Frames {
    station: [u8; 6],
    has_spoken: bool,
    frame: Vec<u8>,
}

/// The content of a received frame.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Read<'a> {
    /// An IP packet.
    Packet(&'a [u8]),
    /// An ARP request, with the frame that answers it.
    Answer([u8; ARP_FRAME]),
    /// A frame that the path does not carry.
    Other,
}

/// The address of a station that has not spoken, and ours. Both are administered locally.
const STATION: [u8; 6] = [0x02, b'l', b'h', 0, 0, 1];
const OURS: [u8; 6] = [0x02, b'l', b'h', 0, 0, 2];

const BROADCAST: [u8; 6] = [0xff; 6];
const HEADER: usize = 14;
const ARP_FRAME: usize = HEADER + 28;

const IPV4: [u8; 2] = [0x08, 0x00];
const IPV6: [u8; 2] = [0x86, 0xdd];
const ARP: [u8; 2] = [0x08, 0x06];

/// Ethernet, IPv4, and the lengths of their addresses.
const ARP_OF_IPV4: [u8; 6] = [0, 1, 8, 0, 6, 4];
const REQUEST: [u8; 2] = [0, 1];
const REPLY: [u8; 2] = [0, 2];

impl Frames {
    pub(crate) fn new() -> Self {
        Self {
            station: STATION,
            has_spoken: false,
            frame: Vec::new(),
        }
    }

    /// Parses a frame of the station.
    pub(crate) fn read<'a>(&mut self, frame: &'a [u8]) -> Read<'a> {
        let Some((header, content)) = frame.split_first_chunk::<HEADER>() else {
            return Read::Other;
        };
        let kind = [header[12], header[13]];
        if kind != IPV4 && kind != IPV6 && kind != ARP {
            return Read::Other;
        }
        self.station.copy_from_slice(&header[6..12]);
        self.has_spoken = true;
        if kind == ARP {
            return answer(content).map_or(Read::Other, Read::Answer);
        }
        // Short frames are filled up.
        let end = IpView::read_beginning(content, content.len()).map(|view| view.payload().end);
        let end = end.unwrap_or(content.len()).min(content.len());
        Read::Packet(&content[..end])
    }

    /// Returns the frame that carries a packet to the station.
    pub(crate) fn frame_of(&mut self, packet: &[u8]) -> &[u8] {
        let (to, kind) = match packet {
            [first, ..] if first >> 4 == 6 => (group_of_ipv6(packet), IPV6),
            _ => (group_of_ipv4(packet), IPV4),
        };
        self.frame.clear();
        self.frame.extend_from_slice(&to.unwrap_or(self.station));
        self.frame.extend_from_slice(&OURS);
        self.frame.extend_from_slice(&kind);
        self.frame.extend_from_slice(packet);
        &self.frame
    }

    /// Returns the ARP request for a packet's destination, as long as the station has sent no frame.
    pub(crate) fn question_for(&self, packet: &[u8]) -> Option<[u8; ARP_FRAME]> {
        let addresses = packet.get(12..20)?;
        if self.has_spoken || packet[0] >> 4 != 4 || group_of_ipv4(packet).is_some() {
            return None;
        }
        let (source, destination) = addresses.split_at(4);
        Some(arp(BROADCAST, REQUEST, source, [0; 6], destination))
    }
}

/// The answer to a request of ARP: whatever is asked for is behind us, but what the station calls itself.
fn answer(request: &[u8]) -> Option<[u8; ARP_FRAME]> {
    let request = request.get(..28)?;
    let (sender, asker, wanted) = (&request[8..14], &request[14..18], &request[24..28]);
    let is_question = request[..6] == ARP_OF_IPV4 && request[6..8] == REQUEST;
    let is_for_itself = asker == wanted || *asker == [0; 4];
    if !is_question || is_for_itself {
        return None;
    }
    let to = sender.try_into().ok()?;
    Some(arp(to, REPLY, wanted, to, asker))
}

fn arp(
    to: [u8; 6],
    operation: [u8; 2],
    ours: &[u8],
    station: [u8; 6],
    theirs: &[u8],
) -> [u8; ARP_FRAME] {
    let mut frame = [0; ARP_FRAME];
    let parts = [
        &to[..],
        &OURS,
        &ARP,
        &ARP_OF_IPV4,
        &operation,
        &OURS,
        ours,
        &station,
        theirs,
    ];
    let mut at = 0;
    for part in parts {
        frame[at..at + part.len()].copy_from_slice(part);
        at += part.len();
    }
    frame
}

/// The address of a group or of all (RFC 1112 section 6.4).
fn group_of_ipv4(packet: &[u8]) -> Option<[u8; 6]> {
    let destination: [u8; 4] = packet.get(16..20)?.try_into().ok()?;
    let [_, b, c, d] = destination;
    let address = Ipv4Addr::from(destination);
    if address.is_broadcast() {
        return Some(BROADCAST);
    }
    address
        .is_multicast()
        .then_some([0x01, 0x00, 0x5e, b & 0x7f, c, d])
}

/// The address of a group (RFC 2464 section 7).
fn group_of_ipv6(packet: &[u8]) -> Option<[u8; 6]> {
    let destination = packet.get(24..40)?;
    let [.., a, b, c, d] = *destination else {
        return None;
    };
    (destination[0] == 0xff).then_some([0x33, 0x33, a, b, c, d])
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAC: [u8; 6] = [2, 0, 0, 0, 0, 9];

    fn ipv4(destination: [u8; 4]) -> Vec<u8> {
        let mut packet = vec![0x45, 0, 0, 21, 0, 0, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1];
        packet.extend_from_slice(&destination);
        packet.push(b'!');
        packet
    }

    fn frame(kind: [u8; 2], content: &[u8]) -> Vec<u8> {
        [&OURS[..], &MAC, &kind, content].concat()
    }

    #[test]
    fn what_fills_up_a_short_frame_is_no_part_of_the_packet() {
        let packet = ipv4([10, 0, 0, 2]);
        let mut filled = frame(IPV4, &packet);
        filled.resize(60, 0);
        assert_eq!(Frames::new().read(&filled), Read::Packet(&packet));
    }

    #[test]
    fn packets_go_to_whoever_spoke_and_to_groups() {
        let mut frames = Frames::new();
        assert_eq!(frames.frame_of(&ipv4([10, 0, 0, 9]))[..6], STATION);
        frames.read(&frame(IPV4, &ipv4([10, 0, 0, 2])));
        for (destination, to) in [
            ([10, 0, 0, 9], MAC),
            ([239, 255, 0, 1], [0x01, 0x00, 0x5e, 0x7f, 0, 1]),
            ([255; 4], BROADCAST),
        ] {
            let packet = ipv4(destination);
            let carried = frames.frame_of(&packet);
            assert_eq!((&carried[..6], &carried[12..14]), (&to[..], &IPV4[..]));
            assert_eq!(carried[HEADER..], packet);
        }
        let mut of_all = [0; 40];
        (of_all[0], of_all[24], of_all[39]) = (0x60, 0xff, 1);
        assert_eq!(frames.frame_of(&of_all)[..6], [0x33, 0x33, 0, 0, 0, 1]);
        assert_eq!(frames.frame_of(&of_all)[12..14], IPV6);
    }

    #[test]
    fn questions_are_answered_and_asked_until_the_station_has_spoken() {
        let mut frames = Frames::new();
        let packet = ipv4([10, 0, 0, 9]);
        let question = frames.question_for(&packet).unwrap();
        assert_eq!(question[..6], BROADCAST);
        assert_eq!(question[28..32], [10, 0, 0, 1]);
        assert_eq!(question[38..], [10, 0, 0, 9]);
        // As the station would ask: the roles are exchanged.
        let asked = arp(BROADCAST, REQUEST, &[10, 0, 0, 9], [0; 6], &[10, 0, 0, 1]);
        let mut asked = asked;
        asked[6..12].copy_from_slice(&MAC);
        asked[22..28].copy_from_slice(&MAC);
        let Read::Answer(answer) = frames.read(&asked) else {
            panic!("it is a question");
        };
        assert_eq!((&answer[..6], &answer[6..12]), (&MAC[..], &OURS[..]));
        assert_eq!(answer[20..22], REPLY);
        assert_eq!(
            (&answer[28..32], &answer[38..]),
            (&[10, 0, 0, 1][..], &[10, 0, 0, 9][..])
        );
        assert_eq!(frames.question_for(&packet), None);
    }

    #[test]
    fn whoever_looks_whether_its_address_is_free_is_left_alone() {
        for asker in [[0; 4], [10, 0, 0, 9]] {
            let asked = arp(BROADCAST, REQUEST, &asker, [0; 6], &[10, 0, 0, 9]);
            assert_eq!(Frames::new().read(&asked), Read::Other);
        }
    }

    #[test]
    fn nothing_of_another_protocol_or_cut_short_passes() {
        let mut frames = Frames::new();
        for other in [
            &[][..],
            &[0; 13],
            &frame([0x88, 0xcc], b"lldp"),
            &frame(ARP, &[0; 27]),
        ] {
            assert_eq!(frames.read(other), Read::Other);
        }
        assert_eq!(frames.read(&frame(IPV4, &[])), Read::Packet(&[]));
        assert!(frames.question_for(&[0x45]).is_none());
    }
}
