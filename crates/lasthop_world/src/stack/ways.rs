use super::layer::LayerKind;
use super::{ApplicationEntry, Carriage, LayerEntry, Registry};

/// Layers from the top down, without IP.
type Way = Vec<&'static str>;

impl Registry {
    /// Every list of layers that something may stand on which needs one of these: the shortest first, then the usual.
    ///
    /// What carries what decides, and that a layer is there once: no layer knows another.
    pub(super) fn ways(&self, over: &[Carriage]) -> Vec<Way> {
        let mut ways = Vec::new();
        self.collect(over, &mut Vec::new(), &mut ways);
        ways.sort_by_key(Vec::len);
        ways
    }

    /// Those of an application that can be run: every layer of them is built, and so is the application.
    pub(super) fn ways_to_run(&self, application: &ApplicationEntry) -> Vec<Way> {
        if application.build.is_none() {
            return Vec::new();
        }
        let is_built = |name: &&'static str| {
            let entry = self.layer(name);
            entry.is_some_and(|it| !matches!(it.kind, LayerKind::Planned))
        };
        let mut ways = self.ways(application.over);
        ways.retain(|way| way.iter().all(is_built));
        ways
    }

    fn collect(&self, over: &[Carriage], above: &mut Way, ways: &mut Vec<Way>) {
        for (place, wanted) in over.iter().enumerate() {
            let usual = &over[..place];
            for layer in self.layers.iter().filter(|it| it.carries.contains(wanted)) {
                if above.contains(&layer.name) || usual.iter().any(|it| layer.carries.contains(it))
                {
                    continue;
                }
                self.extend(layer, above, ways);
            }
        }
    }

    fn extend(&self, layer: &LayerEntry, above: &mut Way, ways: &mut Vec<Way>) {
        if matches!(layer.kind, LayerKind::Network) {
            return ways.push(above.clone());
        }
        above.push(layer.name);
        self.collect(layer.over, above, ways);
        above.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(ways: Vec<Way>) -> Vec<String> {
        ways.iter().map(|way| way.join("/")).collect()
    }

    #[test]
    fn layers_stand_on_what_carries_what_they_need() {
        let registry = Registry::standard();
        let ways = |name| written(registry.ways(registry.application(name).unwrap().over));
        assert_eq!(
            ways("mqtt"),
            ["tcp", "tls/tcp", "quic/udp", "ws/tcp", "ws/tls/tcp"]
        );
        assert_eq!(ways("coap"), ["udp", "tcp", "dtls/udp", "tls/tcp"]);
        assert_eq!(
            ways("dds"),
            ["udp", "rtps_tcp/tcp", "rtps_tcp/tls/tcp"],
            "groups have no secrets"
        );
    }

    #[test]
    fn what_is_secured_has_the_port_that_is_registered_for_it() {
        let registry = Registry::standard();
        for (application, layers, port) in [
            ("mqtt", "tcp", 1883),
            ("mqtt", "ws/tcp", 1883),
            ("mqtt", "tls/tcp", 8883),
            ("mqtt", "ws/tls/tcp", 8883),
            ("mqtt", "quic/udp", 14_567),
            ("coap", "udp", 5683),
            ("coap", "dtls/udp", 5684),
            ("coap", "tls/tcp", 5684),
            ("http", "tcp", 80),
            ("http", "tls/tcp", 443),
            ("http", "quic/udp", 443),
        ] {
            let entry = registry.application(application).unwrap();
            assert_eq!(
                entry.port_on(layers.split('/')),
                port,
                "{application}/{layers}"
            );
        }
    }

    #[test]
    fn what_is_not_built_cannot_be_run() {
        let standard = Registry::standard();
        let planned = standard.application("mqtt_sn").unwrap();
        assert!(standard.ways_to_run(planned).is_empty(), "nobody builds it");
        let mqtt = *standard.application("mqtt").unwrap();
        let tcp = *standard.layer("tcp").unwrap();
        let none = standard.with_layer(LayerEntry {
            kind: LayerKind::Planned,
            ..tcp
        });
        assert!(
            none.ways_to_run(&mqtt)
                .iter()
                .all(|way| !way.contains(&"tcp"))
        );
    }
}
