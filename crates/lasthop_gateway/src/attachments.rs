use std::collections::{BTreeMap, BTreeSet};

use lasthop_broker::Identity;
use lasthop_units::Instant;

use crate::{DevicePath, Fingerprint};

/// The bindings and attachments of devices to gateway devices. A device is attached to at most one gateway device.
#[derive(Debug, Default)]
pub(crate) struct Attachments {
    /// Who may be attached by whom, whether or not they are registered yet: the first by the second.
    bound: BTreeSet<(DevicePath, DevicePath)>,
    /// Who speaks for a device.
    by_device: BTreeMap<u32, Attachment>,
    /// The devices of each that speaks for others.
    of_gateway: BTreeMap<u32, BTreeSet<u32>>,
}

#[derive(Debug)]
struct Attachment {
    gateway: Identity,
    /// When the token ends by which it came about.
    ends_at: Option<Instant>,
    /// The key that has signed it.
    signer: Option<Fingerprint>,
}

impl Attachments {
    pub(crate) fn bind(&mut self, gateway: DevicePath, device: DevicePath) {
        self.bound.insert((device, gateway));
    }

    pub(crate) fn unbind(&mut self, gateway: DevicePath, device: DevicePath) {
        self.bound.remove(&(device, gateway));
    }

    pub(crate) fn is_bound(&self, gateway: &DevicePath, device: &DevicePath) -> bool {
        self.bound.contains(&(device.clone(), gateway.clone()))
    }

    /// Removes all bindings of a device in both roles.
    pub(crate) fn forget(&mut self, path: &DevicePath) {
        self.bound
            .retain(|(device, gateway)| device != path && gateway != path);
    }

    /// Attaches a device to a gateway device. Returns the gateway device of its previous attachment.
    pub(crate) fn attach(
        &mut self,
        gateway: Identity,
        device: Identity,
        token: Option<(Instant, Fingerprint)>,
    ) -> Option<Identity> {
        let before = self.detach(device);
        let attachment = Attachment {
            gateway,
            ends_at: token.map(|(ends_at, _)| ends_at),
            signer: token.map(|(_, signer)| signer),
        };
        self.by_device.insert(device.0, attachment);
        self.of_gateway
            .entry(gateway.0)
            .or_default()
            .insert(device.0);
        before
    }

    /// Detaches a device from its gateway device. Returns that gateway device.
    pub(crate) fn detach(&mut self, device: Identity) -> Option<Identity> {
        let gateway = self.by_device.remove(&device.0)?.gateway;
        if let Some(devices) = self.of_gateway.get_mut(&gateway.0) {
            devices.remove(&device.0);
            if devices.is_empty() {
                self.of_gateway.remove(&gateway.0);
            }
        }
        Some(gateway)
    }

    /// Detaches all devices of a gateway device. Returns whether there were any.
    pub(crate) fn detach_all(&mut self, gateway: Identity) -> bool {
        let devices = self.of_gateway.remove(&gateway.0);
        for device in devices.iter().flatten() {
            self.by_device.remove(device);
        }
        devices.is_some()
    }

    /// Whether a device is attached to a gateway device.
    pub(crate) fn are_attached(&self, gateway: Identity, device: Identity) -> bool {
        let attachment = self.by_device.get(&device.0);
        attachment.is_some_and(|it| it.gateway == gateway)
    }

    /// Whether a device was attached with a token of one of these keys.
    pub(crate) fn is_by(&self, device: Identity, keys: &[Fingerprint]) -> bool {
        let attachment = self.by_device.get(&device.0);
        let signer = attachment.and_then(|it| it.signer);
        signer.is_some_and(|signer| keys.contains(&signer))
    }

    /// Whether the token that attached a device has expired.
    pub(crate) fn is_over(&self, device: Identity, now: Instant) -> bool {
        let attachment = self.by_device.get(&device.0);
        let ends_at = attachment.and_then(|it| it.ends_at);
        ends_at.is_some_and(|ends_at| ends_at <= now)
    }
}
