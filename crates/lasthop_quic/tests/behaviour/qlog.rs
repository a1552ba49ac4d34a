use core::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::rc::Rc;

use lasthop_contract::{Direction, Established, logging_events};
use lasthop_units::Duration;
use serde_json::Value;

use crate::world::Setting;

/// Files of hosts, each on a disk with so much room.
#[derive(Clone)]
struct Disk {
    room: usize,
    files: Rc<RefCell<BTreeMap<String, Vec<u8>>>>,
}

struct File {
    disk: Disk,
    host: String,
}

impl Disk {
    fn with_room(room: usize) -> Self {
        let files = Rc::default();
        Self { room, files }
    }

    /// How a session with a Retry is established, and what became of its log.
    fn session(&self) -> (Option<Established>, io::Result<()>) {
        let disk = self.clone();
        let open = move |host: &str| {
            let (disk, host) = (disk.clone(), host.to_owned());
            Some(Ok(Box::new(File { disk, host }) as Box<dyn Write>))
        };
        logging_events(open, || {
            let mut setting = Setting::new();
            setting.retries = true;
            let mut world = setting.world();
            world.open(&[7; 100]);
            world.run(Duration::from_secs(5));
            world.how(Direction::Down).map(|it| it.2)
        })
    }

    fn events(&self, host: &str) -> Vec<Value> {
        let files = self.files.borrow();
        let text = String::from_utf8(files[host].clone()).unwrap();
        let records = text.split('\x1e').skip(2);
        records
            .map(|it| serde_json::from_str(it).unwrap())
            .collect()
    }
}

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut files = self.disk.files.borrow_mut();
        let file = files.entry(self.host.clone()).or_default();
        if file.len() + bytes.len() > self.disk.room {
            return Err(io::ErrorKind::StorageFull.into());
        }
        file.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn both_ends_tell_of_a_retry_with_its_token_under_one_name() {
    let disk = Disk::with_room(usize::MAX);
    let (established, written) = disk.session();
    assert!(established.is_some() && written.is_ok());
    let retry_of = |host: &str, name: &str| {
        let events = disk.events(host);
        let is_retry = |event: &&Value| event["data"]["header"]["packet_type"] == "retry";
        let retries: Vec<&Value> = events.iter().filter(is_retry).collect();
        let [retry] = retries[..] else {
            panic!("{host}: {retries:?}");
        };
        assert_eq!(retry["name"], name);
        (retry["group_id"].clone(), retry["data"].clone())
    };
    let sent = retry_of("host", "transport:packet_sent");
    assert_eq!(sent, retry_of("device", "transport:packet_received"));
    let token = sent.1["header"]["token"]["raw"]["data"].as_str().unwrap();
    // Of the whole packet the token is all but first byte, version, two ids with their lengths and tag.
    let ids = ["dcid", "scid"].map(|id| sent.1["header"][id].as_str().unwrap().len() / 2);
    let length = sent.1["raw"]["length"].as_u64().unwrap() as usize;
    assert_eq!(token.len() / 2, length - 1 - 4 - 2 - ids[0] - ids[1] - 16);
}

#[test]
fn a_full_disk_is_told_and_ends_nothing_but_the_log() {
    let (plain, _) = Disk::with_room(usize::MAX).session();
    for room in [0, 1, 1000, 3000] {
        let disk = Disk::with_room(room);
        let (established, written) = disk.session();
        assert_eq!(written.unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(established, plain);
        let files = disk.files.borrow();
        assert!(files.values().all(|file| file.len() <= room));
        // What is there ends with a whole record: nothing is written behind what found no room.
        let mut ends = files.values().filter_map(|file| file.last());
        assert!(ends.all(|last| *last == b'\n'));
    }
}
