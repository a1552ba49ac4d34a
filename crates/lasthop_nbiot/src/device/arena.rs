use super::Device;

/// The devices of a network, by the slot of their port. Slots are used again.
#[derive(Debug, Default)]
pub(crate) struct Devices {
    slots: Vec<Slot>,
    attached: u64,
}

/// A device for as long as it is attached: another one in the same slot has another key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct DeviceKey {
    pub(crate) slot: u32,
    generation: u32,
}

#[derive(Debug, Default)]
struct Slot {
    generation: u32,
    device: Option<Box<Device>>,
}

impl Devices {
    /// How many have ever been attached.
    pub(crate) const fn attached(&self) -> u64 {
        self.attached
    }

    /// Puts a device, boxed and freshly made, into a slot that is free.
    pub(crate) fn insert(&mut self, slot: u32, device: Box<Device>) -> DeviceKey {
        let at = slot as usize;
        if at >= self.slots.len() {
            self.slots.resize_with(at + 1, Slot::default);
        }
        self.attached += 1;
        self.slots[at].device = Some(device);
        DeviceKey {
            slot,
            generation: self.slots[at].generation,
        }
    }

    /// Takes the device out of a slot, if one is there.
    pub(crate) fn remove(&mut self, slot: u32) -> Option<Box<Device>> {
        let slot = self.slots.get_mut(slot as usize)?;
        let device = slot.device.take()?;
        slot.generation = slot.generation.wrapping_add(1);
        Some(device)
    }

    /// Gives the device in a slot another key: what was under way for it finds nobody.
    pub(crate) fn renew(&mut self, slot: u32) {
        if let Some(slot) = self.slots.get_mut(slot as usize) {
            slot.generation = slot.generation.wrapping_add(1);
        }
    }

    /// How many slots there are, empty ones among them.
    pub(crate) fn slots(&self) -> u32 {
        self.slots.len() as u32
    }

    /// The key of whatever is in a slot.
    pub(crate) fn key_of(&self, slot: u32) -> Option<DeviceKey> {
        let found = self.slots.get(slot as usize)?;
        found.device.as_ref()?;
        Some(DeviceKey {
            slot,
            generation: found.generation,
        })
    }

    /// The device with this key, if it is still attached.
    #[inline]
    pub(crate) fn get(&self, key: DeviceKey) -> Option<&Device> {
        let slot = self.slots.get(key.slot as usize)?;
        if slot.generation != key.generation {
            return None;
        }
        slot.device.as_deref()
    }

    /// The same, to be changed.
    #[inline]
    pub(crate) fn get_mut(&mut self, key: DeviceKey) -> Option<&mut Device> {
        let slot = self.slots.get_mut(key.slot as usize)?;
        if slot.generation != key.generation {
            return None;
        }
        slot.device.as_deref_mut()
    }

    /// Every device, in the order of slots.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Device> {
        self.slots
            .iter_mut()
            .filter_map(|slot| slot.device.as_deref_mut())
    }

    /// How many packets all devices hold, and the network for them.
    pub(crate) fn packets(&self) -> u64 {
        let devices = self.slots.iter().filter_map(|slot| slot.device.as_deref());
        devices
            .flat_map(|device| &device.since)
            .map(|since| since.len() as u64)
            .sum()
    }
}
