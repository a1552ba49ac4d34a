//! Segments as text, both ways, by code that shares nothing with the machine under test.

use core::fmt;

use lasthop_contract::{Cause, Layer, Packet, Provenance};

pub(super) const US: &str = "10.0.0.1";
pub(super) const PEER: &str = "192.0.2.1";
pub(super) const US_PORT: u16 = 1883;
pub(super) const PEER_PORT: u16 = 1883;

/// The peer's first number: so that the stream soon wraps.
const PEER_BASE: u32 = u32::MAX - 2000;
/// The peer's port when it opens, and its first time stamp.
const PEER_CLIENT_PORT: u16 = 40_000;
const PEER_CLOCK: u32 = 0xffff_ff00 - 1000;

/// What the numbers of a script are relative to.
#[derive(Debug, Default)]
pub(super) struct Bases {
    ours: u32,
    clock: u32,
    our_port: Option<u16>,
}

/// A segment.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Line {
    flags: u8,
    seq: u32,
    length: u32,
    ack: u32,
    window: u16,
    mss: Option<u16>,
    sack_ok: bool,
    stamps: Option<(u32, u32)>,
    scale: Option<u8>,
    sack: Vec<(u32, u32)>,
    cookie: Option<Vec<u8>>,
}

const FLAGS: [(u8, char); 5] = [(2, 'S'), (1, 'F'), (4, 'R'), (8, 'P'), (16, '.')];

impl Line {
    pub(super) fn parse(text: &str) -> Self {
        let (text, options) = text.split_once('<').unwrap_or((text, ""));
        let mut words = text.split_whitespace();
        let mut line = Self::default();
        for letter in words.next().unwrap().chars() {
            let flag = FLAGS.iter().find(|(_, name)| *name == letter);
            line.flags |= flag.expect("a flag").0;
        }
        let range = words.next().unwrap();
        let (seq, rest) = range.split_once(':').unwrap();
        line.seq = seq.parse().unwrap();
        let (_, length) = rest.split_once('(').unwrap();
        line.length = length.trim_end_matches(')').parse().unwrap();
        while let (Some(name), Some(value)) = (words.next(), words.next()) {
            match name {
                "ack" => line.ack = value.parse().unwrap(),
                "win" => line.window = value.parse().unwrap(),
                _ => panic!("no such field: {name}"),
            }
        }
        for option in options
            .trim_end_matches('>')
            .split(',')
            .filter(|o| !o.is_empty())
        {
            line.take(option);
        }
        line
    }

    fn take(&mut self, option: &str) {
        let words: Vec<&str> = option.split_whitespace().collect();
        match words[..] {
            ["mss", size] => self.mss = size.parse().ok(),
            ["sackOK"] => self.sack_ok = true,
            ["TS", value, echo] => {
                self.stamps = Some((value.parse().unwrap(), echo.parse().unwrap()));
            }
            ["wscale", shift] => self.scale = shift.parse().ok(),
            ["sack", ref blocks @ ..] => {
                let edges = |block: &&str| {
                    let (start, end) = block.split_once(':').unwrap();
                    (start.parse().unwrap(), end.parse().unwrap())
                };
                self.sack = blocks.iter().map(edges).collect();
            }
            ["FO"] => self.cookie = Some(Vec::new()),
            ["FO", cookie] => {
                let byte = |at: usize| u8::from_str_radix(&cookie[at..at + 2], 16).unwrap();
                self.cookie = Some((0..cookie.len()).step_by(2).map(byte).collect());
            }
            _ => panic!("no such option: {option}"),
        }
    }

