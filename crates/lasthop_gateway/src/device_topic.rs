/// An MQTT topic of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceTopic<'a> {
    /// The identifier of the device.
    pub device: &'a str,
    /// The rest of the topic: `events/…`, `state`, `config`, `commands/…`.
    pub rest: &'a str,
}

impl<'a> DeviceTopic<'a> {
    /// Parses `/devices/DEVICE/REST`; `None` for any other topic.
    #[must_use]
    pub fn parse(topic: &'a str) -> Option<Self> {
        let (device, rest) = topic.strip_prefix("/devices/")?.split_once('/')?;
        (!device.is_empty()).then_some(Self { device, rest })
    }

    /// Returns the folder of an event, empty for the root; `None` for other topics.
    #[must_use]
    pub fn event_folder(&self) -> Option<&'a str> {
        match self.rest.strip_prefix("events")? {
            "" => Some(""),
            folder => folder.strip_prefix('/').filter(|folder| !folder.is_empty()),
        }
    }

    /// Whether a device may subscribe to this topic of its own.
    #[must_use]
    pub fn is_for_the_device(&self) -> bool {
        matches!(self.rest, "config" | "commands/#" | "errors")
    }
}
