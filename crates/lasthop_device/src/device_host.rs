use lasthop_contract::{
    CrashReason, DeviceEvent, DiscardReason, Host, HostEvent, HostInput, HostOutput, ShortQueue,
};
use lasthop_units::Instant;

use crate::Device;

/// A host that crashes when a resource is exhausted, and boots again.
pub struct DeviceHost {
    host: Box<dyn Host>,
    device: Device,
    /// When it has booted; none while it is up, or kept off by something else.
    boots_at: Option<Instant>,
    is_down: bool,
    ready: ShortQueue<HostOutput>,
}

impl DeviceHost {
    /// Creates the host of this device's transports.
    #[must_use]
    pub fn new(host: Box<dyn Host>, device: Device) -> Self {
        Self {
            host,
            device,
            boots_at: None,
            is_down: false,
            ready: ShortQueue::new(),
        }
    }

    fn tell(&mut self, event: DeviceEvent) {
        self.ready.push(HostOutput::Event(HostEvent::Device(event)));
    }

    fn crash(&mut self, now: Instant, reason: CrashReason) {
        self.tell(DeviceEvent::Crashed(reason));
        self.device.forget();
        let constraints = self.device.constraints();
        let (survives, boot_time) = (constraints.survives, constraints.boot_time);
        self.host.handle(now, HostInput::Crash(survives));
        (self.is_down, self.boots_at) = (true, Some(now + boot_time));
    }

    fn boot(&mut self, now: Instant) {
        (self.is_down, self.boots_at) = (false, None);
        self.tell(DeviceEvent::Booted);
        self.host.handle(now, HostInput::Start);
    }
}

impl Host for DeviceHost {
    fn handle(&mut self, now: Instant, input: HostInput) {
        match input {
            HostInput::Received { packet, .. } if self.is_down => {
                let reason = DiscardReason::HostDown;
                self.ready
                    .push(HostOutput::Event(HostEvent::Discarded { packet, reason }));
            }
            // Whoever cuts its power switches it on again.
            HostInput::Crash(_) => {
                (self.is_down, self.boots_at) = (true, None);
                self.device.forget();
                self.host.handle(now, input);
            }
            HostInput::Start if self.is_down => self.boot(now),
            // What is due meanwhile is due all the same, and finds it off.
            input => self.host.handle(now, input),
        }
    }

    fn poll(&mut self, now: Instant) -> HostOutput {
        loop {
            if let Some(output) = self.ready.pop() {
                return output;
            }
            if self.device.attention_at() <= now
                && let Some(reason) = self.device.take_crash(now)
            {
                self.crash(now, reason);
                continue;
            }
            if self.boots_at.is_some_and(|at| at <= now) {
                self.boot(now);
                continue;
            }
            let deadline = match self.host.poll(now) {
                HostOutput::WaitUntil(deadline) => deadline,
                HostOutput::Transmit { interface, packet } => {
                    return HostOutput::Transmit { interface, packet };
                }
                output => return output,
            };
            let attention_at = self.device.attention_at();
            if attention_at > now {
                let attention = (attention_at < Instant::FAR_FUTURE).then_some(attention_at);
                let deadlines = [deadline, attention, self.boots_at];
                return HostOutput::WaitUntil(deadlines.into_iter().flatten().min());
            }
            if let Some(event) = self.device.take_thrown_away() {
                self.tell(event);
            }
        }
    }
}
