use lasthop_units::Duration;

use crate::tables::Table;

/// What WLAN cells have counted in the whole run, all of them together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WlanSummary {
    /// How long the medium was taken, the mean over the cells.
    pub busy: Duration,
    /// The share of the data frames that met another; `None` when none was sent.
    pub collision_ratio: Option<f64>,
    /// The share of the data frames that were sent before.
    pub retransmission_ratio: Option<f64>,
    /// How long frames of a station and to it took, with their acknowledgements: the mean.
    pub station_airtime_mean: Duration,
    /// The same of the station that took the most.
    pub station_airtime_max: Duration,
}

impl WlanSummary {
    /// The columns of a run, empty where there is no cell.
    pub(crate) fn columns(told: Option<&Self>, table: &mut Table) {
        type Time = fn(&WlanSummary) -> Duration;
        let times: [(&str, Time); 3] = [
            ("wlan_busy_s", |told| told.busy),
            ("wlan_station_airtime_mean_s", |told| {
                told.station_airtime_mean
            }),
            ("wlan_station_airtime_max_s", |told| {
                told.station_airtime_max
            }),
        ];
        for (name, time) in times {
            table.number(name, "s", told.map(|told| time(told).as_secs_f64()));
        }
        type Ratio = fn(&WlanSummary) -> Option<f64>;
        let ratios: [(&str, Ratio); 2] = [
            ("wlan_collision_ratio", |told| told.collision_ratio),
            ("wlan_retransmission_ratio", |told| {
                told.retransmission_ratio
            }),
        ];
        for (name, ratio) in ratios {
            table.number(name, "fraction", told.and_then(ratio));
        }
    }
}
