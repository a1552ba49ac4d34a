use lasthop_contract::Expectation;
use lasthop_units::Instant;
use smallvec::SmallVec;

use super::Waiting;
use crate::channel::{BurstId, EsN0};
use crate::layer2::{AmReceiver, AmTransmitter, Bearer, HeaderCompression, MacPdu, SduSize};
use crate::phy::{DownlinkSpan, NpdschFormat, NpuschFormat, Subframe, UplinkAllocation};
use crate::rrc::Sequence;

/// A connection of RRC, as the device and the base station hold it.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) sequence: &'static Sequence,
    /// The step of the set-up that is under way; all are done when it is past the last.
    pub(crate) step: u8,
    /// The coverage level in which it was set up.
    pub(crate) level: u8,
    /// The carrier of its cell on which it is, counted from the one of its random access.
    pub(crate) carrier: u8,
    /// Contention is resolved: the device has Msg4.
    pub(crate) resolved: bool,
    /// The message that ends it has been queued.
    pub(crate) releasing: bool,
    /// The device has that message.
    pub(crate) released: bool,
    /// What the device expects, as it has told: release assistance.
    pub(crate) assistance: Option<Expectation>,
    /// The device owes a buffer status report of level 0, which tells that no more follow.
    pub(crate) end_report_due: bool,
    /// Msg4 waits: contention is to be resolved, by a message of so many bytes on SRB0 if it is one.
    pub(crate) contention_due: bool,
    pub(crate) srb0: Option<SduSize>,
    /// What the message on SRB0 is, until the device has it.
    pub(crate) on_srb0: Option<Content>,
    pub(crate) early: EarlyData,
    /// The two ends of RLC, up and down, of signalling and of data.
    pub(crate) up: [Pipe; 2],
    pub(crate) down: [Pipe; 2],
    pub(crate) compression: [HeaderCompression; 2],
    /// The HARQ processes of each direction that hold a block, in the order in which the blocks go.
    pub(crate) downlinks: SmallVec<[Downlink; 1]>,
    pub(crate) uplinks: SmallVec<[Uplink; 1]>,
    /// The first subframe in which the device listens.
    pub(crate) listens_from: Subframe,
    /// The device can take the grant for the message that it makes.
    pub(crate) ready_from: Subframe,
    /// When the core has answered, where the next message of the set-up waits for it.
    pub(crate) answer_at: Option<Subframe>,
    /// When the gateway lets packets for the device go.
    pub(crate) bearer_at: Subframe,
    /// When the MME has agreed to a release.
    pub(crate) release_at: Option<Subframe>,
    /// Bytes of SDUs that the base station knows to wait at the device, unasked.
    pub(crate) known_bytes: u32,
    /// The base station owes a grant: for the answer to a message, a STATUS PDU, or after data.
    pub(crate) grant_due: bool,
    /// The device owes a buffer status report.
    pub(crate) report_due: bool,
    /// It stands in the queue of its level.
    pub(crate) queued: bool,
    /// Data or messages last went either way.
    pub(crate) active: Subframe,
    pub(crate) began: Subframe,
    /// HARQ gave up so many blocks in a row.
    pub(crate) lost_blocks: u8,
    /// Until when each timer's event is on its way, so that none is doubled.
    pub(crate) inactivity_event: Option<Subframe>,
    pub(crate) poll_event: Option<Instant>,
}

/// What becomes of a request that came with data (Release 15).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EarlyData {
    /// It is, or has become, one for a connection.
    None,
    /// The base station holds Msg4 back, for what the far end answers.
    Held,
    /// Msg4 ends the access.
    Ends,
}

/// Both ends of an entity of RLC, one way.
#[derive(Debug, Default)]
pub(crate) struct Pipe {
    pub(crate) transmitter: AmTransmitter<Content>,
    pub(crate) receiver: AmReceiver,
}

/// What an SDU of RLC is.
#[derive(Debug)]
pub(crate) struct Content {
    /// The step of the set-up that it completes, or [`RELEASE`].
    pub(crate) step: Option<u8>,
    /// The packet in it.
    pub(crate) packet: Option<Waiting>,
}

/// The number of the message that ends a connection among its steps.
pub(crate) const RELEASE: u8 = u8::MAX;

/// A transport block on its way to the device.
#[derive(Debug)]
pub(crate) struct Downlink {
    pub(crate) block: MacPdu,
    pub(crate) format: NpdschFormat,
    pub(crate) dci_repetitions: u16,
    pub(crate) ack_repetitions: u16,
    pub(crate) dci: DownlinkSpan,
    pub(crate) data: DownlinkSpan,
    pub(crate) acknowledgement: UplinkAllocation,
    pub(crate) burst: Option<BurstId>,
    /// Transmissions so far, the one under way included.
    pub(crate) attempts: u8,
    pub(crate) under_way: bool,
    /// The NPDSCH under way has ended, and its acknowledgement is to come.
    pub(crate) ended: bool,
    pub(crate) received: EsN0,
    /// It is decoded when the block error rate falls to this.
    pub(crate) luck: f64,
    /// The device has it, and has said so in this transmission.
    pub(crate) decoded: bool,
    pub(crate) heard: bool,
}

