/// Declares counters that add up, with their names.
macro_rules! counters {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $field:ident,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name {
            $($(#[$doc])* pub $field: u64,)*
        }

        impl $name {
            /// Returns every counter with its name, in the order of declaration.
            #[must_use]
            pub fn named(&self) -> Vec<(&'static str, u64)> {
                vec![$((stringify!($field), self.$field),)*]
            }
        }

        impl core::ops::AddAssign for $name {
            fn add_assign(&mut self, other: Self) {
                $(self.$field += other.$field;)*
            }
        }
    };
}

counters! {
    /// The counters of one coverage level of a cell.
    ///
    /// Attempts count in the level where they were made, and connections in the level where they began.
    LevelReport {
        /// The number of preambles sent.
        preambles,
        /// The number of preambles that collided: another device chose the same tone in the same opportunity.
        preambles_collided,
        /// The number of preambles without a collision that were not detected.
        preambles_missed,
        /// The number of detected preambles without a response, because no response could be sent in time.
        preambles_unanswered,
        /// The number of response windows that ended without a response for the device.
        responses_failed,
        /// The number of Msg3 transmissions.
        msg3_sent,
        /// The number of Msg3 transmissions that were not received.
        msg3_lost,
        /// The number of contentions that a device lost.
        contentions_lost,
        /// The number of completed random accesses for a connection.
        accesses,
        /// The number of completed random accesses for an uplink grant.
        scheduling_requests,
        /// The number of random accesses completed by early data: data in Msg3 and the answer to it.
        early_data,
        /// The number of early data announcements that the network answered with a connection, or with a grant for an
        /// ordinary Msg3.
        early_data_fallbacks,
        /// The number of random accesses that failed.
        accesses_failed,
        /// The number of random accesses that timer T300 ended.
        set_ups_timed_out,
        /// The number of completed connection set-ups.
        set_ups,
        /// The number of accepted tracking area updates.
        tracking_area_updates,
        /// The number of registrations of devices that were switched on.
        registrations,
        /// The number of failed attempts to register, of devices that register by `attach`.
        registrations_failed,
        /// The number of released connections.
        releases,
        /// The number of accesses that access barring delayed.
        barred,
        /// The number of connection requests that the base station rejected.
        rejected,
        /// The number of connections re-established after a radio link failure.
        re_establishments,
        /// The number of radio link failures.
        radio_link_failures,
        /// The total duration of connections, in ms.
        connected_ms,
        /// The number of NPDSCH transmissions to devices.
        npdsch_sent,
        /// The number of NPDSCH retransmissions by HARQ.
        npdsch_repeated,
        /// The number of NPUSCH grants.
        npusch_granted,
        /// The number of NPUSCH grants for HARQ retransmissions.
        npusch_repeated,
        /// The number of transport blocks that HARQ gave up.
        blocks_lost,
        /// The number of DCIs that the device did not receive.
        dcis_missed,
        /// The number of acknowledgements that were not sent although the base station expected one.
        acknowledgements_missing,
        /// The number of missing acknowledgements that the base station took for sent ones.
        silences_taken_for_acknowledgements,
        /// The number of RLC PDUs retransmitted, in both directions.
        rlc_retransmissions,
        /// The number of uplink packets delivered.
        packets_up,
        /// The number of downlink packets delivered.
        packets_down,
        /// The number of packets dropped because the random access failed.
        packets_access_failed,
        /// The number of packets dropped because the radio link failed.
        packets_radio_link_failure,
        /// The number of packets dropped because they had waited too long.
        packets_given_up,
    }
}
