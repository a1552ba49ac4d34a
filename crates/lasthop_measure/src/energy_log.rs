use std::collections::BTreeMap;

use lasthop_contract::{Port, RadioCause, RadioState};
use lasthop_device::{Battery, EnergyAccount, Load, PowerProfile};
use lasthop_engine::LinkId;
use lasthop_units::{Duration, Energy, Instant, Power};

use crate::Directory;
use crate::energy_set_up::{DeviceKey, SetUps, Share, Span};

/// The energy of all radios during the measurement.
///
/// The measured time is a whole number of traffic periods, so the mean power follows from it.
#[derive(Debug)]
pub struct EnergyLog {
    /// Of each class of devices, which have one battery and are told apart in results.
    classes: Vec<Class>,
    /// By link and port.
    radios: Vec<Vec<Radio>>,
    told_twice: bool,
    /// Whether a message takes energy beside the radio.
    counts_messages: bool,
    set_ups: SetUps,
}

/// The energy of devices that are of one class.
#[derive(Debug)]
struct Class {
    account: EnergyAccount,
    config: EnergyConfig,
    /// How many real devices each stands for.
    weight: f64,
    radios: u64,
    /// How many devices have them.
    devices: u64,
    /// What their set-up took.
    set_up: Share,
    /// Their messages that were due while energy was measured, if these take energy beside the radio.
    messages: u64,
    /// By device, if a lifetime is asked for.
    spent: BTreeMap<u32, Spent>,
}

/// The energy of one device.
#[derive(Clone, Copy, Debug, Default)]
struct Spent {
    /// Joules of its radios while energy was measured.
    measured: Energy,
    set_up: Share,
    messages: u64,
}

/// What is known of a radio.
#[derive(Clone, Copy, Debug, Default)]
struct Radio {
    class: u32,
    /// The number of its device.
    device: u32,
    /// Its device has one that counts already.
    is_another: bool,
    /// Until when it has told its time.
    told_until: Option<Instant>,
}

/// The energy settings of devices.
#[derive(Clone, Copy, Debug)]
pub struct EnergyConfig {
    /// The power profile of the radio.
    pub profile: PowerProfile,
    /// The battery.
    pub battery: Battery,
    /// What the device draws beside its radio.
    pub load: Load,
    /// The required battery life in years; `None` without a requirement.
    pub lifetime_years: Option<f64>,
    /// The start of the energy measurement, after the first schedule began.
    pub from: Duration,
    /// The end of the energy measurement.
    pub until: Duration,
}

/// The energy of all devices in one row.
#[derive(Clone, Debug)]
pub struct EnergySummary {
    /// Energy in joules by cause, in the order of [`RadioCause::ALL`].
    pub by_cause: [Energy; RadioCause::ALL.len()],
    /// Time in seconds by kind of state, in the order of [`RadioState::NAMES`].
    pub by_state: [Duration; RadioState::COUNT],
    /// Total energy of the radios in joules.
    pub total: Energy,
    /// Joules that the devices drew beside their radios; `None` where nothing does.
    pub load: Option<Energy>,
    /// The set-up energy in joules. A part of it can lie before the measurement (see `MODEL.md`).
    pub set_up: Energy,
    /// The measured energy in joules without the set-up energy.
    pub steady: Energy,
    /// The battery life of a device after its set-up, at mean power.
    ///
    /// Devices with the same battery share a mean power. With several batteries it is the mean over devices (see
    /// `MODEL.md`). It is `None` unless every device was present all the time.
    pub battery_years: Option<f64>,
    /// The share of the real devices whose battery lasts as long as asked for.
    ///
    /// It is `None` where that is not asked for, and unless every device was present all the time.
    pub lifetime_ratio: Option<f64>,
}

