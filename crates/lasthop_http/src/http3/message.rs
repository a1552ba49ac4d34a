//! Conversion of requests and responses to field lines (RFC 9114 sections 4.2 and 4.3).

use http::header::{AUTHORIZATION, CONTENT_LENGTH, HOST, TE};
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, Uri, Version,
};
use lasthop_contract::Provenance;

use super::qpack::Field;
use crate::purpose::Purpose;

/// A field line, its provenance, and whether QPACK tables may hold it.
#[derive(Debug)]
pub(super) struct Line<'a> {
    pub(super) name: &'a [u8],
    pub(super) value: &'a [u8],
    pub(super) is_remembered: bool,
    pub(super) provenance: Provenance,
}

/// The field section is malformed (RFC 9114 section 4.1.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Malformed;

/// Returns the field lines of a request with an absolute URI.
pub(super) fn lines_of_request(
    request: &Request<()>,
    purpose: Purpose,
    tokens: bool,
) -> Vec<Line<'_>> {
    let uri = request.uri();
    let path = uri.path_and_query().map_or("/", |it| it.as_str());
    let pseudo = [
        (":method", request.method().as_str()),
        (":scheme", uri.scheme_str().unwrap_or_default()),
        (":authority", uri.authority().map_or("", |it| it.as_str())),
        (":path", path),
    ];
    let authorisation = purpose.authorisation();
    lines(
        &pseudo,
        request.headers(),
        purpose.head,
        authorisation,
        tokens,
    )
}

/// Returns the field lines of a response.
pub(super) fn lines_of_response<'a>(
    status: &'a str,
    fields: &'a HeaderMap,
    head: Provenance,
) -> Vec<Line<'a>> {
    lines(&[(":status", status)], fields, head, head, true)
}

fn lines<'a>(
    pseudo: &[(&'a str, &'a str)],
    fields: &'a HeaderMap,
    head: Provenance,
    authorisation: Provenance,
    tokens: bool,
) -> Vec<Line<'a>> {
    let pseudo = pseudo.iter().map(|(name, value)| Line {
        name: name.as_bytes(),
        value: value.as_bytes(),
        is_remembered: true,
        provenance: head,
    });
    let fields = fields.iter().map(|(name, value)| Line {
        name: name.as_str().as_bytes(),
        value: value.as_bytes(),
        is_remembered: name != AUTHORIZATION || tokens,
        provenance: if name == AUTHORIZATION {
            authorisation
        } else {
            head
        },
    });
    pseudo.chain(fields).collect()
}

/// Parses the head of a request.
pub(super) fn request_of(fields: Vec<Field>) -> Result<Request<()>, Malformed> {
    let (mut pseudo, headers) = parts(fields, &[":method", ":scheme", ":authority", ":path"])?;
    let [method, scheme, authority, path] = [0, 1, 2, 3].map(|place| pseudo[place].take());
    let (method, scheme) = (method.ok_or(Malformed)?, scheme.ok_or(Malformed)?);
    let path = path.filter(|it| it.starts_with('/')).ok_or(Malformed)?;
    let mut hosts = headers.get_all(HOST).iter();
    let host = hosts
        .next()
        .map(|host| host.to_str().map_err(|_| Malformed));
    let host = host.transpose()?.map(str::to_owned);
    let differs = matches!((&authority, &host), (Some(one), Some(other)) if one != other);
    let authority = authority.or(host).filter(|it| !it.is_empty());
    let method = Method::from_bytes(method.as_bytes()).map_err(|_| Malformed)?;
    if differs || hosts.next().is_some() || method == Method::CONNECT {
        return Err(Malformed);
    }
    if !matches!(&scheme[..], "http" | "https") {
        return Err(Malformed);
    }
    let uri = Uri::builder()
        .scheme(&scheme[..])
        .authority(authority.ok_or(Malformed)?);
    let mut request = Request::new(());
    *request.uri_mut() = uri.path_and_query(path).build().map_err(|_| Malformed)?;
    *request.method_mut() = method;
    *request.version_mut() = Version::HTTP_3;
    *request.headers_mut() = headers;
    Ok(request)
}

/// Parses the head of a response.
pub(super) fn response_of(fields: Vec<Field>) -> Result<Response<()>, Malformed> {
    let (mut pseudo, headers) = parts(fields, &[":status"])?;
    let status = pseudo[0].take().ok_or(Malformed)?;
    let mut response = Response::new(());
    *response.status_mut() = StatusCode::from_bytes(status.as_bytes()).map_err(|_| Malformed)?;
    *response.version_mut() = Version::HTTP_3;
    *response.headers_mut() = headers;
    Ok(response)
}

/// Checks that trailers are valid. Their content is ignored.
pub(super) fn check_trailers(fields: Vec<Field>) -> Result<(), Malformed> {
    parts(fields, &[]).map(|_| ())
}

/// Checks the length of a body against its head.
pub(super) fn has_length(headers: &HeaderMap, length: usize) -> Result<(), Malformed> {
    for said in headers.get_all(CONTENT_LENGTH) {
        let said = said.to_str().map_err(|_| Malformed)?;
        let is_number = !said.is_empty() && said.bytes().all(|byte| byte.is_ascii_digit());
        if !is_number || said.parse() != Ok(length) {
            return Err(Malformed);
        }
    }
    Ok(())
}

type Parts = (Vec<Option<String>>, HeaderMap);

/// The pseudo-header fields of these names, and all others.
fn parts(fields: Vec<Field>, names: &[&str]) -> Result<Parts, Malformed> {
    let mut pseudo = vec![None; names.len()];
    let mut headers = HeaderMap::new();
    for (name, value) in fields {
        if name.first() == Some(&b':') {
            let place = names.iter().position(|it| it.as_bytes() == name);
            let place = place.filter(|_| headers.is_empty()).ok_or(Malformed)?;
            let value = String::from_utf8(value.into()).map_err(|_| Malformed)?;
            let is_twice = pseudo[place].replace(value).is_some();
            if is_twice {
                return Err(Malformed);
            }
            continue;
        }
        if name.iter().any(u8::is_ascii_uppercase) || IS_OF_CONNECTION.contains(&&*name) {
            return Err(Malformed);
        }
        let name = HeaderName::from_bytes(&name).map_err(|_| Malformed)?;
        let is_padded = |it: &u8| matches!(it, b' ' | b'\t');
        if value.first().is_some_and(is_padded) || value.last().is_some_and(is_padded) {
            return Err(Malformed);
        }
        if name == TE && value != "trailers" {
            return Err(Malformed);
        }
        let value = HeaderValue::from_maybe_shared(value).map_err(|_| Malformed)?;
        headers.append(name, value);
    }
    Ok((pseudo, headers))
}

/// Fields that are of a connection, which HTTP/3 has not (RFC 9114 section 4.2).
const IS_OF_CONNECTION: [&[u8]; 5] = [
    b"connection",
    b"keep-alive",
    b"proxy-connection",
    b"transfer-encoding",
    b"upgrade",
];
