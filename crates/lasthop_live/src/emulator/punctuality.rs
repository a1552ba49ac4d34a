use std::io;
use std::num::NonZeroU64;

use rustix::mm::{MlockAllFlags, mlockall, munlockall};
use rustix::thread::{current_timer_slack, set_current_timer_slack};

/// As long as it is there, no page of the process is taken from it once it has been used, and the thread wakes up when
/// it wants to, not when it is convenient; as far as the process may.
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