impl EnergyConfig {
    /// Returns the energy settings of each class of devices, one class for each stratum of a group, or `None` if no
    /// energy is measured. A group without settings has those of the first group that has some.
    pub(crate) fn of_classes(
        groups: &[Option<Self>],
        directory: &Directory,
    ) -> Option<Vec<(Self, f64)>> {
        let first = groups.iter().flatten().next()?;
        let of_group = |(place, config): (usize, &Option<Self>)| -> Vec<(Self, f64)> {
            let config = config.unwrap_or(*first);
            let weights = directory.groups().get(place).map_or_else(
                || vec![1.0],
                |group| group.strata.iter().map(|it| it.weight).collect(),
            );
            weights.into_iter().map(|weight| (config, weight)).collect()
        };
        Some(groups.iter().enumerate().flat_map(of_group).collect())
    }
}

impl EnergyLog {
    /// Creates a log for classes of devices with these settings and weights. At least one class is needed.
    pub(crate) fn new(classes: impl Iterator<Item = (EnergyConfig, f64)>) -> Self {
        let class = |(config, weight): (EnergyConfig, f64)| Class {
            account: EnergyAccount::new(config.profile),
            config,
            weight,
            radios: 0,
            devices: 0,
            set_up: Share::default(),
            messages: 0,
            spent: BTreeMap::new(),
        };
        let classes: Vec<Class> = classes.map(class).collect();
        let takes_some = |class: &Class| class.config.load.per_message > Energy::ZERO;
        Self {
            counts_messages: classes.iter().any(takes_some),
            classes,
            radios: Vec::new(),
            told_twice: false,
            set_ups: SetUps::default(),
        }
    }

    /// Records the class and the device of a radio. A radio without a class belongs to the first one.
    pub(crate) fn attach(
        &mut self,
        radio: (LinkId, Port),
        (class, device): (u32, u32),
        is_another: bool,
    ) {
        *self.radio(radio) = Radio {
            class,
            device,
            is_another,
            told_until: None,
        };
    }

    /// Records the device of a radio whose session set-up is measured.
    pub(crate) fn sets_up(&mut self, radio: (LinkId, Port), device: DeviceKey) {
        self.set_ups.begin(radio, device);
    }

    /// Whether messages are to be noted.
    pub(crate) fn counts_messages(&self) -> bool {
        self.counts_messages
    }

    /// Notes a message of a device, or for it, that is due, when the first schedule was begun at `start`.
    pub(crate) fn note_message(
        &mut self,
        now: Instant,
        start: Option<Instant>,
        (class, device): (u32, u32),
    ) {
        let Some(class) = self.classes.get_mut(class as usize) else {
            return;
        };
        let window = |start: Instant| (start + class.config.from, start + class.config.until);
        let Some((begin, end)) = start.map(window) else {
            return;
        };
        if now < begin || now >= end {
            return;
        }
        class.messages += 1;
        if class.config.lifetime_years.is_some() {
            class.spent.entry(device).or_default().messages += 1;
        }
    }

    /// Returns the set-ups of devices, while any is unfinished.
    pub(crate) fn set_ups(&mut self) -> Option<&mut SetUps> {
        (!self.set_ups.are_over()).then_some(&mut self.set_ups)
    }

    /// Returns the end of the measurement, if the first schedule began at `start`.
    pub(crate) fn until(&self, start: Instant) -> Instant {
        let until = self.classes.iter().map(|class| class.config.until).max();
        start + until.unwrap_or(Duration::ZERO)
    }

    /// Adds the measured part of a span, if the first schedule has begun (at `start`).
    pub(crate) fn note(
        &mut self,
        start: Option<Instant>,
        radio: (LinkId, Port),
        what: (RadioState, RadioCause),
        (from, duration): (Instant, Duration),
    ) {
        let until = from + duration;
        let (class, device) = self.tell(radio, from, until);
        let class = &mut self.classes[class as usize];
        let of_each = class.config.lifetime_years.is_some();
        let window = |start: Instant| (start + class.config.from, start + class.config.until);
        let measured = start.map(window);
        if !self.set_ups.are_over() {
            let span = Span {
                from,
                until,
                draws: class.config.profile.draws(what.0),
                cause: what.1,
                measured,
            };
            let share = self.set_ups.take(radio, span);
            class.set_up.add(share);
            if of_each {
                class.spent.entry(device).or_default().set_up.add(share);
            }
        }
        let Some((begin, end)) = measured else { return };
        let (from, until) = (from.max(begin), until.min(end));
        class.account.record(what.0, what.1, until - from);
        if of_each {
            let joules = class.config.profile.draws(what.0) * (until - from);
            class.spent.entry(device).or_default().measured += joules;
        }
    }

