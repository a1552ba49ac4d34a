//! The NB-IoT network as a `Link` of the engine.

mod cell_order;
mod off;
mod report;
mod settings_of_carriers;

pub use crate::cell::{CellReport, LevelReport};
pub use report::NetworkReport;

use std::collections::VecDeque;

use lasthop_contract::{
    DropReason, Link, LinkInput, LinkOutput, LookupMap, Packet, Port, RandomStream,
};
use lasthop_units::Instant;

use self::cell_order::CellOrder;
use self::settings_of_carriers::SettingsOfCarriers;
use crate::cell::{Cell, Context, core_port, radio_port, tell_radio_time};
use crate::channel::{Channel, DownlinkBurst};
use crate::config::{ConfigError, NetworkConfig};
use crate::core_network::Core;
use crate::deployment::CellIndex;
use crate::device::{Device, DeviceKey, Devices, Expected, Idle, RadioLog, Registration};
use crate::modules::Modules;
use crate::phy::Subframe;
use crate::radio_line::{RadioLane, RadioLine, Watch};

/// An NB-IoT network: cells, devices that attach and leave, and the core network.
///
/// The radio of device k is at `Port(2k)`, the core's end of its bearer at `Port(2k + 1)`. Attaching the former switches
/// a device on, detaching it takes the device away with all that it holds; slots are used again by later devices. One that
/// is switched off stays where it is, and registers anew when it is switched on.
#[derive(Debug)]
pub struct NbIotNetwork {
    seed: u64,
    settings: SettingsOfCarriers,
    channel: Channel,
    devices: Devices,
    cells: Vec<Cell>,
    order: CellOrder,
    core: Core,
    modules: Modules,
    outputs: VecDeque<LinkOutput>,
    packets: PacketCounts,
    tells_radio_time: bool,
    /// How many outages there are at a time: in any, no base station sends or hears.
    outages: u32,
    /// Of devices that are still to come, by the place of their radio.
    stated_losses_db: LookupMap<u32, f64>,
    watch: Watch,
}

/// Packets by what has become of them.
#[derive(Clone, Copy, Debug, Default)]
struct PacketCounts {
    offered: u64,
    delivered: u64,
    dropped: u64,
}

impl NbIotNetwork {
    /// Creates a network without devices.
    ///
    /// # Errors
    /// [`ConfigError`] where a setting is not in the set that 3GPP allows.
    pub fn new(config: NetworkConfig, seed: u64) -> Result<Self, ConfigError> {
        config.check()?;
        let channel = Channel::new(&config, seed);
        let settings = SettingsOfCarriers::new(&config, channel.carriers());
        let cells: Vec<Cell> = (0..channel.carriers())
            .map(|cell| Cell::new(CellIndex(cell as u8), settings.at(cell)))
            .collect();
        Ok(Self {
            seed,
            core: Core::new(settings.common().core_delay),
            modules: Modules::new(&config.network.module),
            order: CellOrder::new(channel.carriers()),
            settings,
            channel,
            devices: Devices::default(),
            cells,
            outputs: VecDeque::new(),
            packets: PacketCounts::default(),
            outages: 0,
            tells_radio_time: true,
            stated_losses_db: LookupMap::new(),
            watch: Watch::default(),
        })
    }

    /// Disables [`LinkOutput::RadioTime`], for users who do not need radio times.
    #[must_use]
    pub fn without_radio_time(mut self) -> Self {
        self.tells_radio_time = false;
        self
    }

    /// Enables the record of downlink transmissions.
    #[must_use]
    pub fn recording_downlink(mut self) -> Self {
        self.channel.record_downlink();
        self
    }

    /// Returns the NPDCCH and NPDSCH transmissions that were scheduled since the last call, in the order of their
    /// scheduling.
    pub fn take_downlink_record(&mut self) -> Vec<(CellIndex, DownlinkBurst)> {
        self.channel.take_downlink_record()
    }

    /// Sets the coupling loss of the next device at this port. Otherwise it is drawn at random.
    pub fn state_coupling_loss(&mut self, radio: Port, coupling_loss_db: f64) {
        self.stated_losses_db.insert(radio.0 / 2, coupling_loss_db);
    }

    /// Records the time line of the next device at this port. Only one device is recorded.
    pub fn watch_next(&mut self, radio: Port) {
        self.watch.watch_next(radio.0 / 2);
    }

    /// Returns the time line of the recorded device so far.
    #[must_use]
    pub fn radio_line(&self) -> Option<&RadioLine> {
        self.watch.line()
    }

