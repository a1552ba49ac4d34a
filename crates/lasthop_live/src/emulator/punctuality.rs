use std::io;
use std::num::NonZeroU64;

use rustix::mm::{MlockAllFlags, mlockall, munlockall};
use rustix::thread::{current_timer_slack, set_current_timer_slack};

/// A guard for punctual timers. While it exists, the memory of the process is locked and timers have no slack, as far
/// as the process is permitted.
#[derive(Debug)]
pub(super) struct Punctuality {
    is_held: bool,
    slack_ns: Option<NonZeroU64>,
}

impl Punctuality {
    pub(super) fn new() -> io::Result<Self> {
        let all = MlockAllFlags::CURRENT | MlockAllFlags::FUTURE | MlockAllFlags::ONFAULT;
        let slack_ns = NonZeroU64::new(current_timer_slack()?);
        set_current_timer_slack(NonZeroU64::new(1))?;
        Ok(Self {
            is_held: mlockall(all).is_ok(),
            slack_ns,
        })
    }
}

impl Drop for Punctuality {
    fn drop(&mut self) {
        // Neither has a way to fail that would matter to whoever goes on.
        let _ = set_current_timer_slack(self.slack_ns);
        if self.is_held {
            let _ = munlockall();
        }
    }
}