    /// Whether no radio reported the same moment twice, and the radios of the permanent devices left out no moment.
    pub(crate) fn is_conserved(&self, staying: Option<u32>) -> bool {
        let is_complete = |devices: u32| {
            let radios: u64 = self.classes.iter().map(|class| class.radios).sum();
            radios == 0
                || radios == u64::from(devices) && self.classes.iter().all(Class::has_no_gap)
        };
        !self.told_twice && staying.is_none_or(is_complete)
    }

    /// Returns the energy of all devices in one row, or `None` if no link has a radio.
    pub(crate) fn summary(&self) -> Option<EnergySummary> {
        let mut with_radios = self.classes.iter().filter(|class| class.radios > 0);
        let mut all = with_radios.next()?.summary();
        for class in with_radios {
            let other = class.summary();
            for (sum, more) in all.by_cause.iter_mut().zip(other.by_cause) {
                *sum += more;
            }
            for (sum, more) in all.by_state.iter_mut().zip(other.by_state) {
                *sum += more;
            }
            all.total += other.total;
            all.load = match (all.load, other.load) {
                (Some(sum), Some(more)) => Some(sum + more),
                (sum, more) => sum.or(more),
            };
            all.set_up += other.set_up;
            all.steady += other.steady;
            all.battery_years = self.battery_years();
        }
        all.lifetime_ratio = self.lifetime_ratio();
        Some(all)
    }

    /// Returns the share of the real devices whose battery lasts as long as asked for, of those of which that is asked.
    fn lifetime_ratio(&self) -> Option<f64> {
        let asked = |class: &&Class| class.radios > 0 && class.config.lifetime_years.is_some();
        let (mut lasting, mut devices) = (0.0, 0.0);
        for class in self.classes.iter().filter(asked) {
            lasting += class.lifetime_ratio()? * class.real_devices();
            devices += class.real_devices();
        }
        (devices > 0.0).then(|| lasting / devices)
    }

    /// Returns the energy of a class of devices, or `None` without a radio.
    pub(crate) fn of_class(&self, class: usize) -> Option<EnergySummary> {
        let class = self.classes.get(class)?;
        (class.radios > 0).then(|| class.summary())
    }

    /// Returns the battery life at which the real devices use as many batteries a year as those of each battery do at
    /// their mean power.
    fn battery_years(&self) -> Option<f64> {
        let classes = || self.classes.iter().filter(|class| class.radios > 0);
        let mut batteries: Vec<Battery> = Vec::new();
        for class in classes() {
            if !batteries.contains(&class.config.battery) {
                batteries.push(class.config.battery);
            }
        }
        let lives = batteries.iter().map(|battery| {
            let with_it = classes().filter(|class| class.config.battery == *battery);
            let devices: f64 = with_it.clone().map(Class::real_devices).sum();
            let set_up = with_it
                .clone()
                .map(|class| class.weight * class.set_up.total.as_joules());
            let spent = Energy::from_joules(set_up.sum::<f64>() / devices);
            let years = battery.life_years_after(spent, mean_power(with_it)?);
            Some((devices, years))
        });
        let lives: Vec<(f64, f64)> = lives.collect::<Option<_>>()?;
        if let [(_, years)] = lives[..] {
            return Some(years);
        }
        let devices: f64 = lives.iter().map(|(devices, _)| devices).sum();
        let taken_a_year: f64 = lives.iter().map(|(devices, years)| devices / years).sum();
        Some(devices / taken_a_year)
    }

    /// Records a radio report and returns the class of the radio and the number of its device.
    fn tell(&mut self, radio: (LinkId, Port), from: Instant, until: Instant) -> (u32, u32) {
        let radio = self.radio(radio);
        let (class, device, is_another) = (radio.class, radio.device, radio.is_another);
        match radio.told_until.replace(until) {
            Some(before) => self.told_twice |= from < before,
            None => {
                let class = &mut self.classes[class as usize];
                class.radios += 1;
                class.devices += u64::from(!is_another);
            }
        }
        (class, device)
    }

