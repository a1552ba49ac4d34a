use std::fs;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixDatagram;

use rustix::fs::{Mode, OFlags};

use super::{DataFolder, GatewayError};

const NAME: &str = "bell";

/// A socket in the data folder by which a server is notified of changes.
#[derive(Debug)]
pub(super) struct Bell {
    socket: UnixDatagram,
}

impl Bell {
    /// Creates the socket for the server that holds the folder's lock, and replaces that of an earlier server.
    pub(super) fn hang(folder: &DataFolder) -> Result<Self, GatewayError> {
        let path = folder.file(NAME);
        let hung = fs::remove_file(&path)
            .or_else(|error| match error.kind() {
                io::ErrorKind::NotFound => Ok(()),
                _ => Err(error),
            })
            .and_then(|()| with_short_path(folder, |path| UnixDatagram::bind(path)))
            .and_then(|socket| {
                fs::set_permissions(&path, fs::Permissions::from_mode(0o600))?;
                Ok(socket)
            });
        let socket = hung.map_err(|error| GatewayError::Folder(path, error))?;
        Ok(Self { socket })
    }

    /// Waits for a notification, and reads all that have arrived. Senders block while the socket is full, so that none
    /// is lost.
    pub(super) fn hear(&self) -> io::Result<()> {
        self.socket.recv(&mut [0; 8]).map(drop)
    }
}

/// Returns a socket that notifies the server of a folder, or an error if no server listens.
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
