use std::fs;

use lasthop_units::Duration;

/// Returns how long runnable tasks have waited for a processor since the machine started, or `None` if the kernel does
/// not report it (`CONFIG_PSI`).
pub(super) fn cpu_pressure() -> Option<Duration> {
    let told = fs::read_to_string("/proc/pressure/cpu").ok()?;
    stalled(&told)
}

fn stalled(told: &str) -> Option<Duration> {
    let some = told.lines().find(|line| line.starts_with("some "))?;
    let total = some.split("total=").nth(1)?.trim();
    Some(Duration::from_nanos(total.parse::<u64>().ok()? * 1000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_read_as_the_kernel_writes_it() {
        let told = "some avg10=1.53 avg60=0.87 avg300=0.22 total=58\nfull avg10=0.00 total=7\n";
        assert_eq!(stalled(told), Some(Duration::from_nanos(58_000)));
        for unknown in ["", "some", "some total=x", "full total=7"] {
            assert_eq!(stalled(unknown), None, "{unknown}");
        }
    }
}