    fn radio(&mut self, (link, port): (LinkId, Port)) -> &mut Radio {
        let ports = entry(&mut self.radios, link.0, Vec::new);
        entry(ports, port.0, Radio::default)
    }
}

/// Returns the mean power of the real devices of some classes, or `None` unless every device was present all the time.
fn mean_power<'a>(classes: impl Iterator<Item = &'a Class> + Clone) -> Option<Power> {
    let seconds: f64 = classes
        .clone()
        .map(|class| class.weight * class.device_seconds())
        .sum();
    let joules: f64 = classes
        .clone()
        .map(|class| class.weight * (class.steady() + class.load()).as_joules())
        .sum();
    let is_whole = classes.clone().all(Class::has_no_gap) && seconds > 0.0;
    is_whole.then(|| Energy::from_joules(joules / seconds) / Duration::from_secs(1))
}

impl Class {
    fn summary(&self) -> EnergySummary {
        let time = self.account.total_time();
        let has_power = self.has_no_gap() && time > Duration::ZERO;
        let load = self.load();
        let beside = Power::from_watts(load.as_joules() / self.device_seconds());
        let mean = has_power.then(|| (self.steady() / time) * self.radios_a_device() + beside);
        let of_each = self.set_up.total.as_joules() / self.devices.max(1) as f64;
        let spent = Energy::from_joules(of_each);
        EnergySummary {
            by_cause: RadioCause::ALL.map(|cause| self.account.energy_for(cause)),
            by_state: core::array::from_fn(|state| self.account.time_in(state)),
            total: self.account.total_energy(),
            load: (self.config.load != Load::default()).then_some(load),
            set_up: self.set_up.total,
            steady: self.steady(),
            battery_years: mean.map(|power| self.config.battery.life_years_after(spent, power)),
            lifetime_ratio: self.lifetime_ratio(),
        }
    }

    /// Returns the energy that the devices drew beside their radios.
    fn load(&self) -> Energy {
        let load = &self.config.load;
        Energy::from_joules(
            load.constant.as_watts() * self.device_seconds()
                + load.per_message.as_joules() * self.messages as f64,
        )
    }

    /// Returns the measured time of all devices, in seconds.
    fn device_seconds(&self) -> f64 {
        self.account.total_time().as_secs_f64() / self.radios_a_device()
    }

    /// Returns the share of the devices whose battery lasts as long as asked for.
    fn lifetime_ratio(&self) -> Option<f64> {
        let years = self.config.lifetime_years?;
        let window = self.config.until - self.config.from;
        if !self.has_no_gap() || window == Duration::ZERO || self.devices == 0 {
            return None;
        }
        let lasts = |spent: &&Spent| self.life_years(spent, window) >= years;
        let lasting = self.spent.values().filter(lasts).count();
        Some(lasting as f64 / self.devices as f64)
    }

    /// Returns the battery life of one device.
    fn life_years(&self, spent: &Spent, window: Duration) -> f64 {
        let load = &self.config.load;
        let radio = spent.measured.as_joules() - spent.set_up.measured.as_joules();
        let beside = load.per_message.as_joules() * spent.messages as f64;
        let mean = Energy::from_joules(radio + beside) / window + load.constant;
        let battery = &self.config.battery;
        battery.life_years_after(spent.set_up.total, mean)
    }

    /// Returns the measured energy without the set-up energy.
    fn steady(&self) -> Energy {
        let set_up = self.set_up.measured.as_joules();
        Energy::from_joules(self.account.total_energy().as_joules() - set_up)
    }

    /// Returns the number of real devices.
    fn real_devices(&self) -> f64 {
        self.weight * self.devices as f64
    }

    /// Returns the number of radios of a device.
    ///
    /// A device that moves to another network has a radio in each, one of which is off.
    fn radios_a_device(&self) -> f64 {
        self.radios as f64 / self.devices.max(1) as f64
    }

    fn has_no_gap(&self) -> bool {
        let measured = self.config.until - self.config.from;
        self.account.total_time() == measured * self.radios
    }
}

