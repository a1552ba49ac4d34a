/// A host with a packet capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CapturedHost {
    /// The device with this number, or the arriving device with this number, from 0.
    Device(u32),
    /// The server with this number.
    ///
    /// Shared servers are numbered in order; otherwise each device has its own.
    Server(u32),
}
