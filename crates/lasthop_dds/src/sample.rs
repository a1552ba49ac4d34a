use dust_dds::infrastructure::type_support::DdsType;

/// What is written and read: in IDL `struct Message { @key unsigned long device; sequence<octet> payload; };`.
#[derive(Clone, Debug, DdsType)]
pub(crate) struct Message {
    /// Whose it is: the history of each device is its own.
    #[dust_dds(key)]
    pub(crate) device: u32,
    /// What it says.
    pub(crate) payload: Vec<u8>,
}

/// The name of the type, by which readers and writers find each other.
pub(crate) const TYPE_NAME: &str = "Message";

/// Where what devices say is published.
pub(crate) const REPORTS: &str = "reports";

/// What stands before the bytes of a payload in a serialized sample: the encapsulation, the key and the length
/// (DDSI-RTPS 2.5 §10.2, plain CDR).
pub(crate) const BEFORE_PAYLOAD: usize = 4 + 4 + 4;