/// Returns the entry with this number and creates missing entries before it.
fn entry<T>(entries: &mut Vec<T>, number: u32, empty: impl FnMut() -> T) -> &mut T {
    let number = number as usize;
    if entries.len() <= number {
        entries.resize_with(number + 1, empty);
    }
    &mut entries[number]
}

#[cfg(test)]
mod tests {
    use lasthop_units::DecibelMilliwatts;

    use super::*;

    const DEVICE: (LinkId, Port) = (LinkId(3), Port(2));
    const OTHER: (LinkId, Port) = (LinkId(3), Port(4));
    const LISTENS: (RadioState, RadioCause) = (RadioState::Receive, RadioCause::Waiting);
    const SLEEPS: (RadioState, RadioCause) = (RadioState::DeepSleep, RadioCause::Sleep);
    const SENDS: (RadioState, RadioCause) = (
        RadioState::Transmit(DecibelMilliwatts::new(23.0)),
        RadioCause::Payload,
    );

    const START: Option<Instant> = Some(Instant::ZERO);

    fn config(watt_hours: f64, from: u64, until: u64) -> EnergyConfig {
        EnergyConfig {
            profile: PowerProfile::TR_45_820,
            battery: Battery::new(Energy::from_watt_hours(watt_hours), 0.0).expect("a battery"),
            load: Load::default(),
            lifetime_years: None,
            from: Duration::from_secs(from),
            until: Duration::from_secs(until),
        }
    }

    fn log(from: u64, until: u64) -> EnergyLog {
        EnergyLog::new(core::iter::once((config(5.0, from, until), 1.0)))
    }

    /// Of one device that listens, for each of 9 real ones, and one that sleeps.
    fn listens_and_sleeps(batteries: [f64; 2]) -> EnergyLog {
        let classes = batteries.map(|battery| config(battery, 0, 100));
        let mut log = EnergyLog::new(classes.into_iter().zip([9.0, 1.0]));
        log.attach(DEVICE, (0, 0), false);
        log.attach(OTHER, (1, 0), false);
        log.note(START, DEVICE, LISTENS, seconds(0, 100));
        log.note(START, OTHER, SLEEPS, seconds(0, 100));
        log
    }

    fn years(log: &EnergyLog) -> f64 {
        log.summary()
            .and_then(|all| all.battery_years)
            .expect("all were there")
    }

    fn seconds(from: u64, until: u64) -> (Instant, Duration) {
        let from = Instant::ZERO + Duration::from_secs(from);
        (from, Instant::ZERO + Duration::from_secs(until) - from)
    }

    /// Listening takes 80 mW, so the set-up of 10 s takes 0.8 J of the 100 J that the battery holds. The rest of the 100 s is
    /// 40 s of listening and 50 s of sleep.
    #[test]
    fn the_set_up_of_a_device_is_spent_once() {
        let mut log = EnergyLog::new(core::iter::once((config(100.0 / 3600.0, 0, 100), 1.0)));
        log.attach(DEVICE, (0, 0), false);
        log.sets_up(DEVICE, (0, 0));
        log.note(START, DEVICE, LISTENS, seconds(0, 5));
        log.set_ups()
            .expect("one goes on")
            .note_ready(seconds(5, 5).0, (0, 0));
        log.note(START, DEVICE, LISTENS, seconds(5, 10));
        log.note(START, DEVICE, SLEEPS, seconds(10, 60));
        assert!(log.set_ups().is_none());
        log.note(START, DEVICE, LISTENS, seconds(60, 100));
        let summary = log.summary().expect("a radio");
        let (set_up, steady) = (0.8, 40.0 * 0.08 + 50.0 * 15e-6);
        assert!((summary.set_up.as_joules() - set_up).abs() < 1e-9);
        assert!((summary.steady.as_joules() - steady).abs() < 1e-9);
        assert!((summary.total.as_joules() - set_up - steady).abs() < 1e-9);
        let by_hand = (100.0 - set_up) / (steady / 100.0) / 31_557_600.0;
        assert!((years(&log) / by_hand - 1.0).abs() < 1e-9, "{by_hand}");
    }

