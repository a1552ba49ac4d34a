use std::fs::{self, DirBuilder, OpenOptions};
use std::os::fd::OwnedFd;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, flock};

use super::GatewayError;

/// The folder of a gateway's data, which nobody else of the machine may look into.
#[derive(Clone, Debug)]
pub struct DataFolder {
    path: PathBuf,
}

impl DataFolder {
    /// The folder at this path, made where there is none.
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

    /// A file in it.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Keeps other servers out for as long as what is returned is there.
    pub(crate) fn lock(&self) -> Result<OwnedFd, GatewayError> {
        let path = self.file("lock");
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(false).mode(0o600);
        let file = options.open(&path);
        let file = file.map_err(|error| GatewayError::Folder(path, error))?;
        flock(&file, FlockOperation::NonBlockingLockExclusive)
            .map_err(|_| GatewayError::InUse(self.path.display().to_string()))?;
        Ok(file.into())
    }
}
