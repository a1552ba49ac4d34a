use http::header::{EXPECT, HOST};
use http::{HeaderMap, Method, Request, StatusCode, Uri, Version};
use httparse::{EMPTY_HEADER, Status};

use super::body::BodyReader;
use super::fields::{
    FieldError, LONGEST_HEAD, MOST_FIELDS, announced, fields, has_bare_line_feed, keeps,
};

/// The parsed head of a request.
#[derive(Debug)]
pub(super) struct RequestHead {
    /// The size of the head in bytes.
    pub(super) length: usize,
    pub(super) request: Request<()>,
    /// The framing of the body, if there is one.
    pub(super) body: Option<BodyReader>,
    /// Whether the connection stays open after the response.
    pub(super) keeps: bool,
    /// Whether the client waits for 100 (Continue) before it sends the body (RFC 9110 section 10.1.1).
    pub(super) expects: bool,
}

/// What is answered to a head that is none, or that is not served.
type Refusal = StatusCode;

/// Parses the head of a request. Returns `None` while it is incomplete.
pub(super) fn request_head(bytes: &[u8]) -> Result<Option<RequestHead>, Refusal> {
    let within = &bytes[..bytes.len().min(LONGEST_HEAD)];
    let mut parsed = [EMPTY_HEADER; MOST_FIELDS];
    let mut head = httparse::Request::new(&mut parsed);
    let length = match head.parse(within) {
        Ok(Status::Complete(length)) => length,
        Ok(Status::Partial) if within.len() < LONGEST_HEAD => return Ok(None),
        Ok(Status::Partial) | Err(httparse::Error::TooManyHeaders) => {
            return Err(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE);
        }
        Err(httparse::Error::Version) => return Err(StatusCode::HTTP_VERSION_NOT_SUPPORTED),
        Err(_) => return Err(StatusCode::BAD_REQUEST),
    };
    if has_bare_line_feed(&within[..length]) {
        return Err(StatusCode::BAD_REQUEST);
    }
    let version = match head.version {
        Some(1) => Version::HTTP_11,
        _ => Version::HTTP_10,
    };
    let fields = fields(head.headers)?;
    check_host(version, &fields)?;
    let method = head.method.unwrap_or_default().as_bytes();
    let method = Method::from_bytes(method).map_err(|_| StatusCode::BAD_REQUEST)?;
    let target = target(&method, head.path.unwrap_or_default()).ok_or(StatusCode::BAD_REQUEST)?;
    let body = announced(version, &fields)?;
    let expects = match fields.get(EXPECT) {
        None => false,
        Some(value) if value.as_bytes().eq_ignore_ascii_case(b"100-continue") => {
            version == Version::HTTP_11
        }
        Some(_) => return Err(StatusCode::EXPECTATION_FAILED),
    };
    let keeps = keeps(version, &fields);
    let mut request = Request::new(());
    *request.method_mut() = method;
    *request.uri_mut() = target;
    *request.version_mut() = version;
    *request.headers_mut() = fields;
    Ok(Some(RequestHead {
        length,
        request,
        body,
        keeps,
        expects,
    }))
}

/// There is one `Host`, and in HTTP/1.1 it must be there (RFC 9112 section 3.2).
fn check_host(version: Version, fields: &HeaderMap) -> Result<(), Refusal> {
    let hosts = fields.get_all(HOST).iter().count();
    let is_right = hosts == 1 || hosts == 0 && version == Version::HTTP_10;
    is_right.then_some(()).ok_or(StatusCode::BAD_REQUEST)
}

/// What is asked for: a path, a whole URI, or `*` (RFC 9112 section 3.2). Nobody is led elsewhere.
fn target(method: &Method, text: &str) -> Option<Uri> {
    let is_one = match *method {
        Method::CONNECT => false,
        Method::OPTIONS if text == "*" => true,
        _ => text.starts_with('/') || text.starts_with("http://") || text.starts_with("https://"),
    };
    is_one.then(|| text.parse().ok()).flatten()
}

impl From<FieldError> for StatusCode {
    fn from(error: FieldError) -> Self {
        match error {
            FieldError::Ambiguous => Self::BAD_REQUEST,
            FieldError::UnknownCoding => Self::NOT_IMPLEMENTED,
        }
    }
}