    /// Of one device that listens for 100 s, which takes 8 J of a battery with 100 J.
    fn listens(load: Load, lifetime_years: Option<f64>) -> EnergyLog {
        let config = EnergyConfig {
            load,
            lifetime_years,
            ..config(100.0 / 3600.0, 0, 100)
        };
        let mut log = EnergyLog::new(core::iter::once((config, 1.0)));
        log.attach(DEVICE, (0, 7), false);
        log.note(START, DEVICE, LISTENS, seconds(0, 100));
        log
    }

    /// 20 mW take 2 J of 100 s, and three messages 0.5 J each. The message at the end of the measured time is not in it.
    #[test]
    fn a_load_beside_the_radio_shortens_the_life() {
        let load = Load {
            constant: Power::from_milliwatts(20.0),
            per_message: Energy::from_joules(0.5),
        };
        let mut log = listens(load, None);
        assert!(log.counts_messages());
        for second in [0, 50, 99, 100, 101] {
            log.note_message(seconds(second, second).0, START, (0, 7));
        }
        let summary = log.summary().expect("a radio");
        let beside = summary.load.expect("a load").as_joules();
        assert!((beside - (2.0 + 3.0 * 0.5)).abs() < 1e-9);
        assert!((summary.total.as_joules() - 8.0).abs() < 1e-9);
        let by_hand = 100.0 / ((8.0 + 3.5) / 100.0) / 31_557_600.0;
        assert!((years(&log) / by_hand - 1.0).abs() < 1e-9, "{by_hand}");
        assert_eq!(summary.lifetime_ratio, None);
        let without = listens(Load::default(), None);
        assert!(!without.counts_messages());
        assert_eq!(without.summary().and_then(|all| all.load), None);
    }

    #[test]
    fn a_battery_reaches_a_lifetime_that_it_just_lasts() {
        let by_hand = 100.0 / 0.08 / 31_557_600.0;
        for (asked, lasting) in [(0.999 * by_hand, 1.0), (1.001 * by_hand, 0.0)] {
            let summary = listens(Load::default(), Some(asked)).summary();
            let ratio = summary.expect("a radio").lifetime_ratio;
            assert_eq!(ratio, Some(lasting), "{asked}");
        }
    }

    /// One device listens, for each of 9 real ones, and one sleeps: one in ten real devices lasts.
    #[test]
    fn devices_that_last_count_by_their_weight() {
        let asked = EnergyConfig {
            lifetime_years: Some(1.0),
            ..config(5.0, 0, 100)
        };
        let mut log = EnergyLog::new([(asked, 9.0), (asked, 1.0)].into_iter());
        log.attach(DEVICE, (0, 0), false);
        log.attach(OTHER, (1, 0), false);
        log.note(START, DEVICE, LISTENS, seconds(0, 100));
        log.note(START, OTHER, SLEEPS, seconds(0, 100));
        let ratio = log.summary().expect("two radios").lifetime_ratio;
        assert!(
            ratio.is_some_and(|ratio| (ratio - 0.1).abs() < 1e-12),
            "{ratio:?}"
        );
        let of_class = |class| log.of_class(class).and_then(|one| one.lifetime_ratio);
        assert_eq!([of_class(0), of_class(1)], [Some(0.0), Some(1.0)]);
    }

    #[test]
    fn a_span_counts_as_far_as_it_lies_in_the_window() {
        for (from, until, counted) in [
            (0, 5, 0),
            (0, 10, 0),
            (5, 12, 2),
            (12, 15, 3),
            (15, 40, 5),
            (0, 40, 10),
            (20, 40, 0),
            (30, 40, 0),
        ] {
            let mut log = log(10, 20);
            log.note(START, DEVICE, LISTENS, seconds(from, until));
            let summary = log.summary().expect("there is a radio");
            let time = summary.by_state[RadioState::Receive.index()];
            assert_eq!(time, Duration::from_secs(counted), "{from} to {until}");
        }
    }