    /// Returns the counters so far. Packets in flight are included.
    #[must_use]
    pub fn report(&self) -> NetworkReport {
        NetworkReport {
            cells: self.cells.iter().map(Cell::report).collect(),
            devices_attached: self.devices.attached(),
            packets_offered: self.packets.offered,
            packets_delivered: self.packets.delivered,
            packets_dropped: self.packets.dropped,
            packets_queued: self.core.packets() + self.modules.packets() + self.devices.packets(),
            fading_evaluations: self.channel.evaluations(),
        }
    }

    /// Returns the coupling loss between the device at this port and its cell, or `None` without a device.
    #[must_use]
    pub fn coupling_loss_db(&self, radio: Port) -> Option<f64> {
        let key = self.devices.key_of(radio.0 / 2)?;
        self.devices.get(key).map(|device| device.coupling_loss_db)
    }

    fn attach(&mut self, now: Instant, port: Port) {
        let slot = port.0 / 2;
        if !port.0.is_multiple_of(2) || self.devices.key_of(slot).is_some() {
            return;
        }
        let number = self.devices.attached();
        let stated_db = self.stated_losses_db.remove(&slot);
        let camping = self.channel.attach(slot, number, stated_db);
        let settings = self.settings.at(camping.cell.as_usize());
        let config = &settings.config;
        let coupling_loss_db = camping.coupling_loss.value();
        let mut stream = RandomStream::named(self.seed, format_args!("nbiot/device/{number}/luck"));
        let measured_loss_db = match config.channel.measurement_error_db {
            0.0 => coupling_loss_db,
            error_db => coupling_loss_db + error_db * stream.standard_normal(),
        };
        let level = config.level_at(config.carrier.rsrp_dbm(measured_loss_db)) as u8;
        self.channel.set_level(slot, level);
        let expected = Expected::new(config, measured_loss_db, level);
        let wake_up_ms = settings.wake_up_ms(level, &expected);
        let registers = config.idle.attach.is_some();
        let device = Box::new(Device {
            cell: camping.cell.0,
            data_carrier: camping.data_carrier,
            level,
            coupling_loss_db,
            measured_loss_db,
            expected,
            stream,
            radio: RadioLog::new(port, now, self.tells_radio_time),
            idle: Idle::new(&config.idle, number, Subframe::at_or_after(now), wake_up_ms),
            access: None,
            connection: None,
            up: VecDeque::new(),
            down: VecDeque::new(),
            since: [VecDeque::new(), VecDeque::new()],
            give_up_event: None,
            knows_system_information: config.idle.system_information_known && !registers,
            is_off: false,
            is_registering: registers,
            registration: Registration::default(),
            is_reestablishing: false,
            access_class: (number % 10) as u8,
            turned_away_until: Subframe(0),
            allowed_event: None,
            paged: false,
            page: None,
        });
        let key = self.devices.insert(slot, device);
        self.watch.note_attached(key);
        if registers {
            if self.outages == 0 {
                self.with_cell_of(now, key, |cell, cx| cell.joins(cx, key));
            }
            return;
        }
        if self
            .settings
            .common()
            .config
            .idle
            .power_saving_mode
            .is_some()
            && self.outages == 0
        {
            self.with_cell_of(now, key, |cell, cx| cell.arm_periodic_update(cx, key));
        }
    }

    fn detach(&mut self, now: Instant, port: Port) {
        let slot = port.0 / 2;
        let Some(key) = self
            .devices
            .key_of(slot)
            .filter(|_| port.0.is_multiple_of(2))
        else {
            return;
        };
        self.with_cell_of(now, key, |cell, cx| cell.detach(cx, key));
        self.devices.remove(slot);
    }

    fn offer(&mut self, now: Instant, port: Port, packet: Packet) {
        self.packets.offered += 1;
        let Some(key) = self.devices.key_of(port.0 / 2) else {
            self.outputs.push_back(LinkOutput::Drop {
                port,
                packet,
                reason: DropReason::NotAttached,
            });
            return;
        };
        if port == radio_port(key.slot) {
            if let Some(packet) = self.modules.send(now, key, packet) {
                self.with_cell_of(now, key, |cell, cx| {
                    cell.packet_from_device(cx, key, packet);
                });
            }
        } else {
            self.core.send_down(now, key, packet);
        }
    }

    /// Everything that happens until `now`, that instant included.
    fn run_until(&mut self, now: Instant) {
        loop {
            let next_cell = self.order.first();
            let next_wire = self
                .core
                .next()
                .into_iter()
                .chain(self.modules.next())
                .min();
            let cell_comes_first = match (next_cell, next_wire) {
                (Some((at, _)), Some(wire)) => at.start() < wire,
                (cell, _) => cell.is_some(),
            };
            if cell_comes_first {
                let Some((at, cell)) = next_cell.filter(|(at, _)| at.start() <= now) else {
                    return;
                };
                self.with_cell(at, at.start(), cell, Cell::handle_next);
            } else {
                let Some(at) = next_wire.filter(|at| *at <= now) else {
                    return;
                };
                if self.core.next() == Some(at) {
                    self.core_hands_over(at);
                } else {
                    self.module_hands_over(at);
                }
            }
        }
    }

