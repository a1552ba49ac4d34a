/// Declares counters that add up, with their names.
macro_rules! counters {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $field:ident,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name {
            $($(#[$doc])* pub $field: u64,)*
        }

        impl $name {
            /// Every counter with its name, in order.
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
        /// Preambles sent.
        preambles,
        /// Preambles whose tone another device chose in the same opportunity.
        preambles_collided,
        /// Preambles that were alone on their tone and not detected.
        preambles_missed,
        /// Detected preambles that no response could be sent for.
        preambles_unanswered,
        /// Response windows that ended without a response for the device.
        responses_failed,
        /// Transmissions of Msg3.
        msg3_sent,
        /// Transmissions of Msg3 that were not received.
        msg3_lost,
        /// Contention that was not resolved in favour of a device.
        contentions_lost,
        /// Random accesses for a connection that were completed.
        accesses,
        /// Random accesses for a grant that were completed.
        scheduling_requests,
        /// Random accesses that data in Msg3 and the answer to it completed.
        early_data,
        /// Announcements of early data that the network answered with a connection, or with a grant for a usual Msg3.
        early_data_fallbacks,
        /// Random accesses that ended without success.
        accesses_failed,
        /// Random accesses that T300 ended.
        set_ups_timed_out,
        /// Connections whose set-up was completed.
        set_ups,
        /// Tracking area updates that were accepted.
        tracking_area_updates,
        /// Registrations of devices that were switched on.
        registrations,
        /// Connections that were released.
        releases,
        /// Accesses that access barring held back.
        barred,
        /// Requests that the base station turned away.
        rejected,
        /// Connections that were established again after the radio link had failed.
        re_establishments,
        /// Failures of the radio link of a connection.
        radio_link_failures,
        /// Time from the beginning to the end of connections, together.
        connected_ms,
        /// NPDSCH transmissions to devices.
        npdsch_sent,
        /// NPDSCH transmissions that HARQ repeated.
        npdsch_repeated,
        /// NPUSCH grants.
        npusch_granted,
        /// NPUSCH grants by which HARQ repeated.
        npusch_repeated,
        /// Transport blocks that HARQ gave up.
        blocks_lost,
        /// DCIs that the device did not hear.
        dcis_missed,
        /// Acknowledgements that were not sent, where the base station has to tell them from silence.
        acknowledgements_missing,
        /// Those that the base station took for sent.
        silences_taken_for_acknowledgements,
        /// PDUs of RLC that were sent again, both ways.
        rlc_retransmissions,
        /// Packets that arrived.
        packets_up,
        /// Packets that reached the device.
        packets_down,
        /// Packets that were dropped because the access failed.
        packets_access_failed,
        /// Packets that were dropped because the radio link failed.
        packets_radio_link_failure,
        /// Packets that were dropped because they had waited too long.
        packets_given_up,
    }
}