    #[test]
    fn before_anyone_is_set_up_nothing_counts() {
        let mut log = log(0, 100);
        log.note(None, DEVICE, LISTENS, seconds(0, 5));
        let summary = log.summary().expect("there is a radio");
        assert_eq!(summary.total, Energy::ZERO);
        assert_eq!(summary.battery_years, None);
    }

    #[test]
    fn without_a_radio_there_is_no_energy() {
        assert!(log(0, 100).summary().is_none());
    }

    /// 1 s of 500 mW and 99 s of 0.015 mW are 5.015 mW on average, and 18,000 J.
    #[test]
    fn a_battery_lasts_by_the_mean_power() {
        let mut log = log(0, 100);
        log.note(START, DEVICE, SENDS, seconds(0, 1));
        log.note(START, DEVICE, SLEEPS, seconds(1, 120));
        let summary = log.summary().expect("a radio");
        let years = summary.battery_years.expect("it was there all the time");
        let by_hand = 18_000.0 / 5.014_85e-3 / 31_557_600.0;
        assert!((years / by_hand - 1.0).abs() < 1e-9, "{years} years");
        let payload = summary.by_cause[RadioCause::Payload as usize];
        assert_eq!(payload, Energy::from_joules(0.5));
    }

    /// Listening takes 80 mW, sleep 0.015 mW. Nine real devices take a battery of 5 Wh in 0.00713 years each, one of
    /// 50 Wh in 380.3 years: 1,262.3 batteries a year of ten devices.
    #[test]
    fn of_several_batteries_as_many_are_taken_a_year_as_of_each() {
        let log = listens_and_sleeps([5.0, 50.0]);
        let life = |joules: f64, watts: f64| joules / watts / 31_557_600.0;
        let taken_a_year = 9.0 / life(18_000.0, 0.08) + 1.0 / life(180_000.0, 15e-6);
        let by_hand = 10.0 / taken_a_year;
        assert!((years(&log) / by_hand - 1.0).abs() < 1e-9, "{by_hand}");
    }

    #[test]
    fn batteries_that_are_almost_alike_last_almost_as_long_as_those_that_are() {
        let alike = years(&listens_and_sleeps([5.0, 5.0]));
        let almost = years(&listens_and_sleeps([5.0, 5.0 + 1e-9]));
        assert!((almost / alike - 1.0).abs() < 1e-6, "{almost}, {alike}");
    }

    #[test]
    fn one_of_several_batteries_that_was_not_there_all_the_time_leaves_nothing_to_tell() {
        let mut log = listens_and_sleeps([5.0, 50.0]);
        log.attach((LinkId(3), Port(6)), (1, 1), false);
        log.note(START, (LinkId(3), Port(6)), SLEEPS, seconds(20, 100));
        assert_eq!(log.summary().and_then(|all| all.battery_years), None);
    }

    #[test]
    fn devices_that_come_and_go_have_no_battery_life() {
        let mut log = log(0, 100);
        log.note(START, DEVICE, SLEEPS, seconds(0, 100));
        log.note(START, OTHER, SENDS, seconds(20, 21));
        let summary = log.summary().expect("a radio");
        assert_eq!(summary.battery_years, None);
    }

    #[test]
    fn a_moment_told_twice_is_noticed() {
        let mut log = log(0, 100);
        log.note(START, DEVICE, SLEEPS, seconds(0, 50));
        log.note(START, OTHER, SLEEPS, seconds(10, 50));
        assert!(log.is_conserved(None));
        log.note(START, DEVICE, SENDS, seconds(49, 51));
        assert!(!log.is_conserved(None));
    }

    #[test]
    fn a_moment_left_out_is_noticed_of_those_that_stay() {
        let mut log = log(0, 100);
        log.note(START, DEVICE, SLEEPS, seconds(0, 100));
        assert!(log.is_conserved(Some(1)));
        assert!(!log.is_conserved(Some(2)));
        log.note(START, OTHER, SLEEPS, seconds(0, 99));
        assert!(!log.is_conserved(Some(2)));
        assert!(log.is_conserved(None));
        log.note(START, OTHER, SENDS, seconds(99, 100));
        assert!(log.is_conserved(Some(2)));
    }
}
