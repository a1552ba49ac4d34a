use core::num::{NonZeroU32, NonZeroU64};

use lasthop_contract::{Keeping, Survives};
use lasthop_device::{Constraints, Heap, Reading};
use lasthop_transport::tcp::TcpProfile;
use lasthop_units::DataSize;
use serde::{Deserialize, Serialize};

use super::check::demand;
use super::{EngineSpec, RunSpec, SpecError, SurvivesSpec, nanos};

/// The resource limits of a constrained device, or of a server on one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceSpec {
    /// The TCP settings of the device, for clients and servers on it.
    pub tcp: DeviceTcpSpec,
    /// The maximum number of frames that wait for the network task.
    pub frames: NonZeroU32,
    /// The processing time of the network task for each frame, in nanoseconds.
    pub frame_ns: u64,
    /// The maximum number of segments or datagrams of a connection that wait for the application task. It also limits
    /// the connections that wait to be accepted.
    pub mailbox: NonZeroU32,
    /// The maximum number of simultaneous connections.
    pub connections: NonZeroU32,
    /// The free heap for connections after boot, in bytes.
    pub heap_bytes: u64,
    /// The heap that each connection takes, in bytes.
    pub connection_bytes: u64,
    /// The additional heap of a secured connection, in bytes.
    pub secured_bytes: u64,
    /// The overhead of each waiting segment, in bytes.
    pub segment_bytes: u64,
    /// How the application treats the data of one read.
    pub reading: ReadingSpec,
    /// The maximum number of bytes in one read.
    pub read_bytes: NonZeroU64,
    /// Whether a read ends at the end of a segment.
    pub reads_segments: bool,
    /// The processing time of a received message, in nanoseconds.
    pub message_ns: u64,
    /// The processing time of each byte read, in nanoseconds.
    pub byte_ns: u64,
    /// The processing time of each new connection, in nanoseconds.
    pub connection_ns: u64,
    /// The time of a full handshake with certificates, in nanoseconds.
    pub handshake_ns: u64,
    /// The time of a resumed handshake or one with a pre-shared key, in nanoseconds.
    pub resumption_ns: u64,
    /// Whether the device answers a message before its processing time.
    pub answers_first: bool,
    /// The tick of the device's network timers, in nanoseconds; zero for exact timers.
    pub tick_ns: u64,
    /// The watchdog limit of the application task, in nanoseconds; null for none.
    pub watchdog_ns: Option<u64>,
    /// The time from a crash until the network is up, in nanoseconds.
    pub boot_ns: u64,
    /// The state that survives a crash.
    pub survives: SurvivesSpec,
}

/// The TCP settings of a constrained device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceTcpSpec {
    /// The TCP implementation that determines timers and rules.
    pub like: TcpLikeSpec,
    /// The maximum segment size that the device advertises.
    pub max_segment_bytes: u16,
    /// The receive window, in bytes.
    pub window_bytes: u32,
    /// The send buffer, in bytes.
    pub send_buffer_bytes: u32,
    /// Whether out-of-order segments are kept.
    pub keeps_out_of_order: bool,
    /// The TIME-WAIT duration, in nanoseconds.
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

/// How an application treats the data of one read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadingSpec {
    /// It processes every message.
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

    /// Returns the resource limits other than those of TCP.
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
    /// Returns the TCP profile of the device, based on the profile that the application chose.
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
