use lasthop_broker::{Identity, KeeperOutput, NotKept, Ticket};
use lasthop_units::Instant;
use serde_json::{Value, json};

use crate::json_object::JsonObject;
use crate::{DevicePath, DeviceTopic, Gateway};

/// Why a device that speaks for others is told of an error, as Cloud IoT Core calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trouble {
    /// The device cannot be attached.
    Attachment,
    /// The device is not attached.
    NotAttached,
    /// The device cannot be detached.
    Detachment,
}

impl Trouble {
    const fn code(self) -> &'static str {
        match self {
            Self::Attachment => "GATEWAY_ATTACHMENT_ERROR",
            Self::NotAttached => "GATEWAY_DEVICE_NOT_FOUND",
            Self::Detachment => "GATEWAY_DETACHMENT_DEVICE_ERROR",
        }
    }

    /// One sentence for every reason: who asks is not to learn which devices there are.
    const fn description(self) -> &'static str {
        match self {
            Self::Attachment => "the device cannot be attached by this gateway",
            Self::NotAttached => "the device is not attached to this gateway",
            Self::Detachment => {
                "the device is not attached to this gateway, and cannot be detached"
            }
        }
    }
}

impl Gateway {
    /// Processes a request to attach or detach a device, or a publication for a device that is not attached. Returns
    /// `None` for all other topics. The publication is acknowledged once it is processed; errors are published to
    /// `/devices/GATEWAY/errors`.
    pub(crate) fn take_of_gateway(
        &mut self,
        now: Instant,
        identity: Identity,
        topic: &DeviceTopic<'_>,
        payload: &[u8],
    ) -> Option<Result<Ticket, NotKept>> {
        let sender = self.registry.get(identity)?;
        let (kind, is_control) = match topic.rest {
            "attach" | "detach" => (topic.rest, true),
            "state" => ("state", false),
            _ => ("event", false),
        };
        if is_control && sender.record.attaches.is_none() {
            return Some(Err(NotKept::Denied));
        }
        let is_own = sender.record.path.device() == topic.device;
        if !is_control && (is_own || sender.record.attaches.is_none()) {
            return None;
        }
        let device = self.registry.named(topic.device);
        let attached = device.filter(|device| self.speaks_for(now, identity, *device));
        if !is_control && attached.is_some() {
            return None;
        }
        let limits = self.config.limits;
        let sender = self.registry.get_mut(identity)?;
        if !sender.may_send(now, payload.len(), &limits) {
            return Some(Err(NotKept::Limit));
        }
        let trouble = match (topic.rest, attached) {
            ("attach", _) => match self.attach(now, identity, device, payload) {
                Some(()) => None,
                None => Some(Trouble::Attachment),
            },
            ("detach", Some(device)) => {
                self.detach(device);
                None
            }
            ("detach", None) => Some(Trouble::Detachment),
            _ => Some(Trouble::NotAttached),
        };
        if let Some(trouble) = trouble {
            self.tell_of(identity, topic, kind, trouble);
        }
        let outcome = match trouble {
            // It would believe that it was kept.
            Some(Trouble::NotAttached) => Err(NotKept::Denied),
            _ => Ok(()),
        };
        Some(Ok(self.settle_at_once(outcome)))
    }

    /// Whether a gateway device currently has another device attached.
    pub(crate) fn speaks_for(&mut self, now: Instant, gateway: Identity, device: Identity) -> bool {
        self.end_attachment(now, device);
        self.attachments.are_attached(gateway, device)
    }

    /// Detaches a device whose token has expired.
    pub(crate) fn end_attachment(&mut self, now: Instant, device: Identity) {
        if self.attachments.is_over(device, now) {
            self.detach(device);
        }
    }

    /// Detaches a device by its name.
    pub(crate) fn end_attachment_of(&mut self, now: Instant, device: &DevicePath) {
        if let Some((device, _)) = self.registry.find(device.text()) {
            self.end_attachment(now, device);
        }
    }

    /// Resets the attachments of a device that has reconnected: it must attach its devices again, and is itself
    /// detached.
    pub(crate) fn begin_anew(&mut self, identity: Identity) {
        self.detach(identity);
        if self.attachments.detach_all(identity) {
            self.reconsider(identity);
        }
    }

    /// Binds a device to a gateway device, or unbinds it.
    pub(crate) fn bind(&mut self, gateway: DevicePath, device: DevicePath, is_bound: bool) {
        if is_bound {
            return self.attachments.bind(gateway, device);
        }
        let mut identity = |path: &DevicePath| Some(self.registry.find(path.text())?.0);
        if let (Some(gateway), Some(device)) = (identity(&gateway), identity(&device))
            && self.attachments.are_attached(gateway, device)
        {
            self.detach(device);
        }
        self.attachments.unbind(gateway, device);
    }

    /// Detaches a device from its gateway device, which no longer receives the device's
    /// configuration and commands.
    pub(crate) fn detach(&mut self, device: Identity) {
        if let Some(gateway) = self.attachments.detach(device) {
            self.reconsider(gateway);
        }
    }

    fn attach(
        &mut self,
        now: Instant,
        identity: Identity,
        device: Option<Identity>,
        payload: &[u8],
    ) -> Option<()> {
        let device = device.filter(|device| *device != identity)?;
        let sender = &self.registry.get(identity)?.record;
        let attaches = sender.attaches?;
        let attached = self.registry.get(device)?;
        let attached = Some(&attached.record).filter(|record| !record.is_blocked)?;
        let path = &attached.path;
        let is_bound = self.attachments.is_bound(&sender.path, path);
        if !sender.path.is_beside(path) || (attaches.asks_for_binding() && !is_bound) {
            return None;
        }
        let shown = if attaches.asks_for_token() {
            let said = JsonObject::read(payload)?;
            let token = said.get("authorization").and_then(Value::as_str)?;
            let time = self.time_at(now);
            let device = self.registry.get_mut(device)?;
            let (believed, _) = device.believed(token.as_bytes(), time).ok()?;
            Some((self.end_of(now, believed.claims), believed.signer))
        } else {
            None
        };
        match self.attachments.attach(identity, device, shown) {
            Some(before) if before != identity => self.reconsider(before),
            _ => {}
        }
        Some(())
    }

    /// Requests a check of the gateway device's subscriptions after it lost permissions.
    pub(crate) fn reconsider(&mut self, gateway: Identity) {
        if let Some(gateway) = self.registry.get(gateway) {
            let path = gateway.record.path.text().into();
            self.outputs.push(KeeperOutput::Reconsider(path));
        }
    }

    fn tell_of(
        &mut self,
        identity: Identity,
        topic: &DeviceTopic<'_>,
        kind: &str,
        trouble: Trouble,
    ) {
        let Some(gateway) = self.registry.get(identity) else {
            return;
        };
        let path = gateway.record.path.clone();
        let error = json!({
            "error_type": trouble.code(),
            "device_id": topic.device,
            "message_info": {
                "message_type": kind,
                "topic": format!("/devices/{}/{}", topic.device, topic.rest),
            },
            "description": trouble.description(),
        });
        self.tell(&path, "errors", error.to_string().as_bytes(), false);
    }
}
