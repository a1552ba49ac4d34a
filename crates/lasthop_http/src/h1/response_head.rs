use http::{Method, Response, StatusCode, Version};
use httparse::{EMPTY_HEADER, Status};

use super::body::BodyReader;
use super::fields::{LONGEST_HEAD, MOST_FIELDS, announced, fields, keeps};

/// The parsed head of a response.
#[derive(Debug)]
pub(super) struct ResponseHead {
    /// The size of the head in bytes.
    pub(super) length: usize,
    pub(super) response: Response<()>,
    pub(super) body: BodyReader,
    /// Whether the connection stays open after the response.
    pub(super) keeps: bool,
}

/// The received bytes are not an HTTP response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NoResponse;

/// Parses the head of the response to a request with this method. Returns `None` while it is incomplete.
pub(super) fn response_head(
    method: &Method,
    bytes: &[u8],
) -> Result<Option<ResponseHead>, NoResponse> {
    let within = &bytes[..bytes.len().min(LONGEST_HEAD)];
    let mut parsed = [EMPTY_HEADER; MOST_FIELDS];
    let mut head = httparse::Response::new(&mut parsed);
    let length = match head.parse(within) {
        Ok(Status::Complete(length)) => length,
        Ok(Status::Partial) if within.len() < LONGEST_HEAD => return Ok(None),
        _ => return Err(NoResponse),
    };
    let version = match head.version {
        Some(1) => Version::HTTP_11,
        _ => Version::HTTP_10,
    };
    let status = StatusCode::from_u16(head.code.unwrap_or_default()).map_err(|_| NoResponse)?;
    let fields = fields(head.headers).map_err(|_| NoResponse)?;
    let has_none = *method == Method::HEAD
        || status.is_informational()
        || matches!(status, StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED);
    let body = if has_none {
        BodyReader::Length(0)
    } else {
        let announced = announced(version, &fields).map_err(|_| NoResponse)?;
        announced.unwrap_or(BodyReader::UntilEnd)
    };
    let keeps = keeps(version, &fields) && !matches!(body, BodyReader::UntilEnd);
    let mut response = Response::new(());
    *response.status_mut() = status;
    *response.version_mut() = version;
    *response.headers_mut() = fields;
    Ok(Some(ResponseHead {
        length,
        response,
        body,
        keeps,
    }))
}
