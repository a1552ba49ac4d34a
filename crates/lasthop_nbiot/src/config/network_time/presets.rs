use super::{ModuleTime, NetworkTime};

impl NetworkTime {
    /// No processing times in base station, core network and module.
    pub const IDEAL: Self = Self {
        base_station_ms: 0,
        scheduler_ms: 0,
        s1_round_trip_ms: 0,
        mme_ms: 0,
        subscriber_data_ms: 0,
        gateway_ms: 0,
        user_plane_ms: 0,
        device_rrc_ms: 0,
        module: ModuleTime {
            wake_up_ms: 0,
            send_ms: 0,
            receive_ms: 0,
        },
    };

    /// The minimum of each processing time among the sources of `MODEL.md`.
    pub const LEAST: Self = Self {
        base_station_ms: 4,
        scheduler_ms: 0,
        s1_round_trip_ms: 4,
        mme_ms: 1,
        subscriber_data_ms: 10,
        gateway_ms: 1,
        user_plane_ms: 1,
        device_rrc_ms: 15,
        module: ModuleTime {
            wake_up_ms: 0,
            send_ms: 0,
            receive_ms: 0,
        },
    };

    /// The maximum of each processing time among the sources of `MODEL.md`.
    pub const MOST: Self = Self {
        base_station_ms: 8,
        scheduler_ms: 4,
        s1_round_trip_ms: 15,
        mme_ms: 15,
        subscriber_data_ms: 100,
        gateway_ms: 15,
        user_plane_ms: 48,
        device_rrc_ms: 50,
        module: ModuleTime {
            wake_up_ms: 0,
            send_ms: 200,
            receive_ms: 200,
        },
    };

    /// The times of two commercial networks in Norway with two modules, 2019, with echo times of 1.5 to 2.6 s (row
    /// V-M1).
    ///
    /// Every value is the maximum, and the resulting echo times are still below the measured ones.
    pub const OPERATOR_NORWAY_2019: Self = Self::MOST;

    /// The times of networks in South Africa with one module, 2019, with first pings of 0.5 to 0.6 s and later ones of
    /// 0.19 s.
    ///
    /// The module measured these times itself.
    pub const OPERATOR_SOUTH_AFRICA_2019: Self = Self::between(70).without_module();

    /// Returns these times without the processing time of the module.
    #[must_use]
    pub const fn without_module(mut self) -> Self {
        self.module = Self::IDEAL.module;
        self
    }

    /// Returns times at `percent` of the way from the minimum to the maximum of each value, to the nearest millisecond.
    #[must_use]
    pub const fn between(percent: u32) -> Self {
        const fn at(least: u32, most: u32, percent: u32) -> u32 {
            least + ((most - least) * percent + 50) / 100
        }
        let (least, most) = (Self::LEAST, Self::MOST);
        Self {
            base_station_ms: at(least.base_station_ms, most.base_station_ms, percent),
            scheduler_ms: at(least.scheduler_ms, most.scheduler_ms, percent),
            s1_round_trip_ms: at(least.s1_round_trip_ms, most.s1_round_trip_ms, percent),
            mme_ms: at(least.mme_ms, most.mme_ms, percent),
            subscriber_data_ms: at(least.subscriber_data_ms, most.subscriber_data_ms, percent),
            gateway_ms: at(least.gateway_ms, most.gateway_ms, percent),
            user_plane_ms: at(least.user_plane_ms, most.user_plane_ms, percent),
            device_rrc_ms: at(least.device_rrc_ms, most.device_rrc_ms, percent),
            module: ModuleTime {
                wake_up_ms: 0,
                send_ms: at(least.module.send_ms, most.module.send_ms, percent),
                receive_ms: at(least.module.receive_ms, most.module.receive_ms, percent),
            },
        }
    }
}
