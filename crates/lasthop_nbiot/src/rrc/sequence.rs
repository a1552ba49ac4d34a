use super::answered_by::AnsweredBy;
use super::message::Message;
use super::nas::Nas;
use super::step::{Step, With};
use crate::config::{Connection, Procedure};
use crate::layer2::Bearer::{Srb0, Srb1, Srb1bis};

/// A procedure from Msg3 to the release, as a sequence of messages. Msg1 and Msg2 precede it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sequence {
    /// The messages from Msg3 until data can be sent or the first packet was sent. Each waits for the previous one.
    pub set_up: &'static [Step],
    /// How packets are sent that the set-up did not carry.
    pub data: DataPath,
    /// The message that ends the connection.
    pub release: Step,
}

/// How packets are sent during a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataPath {
    /// On the data bearer.
    DataBearer {
        /// Whether the first transport block with data has a buffer status report. It is needed where Msg3 could not
        /// report data for a bearer that did not exist yet.
        first_with_buffer_status: bool,
    },
    /// Inside NAS messages, each in a separate RRC message.
    Nas {
        /// The message that carries a packet of the device.
        up: Step,
        /// The message that carries a packet for the device.
        down: Step,
    },
    /// Not at all: the connection is for signalling only, and packets wait for another one.
    None,
}

const REQUEST: Step = Step::up(Srb0, Message::ConnectionRequest).with(With::DataVolume);
const SET_UP: Step = Step::down(Srb0, Message::ConnectionSetup).with(With::ContentionResolution);
const SERVICE_REQUEST: Step = Step::up(Srb1bis, Message::ConnectionSetupComplete)
    .around(Nas::ServiceRequest)
    .with(With::BufferStatus);
const RECONFIGURATION: Step = Step::down(Srb1, Message::ConnectionReconfiguration);
const RECONFIGURATION_COMPLETE: Step = Step::up(Srb1, Message::ConnectionReconfigurationComplete);
const REJECT: Step = Step::down(Srb0, Message::ConnectionReject).with(With::ContentionResolution);
const RELEASE: Step = Step::down(Srb1bis, Message::ConnectionRelease);
const SUSPEND: Step = Step::down(Srb1, Message::ConnectionSuspend);
const RESUME: Step = Step::down(Srb1, Message::ConnectionResume).with(With::ContentionResolution);
const RESUME_REQUEST: Step = Step::up(Srb0, Message::ConnectionResumeRequest);

const ATTACH_REQUEST: Step =
    Step::up(Srb1bis, Message::ConnectionSetupComplete).around(Nas::AttachRequest);
const AUTHENTICATION_REQUEST: Step = Step::down(Srb1bis, Message::DownlinkInformationTransfer)
    .around(Nas::AuthenticationRequest)
    .answered_by(AnsweredBy::MmeAndSubscriberData);
const AUTHENTICATION_RESPONSE: Step =
    Step::up(Srb1bis, Message::UplinkInformationTransfer).around(Nas::AuthenticationResponse);
const NAS_SECURITY_MODE_COMMAND: Step = Step::down(Srb1bis, Message::DownlinkInformationTransfer)
    .around(Nas::SecurityModeCommand)
    .answered_by(AnsweredBy::Mme);
const NAS_SECURITY_MODE_COMPLETE: Step =
    Step::up(Srb1bis, Message::UplinkInformationTransfer).around(Nas::SecurityModeComplete);

const ON_A_NEW_BEARER: DataPath = DataPath::DataBearer {
    first_with_buffer_status: true,
};
const ON_A_RESUMED_BEARER: DataPath = DataPath::DataBearer {
    first_with_buffer_status: false,
};
const IN_NAS: DataPath = DataPath::Nas {
    up: Step::up(Srb1bis, Message::UplinkInformationTransfer).around(Nas::DataTransport),
    down: Step::down(Srb1bis, Message::DownlinkInformationTransfer).around(Nas::DataTransport),
};

