//! Option numbers (RFC 7252 section 5.10, RFC 7641 section 2, RFC 7959 sections 2.1 and 4, RFC 7967 section 2, RFC 9175
//! section 2.2).

/// Requires that the resource has this entity tag.
pub const IF_MATCH: u16 = 1;
/// The host of the requested resource.
pub const URI_HOST: u16 = 3;
/// The entity tag of the representation.
pub const ETAG: u16 = 4;
/// Requires that the resource does not exist.
pub const IF_NONE_MATCH: u16 = 5;
/// Registration for notifications, and their sequence numbers.
pub const OBSERVE: u16 = 6;
/// The port of the requested resource.
pub const URI_PORT: u16 = 7;
/// The path of the new resource.
pub const LOCATION_PATH: u16 = 8;
/// A segment of the resource's path.
pub const URI_PATH: u16 = 11;
/// The format of the payload.
pub const CONTENT_FORMAT: u16 = 12;
/// The lifetime of a response in seconds.
pub const MAX_AGE: u16 = 14;
/// An argument of the request.
pub const URI_QUERY: u16 = 15;
/// The format that the client wants.
pub const ACCEPT: u16 = 17;
/// An argument of the new resource's location.
pub const LOCATION_QUERY: u16 = 20;
/// The block of the response body.
pub const BLOCK2: u16 = 23;
/// The block of the request body.
pub const BLOCK1: u16 = 27;
/// The size of the response's body.
pub const SIZE2: u16 = 28;
/// The absolute URI, for a proxy.
pub const PROXY_URI: u16 = 35;
/// The scheme of the URI, for a proxy.
pub const PROXY_SCHEME: u16 = 39;
/// The size of the request's body.
pub const SIZE1: u16 = 60;
/// Proves that the client receives at its address.
pub const ECHO: u16 = 252;
/// The classes of responses that the client does not want.
pub const NO_RESPONSE: u16 = 258;
