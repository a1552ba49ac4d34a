use std::fs;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixDatagram;

use rustix::fs::{Mode, OFlags};

use super::{DataFolder, GatewayError};

const NAME: &str = "bell";

/// What a server hears by that something has happened: a socket in its folder, at which a byte says what.
#[derive(Debug)]
pub(super) struct Bell {
    pub(super) socket: UnixDatagram,
}

/// What is rung for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Ring {
    /// Records were written, or could not be.
    Settled = b's',
    /// Somebody has changed something.
    Changed = b'c',
}

impl Bell {
    /// The bell of the server that has the lock of the folder; that of an earlier one goes.
    pub(super) fn hang(folder: &DataFolder) -> Result<Self, GatewayError> {
        let path = folder.file(NAME);
        let hung = fs::remove_file(&path)
            .or_else(|error| match error.kind() {
                io::ErrorKind::NotFound => Ok(()),
                _ => Err(error),
            })
            .and_then(|()| {
                with_short_path(folder, |path| {
                    let socket = UnixDatagram::bind(path)?;
                    socket.set_nonblocking(true)?;
                    Ok(socket)
                })
            });
        let socket = hung.map_err(|error| GatewayError::Folder(path, error))?;
        Ok(Self { socket })
    }

    /// Hears all that was rung; whether somebody has changed something.
    pub(super) fn hear(&self) -> bool {
        let mut has_changed = false;
        let mut rung = [0; 8];
        while let Ok(length) = self.socket.recv(&mut rung) {
            has_changed |= rung[..length].contains(&(Ring::Changed as u8));
        }
        has_changed
    }
}

/// Who rings at the bell of a folder; an error where no server hears it.
pub(super) fn ringer(folder: &DataFolder) -> io::Result<UnixDatagram> {
    let socket = UnixDatagram::unbound()?;
    with_short_path(folder, |path| socket.connect(path))?;
    Ok(socket)
}

/// Names the bell by the folder's descriptor: the address of a socket has room for 108 bytes.
fn with_short_path<T>(
    folder: &DataFolder,
    with: impl FnOnce(&str) -> io::Result<T>,
) -> io::Result<T> {
    let flags = OFlags::DIRECTORY | OFlags::CLOEXEC;
    let opened = rustix::fs::open(folder.file(""), flags, Mode::empty())?;
    with(&format!("/proc/self/fd/{}/{NAME}", opened.as_raw_fd()))
}
