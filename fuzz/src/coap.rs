use lasthop_coap::testing::{
    tell_client, tell_client_by_stream, tell_server, tell_server_by_stream,
};

/// CoAP: the first byte says which end hears the rest, and over what.
pub fn coap(data: &[u8]) {
    let Some((which, data)) = data.split_first() else {
        return;
    };
    match which % 4 {
        0 => tell_server(data),
        1 => tell_client(data),
        2 => tell_server_by_stream(data),
        _ => tell_client_by_stream(data),
    }
}
