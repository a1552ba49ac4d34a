use std::collections::VecDeque;

use lasthop_contract::{LinkOutput, Port, RadioCause, RadioState};
use lasthop_units::Instant;
use smallvec::SmallVec;

/// What the radio of a device does, in spans that are laid end to end: those that have ended are told, those that are
/// planned may still be cut.
#[derive(Debug)]
pub(crate) struct RadioLog {
    port: Port,
    /// Whether anybody is told.
    is_told: bool,
    /// Since when nothing has been told.
    told_until: Instant,
    /// What has not been told, in order.
    spans: SmallVec<[Span; 6]>,
    conflicts: u32,
    /// What it does is for the registration of its device.
    registers: bool,
}

#[derive(Clone, Copy, Debug)]
struct Span {
    until: Instant,
    state: RadioState,
    cause: RadioCause,
}

impl RadioLog {
    /// A radio that is switched on now; what it does is told, or only kept in order.
    pub(crate) fn new(port: Port, now: Instant, is_told: bool) -> Self {
        Self {
            port,
            is_told,
            told_until: now,
            spans: SmallVec::new(),
            conflicts: 0,
            registers: false,
        }
    }

    /// From here on all that it does is for a registration.
    pub(crate) fn begin_registration(&mut self) {
        self.registers = true;
    }

    /// The device is registered, or off.
    pub(crate) fn end_registration(&mut self) {
        self.registers = false;
    }

    /// Until when the log reaches.
    pub(crate) fn until(&self) -> Instant {
        self.spans.last().map_or(self.told_until, |span| span.until)
    }

    /// Something is sent, or received, from this instant on; what is half duplex does nothing else by then.
    pub(crate) fn begin(&mut self, start: Instant) {
        self.conflicts += u32::from(start < self.until());
    }

    /// How often something began before what was under way had ended.
    pub(crate) const fn conflicts(&self) -> u32 {
        self.conflicts
    }

    /// The radio is in this state from where the log ends until `until`; nothing if that lies before.
    pub(crate) fn spend(&mut self, until: Instant, state: RadioState, cause: RadioCause) {
        if until <= self.until() {
            return;
        }
        let cause = if self.registers {
            of_registration(cause)
        } else {
            cause
        };
        match self.spans.last_mut() {
            Some(last) if last.state == state && last.cause == cause => last.until = until,
            _ => self.spans.push(Span {
                until,
                state,
                cause,
            }),
        }
    }

    /// The same for a time in which it listens for a share only; the rest it sleeps, connected.
    pub(crate) fn listen(&mut self, until: Instant, share: f64, cause: RadioCause) {
        let from = self.until();
        if until <= from {
            return;
        }
        let listened = (until - from).scaled(share.min(1.0));
        self.spend(from + listened, RadioState::Receive, cause);
        self.spend(until, RadioState::ConnectedSleep, cause);
    }

    /// Tells what has ended; the last span waits, since it may go on.
    pub(crate) fn tell(&mut self, now: Instant, outputs: &mut VecDeque<LinkOutput>) {
        let spans = &self.spans;
        let ended = spans
            .iter()
            .take(spans.len().saturating_sub(1))
            .take_while(|span| span.until <= now)
            .count();
        self.tell_first(ended, outputs);
    }

    /// Tells everything up to `now`; of a span that goes on, its part until then.
    pub(crate) fn tell_up_to(&mut self, now: Instant, outputs: &mut VecDeque<LinkOutput>) {
        let ended = self
            .spans
            .iter()
            .take_while(|span| span.until <= now)
            .count();
        self.tell_first(ended, outputs);
        if let Some(span) = self.spans.first() {
            let part = Span {
                until: now,
                ..*span
            };
            self.tell_span(&part, outputs);
        }
    }

    /// What was planned beyond `now` does not happen.
    pub(crate) fn cut(&mut self, now: Instant) {
        let done = self
            .spans
            .iter()
            .take_while(|span| span.until <= now)
            .count();
        self.spans.truncate(done + 1);
        if let Some(last) = self.spans.get_mut(done) {
            last.until = now;
        }
    }

    /// Tells everything; the radio is switched off.
    pub(crate) fn end(&mut self, outputs: &mut VecDeque<LinkOutput>) {
        self.tell_first(self.spans.len(), outputs);
    }

    /// Tells the first spans and forgets them.
    fn tell_first(&mut self, count: usize, outputs: &mut VecDeque<LinkOutput>) {
        for place in 0..count {
            let span = self.spans[place];
            self.tell_span(&span, outputs);
        }
        self.spans.copy_within(count.., 0);
        self.spans.truncate(self.spans.len() - count);
    }

    fn tell_span(&mut self, span: &Span, outputs: &mut VecDeque<LinkOutput>) {
        let from = self.told_until;
        if span.until <= from {
            return;
        }
        self.told_until = span.until;
        if self.is_told {
            outputs.push_back(LinkOutput::RadioTime {
                port: self.port,
                state: span.state,
                cause: span.cause,
                from,
                duration: span.until - from,
            });
        }
    }
}

/// The cause of radio time of a device that registers.
const fn of_registration(cause: RadioCause) -> RadioCause {
    match cause {
        RadioCause::CellSearch | RadioCause::Sleep => cause,
        _ => RadioCause::Attach,
    }
}