impl Sequence {
    /// Returns the procedure of a network for data, without early data.
    #[must_use]
    pub const fn of(connection: &Connection) -> &'static Self {
        match connection.procedure {
            Procedure::ServiceRequest if connection.security => &Self::SERVICE_REQUEST,
            Procedure::ServiceRequest => &Self::SERVICE_REQUEST_WITHOUT_SECURITY,
            Procedure::Resume => &Self::RESUME,
            Procedure::ControlPlane => &Self::CONTROL_PLANE,
        }
    }

    /// Returns the periodic tracking area update of a device.
    #[must_use]
    pub const fn tracking_area_update_of(connection: &Connection) -> &'static Self {
        match connection.procedure {
            Procedure::ServiceRequest | Procedure::ControlPlane => &Self::TRACKING_AREA_UPDATE,
            Procedure::Resume => &Self::TRACKING_AREA_UPDATE_BY_RESUME,
        }
    }

    /// Returns the attach of a device that was switched on.
    #[must_use]
    pub const fn attach_of(connection: &Connection) -> &'static Self {
        match connection.procedure {
            Procedure::ServiceRequest => &Self::ATTACH,
            Procedure::Resume => &Self::ATTACH_AND_SUSPEND,
            Procedure::ControlPlane => &Self::ATTACH_ON_THE_CONTROL_PLANE,
        }
    }

    /// Returns the procedure for data that fits into Msg3 as early data; `None` without early data.
    #[must_use]
    pub const fn early_data_of(connection: &Connection) -> Option<&'static Self> {
        match (connection.early_data_bits, connection.procedure) {
            (None, _) | (_, Procedure::ServiceRequest) => None,
            (Some(_), Procedure::Resume) => Some(&Self::EARLY_DATA_USER_PLANE),
            (Some(_), Procedure::ControlPlane) => Some(&Self::EARLY_DATA_CONTROL_PLANE),
        }
    }

    /// Returns the re-establishment after a radio link failure.
    #[must_use]
    pub const fn reestablishment_of(connection: &Connection) -> &'static Self {
        match connection.procedure {
            Procedure::Resume => &Self::REESTABLISHMENT_AND_SUSPEND,
            Procedure::ServiceRequest | Procedure::ControlPlane => &Self::REESTABLISHMENT,
        }
    }

    /// Whether the procedure is a rejection, after which there is no connection.
    #[must_use]
    pub const fn turns_away(&self) -> bool {
        matches!(self.release.message, Message::ConnectionReject)
    }

    /// The rejection of a connection request (TS 36.331 section 5.3.3.8).
    pub const REJECTED: Self = Self {
        set_up: &[REQUEST, REJECT],
        data: DataPath::None,
        release: REJECT,
    };

    /// Re-establishment of a connection with security, and of its data bearer (TS 36.331 section 5.3.7, 5.3.5.4).
    pub const REESTABLISHMENT: Self = Self {
        set_up: &[
            Step::up(Srb0, Message::ConnectionReestablishmentRequest).with(With::DataVolume),
            Step::down(Srb0, Message::ConnectionReestablishment).with(With::ContentionResolution),
            Step::up(Srb1, Message::ConnectionReestablishmentComplete).with(With::BufferStatus),
            RECONFIGURATION,
            RECONFIGURATION_COMPLETE,
        ],
        data: ON_A_NEW_BEARER,
        release: Step::down(Srb1, Message::ConnectionRelease),
    };

    /// Re-establishment in a network that suspends connections.
    pub const REESTABLISHMENT_AND_SUSPEND: Self = Self {
        release: SUSPEND,
        ..Self::REESTABLISHMENT
    };

    /// A service request with security and a new data bearer (TS 36.331 section 5.3.3, 5.3.4, 5.3.5).
    pub const SERVICE_REQUEST: Self = Self {
        set_up: &[
            REQUEST,
            SET_UP,
            SERVICE_REQUEST,
            Step::down(Srb1, Message::SecurityModeCommand).answered_by(AnsweredBy::Mme),
            Step::up(Srb1, Message::SecurityModeComplete),
            RECONFIGURATION,
            RECONFIGURATION_COMPLETE,
        ],
        data: ON_A_NEW_BEARER,
        release: Step::down(Srb1, Message::ConnectionRelease),
    };

    /// A service request without security and with a new data bearer.
    pub const SERVICE_REQUEST_WITHOUT_SECURITY: Self = Self {
        set_up: &[
            REQUEST,
            SET_UP,
            SERVICE_REQUEST,
            RECONFIGURATION.answered_by(AnsweredBy::Mme),
            RECONFIGURATION_COMPLETE,
        ],
        ..Self::SERVICE_REQUEST
    };

    /// The resume of a suspended connection: data follow in the last message of the set-up (TS 36.331 section
    /// 5.3.3.4a).
    pub const RESUME: Self = Self {
        set_up: &[
            RESUME_REQUEST.with(With::DataVolume),
            RESUME,
            Step::up(Srb1, Message::ConnectionResumeComplete).with(With::UserData),
        ],
        data: ON_A_RESUMED_BEARER,
        release: SUSPEND,
    };

    /// Data inside NAS messages: the first packet goes with the last set-up message (TS 24.301 section 5.6.1.2.2).
    pub const CONTROL_PLANE: Self = Self {
        set_up: &[
            REQUEST,
            SET_UP,
            Step::up(Srb1bis, Message::ConnectionSetupComplete)
                .around(Nas::ControlPlaneServiceRequest),
        ],
        data: IN_NAS,
        release: RELEASE,
    };

    /// Periodic tracking area update without data (TS 24.301 section 5.5.3.2).
    ///
    /// It has neither security nor a data bearer, and the release follows the network's acceptance.
    pub const TRACKING_AREA_UPDATE: Self = Self {
        set_up: &[
            REQUEST,
            SET_UP,
            Step::up(Srb1bis, Message::ConnectionSetupComplete)
                .around(Nas::TrackingAreaUpdateRequest),
            Step::down(Srb1bis, Message::DownlinkInformationTransfer)
                .around(Nas::TrackingAreaUpdateAccept)
                .answered_by(AnsweredBy::Mme),
        ],
        data: DataPath::None,
        release: RELEASE,
    };

    /// Attach with authentication, security and a default bearer, which can carry data afterwards (TS 23.401 section
    /// 5.3.2.1).
    pub const ATTACH: Self = Self {
        set_up: &[
            REQUEST,
            SET_UP,
            ATTACH_REQUEST,
            AUTHENTICATION_REQUEST,
            AUTHENTICATION_RESPONSE,
            NAS_SECURITY_MODE_COMMAND,
            NAS_SECURITY_MODE_COMPLETE,
            Step::down(Srb1, Message::SecurityModeCommand)
                .answered_by(AnsweredBy::MmeSubscriberDataAndGateway),
            Step::up(Srb1, Message::SecurityModeComplete),
            RECONFIGURATION.around(Nas::AttachAccept),
            RECONFIGURATION_COMPLETE,
            Step::up(Srb1, Message::UplinkInformationTransfer).around(Nas::AttachComplete),
        ],
        data: ON_A_NEW_BEARER,
        release: Step::down(Srb1, Message::ConnectionRelease),
    };

    /// Attach in a network that suspends connections.
    pub const ATTACH_AND_SUSPEND: Self = Self {
        release: SUSPEND,
        ..Self::ATTACH
    };

    /// Attach in a network that sends data inside NAS messages, without a data bearer and its security.
    pub const ATTACH_ON_THE_CONTROL_PLANE: Self = Self {
        set_up: &[
            REQUEST,
            SET_UP,
            ATTACH_REQUEST,
            AUTHENTICATION_REQUEST,
            AUTHENTICATION_RESPONSE,
            NAS_SECURITY_MODE_COMMAND,
            NAS_SECURITY_MODE_COMPLETE,
            Step::down(Srb1bis, Message::DownlinkInformationTransfer)
                .around(Nas::AttachAccept)
                .answered_by(AnsweredBy::MmeSubscriberDataAndGateway),
            Step::up(Srb1bis, Message::UplinkInformationTransfer).around(Nas::AttachComplete),
        ],
        data: IN_NAS,
        release: RELEASE,
    };

    /// Tracking area update of a device whose connection is suspended (TS 24.301 section 5.3.1.3).
    pub const TRACKING_AREA_UPDATE_BY_RESUME: Self = Self {
        set_up: &[
            RESUME_REQUEST.with(With::DataVolume),
            RESUME,
            Step::up(Srb1, Message::ConnectionResumeComplete)
                .around(Nas::TrackingAreaUpdateRequest),
            Step::down(Srb1, Message::DownlinkInformationTransfer)
                .around(Nas::TrackingAreaUpdateAccept)
                .answered_by(AnsweredBy::Mme),
        ],
        data: DataPath::None,
        release: SUSPEND,
    };

    /// Returns the procedure after the network answered early data by setting up a connection (TS 36.331 section
    /// 5.3.3.4).
    ///
    /// It is a resume, or on the control plane a set-up whose last message has no NAS message.
    #[must_use]
    pub const fn fallback_of(connection: &Connection) -> &'static Self {
        match connection.procedure {
            Procedure::ControlPlane => &Self::EARLY_DATA_CONTROL_PLANE_SET_UP,
            Procedure::ServiceRequest | Procedure::Resume => Self::of(connection),
        }
    }

    /// Early data of a suspended connection (Release 15): data with Msg3, an answer and the release with Msg4
    /// (TS 36.331 section 5.3.3.3a).
    pub const EARLY_DATA_USER_PLANE: Self = Self {
        set_up: &[RESUME_REQUEST.with(With::DataVolumeAndUserData)],
        data: ON_A_RESUMED_BEARER,
        release: SUSPEND.with(With::ContentionResolutionAndUserData),
    };

    /// Early data inside NAS messages (Release 15): the packet in Msg3, an answer in Msg4 (TS 36.331 section 5.3.3.3b).
    pub const EARLY_DATA_CONTROL_PLANE: Self = Self {
        set_up: &[Step::up(Srb0, Message::EarlyDataRequest)
            .around(Nas::ControlPlaneServiceRequest)
            .with(With::DataVolume)],
        data: IN_NAS,
        release: Step::down(Srb0, Message::EarlyDataComplete).with(With::ContentionResolution),
    };

    /// Early data inside NAS messages where the network nevertheless sets up a connection.
    pub const EARLY_DATA_CONTROL_PLANE_SET_UP: Self = Self {
        set_up: &[
            Self::EARLY_DATA_CONTROL_PLANE.set_up[0],
            SET_UP,
            Step::up(Srb1bis, Message::ConnectionSetupComplete),
        ],
        ..Self::CONTROL_PLANE
    };
}