    /// The packet from the peer.
    pub(super) fn packet(&self, bases: &Bases) -> Packet {
        let mut options = Vec::new();
        if let Some(size) = self.mss {
            options.extend([2, 4]);
            options.extend(size.to_be_bytes());
        }
        if self.sack_ok {
            options.extend([4, 2]);
        }
        if let Some((value, echo)) = self.stamps {
            options.extend([8, 10]);
            options.extend(PEER_CLOCK.wrapping_add(value).to_be_bytes());
            options.extend(bases.clock.wrapping_add(echo).to_be_bytes());
        }
        if let Some(shift) = self.scale {
            options.extend([3, 3, shift]);
        }
        if let Some(cookie) = &self.cookie {
            options.extend([34, 2 + cookie.len() as u8]);
            options.extend(cookie);
        }
        if !self.sack.is_empty() {
            options.extend([5, 2 + 8 * self.sack.len() as u8]);
            for (start, end) in &self.sack {
                options.extend(bases.ours.wrapping_add(*start).to_be_bytes());
                options.extend(bases.ours.wrapping_add(*end).to_be_bytes());
            }
        }
        options.resize(options.len().next_multiple_of(4), 1);
        let header = 20 + options.len();
        let mut bytes = vec![0; 20 + header];
        let (source, destination) = match bases.our_port {
            Some(port) => (PEER_PORT, port),
            None => (PEER_CLIENT_PORT, US_PORT),
        };
        let tcp = &mut bytes[20..];
        tcp[..2].copy_from_slice(&source.to_be_bytes());
        tcp[2..4].copy_from_slice(&destination.to_be_bytes());
        tcp[4..8].copy_from_slice(&PEER_BASE.wrapping_add(self.seq).to_be_bytes());
        if self.flags & 16 != 0 {
            tcp[8..12].copy_from_slice(&bases.ours.wrapping_add(self.ack).to_be_bytes());
        }
        tcp[12] = (header / 4) as u8 * 16;
        tcp[13] = self.flags;
        tcp[14..16].copy_from_slice(&self.window.to_be_bytes());
        tcp[20..].copy_from_slice(&options);
        bytes.resize(bytes.len() + self.length as usize, b'y');
        let total = (bytes.len() as u16).to_be_bytes();
        bytes[..12].copy_from_slice(&[0x45, 0, total[0], total[1], 0, 0, 0x40, 0, 64, 6, 0, 0]);
        let address = |text: &str| text.parse::<core::net::Ipv4Addr>().unwrap().octets();
        bytes[12..16].copy_from_slice(&address(PEER));
        bytes[16..20].copy_from_slice(&address(US));
        let sum = checksum(&[&bytes[..20]]);
        bytes[10..12].copy_from_slice(&sum.to_be_bytes());
        let length = ((bytes.len() - 20) as u16).to_be_bytes();
        let pseudo = [0, 6, length[0], length[1]];
        let sum = checksum(&[&bytes[12..20], &pseudo, &bytes[20..]]);
        bytes[36..38].copy_from_slice(&sum.to_be_bytes());
        Packet::of(&bytes, Provenance::new(Layer::Application, Cause::Payload))
    }

    pub(super) fn length(&self) -> u32 {
        self.length
    }