/// A transport block on its way from the device, or a grant for one.
#[derive(Debug)]
pub(crate) struct Uplink {
    /// Once the device has heard a grant.
    pub(crate) block: Option<MacPdu>,
    pub(crate) format: NpuschFormat,
    pub(crate) dci_repetitions: u16,
    pub(crate) dci: DownlinkSpan,
    pub(crate) allocation: UplinkAllocation,
    pub(crate) burst: Option<BurstId>,
    pub(crate) attempts: u16,
    /// Transmissions that were sent.
    pub(crate) sent: u16,
    pub(crate) under_way: bool,
    /// The NPDCCH of the grant under way has ended, and its NPUSCH is to come.
    pub(crate) granted: bool,
    pub(crate) received: EsN0,
    pub(crate) luck: f64,
}

impl Connection {
    pub(crate) fn new(sequence: &'static Sequence, level: u8, now: Subframe) -> Self {
        Self {
            sequence,
            step: 0,
            level,
            carrier: 0,
            resolved: false,
            releasing: false,
            released: false,
            assistance: None,
            end_report_due: false,
            contention_due: false,
            srb0: None,
            on_srb0: None,
            early: EarlyData::None,
            up: Default::default(),
            down: Default::default(),
            compression: Default::default(),
            downlinks: SmallVec::new(),
            uplinks: SmallVec::new(),
            listens_from: now,
            ready_from: now,
            answer_at: None,
            bearer_at: now,
            release_at: None,
            known_bytes: 0,
            grant_due: false,
            report_due: false,
            queued: false,
            active: now,
            began: now,
            lost_blocks: 0,
            inactivity_event: None,
            poll_event: None,
        }
    }

    /// Whether the set-up is complete.
    pub(crate) fn is_set_up(&self) -> bool {
        usize::from(self.step) >= self.sequence.set_up.len()
    }

    /// The far end has sent a packet: the one that was expected, or one that was not.
    pub(crate) fn note_answer(&mut self) {
        self.assistance = match self.assistance {
            Some(Expectation::OneAnswer) => Some(Expectation::NothingMore),
            Some(Expectation::NothingMore) | None => None,
        };
    }

    /// Whether transmissions are under way; a device takes no other meanwhile.
    pub(crate) fn is_busy(&self) -> bool {
        self.downlinks.iter().any(|downlink| downlink.under_way)
            || self.uplinks.iter().any(|uplink| uplink.under_way)
    }

    /// Whether the device has something to send.
    pub(crate) fn device_has_data(&self) -> bool {
        self.up.iter().any(|pipe| pipe.transmitter.has_data())
            || self.down.iter().any(|pipe| pipe.receiver.is_status_due())
    }

    /// Bytes of SDUs that wait at the device, on its bearers.
    pub(crate) fn waiting_bytes(&self) -> u32 {
        (self.up.iter())
            .map(|pipe| pipe.transmitter.waiting_bytes())
            .sum()
    }

    /// When the first answer to a poll is overdue.
    pub(crate) fn poll_deadline(&self) -> Option<Instant> {
        let pipes = self.up.iter().chain(&self.down);
        pipes.filter_map(|pipe| pipe.transmitter.deadline()).min()
    }

    /// Whether the base station has something to send.
    pub(crate) fn network_has_data(&self) -> bool {
        self.contention_due
            || self.srb0.is_some()
            || self.down.iter().any(|pipe| pipe.transmitter.has_data())
            || self.up.iter().any(|pipe| pipe.receiver.is_status_due())
    }

    /// All packets that it holds, up and down.
    pub(crate) fn take_packets(&mut self) -> (Vec<Waiting>, Vec<Waiting>) {
        let take = |pipes: &mut [Pipe; 2]| {
            pipes
                .iter_mut()
                .flat_map(|pipe| pipe.transmitter.take_all())
                .filter_map(|content| content.packet)
                .collect()
        };
        let (up, mut down): (Vec<_>, Vec<_>) = (take(&mut self.up), take(&mut self.down));
        let on_srb0 = self.on_srb0.take().and_then(|content| content.packet);
        down.splice(0..0, on_srb0);
        (up, down)
    }
}

/// The place of a bearer in the pairs of a connection.
pub(crate) const fn pipe_index(bearer: Bearer) -> usize {
    if bearer.is_signalling() { 0 } else { 1 }
}
