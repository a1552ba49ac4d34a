use http::{Method, Request};
use lasthop_contract::message_text::{ID_LENGTH, message_id};
use lasthop_contract::{DeviceId, MessageId};

/// A request target at the server of a study, from its method and path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// `PUT /device/7`: registers the device, so that messages for it are queued.
    Registration(DeviceId),
    /// `POST /device/7`: accepts a message.
    Report(DeviceId),
    /// `POST /device/7/echo`: accepts a message and returns it in the response.
    Echo(DeviceId),
    /// `GET /device/7/inbox?after=ID`: returns the next message for the device after the one with this ID.
    Inbox(DeviceId, Option<MessageId>),
    /// `GET /file/ID`: returns a file.
    File(MessageId),
    /// `GET /file/3`: returns a named resource. A header field has the message ID.
    Named(u32),
    /// `POST /file/3`: accepts a message for a named resource.
    Write(u32),
    /// The path exists, but only with this method.
    OtherMethod(&'static str),
    /// The path does not exist.
    Nothing,
}

/// Returns the path for a device's messages.
pub(crate) fn report_path(device: DeviceId) -> String {
    format!("/device/{}", device.0)
}

/// Returns the path for a device's messages that are echoed.
pub(crate) fn echo_path(device: DeviceId) -> String {
    report_path(device) + "/echo"
}

/// Returns the path of a device's inbox.
pub(crate) fn inbox_path(device: DeviceId) -> String {
    report_path(device) + "/inbox"
}

/// The query that names the last received message.
pub(crate) const AFTER: &str = "?after=";

/// The path prefix of files and named resources.
pub(crate) const FILE_PATH: &str = "/file/";

/// Returns the path of a named resource.
pub(crate) fn named_path(resource: u32) -> String {
    format!("{FILE_PATH}{resource}")
}

/// A name is shorter than a message, which has eight characters.
fn resource_of(text: &str) -> Option<u32> {
    let is_one = (1..ID_LENGTH).contains(&text.len());
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_one && is_number)
}

impl Target {
    pub(super) fn of<B>(request: &Request<B>) -> Self {
        let (method, path) = (request.method(), request.uri().path());
        if let Some(id) = path.strip_prefix(FILE_PATH) {
            if let Some(resource) = resource_of(id) {
                return match *method {
                    Method::GET => Self::Named(resource),
                    Method::POST => Self::Write(resource),
                    _ => Self::OtherMethod("GET, POST"),
                };
            }
            return match message_id(id.as_bytes()) {
                Some(id) if method == Method::GET => Self::File(id),
                Some(_) => Self::OtherMethod("GET"),
                None => Self::Nothing,
            };
        }
        let Some(rest) = path.strip_prefix("/device/") else {
            return Self::Nothing;
        };
        let (number, what) = rest.split_once('/').unwrap_or((rest, ""));
        let is_number = number.bytes().all(|byte| byte.is_ascii_digit());
        let Some(device) = number.parse().ok().filter(|_| is_number).map(DeviceId) else {
            return Self::Nothing;
        };
        match what {
            "" if method == Method::PUT => Self::Registration(device),
            "" if method == Method::POST => Self::Report(device),
            "echo" if method == Method::POST => Self::Echo(device),
            "" => Self::OtherMethod("POST, PUT"),
            "echo" => Self::OtherMethod("POST"),
            "inbox" if method == Method::GET => {
                let query = request.uri().query();
                let last = query.and_then(|query| query.strip_prefix(&AFTER[1..]));
                Self::Inbox(device, last.and_then(|last| message_id(last.as_bytes())))
            }
            "inbox" => Self::OtherMethod("GET"),
            _ => Self::Nothing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_known_whole_or_not_at_all() {
        let target = |method: &str, path: &str| {
            let request = Request::builder().method(method).uri(path).body(());
            Target::of(&request.unwrap())
        };
        let device = DeviceId(7);
        assert_eq!(target("POST", &report_path(device)), Target::Report(device));
        assert_eq!(target("POST", &echo_path(device)), Target::Echo(device));
        assert_eq!(
            target("GET", &inbox_path(device)),
            Target::Inbox(device, None)
        );
        assert_eq!(target("GET", "/device/7"), Target::OtherMethod("POST, PUT"));
        assert_eq!(target("PUT", "/device/7"), Target::Registration(device));
        assert_eq!(target("GET", &named_path(3)), Target::Named(3));
        assert_eq!(target("POST", &named_path(3)), Target::Write(3));
        assert_eq!(target("PUT", "/file/3"), Target::OtherMethod("GET, POST"));
        for nothing in [
            "/",
            "/device/",
            "/device/x",
            "/device/+7",
            "/device/7/../8",
            "/device/7/inbox/",
            "/device/99999999999",
            "/file/",
            "/file/+3",
            "/file/3/4",
            "/file/../AAAAAAAB",
        ] {
            assert_eq!(target("GET", nothing), Target::Nothing, "{nothing}");
        }
        let Target::Inbox(_, Some(last)) = target("GET", "/device/7/inbox?after=AAAAAAAB") else {
            panic!("it names the last one");
        };
        assert_eq!(last.number.get(), 1);
    }
}
