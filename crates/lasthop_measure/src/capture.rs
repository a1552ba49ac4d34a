//! Packet captures of a run at its hosts, as pcapng files.

mod captured_host;
mod host_file;
mod pcapng;

use core::fmt;
use std::io::{self, Write};

use lasthop_contract::{DeviceEvent, DropReason, LookupMap, Packet};
use lasthop_engine::HostId;
use lasthop_units::{Duration, Instant};

pub use captured_host::CapturedHost;
use host_file::HostFile;
pub use pcapng::{CapturedPacket, interface_description, section_header};

/// A packet capture of a run: one pcapng file for each host, with all packets that leave or arrive.
///
/// Every packet carries its number as a comment, which is the same at both ends. What the path did to it is a comment
/// at its sender, so a packet is written once its fate is known, and those behind it in the same file wait for it.
pub struct Capture {
    files: Vec<HostFile>,
    /// The places of the files of those hosts that are captured.
    hosts: LookupMap<HostId, usize>,
    /// The packets that captured hosts have sent and that have not ended, by number.
    under_way: LookupMap<u64, Departure>,
    failure: Option<io::Error>,
    /// The time stamp of the run's beginning.
    origin: Duration,
}

/// Where a packet stands that is under way.
#[derive(Clone, Copy, Debug)]
struct Departure {
    file: usize,
    /// Its place among the packets of the file.
    place: u64,
}

impl Capture {
    /// Creates a capture at these hosts, each with its interface name.
    pub fn new(files: impl IntoIterator<Item = (CapturedHost, Box<str>, Box<dyn Write>)>) -> Self {
        let mut failure = None;
        let mut begun = Vec::new();
        for (host, name, out) in files {
            let mut file = HostFile::new(host, out);
            failure = failure.or(file.begin(&name).err());
            begun.push(file);
        }
        Self {
            files: begun,
            hosts: LookupMap::new(),
            under_way: LookupMap::new(),
            failure,
            origin: Duration::ZERO,
        }
    }

    /// Sets the time of the run's start since 1970, for the timestamps of further packets.
    pub fn stamp_from(&mut self, origin: Duration) {
        self.origin = origin;
    }

    /// Records which captured host has this number from now on.
    pub fn attach(&mut self, id: HostId, host: CapturedHost) {
        match self.files.iter().position(|file| file.host() == host) {
            Some(file) => self.hosts.insert(id, file),
            None => self.hosts.remove(&id),
        };
    }

    /// Whether writing a file failed. The capture is then unusable and records no more packets.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.failure.is_some()
    }

    /// Completes the files.
    ///
    /// # Errors
    /// The first that a writer had.
    pub fn finish(mut self) -> io::Result<()> {
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        self.files.iter_mut().try_for_each(HostFile::finish)
    }

    /// Records a packet that leaves a host.
    pub fn transmitted(&mut self, now: Instant, host: HostId, packet: &Packet) {
        let Some(&file) = self.hosts.get(&host) else {
            return;
        };
        let place = self.files[file].sent(now + self.origin, packet);
        let departure = Departure { file, place };
        self.under_way.insert(packet.number(), departure);
    }

    /// Records a packet that arrives at a host.
    pub fn received(&mut self, now: Instant, host: HostId, packet: &Packet) {
        self.one_has_ended(packet.number(), None);
        let Some(&file) = self.hosts.get(&host) else {
            return;
        };
        let written = self.files[file].received(now + self.origin, packet);
        self.note(written);
    }

    /// Records an event of a resource-constrained device, as a comment on its next packet.
    pub fn note_device(&mut self, now: Instant, host: HostId, event: DeviceEvent) {
        let seconds = (now + self.origin).since_start().as_secs_f64();
        let what = match event {
            DeviceEvent::Crashed(reason) => format!("crashed at {seconds} s: {}", reason.name()),
            DeviceEvent::Booted => format!("booted at {seconds} s"),
            DeviceEvent::ThrewAway { messages, .. } => format!("threw {messages} messages away"),
        };
        if let Some(&file) = self.hosts.get(&host) {
            self.files[file].note(what);
        }
    }

    /// Records a packet that was dropped on its path.
    pub fn dropped(&mut self, packet: &Packet, reason: DropReason) {
        let what = format!("dropped: {}", reason.name());
        self.one_has_ended(packet.number(), Some(what));
    }

    /// Records a packet that was duplicated.
    pub fn duplicated(&mut self, number: u64) {
        if let Some(departure) = self.under_way.get(&number) {
            self.files[departure.file].duplicated(departure.place);
        }
    }

    /// Records that one copy of a packet arrived or was dropped.
    fn one_has_ended(&mut self, number: u64, comment: Option<String>) {
        let Some(&Departure { file, place }) = self.under_way.get(&number) else {
            return;
        };
        if self.files[file].one_has_ended(place, comment) {
            self.under_way.remove(&number);
            let written = self.files[file].write_what_has_ended();
            self.note(written);
        }
    }

    fn note(&mut self, written: io::Result<()>) {
        if let Err(error) = written {
            self.failure.get_or_insert(error);
        }
    }
}

impl fmt::Debug for Capture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hosts: Vec<CapturedHost> = self.files.iter().map(HostFile::host).collect();
        f.debug_tuple("Capture").field(&hosts).finish()
    }
}
