use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use http::header::{AUTHORIZATION, CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{HeaderValue, Method, Request, Response, StatusCode};
use lasthop_broker::{Credentials, Identity, NotKept, Ticket};
use lasthop_units::Instant;
use serde_json::{Value, json};

use crate::json_object::JsonObject;
use crate::{DevicePath, Gateway, Protocol};

/// The result of an HTTP request.
#[derive(Debug)]
pub enum Asked {
    /// The response.
    Answer(Response<Vec<u8>>),
    /// The response follows once the message is stored, by [`Gateway::next_answer`].
    Awaits(Ticket),
}

/// What a device wants of its bridge.
enum Wish {
    Publish,
    SetState,
    /// A request for the configuration, if it is newer than this version.
    Config(u64),
}

impl Gateway {
    /// Processes an HTTP request of a device: `POST /v1/DEVICE:publishEvent`, `POST /v1/DEVICE:setState`, `GET
    /// /v1/DEVICE/config?local_version=N`. Each needs a bearer token (RFC 6750 section 2.1).
    pub fn ask(&mut self, now: Instant, request: &Request<Vec<u8>>) -> Asked {
        let asked = self.serve(now, request);
        asked.unwrap_or_else(|(status, message)| Asked::Answer(refusal(status, message)))
    }

    /// Returns the response to the next request whose message was stored or could not be stored.
    pub fn next_answer(&mut self) -> Option<(Ticket, Response<Vec<u8>>)> {
        let (ticket, outcome) = self.next_settled_of_bridge()?;
        let answer = match outcome {
            Ok(()) => of_json(b"{}".to_vec()),
            Err(why) => {
                let (status, message) = of_not_kept(why);
                refusal(status, message)
            }
        };
        Some((ticket, answer))
    }

    fn serve(&mut self, now: Instant, request: &Request<Vec<u8>>) -> Result<Asked, Refused> {
        let (path, wish) = target(request)?;
        let identity = self.bearer(now, request, &path)?;
        match wish {
            Wish::Config(local) => {
                let config = self
                    .config_of(identity)
                    .filter(|(version, _)| *version > local);
                let answered = config.map_or_else(not_modified, |(version, payload)| {
                    let binary = STANDARD_NO_PAD.encode(payload);
                    let padding = "=".repeat((4 - binary.len() % 4) % 4);
                    answer(
                        &json!({"version": version.to_string(), "binaryData": binary + &padding}),
                    )
                });
                Ok(Asked::Answer(answered))
            }
            Wish::Publish => {
                let body = object(request.body())?;
                let folder = match body.get("subFolder").or_else(|| body.get("sub_folder")) {
                    None => "",
                    // As in topics of MQTT, no name has a NUL.
                    Some(Value::String(folder)) if !folder.contains('\0') => folder,
                    Some(_) => return Err(MALFORMED),
                };
                let rest = match folder {
                    "" => "events".to_owned(),
                    folder => format!("events/{folder}"),
                };
                let payload = binary(body.get("binaryData").or_else(|| body.get("binary_data")))?;
                self.keep_for_bridge(now, identity, &path, &rest, &payload)
            }
            Wish::SetState => {
                let body = object(request.body())?;
                let state = body
                    .get("state")
                    .and_then(Value::as_object)
                    .ok_or(MALFORMED)?;
                let payload = state.get("binaryData").or_else(|| state.get("binary_data"));
                self.keep_for_bridge(now, identity, &path, "state", &binary(payload)?)
            }
        }
    }

    /// Who asks: whatever is wrong with it, the answer is the same.
    fn bearer(
        &mut self,
        now: Instant,
        request: &Request<Vec<u8>>,
        path: &DevicePath,
    ) -> Result<Identity, Refused> {
        let mut fields = request.headers().get_all(AUTHORIZATION).iter();
        let (shown, other) = (fields.next(), fields.next());
        let shown = shown.filter(|_| other.is_none());
        let scheme = b"bearer ";
        let token = shown.map(HeaderValue::as_bytes).filter(|shown| {
            let begins = shown.get(..scheme.len());
            begins.is_some_and(|begins| begins.eq_ignore_ascii_case(scheme))
        });
        let credentials = Credentials {
            client_id: path.text().as_bytes(),
            user_name: None,
            password: token.map(|token| &token[scheme.len()..]),
            address: None,
        };
        let admitted = self.admit(now, Protocol::Http, &credentials);
        admitted.map(|it| it.identity).map_err(|_| UNAUTHENTICATED)
    }

    fn keep_for_bridge(
        &mut self,
        now: Instant,
        identity: Identity,
        path: &DevicePath,
        rest: &str,
        payload: &[u8],
    ) -> Result<Asked, Refused> {
        let topic = format!("/devices/{}/{rest}", path.device());
        let taken = self.take_for_bridge(now, identity, &topic, payload);
        taken.map(Asked::Awaits).map_err(of_not_kept)
    }
}

type Refused = (StatusCode, &'static str);

const MALFORMED: Refused = (
    StatusCode::BAD_REQUEST,
    "the body is not what this asks for",
);
const UNAUTHENTICATED: Refused = (StatusCode::UNAUTHORIZED, "the token is not accepted");
const UNKNOWN: Refused = (StatusCode::NOT_FOUND, "there is nothing here");

fn target(request: &Request<Vec<u8>>) -> Result<(DevicePath, Wish), Refused> {
    let path = request.uri().path().strip_prefix("/v1/").ok_or(UNKNOWN)?;
    let (device, method, wish) = if let Some(device) = path.strip_suffix(":publishEvent") {
        (device, Method::POST, Wish::Publish)
    } else if let Some(device) = path.strip_suffix(":setState") {
        (device, Method::POST, Wish::SetState)
    } else {
        let device = path.strip_suffix("/config").ok_or(UNKNOWN)?;
        let local = request.uri().query().map_or(Some(0), local_version);
        (device, Method::GET, Wish::Config(local.ok_or(MALFORMED)?))
    };
    let device = DevicePath::parse(device).map_err(|_| UNKNOWN)?;
    if *request.method() != method {
        return Err((
            StatusCode::METHOD_NOT_ALLOWED,
            "this is asked by another method",
        ));
    }
    Ok((device, wish))
}

fn local_version(query: &str) -> Option<u64> {
    query.strip_prefix("local_version=")?.parse().ok()
}

fn object(body: &[u8]) -> Result<JsonObject, Refused> {
    JsonObject::read(body).ok_or(MALFORMED)
}

/// Base64 of either alphabet, padded or not, as JSON of Protobuf has it.
fn binary(value: Option<&Value>) -> Result<Vec<u8>, Refused> {
    let text = value.and_then(Value::as_str).ok_or(MALFORMED)?;
    let text = text
        .trim_end_matches('=')
        .replace('-', "+")
        .replace('_', "/");
    STANDARD_NO_PAD.decode(text).map_err(|_| MALFORMED)
}

const fn of_not_kept(why: NotKept) -> Refused {
    match why {
        NotKept::Denied => (StatusCode::FORBIDDEN, "the device may not say this"),
        NotKept::Limit => (
            StatusCode::TOO_MANY_REQUESTS,
            "it is too large, or too much",
        ),
        NotKept::Failed => (StatusCode::SERVICE_UNAVAILABLE, "it cannot be kept now"),
    }
}

fn answer(body: &Value) -> Response<Vec<u8>> {
    of_json(body.to_string().into_bytes())
}

fn of_json(text: Vec<u8>) -> Response<Vec<u8>> {
    let mut response = Response::new(text);
    let kind = HeaderValue::from_static("application/json");
    response.headers_mut().insert(CONTENT_TYPE, kind);
    response
}

fn not_modified() -> Response<Vec<u8>> {
    let mut response = Response::new(Vec::new());
    *response.status_mut() = StatusCode::NOT_MODIFIED;
    response
}

fn refusal(status: StatusCode, message: &str) -> Response<Vec<u8>> {
    let body = json!({"error": {"code": status.as_u16(), "message": message}});
    let mut response = answer(&body);
    *response.status_mut() = status;
    if status == StatusCode::UNAUTHORIZED {
        let scheme = HeaderValue::from_static("Bearer");
        response.headers_mut().insert(WWW_AUTHENTICATE, scheme);
    }
    response
}
