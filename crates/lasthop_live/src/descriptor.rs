use std::io;
use std::os::fd::{OwnedFd, RawFd};

use rustix::process::{PidfdFlags, PidfdGetfdFlags, getpid, pidfd_getfd, pidfd_open};

/// Takes over a file descriptor of this process from another language.
///
/// # Errors
/// When there is no such descriptor, or the kernel is older than Linux 5.6.
pub fn of_this_process(number: RawFd) -> io::Result<OwnedFd> {
    let this = pidfd_open(getpid(), PidfdFlags::empty())?;
    Ok(pidfd_getfd(this, number, PidfdGetfdFlags::empty())?)
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsRawFd;

    use rustix::net::{AddressFamily, SocketFlags, SocketType, socketpair};

    use super::*;

    #[test]
    fn gives_the_very_file_and_nothing_for_a_number_that_is_none() {
        let (kind, flags) = (SocketType::SEQPACKET, SocketFlags::empty());
        let (read, write) = socketpair(AddressFamily::UNIX, kind, flags, None).unwrap();
        let same = of_this_process(write.as_raw_fd()).unwrap();
        rustix::io::write(&same, b"x").unwrap();
        assert_eq!(rustix::io::read(&read, &mut [0; 2][..]), Ok(1));
        assert!(of_this_process(1_000_000).is_err());
    }
}