    fn core_hands_over(&mut self, at: Instant) {
        if let Some((port, packet)) = self.core.arrived_up(at) {
            self.outputs.push_back(LinkOutput::Deliver { port, packet });
            return;
        }
        let Some((key, packet)) = self.core.arrived_down(at) else {
            return;
        };
        if self.devices.get(key).is_some() {
            self.with_cell_of(at, key, |cell, cx| cell.packet_for_device(cx, key, packet));
        } else {
            self.nobody_is_there(core_port(key.slot), packet);
        }
    }

    fn module_hands_over(&mut self, at: Instant) {
        let config = &self.settings.common().config;
        if let Some((key, packet)) = self.modules.sent(at) {
            let Some(device) = self.devices.get_mut(key) else {
                return self.nobody_is_there(radio_port(key.slot), packet);
            };
            self.modules.account_sent(device, config, at);
            let worked = self.modules.sending_until(at);
            self.watch.note(key, RadioLane::Module, worked, true, || {
                "firmware sends a packet".into()
            });
            self.with_cell_of(at, key, |cell, cx| {
                cell.packet_from_device(cx, key, packet);
            });
        } else if let Some((key, packet)) = self.modules.received(at) {
            let Some(device) = self.devices.get_mut(key) else {
                return self.nobody_is_there(core_port(key.slot), packet);
            };
            self.modules.account_received(device, config, at);
            let worked = self.modules.receiving_until(at);
            self.watch.note(key, RadioLane::Module, worked, true, || {
                "firmware hands a packet over".into()
            });
            let port = radio_port(key.slot);
            self.outputs.push_back(LinkOutput::Deliver { port, packet });
        }
    }

    fn nobody_is_there(&mut self, port: Port, packet: Packet) {
        let reason = self.reason_of_nobody();
        self.outputs.push_back(LinkOutput::Drop {
            port,
            packet,
            reason,
        });
    }

    fn with_cell_of(
        &mut self,
        now: Instant,
        key: DeviceKey,
        work: impl FnOnce(&mut Cell, &mut Context<'_>),
    ) {
        if let Some(device) = self.devices.get(key) {
            let cell = usize::from(device.cell);
            self.with_cell(Subframe::at_or_after(now), now, cell, work);
        }
    }

    fn with_cell(
        &mut self,
        now: Subframe,
        instant: Instant,
        cell: usize,
        work: impl FnOnce(&mut Cell, &mut Context<'_>),
    ) {
        let mut context = Context {
            now,
            instant,
            settings: self.settings.at(cell),
            channel: &mut self.channel,
            devices: &mut self.devices,
            core: &mut self.core,
            modules: &mut self.modules,
            outputs: &mut self.outputs,
            watch: &mut self.watch,
        };
        work(&mut self.cells[cell], &mut context);
        self.order.set(cell, self.cells[cell].next_event());
    }
}

impl Link for NbIotNetwork {
    fn handle(&mut self, now: Instant, input: LinkInput) {
        self.run_until(now);
        match input {
            LinkInput::Attach { port } => self.attach(now, port),
            LinkInput::Detach { port } => self.detach(now, port),
            LinkInput::SwitchedOff { port } => self.switch_off(now, port),
            LinkInput::SwitchedOn { port } => self.switch_on(now, port),
            LinkInput::OutageBegins => self.begin_outage(now),
            LinkInput::OutageEnds => self.end_outage(now),
            LinkInput::Offered { port, packet } => self.offer(now, port, packet),
            LinkInput::Timeout => {}
        }
    }

    fn poll(&mut self, _: Instant) -> LinkOutput {
        let Some(output) = self.outputs.pop_front() else {
            let next_cell = self.order.first().map(|(at, _)| at.start());
            let wires = self.core.next().into_iter().chain(self.modules.next());
            let next = next_cell.into_iter().chain(wires).min();
            return LinkOutput::WaitUntil(next);
        };
        self.watch.note_output(&output);
        match &output {
            LinkOutput::Deliver { .. } => self.packets.delivered += 1,
            LinkOutput::Drop { .. } => self.packets.dropped += 1,
            _ => {}
        }
        output
    }

    fn tell_radio_time(&mut self, now: Instant) {
        self.run_until(now);
        for device in self.devices.iter_mut() {
            let settings = self.settings.at(device.cell.into());
            tell_radio_time(device, settings, now, &mut self.outputs);
        }
    }
}
