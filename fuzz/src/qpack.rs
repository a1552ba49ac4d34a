use std::collections::{BTreeSet, VecDeque};

use lasthop_http::qpack::{Decoded, Decoder, Encoder, Field};

use crate::script::Script;

/// QPACK with two honest ends whose bytes are late and cut anywhere, and ends to which any bytes come.
///
/// The first bytes say how large a table the encoder wants, how large a one the decoder has room for, and how many streams
/// may wait. A step is a byte for the operation and what that takes. Each field section is read as it was written, once
/// what it needs has come, and no more streams wait than may. What is left of the script comes to an encoder and a decoder
/// that are alone.
pub fn qpack(data: &[u8]) {
    let mut script = Script::new(data);
    let mut ends = Ends::new(&mut script);
    for _ in 0..script.byte() {
        ends.step(&mut script);
    }
    ends.end();
    hostile(&mut script);
}

struct Ends {
    encoder: Encoder,
    decoder: Decoder,
    most_blocked: usize,
    /// What the encoder has said and the decoder has not heard.
    instructions: VecDeque<u8>,
    /// The sections that were not read.
    sections: Vec<Section>,
}

struct Section {
    stream: u64,
    bytes: Vec<u8>,
    fields: Vec<Field>,
}

/// More than a section of a script takes.
const MOST_SECTION: usize = 1 << 20;
const STREAMS: u8 = 8;
const NAMES: [&[u8]; 4] = [b"authorization", b":path", b"content-length", b"x"];

impl Ends {
    fn new(script: &mut Script<'_>) -> Self {
        let (wanted, room) = (script.word().into(), script.word().into());
        let most_blocked = usize::from(script.byte() % 4);
        let mut encoder = Encoder::new(wanted);
        encoder.allow(room, most_blocked);
        Self {
            encoder,
            decoder: Decoder::new(room, MOST_SECTION),
            most_blocked,
            instructions: VecDeque::new(),
            sections: Vec::new(),
        }
    }

    fn step(&mut self, script: &mut Script<'_>) {
        match script.byte() % 4 {
            0 => self.write(script),
            1 => self.hear(script.byte().into()),
            2 => {
                self.read(script.byte().into());
            }
            _ => self.tell(),
        }
    }

    /// The encoder writes a section.
    fn write(&mut self, script: &mut Script<'_>) {
        let stream = u64::from(script.byte() % STREAMS) * 4;
        let mut fields = Vec::new();
        for _ in 0..1 + script.byte() % 4 {
            let kind = script.byte();
            let value = script.slice();
            fields.push((NAMES[usize::from(kind % 4)], value, kind & 128 == 0));
        }
        let encoded = self.encoder.encode(stream, &fields);
        assert_eq!(encoded.ends.len(), fields.len(), "a place for each line");
        self.instructions.extend(encoded.instructions);
        let fields = fields
            .iter()
            .map(|(name, value, _)| ((*name).into(), value.to_vec().into()));
        self.sections.push(Section {
            stream,
            bytes: encoded.section,
            fields: fields.collect(),
        });
    }

    /// So many bytes of the encoder's come to the decoder.
    fn hear(&mut self, count: usize) {
        let count = count.min(self.instructions.len());
        let bytes: Vec<u8> = self.instructions.drain(..count).collect();
        self.decoder.take(&bytes).expect("an encoder makes sense");
    }

    /// The decoder reads a section, the first of its stream; whether it could.
    fn read(&mut self, place: usize) -> bool {
        let Some(asked) = self.sections.get(place % self.sections.len().max(1)) else {
            return false;
        };
        let stream = asked.stream;
        let of_stream = |it: &Section| it.stream == stream;
        let place = self
            .sections
            .iter()
            .position(of_stream)
            .expect("it is there");
        let section = &self.sections[place];
        match self.decoder.decode(stream, &section.bytes) {
            Ok(Decoded::Fields(fields)) => assert_eq!(fields, section.fields, "read otherwise"),
            Ok(Decoded::Blocked) => {
                assert!(!self.instructions.is_empty(), "it waits for nothing");
                return false;
            }
            other => panic!("{other:?}"),
        }
        self.sections.remove(place);
        true
    }

    /// The encoder hears what the decoder has to tell.
    fn tell(&mut self) {
        let told = self.decoder.instructions();
        self.encoder.take(&told).expect("a decoder makes sense");
    }

    /// Everything arrives.
    fn end(&mut self) {
        let mut waiting = BTreeSet::new();
        let mut place = 0;
        while place < self.sections.len() {
            let stream = self.sections[place].stream;
            if waiting.contains(&stream) || !self.read(place) {
                waiting.insert(stream);
                place += 1;
            }
        }
        assert!(waiting.len() <= self.most_blocked, "too many streams wait");
        self.hear(usize::MAX);
        while !self.sections.is_empty() {
            assert!(self.read(0), "everything has come");
        }
        self.tell();
    }
}

/// Nobody has to say what makes sense.
fn hostile(script: &mut Script<'_>) {
    let room = usize::from(script.word());
    let mut encoder = Encoder::new(room);
    encoder.allow(room, 1);
    let mut decoder = Decoder::new(room, room);
    while !script.is_empty() {
        let operation = script.byte();
        let bytes = script.slice();
        let made_sense = match operation % 4 {
            0 => decoder.take(bytes).is_ok(),
            1 => decoder.decode(0, bytes).is_ok_and(|decoded| match decoded {
                Decoded::Fields(fields) => {
                    let size: usize = fields.iter().map(|it| it.0.len() + it.1.len() + 32).sum();
                    assert!(size <= room, "more than was allowed");
                    true
                }
                Decoded::Blocked | Decoded::TooLarge => true,
            }),
            2 => encoder.take(bytes).is_ok(),
            _ => {
                encoder.encode(0, &[(b"x", bytes, true)]);
                true
            }
        };
        if !made_sense {
            return;
        }
    }
}
