use core::time::Duration;
use std::fs;
use std::io;

use rustix::time::{ClockId, clock_gettime};
use thiserror::Error;

/// Why the host does not tell what this process took.
#[derive(Debug, Error)]
pub enum UsageError {
    /// There is no `/proc`.
    #[error("/proc/self/status cannot be read: {0}")]
    NoStatus(#[from] io::Error),
    /// It is there, but says something else.
    #[error("/proc/self/status has no VmHWM")]
    NoPeak,
}

/// The CPU time that this process has taken, user and system, all threads.
#[must_use]
pub fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    // Both are above 0, and the nanoseconds below a second.
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// The most memory that this process has had resident, in MiB.
///
/// # Errors
/// Where there is no `/proc/self/status`, that is on systems other than Linux.
pub fn peak_memory_mib() -> Result<f64, UsageError> {
    let status = fs::read_to_string("/proc/self/status")?;
    let kibibytes: f64 = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .and_then(|value| value.trim().strip_suffix(" kB")?.parse().ok())
        .ok_or(UsageError::NoPeak)?;
    Ok(kibibytes / 1024.0)
}
