use lasthop_units::Duration;

use crate::codec::MessageType;

/// Resources that a server offers from the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Example {
    /// What clients of the ETSI CoAP plugtests expect (TD_COAP_CORE, LINK, BLOCK, OBS).
    Plugtest,
}

/// A resource that does more than be set and read. It cannot be removed: DELETE makes it what it was.
#[derive(Debug)]
pub(super) struct Behaviour {
    pub(super) path: &'static str,
    /// What the list of resources says of it (RFC 6690).
    pub(super) attributes: &'static [(&'static str, &'static str)],
    pub(super) body: Body,
    /// The format of the body.
    pub(super) format: u16,
    /// Formats that a client has to ask for, with the body in each.
    pub(super) other_formats: &'static [(u16, &'static [u8])],
    pub(super) post: Post,
    /// Whether requests are acknowledged first, and answered by a message of its own.
    pub(super) is_separate: bool,
    /// Whether it gives back the arguments that it is asked with.
    pub(super) echoes_query: bool,
    pub(super) change: Option<Change>,
}

/// What a resource is at first.
#[derive(Clone, Copy, Debug)]
pub(super) enum Body {
    Text(&'static str),
    /// More than a block holds.
    Large,
}

/// What a POST does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Post {
    /// Adds to the resource.
    Append,
    /// Makes a resource below it, and tells where.
    Create,
    /// Makes a resource at this path in place of the one before, and tells where.
    CreateAt(&'static str),
    /// Takes a body and answers with a large one.
    AnswerLarge,
    /// Tells a place with arguments.
    TellLocationQuery,
    /// Changes it out of turn, so that a client which has forgotten its observation has something to reset.
    Change,
}

/// How a resource changes by itself while somebody observes it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    pub(super) every: Duration,
    pub(super) kind: MessageType,
}

/// Text (RFC 7252 section 12.3).
pub(super) const TEXT: u16 = 0;

/// Link format (RFC 6690 section 7.1).
pub(super) const LINK_FORMAT: u16 = 40;

const XML: u16 = 41;
const JSON: u16 = 50;
const CBOR: u16 = 60;

const LARGE_LINES: usize = 32;

const PLAIN: Behaviour = Behaviour {
    path: "",
    attributes: &[("ct", "0")],
    body: Body::Text(""),
    format: TEXT,
    other_formats: &[],
    post: Post::Append,
    is_separate: false,
    echoes_query: false,
    change: None,
};

const fn every(millis: u64, kind: MessageType) -> Option<Change> {
    Some(Change {
        every: Duration::from_millis(millis),
        kind,
    })
}

const OBSERVABLE: &[(&str, &str)] = &[("ct", "0"), ("obs", "")];
const LARGE: &[(&str, &str)] = &[("ct", "0"), ("rt", "block"), ("sz", "2048")];

