use dust_dds::infrastructure::type_support::DdsType;

/// The type of the samples: in IDL `struct Message { @key unsigned long device; sequence<octet> payload; };`.
#[derive(Clone, Debug, DdsType)]
pub(crate) struct Message {
    /// The device, which is the key: each device has a separate history.
    #[dust_dds(key)]
    pub(crate) device: u32,
    /// The payload.
    pub(crate) payload: Vec<u8>,
}

/// The type name by which readers and writers are matched.
pub(crate) const TYPE_NAME: &str = "Message";

/// The topic of messages from devices.
pub(crate) const REPORTS: &str = "reports";

/// The number of bytes before the payload in a serialized sample: encapsulation, key and length (DDSI-RTPS 2.5 §10.2,
/// plain CDR).
pub(crate) const BEFORE_PAYLOAD: usize = 4 + 4 + 4;
