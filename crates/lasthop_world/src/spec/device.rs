use core::num::{NonZeroU32, NonZeroU64};

use lasthop_contract::{Keeping, Survives};
use lasthop_device::{Constraints, Heap, Reading};
use lasthop_transport::tcp::TcpProfile;
use lasthop_units::DataSize;
use serde::{Deserialize, Serialize};

use super::check::demand;
use super::{EngineSpec, RunSpec, SpecError, SurvivesSpec, nanos};

/// The resource limits of a device, or of a server on one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceSpec {
    /// Its TCP settings, at both ends of its stacks.
    pub tcp: DeviceTcpSpec,
    /// Frames that wait for the task of the network.
    pub frames: NonZeroU32,
    /// How long that works on each.
    pub frame_ns: u64,
    /// Segments or datagrams of a connection that wait for the task of the application, and connections that wait to be accepted.
    pub mailbox: NonZeroU32,
    /// Connections at a time.
    pub connections: NonZeroU32,
    /// Memory that is left to connections when it has booted.
    pub heap_bytes: u64,
    /// What each connection takes of it.
    pub connection_bytes: u64,
    /// What it takes beside that where it is secured.
    pub secured_bytes: u64,
    /// What each segment that waits takes beside its bytes.
    pub segment_bytes: u64,
    /// What its reader looks at.
    pub reading: ReadingSpec,
    /// How much it reads at a time.
    pub read_bytes: NonZeroU64,
    /// Whether a read ends where a segment does.
    pub reads_segments: bool,
    /// How long it works on a message that comes.
    pub message_ns: u64,
    /// On each byte that it reads.
    pub byte_ns: u64,
    /// On each connection that comes about.
    pub connection_ns: u64,
    /// On the keys of one that is secured by certificates.
    pub handshake_ns: u64,
    /// The time of a resumed handshake, or of one with a shared key.
    pub resumption_ns: u64,
    /// Whether it answers a message before it works on it.
    pub answers_first: bool,
    /// The tick of its network timers; zero for exact timers.
    pub tick_ns: u64,
    /// The watchdog limit of its task; null for none.
    pub watchdog_ns: Option<u64>,
    /// The time from a crash until the network is up.
    pub boot_ns: u64,
    /// The state that survives a crash.
    pub survives: SurvivesSpec,
}

/// The TCP of a device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceTcpSpec {
    /// The TCP implementation whose timers and rules it has.
    pub like: TcpLikeSpec,
    /// The largest segment that it offers to take.
    pub max_segment_bytes: u16,
    /// The receive window.
    pub window_bytes: u32,
    /// The send buffer.
    pub send_buffer_bytes: u32,
    /// Whether out-of-order segments are kept.
    pub keeps_out_of_order: bool,
    /// The TIME-WAIT duration.
    pub time_wait_ns: u64,
}

/// A TCP implementation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TcpLikeSpec {
    /// lwIP 2.
    Lwip,
    /// Linux 6.
    Linux,
}

/// How a reader treats the data of one read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadingSpec {
    /// Every message.
    All,
    /// It processes the first message and discards the others of the same read.
    FirstMessageOnly,
}

impl RunSpec {
    /// Holds what devices have little of against what they are to do.
    pub(super) fn check_devices(&self) -> Result<(), SpecError> {
        for (place, group) in self.groups.iter().enumerate() {
            let Some(device) = &group.device else {
                continue;
            };
            let place = format!("groups[{place}]");
            device.check(&place)?;
            let field = format!("{place}.device");
            demand(&[
                (
                    group.arriving().is_none(),
                    &field,
                    "who comes and goes is no device that boots",
                ),
                (
                    self.gateway_of(group).is_none(),
                    &field,
                    "a gateway is no device of this kind",
                ),
            ])?;
        }
        for (place, server) in self.servers.iter().enumerate() {
            let Some(device) = &server.device else {
                continue;
            };
            let place = format!("servers[{place}]");
            device.check(&place)?;
            let field = format!("{place}.device");
            demand(&[
                (
                    server.forwards.is_none(),
                    &field,
                    "a gateway is no device of this kind",
                ),
                (
                    server.service_time.is_none(),
                    &field,
                    "says how long the work of the server takes, which has a service time, too",
                ),
                (
                    self.engine != EngineSpec::Load,
                    &field,
                    "a server that is somewhere else has its own",
                ),
            ])?;
        }
        Ok(())
    }
}

impl DeviceSpec {
    fn check(&self, place: &str) -> Result<(), SpecError> {
        let field = |name: &str| format!("{place}.device.{name}");
        let window = u64::from(self.tcp.window_bytes);
        demand(&[
            (
                self.connection_bytes + self.segment_bytes <= self.heap_bytes,
                &field("heap_bytes"),
                "holds no connection",
            ),
            (
                window <= self.heap_bytes,
                &field("tcp.window_bytes"),
                "is larger than the heap",
            ),
            (
                self.tcp.max_segment_bytes >= 64
                    && u32::from(self.tcp.max_segment_bytes) <= self.tcp.window_bytes,
                &field("tcp.max_segment_bytes"),
                "is from 64 up to the window",
            ),
            (
                self.tcp.send_buffer_bytes > 0,
                &field("tcp.send_buffer_bytes"),
                "is above 0",
            ),
            (
                self.watchdog_ns != Some(0),
                &field("watchdog_ns"),
                "is above 0",
            ),
        ])
    }

    /// Returns its limits other than TCP.
    #[must_use]
    pub fn constraints(&self) -> Constraints {
        let bytes = DataSize::from_bytes;
        let keeping = |is_kept| {
            if is_kept {
                Keeping::Flash
            } else {
                Keeping::Memory
            }
        };
        Constraints {
            frames: self.frames,
            frame_time: nanos(self.frame_ns),
            mailbox: self.mailbox,
            connections: self.connections,
            heap: Heap {
                size: bytes(self.heap_bytes),
                connection: bytes(self.connection_bytes),
                secured: bytes(self.secured_bytes),
                segment: bytes(self.segment_bytes),
            },
            reading: match self.reading {
                ReadingSpec::All => Reading::All,
                ReadingSpec::FirstMessageOnly => Reading::FirstMessageOnly,
            },
            read_size: bytes(self.read_bytes.get()),
            reads_segments: self.reads_segments,
            message_time: nanos(self.message_ns),
            byte_time: nanos(self.byte_ns),
            connection_time: nanos(self.connection_ns),
            handshake_time: nanos(self.handshake_ns),
            resumption_time: nanos(self.resumption_ns),
            answers_first: self.answers_first,
            tick: nanos(self.tick_ns),
            watchdog: self.watchdog_ns.map(nanos),
            boot_time: nanos(self.boot_ns),
            survives: Survives {
                sessions: keeping(self.survives == SurvivesSpec::Sessions),
                tickets: keeping(self.survives != SurvivesSpec::Nothing),
            },
        }
    }
}

impl DeviceTcpSpec {
    /// Returns the TCP profile of the device, based on the application's choice.
    #[must_use]
    pub fn profile(&self, chosen: &TcpProfile) -> TcpProfile {
        let like = match self.like {
            TcpLikeSpec::Lwip => TcpProfile::lwip_esp8266(),
            TcpLikeSpec::Linux => TcpProfile::linux(),
        };
        TcpProfile {
            nodelay: chosen.nodelay,
            max_segment_size: self.max_segment_bytes,
            receive_buffer: self.window_bytes,
            send_buffer: self.send_buffer_bytes,
            keeps_out_of_order: self.keeps_out_of_order,
            time_wait: nanos(self.time_wait_ns),
            ..like
        }
    }
}
