use std::sync::{Mutex, MutexGuard};

use lasthop_classify::{CaptureReader, Publication, publications};
use lasthop_contract::message_text::{ID_LENGTH, write_id};
use lasthop_contract::{DeviceId, FlowId};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Looks for the packets of a capture in which a message begins.
#[pyclass(frozen)]
#[derive(Debug)]
pub(crate) struct CaptureSearch {
    search: Mutex<Search>,
}

#[derive(Debug)]
struct Search {
    reader: CaptureReader,
    text: [u8; ID_LENGTH],
    frames: u64,
    found: Vec<u64>,
    /// Of what TCP sent again, the first copy alone.
    publications: Vec<Publication>,
}

#[pymethods]
impl CaptureSearch {
    /// A search for a message of a device, in its flow on a channel.
    #[new]
    fn new(device: u32, channel: u8, message: u32) -> Self {
        let mut text = [0; ID_LENGTH];
        write_id(FlowId::of(DeviceId(device), channel), message, &mut text);
        Self {
            search: Mutex::new(Search {
                reader: CaptureReader::new(),
                text,
                frames: 0,
                found: Vec::new(),
                publications: Vec::new(),
            }),
        }
    }

    /// Takes the next bytes of the file.
    fn feed(&self, piece: &[u8]) -> PyResult<()> {
        let search = &mut *self.search()?;
        search.reader.feed(piece);
        let refusal =
            |error: lasthop_classify::CaptureError| PyValueError::new_err(error.to_string());
        while let Some(frame) = search.reader.next_frame().map_err(refusal)? {
            search.frames += 1;
            if frame.bytes.windows(ID_LENGTH).any(|it| it == search.text) {
                search.found.push(search.frames);
                for it in publications(&frame, &search.text) {
                    let is_known = |known: &Publication| {
                        (known.sender, known.sequence) == (it.sender, it.sequence)
                    };
                    if !search.publications.iter().any(is_known) {
                        search.publications.push(it);
                    }
                }
            }
        }
        Ok(())
    }

    /// By what the message is found: it stands in its payload.
    fn text(&self) -> PyResult<String> {
        Ok(self
            .search()?
            .text
            .iter()
            .copied()
            .map(char::from)
            .collect())
    }

    /// The numbers of the packets that were found, counted from 1 as Wireshark does.
    fn found(&self) -> PyResult<Vec<u64>> {
        Ok(self.search()?.found.clone())
    }

    /// The PUBLISH packets of MQTT that hold the message whole in one segment: where from, the packet identifier (None with
    /// QoS 0), and whether DUP is set.
    fn publications(&self) -> PyResult<Vec<(String, Option<u16>, bool)>> {
        let search = self.search()?;
        let found = search.publications.iter();
        let found = found.map(|it| (it.sender.to_string(), it.identifier, it.is_again));
        Ok(found.collect())
    }
}

impl CaptureSearch {
    fn search(&self) -> PyResult<MutexGuard<'_, Search>> {
        let search = self.search.lock();
        search.map_err(|_| PyValueError::new_err("is of no use after a fault"))
    }
}
