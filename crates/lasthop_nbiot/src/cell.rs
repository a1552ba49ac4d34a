//! The base station of a cell: random access, scheduling, HARQ.

mod admission;
mod attach;
mod data_carriers;
mod downlink;
mod early_data;
mod events;
mod failures;
mod link_adaptation;
mod msg3;
mod network_time;
mod npusch;
mod off;
mod packets;
mod paging;
mod procedure;
mod radio_time;
mod radio_use;
mod radio_words;
mod random_access;
mod receive;
mod receiving;
mod reestablishment;
mod report;
mod scheduler;
mod second_process;
mod settings;
mod timers;
mod uplink;
mod wake_up;

pub(crate) use radio_time::tell_radio_time;
pub(crate) use settings::Settings;

pub use report::{CellReport, LevelReport};

use std::collections::VecDeque;

use lasthop_contract::{LinkOutput, Port};
use lasthop_units::Instant;

use self::data_carriers::{LEVELS, Resources};
use self::events::{Event, Events};
use self::msg3::Msg3Grant;
use self::random_access::{EntryPoint, Opportunity, Response};
use crate::channel::Channel;
use crate::core_network::Core;
use crate::deployment::CellIndex;
use crate::device::{Device, DeviceKey, Devices};
use crate::modules::Modules;
use crate::phy::{DownlinkTimeline, Subframe, UplinkGrid};
use crate::radio_line::Watch;
use crate::slab::Slab;

/// A carrier of a cell: what of its radio resources is taken, who stands in which queue, and what is to come.
#[derive(Debug)]
pub(crate) struct Cell {
    /// Those that are at hand: the anchor's, but while another carrier is planned.
    resources: Resources,
    for_data: Box<[Resources]>,
    events: Events,
    /// Opportunities in which preambles are sent or gathered, in time's order, by [`EntryPoint`].
    opportunities: [VecDeque<Opportunity>; EntryPoint::COUNT],
    responses: Slab<Response>,
    msg3_grants: Slab<Msg3Grant>,
    /// Devices that wait for resources, by carrier and level, in the order of their turn.
    queues: Box<[VecDeque<DeviceKey>]>,
    /// Whether each queue is to be planned again, and an event for it is on its way.
    planned: Box<[bool]>,
    report: CellReport,
}

/// What an event of a cell works on beside the cell.
pub(crate) struct Context<'a> {
    /// The subframe that begins, or the first that begins after the instant of an input.
    pub(crate) now: Subframe,
    /// The instant of the input, or the beginning of the subframe.
    pub(crate) instant: Instant,
    pub(crate) settings: &'a Settings,
    pub(crate) channel: &'a mut Channel,
    pub(crate) devices: &'a mut Devices,
    pub(crate) core: &'a mut Core,
    pub(crate) modules: &'a mut Modules,
    pub(crate) outputs: &'a mut VecDeque<LinkOutput>,
    pub(crate) watch: &'a mut Watch,
}

impl Cell {
    pub(crate) fn new(index: CellIndex, settings: &Settings) -> Self {
        let maps = if index.as_usize() < usize::from(settings.config.cells()) {
            &settings.maps
        } else {
            &settings.non_anchor_maps
        };
        let for_data: Box<[Resources]> = Resources::for_data(index, settings).into();
        let queues = LEVELS * (1 + for_data.len());
        Self {
            resources: Resources {
                index,
                timeline: DownlinkTimeline::new(maps.clone()),
                grid: UplinkGrid::new(&settings.config),
            },
            for_data,
            events: Events::default(),
            opportunities: Default::default(),
            responses: Slab::default(),
            msg3_grants: Slab::default(),
            queues: vec![VecDeque::new(); queues].into(),
            planned: vec![false; queues].into(),
            report: CellReport::new(settings.levels.len()),
        }
    }

    /// When the next event comes, and its kind in the order of events.
    pub(crate) fn next_event(&self) -> Option<(Subframe, u8)> {
        self.events.next()
    }

    /// Lets the next event happen.
    pub(crate) fn handle_next(&mut self, cx: &mut Context<'_>) {
        let Some((at, event)) = self.events.pop() else {
            return;
        };
        debug_assert_eq!(at, cx.now);
        match event {
            Event::OpportunityEnds(at) => self.opportunity_ends(cx, at),
            Event::ResponseEnds(response) => self.response_ends(cx, response),
            Event::Msg3Ends(grant) => self.msg3_ends(cx, grant),
            Event::Msg3GrantEnds(grant) => self.msg3_grant_ends(cx, grant),
            Event::DownlinkEnds(key) => self.downlink_ends(cx, key),
            Event::AcknowledgementEnds(key) => self.acknowledgement_ends(cx, key),
            Event::GrantEnds(key) => self.grant_ends(cx, key),
            Event::UplinkEnds(key) => self.uplink_ends(cx, key),
            Event::PagingEnds(key) => self.paging_ends(cx, key),
            Event::AccessRetry(key) => self.access_retry(cx, key),
            Event::ContentionTimer(key) => self.contention_timer(cx, key),
            Event::SetUpTimer(key) => self.set_up_timer(cx, key),
            Event::PollTimer(key) => self.poll_timer(cx, key),
            Event::InactivityTimer(key) => self.inactivity_timer(cx, key),
            Event::GiveUp(key) => self.give_up(cx, key),
            Event::PeriodicUpdate(key) => self.periodic_update(cx, key),
            Event::PagingOccasion(key) => self.paging_occasion(cx, key),
            Event::EarlyAnswer(key) => self.answer_early_data(cx, key),
            Event::NetworkAnswers(key) => self.network_answers(cx, key),
            Event::AccessAllowed(key) => self.access_allowed(cx, key),
            Event::Plan(queue) => self.plan(cx, queue),
        }
    }

    /// What has happened in the cell so far.
    pub(crate) fn report(&self) -> CellReport {
        let all = core::iter::once(&self.resources).chain(&self.for_data);
        self.report.with_resources(all, self.events.handled())
    }

    /// Notes what has ended by now, so that only what lies ahead is looked through.
    fn advance(&mut self, now: Subframe) {
        for carrier in core::iter::once(&mut self.resources).chain(&mut self.for_data) {
            carrier.timeline.advance(now);
            carrier.grid.advance(now);
        }
    }
}

impl Context<'_> {
    /// The device with this key, if it is still there.
    fn device(&mut self, key: DeviceKey) -> Option<&mut Device> {
        self.devices.get_mut(key)
    }
}

/// The port of a device's radio.
pub(crate) const fn radio_port(slot: u32) -> Port {
    Port(2 * slot)
}

/// The port of the core's end of a device's bearer.
pub(crate) const fn core_port(slot: u32) -> Port {
    Port(2 * slot + 1)
}