    /// What our packet says; our first one sets what numbers are relative to.
    pub(super) fn read(packet: &Packet, bases: &mut Bases) -> Self {
        let bytes = packet.bytes();
        let pseudo = [0, 6, 0, (bytes.len() - 20) as u8];
        let pseudo = [
            pseudo[0],
            pseudo[1],
            ((bytes.len() - 20) >> 8) as u8,
            pseudo[3],
        ];
        assert_eq!(checksum(&[&bytes[..20]]), 0);
        assert_eq!(checksum(&[&bytes[12..20], &pseudo, &bytes[20..]]), 0);
        let tcp = &bytes[20..];
        let word = |at: usize| u32::from_be_bytes([tcp[at], tcp[at + 1], tcp[at + 2], tcp[at + 3]]);
        let header = usize::from(tcp[12] >> 4) * 4;
        let is_syn = tcp[13] & 2 != 0;
        let mut line = Self {
            flags: tcp[13],
            length: (tcp.len() - header) as u32,
            window: u16::from_be_bytes([tcp[14], tcp[15]]),
            ..Self::default()
        };
        let mut options = &tcp[20..header];
        let mut clock = None;
        while let [kind, rest @ ..] = options {
            if *kind == 1 {
                options = rest;
                continue;
            }
            let body = &options[2..usize::from(rest[0])];
            let number = |at: usize| {
                u32::from_be_bytes([body[at], body[at + 1], body[at + 2], body[at + 3]])
            };
            match kind {
                2 => line.mss = Some(u16::from_be_bytes([body[0], body[1]])),
                3 => line.scale = Some(body[0]),
                4 => line.sack_ok = true,
                5 => {
                    let edge = |at: usize| number(at).wrapping_sub(PEER_BASE);
                    line.sack = (0..body.len() / 8)
                        .map(|n| (edge(8 * n), edge(8 * n + 4)))
                        .collect();
                }
                8 => {
                    clock = Some(number(0));
                    line.stamps = Some((number(0), number(4)));
                }
                34 => line.cookie = Some(body.to_vec()),
                _ => panic!("an option that we never send: {kind}"),
            }
            options = &options[usize::from(rest[0])..];
        }
        if is_syn {
            // Not by a SYN that leaves again.
            if bases.clock == 0 || bases.ours != word(4) {
                bases.clock = clock.unwrap_or(0);
            }
            bases.ours = word(4);
            if tcp[13] & 16 == 0 {
                bases.our_port = Some(u16::from_be_bytes([tcp[0], tcp[1]]));
            }
        }
        line.seq = word(4).wrapping_sub(bases.ours);
        if tcp[13] & 16 != 0 {
            line.ack = word(8).wrapping_sub(PEER_BASE);
        }
        if let Some((value, echo)) = &mut line.stamps {
            *value = value.wrapping_sub(bases.clock);
            *echo = if *echo == 0 {
                0
            } else {
                echo.wrapping_sub(PEER_CLOCK)
            };
        }
        line
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (flag, name) in FLAGS {
            if self.flags & flag != 0 {
                write!(f, "{name}")?;
            }
        }
        write!(
            f,
            " {}:{}({})",
            self.seq,
            self.seq.wrapping_add(self.length),
            self.length
        )?;
        if self.flags & 16 != 0 {
            write!(f, " ack {}", self.ack)?;
        }
        write!(f, " win {}", self.window)?;
        let mut options = Vec::new();
        options.extend(self.mss.map(|size| format!("mss {size}")));
        options.extend(self.sack_ok.then(|| "sackOK".to_owned()));
        options.extend(
            self.stamps
                .map(|(value, echo)| format!("TS {value} {echo}")),
        );
        options.extend(self.scale.map(|shift| format!("wscale {shift}")));
        options.extend(self.cookie.as_ref().map(|cookie| match cookie.len() {
            0 => "FO".to_owned(),
            _ => format!("FO {}", cookie.iter().map(|b| format!("{b:02x}")).collect::<String>()),
        }));
        if !self.sack.is_empty() {
            let blocks = self
                .sack
                .iter()
                .map(|(start, end)| format!(" {start}:{end}"));
            options.push(format!("sack{}", blocks.collect::<String>()));
        }
        if options.is_empty() {
            return Ok(());
        }
        write!(f, " <{}>", options.join(","))
    }
}

/// Sets the checksums right after a change.
pub(super) fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let total = (bytes.len() as u16).to_be_bytes();
    bytes[2..4].copy_from_slice(&total);
    bytes[10..12].fill(0);
    let sum = checksum(&[&bytes[..20]]);
    bytes[10..12].copy_from_slice(&sum.to_be_bytes());
    if bytes.len() >= 38 {
        bytes[36..38].fill(0);
        let length = ((bytes.len() - 20) as u16).to_be_bytes();
        let pseudo = [0, 6, length[0], length[1]];
        let sum = checksum(&[&bytes[12..20], &pseudo, &bytes[20..]]);
        bytes[36..38].copy_from_slice(&sum.to_be_bytes());
    }
    bytes
}

pub(super) fn checksum(parts: &[&[u8]]) -> u16 {
    let bytes = parts.concat();
    let words = bytes
        .chunks(2)
        .map(|pair| u32::from(pair[0]) << 8 | u32::from(*pair.get(1).unwrap_or(&0)));
    let mut sum: u32 = words.sum();
    while sum >> 16 != 0 {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}
