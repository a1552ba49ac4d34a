use std::fs::{self, DirBuilder, OpenOptions};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FallocateFlags, FlockOperation, fallocate, flock, statvfs};

use super::GatewayError;

/// Files are for their owner alone.
const OWN: u32 = 0o600;

/// What is kept back on the disk: more than a journal is long, which has to be written into the database before anything that
/// is removed makes room.
const RESERVE: &str = "reserve";
const RESERVE_SIZE: u64 = 16 << 20;
const SMALLEST_RESERVE: u64 = 256 << 10;

/// The private folder of a gateway's data.
#[derive(Clone, Debug)]
pub struct DataFolder {
    path: PathBuf,
}

impl DataFolder {
    /// Opens the folder and creates it if it is missing.
    ///
    /// # Errors
    /// When it is none and cannot be made.
    pub fn open(path: &Path) -> Result<Self, GatewayError> {
        let fail = |error| GatewayError::Folder(path.into(), error);
        let mut builder = DirBuilder::new();
        builder.recursive(true).mode(0o700);
        builder.create(path).map_err(fail)?;
        let path = fs::canonicalize(path).map_err(fail)?;
        Ok(Self { path })
    }

    /// Returns the path of a file in the folder.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Creates a file that only its owner can read, if it is missing. An existing file is not opened, because closing
    /// it would release this process's locks on it.
    pub(super) fn make_private(&self, name: &str) -> Result<(), GatewayError> {
        let path = self.file(name);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(OWN);
        match options.open(&path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                Err(GatewayError::Folder(path, error))
            }
            _ => Ok(()),
        }
    }

    /// Reserves disk space for the time when the disk is full. Returns whether space is reserved. On a nearly full disk
    /// nothing is reserved.
    pub(super) fn keep_reserve(&self) -> Result<bool, GatewayError> {
        let path = self.file(RESERVE);
        if path.exists() {
            return Ok(true);
        }
        let keep = || {
            let disk = statvfs(&self.path)?;
            let size = (disk.f_bavail * disk.f_frsize / 4).min(RESERVE_SIZE);
            if size < SMALLEST_RESERVE {
                return Ok(false);
            }
            let mut options = OpenOptions::new();
            let file = options.write(true).create(true).truncate(true).mode(OWN);
            let file = file.open(&path)?;
            // Where a file system cannot promise room, it has some other way to be full.
            match fallocate(&file, FallocateFlags::empty(), 0, size) {
                Ok(()) => Ok(true),
                Err(_) => fs::remove_file(&path).map(|()| false),
            }
        };
        keep().map_err(|error| GatewayError::Folder(path.clone(), error))
    }

    /// Releases the reserved disk space. Returns whether there was any.
    pub(super) fn release_reserve(&self) -> Result<bool, GatewayError> {
        let path = self.file(RESERVE);
        match fs::remove_file(&path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(GatewayError::Folder(path, error)),
        }
    }

    /// Locks the folder against other servers while the returned descriptor is open.
    pub(crate) fn lock(&self) -> Result<OwnedFd, GatewayError> {
        let path = self.file("lock");
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false).mode(OWN);
        let file = options.open(&path);
        let file = file.map_err(|error| GatewayError::Folder(path, error))?;
        flock(&file, FlockOperation::NonBlockingLockExclusive)
            .map_err(|_| GatewayError::InUse(self.path.display().to_string()))?;
        Ok(file.into())
    }
}
