use lasthop_broker::Identity;
use lasthop_contract::LookupMap;

use crate::DeviceRecord;
use crate::device::Device;

/// The registered devices, by number, by full name and by their identifier in topics.
#[derive(Debug, Default)]
pub(crate) struct Registry {
    /// By their numbers, less 1; a number is never used again.
    devices: Vec<Option<Box<Device>>>,
    by_path: LookupMap<Box<str>, u32>,
    by_device: LookupMap<Box<str>, u32>,
    count: usize,
}

impl Registry {
    /// Adds a device, or replaces its keys. Tokens of removed keys are no longer valid. A device whose identifier
    /// exists in another registry is not added, because topics contain only the identifier and would be ambiguous.
    pub(crate) fn put(&mut self, record: DeviceRecord) {
        let path = record.path.text();
        let known = self.by_path.get(path).copied();
        if known.is_none() && self.by_device.get(record.path.device()).is_some() {
            return;
        }
        let number = known.unwrap_or_else(|| {
            self.devices.push(None);
            self.count += 1;
            // Identity 0 is anybody's.
            self.devices.len() as u32
        });
        self.by_path.insert(path.into(), number);
        self.by_device.insert(record.path.device().into(), number);
        let Some(place) = self.place(number) else {
            return;
        };
        let mut device = Device::new(record);
        if let Some(known) = place.take() {
            device.config = known.config;
            device.admitted_by = known.admitted_by;
            device.connected_by = known.connected_by;
        }
        *place = Some(Box::new(device));
    }

    fn place(&mut self, number: u32) -> Option<&mut Option<Box<Device>>> {
        self.devices.get_mut((number as usize).checked_sub(1)?)
    }

    /// Removes a device. Returns its identity.
    pub(crate) fn remove(&mut self, path: &str) -> Option<Identity> {
        let number = self.by_path.remove(path)?;
        let device = self.place(number)?.take()?;
        self.count -= 1;
        self.by_device.remove(device.record.path.device());
        Some(Identity(number))
    }

    pub(crate) fn find(&mut self, path: &str) -> Option<(Identity, &mut Device)> {
        let number = self.by_path.get(path).copied()?;
        Some((Identity(number), self.get_mut(Identity(number))?))
    }

    /// Returns the device with this identifier in topics.
    pub(crate) fn named(&self, device: &str) -> Option<Identity> {
        self.by_device.get(device).copied().map(Identity)
    }

    pub(crate) fn get(&self, identity: Identity) -> Option<&Device> {
        let place = (identity.0 as usize).checked_sub(1)?;
        self.devices.get(place)?.as_deref()
    }

    pub(crate) fn get_mut(&mut self, identity: Identity) -> Option<&mut Device> {
        self.place(identity.0)?.as_deref_mut()
    }

    pub(crate) fn len(&self) -> usize {
        self.count
    }
}
