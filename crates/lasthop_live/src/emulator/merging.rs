#![expect(clippy::disallowed_types, reason = "captures are files")]

use core::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use lasthop_classify::{CaptureReader, Sight};
use lasthop_measure::{CapturedPacket, interface_description, section_header};

/// Merges captures of one interface each into one file, in order of time. Each interface keeps its name.
///
/// # Errors
/// A file cannot be read or written, or is no capture. An end that is missing, as after a full disk, is none.
pub fn merge_captures(interfaces: &[(String, PathBuf)], into: &Path) -> io::Result<()> {
    let mut out = BufWriter::new(File::create(into)?);
    out.write_all(&section_header())?;
    let mut sources = Vec::new();
    for (name, path) in interfaces {
        out.write_all(&interface_description(name))?;
        sources.push(Source::open(path)?);
    }
    let mut fronts: Vec<Option<CapturedPacket>> = vec![None; sources.len()];
    let mut order = BinaryHeap::new();
    let mut advance = |place: usize, order: &mut BinaryHeap<_>, fronts: &mut [_]| {
        let next = sources[place].next()?;
        order.extend(next.as_ref().map(|it| Reverse((it.at, place))));
        fronts[place] = next;
        io::Result::Ok(())
    };
    for place in 0..interfaces.len() {
        advance(place, &mut order, &mut fronts)?;
    }
    while let Some(Reverse((_, place))) = order.pop() {
        if let Some(packet) = fronts[place].take() {
            out.write_all(&packet.block(place as u32))?;
        }
        advance(place, &mut order, &mut fronts)?;
    }
    out.flush()
}

/// A capture that is read packet by packet.
struct Source {
    file: File,
    reader: CaptureReader,
    piece: Vec<u8>,
}

const PIECE: usize = 1 << 16;

impl Source {
    fn open(path: &Path) -> io::Result<Self> {
        Ok(Self {
            file: File::open(path)?,
            reader: CaptureReader::new(),
            piece: vec![0; PIECE],
        })
    }

    fn next(&mut self) -> io::Result<Option<CapturedPacket>> {
        loop {
            if let Some(frame) = self.reader.next_frame().map_err(io::Error::other)? {
                let comments = frame.comments().into_iter().map(String::from);
                return Ok(Some(CapturedPacket {
                    at: frame.at,
                    is_inbound: frame.sight == Sight::Received,
                    bytes: frame.bytes.into(),
                    comments: comments.collect(),
                }));
            }
            let length = self.file.read(&mut self.piece)?;
            if length == 0 {
                return Ok(None);
            }
            self.reader.feed(&self.piece[..length]);
        }
    }
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "a folder of the test's own has the number of its process in its name"
)]
mod tests {
    use std::fs;

    use lasthop_units::Instant;

    use super::*;

    fn packet(at: u64, byte: u8, comment: &str) -> CapturedPacket {
        CapturedPacket {
            at: Instant::from_nanos(at),
            is_inbound: byte.is_multiple_of(2),
            bytes: [0x45, byte].into(),
            comments: vec![comment.to_owned()],
        }
    }

    #[test]
    fn packets_of_all_interfaces_stand_in_the_order_of_time_with_what_is_noted() {
        let folder = std::env::temp_dir().join(format!("lasthop-merge-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let write = |name: &str, packets: &[CapturedPacket], cut: usize| {
            let mut file = [section_header(), interface_description(name)].concat();
            packets.iter().for_each(|it| file.extend(it.block(0)));
            let path = folder.join(name);
            fs::write(&path, &file[..file.len() - cut]).expect("a file");
            (name.to_owned(), path)
        };
        let interfaces = [
            write("one", &[packet(1, 2, "a"), packet(3, 3, "b")], 0),
            // The disk was full within its last packet.
            write("two", &[packet(2, 4, "c"), packet(9, 5, "d")], 5),
        ];
        let into = folder.join("both");
        merge_captures(&interfaces, &into).expect("they are merged");
        let merged = fs::read(&into).expect("it is there");
        let expected = [
            section_header(),
            interface_description("one"),
            interface_description("two"),
            packet(1, 2, "a").block(0),
            packet(2, 4, "c").block(1),
            packet(3, 3, "b").block(0),
        ];
        assert_eq!(merged, expected.concat());
        let missing = [("none".to_owned(), folder.join("none"))];
        assert!(merge_captures(&missing, &into).is_err());
        fs::remove_dir_all(folder).expect("it is ours");
    }
}
