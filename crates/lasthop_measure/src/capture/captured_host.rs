/// A host that packets are captured at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CapturedHost {
    /// The device with this number, or the one that comes as this one, counted from 0.
    Device(u32),
    /// The server with this number: those that devices share come one after the other, otherwise each device has its
    /// own.
    Server(u32),
}