/// The resources of the plugtests.
const PLUGTEST: &[Behaviour] = &[
    Behaviour {
        path: "test",
        body: Body::Text("default test resource"),
        post: Post::CreateAt("location1/location2/location3"),
        ..PLAIN
    },
    Behaviour {
        path: "validate",
        body: Body::Text("a resource whose entity tag changes with it"),
        ..PLAIN
    },
    Behaviour {
        path: "seg1/seg2/seg3",
        body: Body::Text("a path of three segments"),
        ..PLAIN
    },
    Behaviour {
        path: "query",
        echoes_query: true,
        ..PLAIN
    },
    Behaviour {
        path: "separate",
        body: Body::Text("answered by a message of its own"),
        is_separate: true,
        ..PLAIN
    },
    Behaviour {
        path: "large",
        attributes: LARGE,
        body: Body::Large,
        ..PLAIN
    },
    Behaviour {
        path: "large-update",
        attributes: LARGE,
        body: Body::Large,
        ..PLAIN
    },
    Behaviour {
        path: "large-create",
        attributes: &[("rt", "block")],
        body: Body::Text("POST makes resources below"),
        post: Post::Create,
        ..PLAIN
    },
    Behaviour {
        path: "large-post",
        attributes: LARGE,
        body: Body::Large,
        post: Post::AnswerLarge,
        ..PLAIN
    },
    Behaviour {
        path: "obs",
        attributes: OBSERVABLE,
        body: Body::Text("changes every 5 s"),
        change: every(5_000, MessageType::Confirmable),
        ..PLAIN
    },
    Behaviour {
        path: "obs-large",
        attributes: &[("ct", "0"), ("obs", ""), ("rt", "block"), ("sz", "2048")],
        body: Body::Large,
        change: every(5_000, MessageType::Confirmable),
        ..PLAIN
    },
    Behaviour {
        path: "obs-non",
        attributes: OBSERVABLE,
        body: Body::Text("changes every 5 s, told by messages that nobody acknowledges"),
        change: every(5_000, MessageType::NonConfirmable),
        ..PLAIN
    },
    Behaviour {
        path: "obs-reset",
        attributes: OBSERVABLE,
        body: Body::Text("changes every 5 s, and with each POST"),
        post: Post::Change,
        change: every(5_000, MessageType::Confirmable),
        ..PLAIN
    },
    Behaviour {
        path: "obs-pumping",
        attributes: OBSERVABLE,
        body: Body::Text("changes ten times a second"),
        change: every(100, MessageType::Confirmable),
        ..PLAIN
    },
    Behaviour {
        path: "location-query",
        body: Body::Text("POST tells a place with arguments"),
        post: Post::TellLocationQuery,
        ..PLAIN
    },
    Behaviour {
        path: "multi-format",
        attributes: &[("ct", "0 41 50 60")],
        body: Body::Text("plain text"),
        other_formats: &[
            (XML, b"<text>extensible markup</text>"),
            (JSON, br#"{"text":"object notation"}"#),
            // A map of one pair of text strings (RFC 8949 section 3.1).
            (CBOR, b"\xa1\x64text\x6ebinary objects"),
        ],
        ..PLAIN
    },
    Behaviour {
        path: "link1",
        attributes: &[("ct", "0"), ("rt", "Type1 Type2"), ("if", "If1")],
        body: Body::Text("of two resource types"),
        ..PLAIN
    },
    Behaviour {
        path: "link2",
        attributes: &[("ct", "0"), ("rt", "Type2 Type3"), ("if", "If2")],
        body: Body::Text("of two resource types"),
        ..PLAIN
    },
    Behaviour {
        path: "link3",
        attributes: &[("ct", "0"), ("rt", "Type1 Type3"), ("if", "foo")],
        body: Body::Text("of two resource types"),
        ..PLAIN
    },
    Behaviour {
        path: "path",
        attributes: &[("ct", "40")],
        body: Body::Text("</path/sub1>,</path/sub2>,</path/sub3>"),
        format: LINK_FORMAT,
        ..PLAIN
    },
    Behaviour {
        path: "path/sub1",
        body: Body::Text("the first below a list"),
        ..PLAIN
    },
    Behaviour {
        path: "path/sub2",
        body: Body::Text("the second below a list"),
        ..PLAIN
    },
    Behaviour {
        path: "path/sub3",
        body: Body::Text("the third below a list"),
        ..PLAIN
    },
];

impl Example {
    pub(super) const fn resources(self) -> &'static [Behaviour] {
        match self {
            Self::Plugtest => PLUGTEST,
        }
    }
}

impl Behaviour {
    /// What it is after so many changes.
    pub(super) fn body_after(&self, changes: u32) -> Vec<u8> {
        match (self.body, changes) {
            (Body::Text(text), 0) => text.into(),
            (Body::Text(text), changes) => format!("{text}: {changes}").into_bytes(),
            (Body::Large, changes) => {
                let line = |number| format!("{:<62}{changes:>1}\n", format!("line {number:>2}"));
                (1..=LARGE_LINES).map(line).collect::<String>().into()
            }
        }
    }
}
