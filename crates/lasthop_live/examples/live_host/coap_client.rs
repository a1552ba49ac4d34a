use core::error::Error;
use core::net::{IpAddr, SocketAddr};
use std::collections::VecDeque;
use std::fs;
use std::sync::Arc;

use lasthop_coap::{
    Carrier, CoapClient, CoapClientConfig, CoapParameters, CoapRequest, CoapResponse, Code,
    MessageType, PORT, Push, RequestEvent, RequestId,
};
use lasthop_contract::{
    Application, ApplicationInput, ApplicationOutput, DeviceId, RandomStream, Transport,
    TransportEvent,
};
use lasthop_transport::Udp;
use lasthop_units::Instant;
use serde_json::json;

use crate::coap_server::{carrier_and_type, tcp};
use crate::{Options, Outcome, run_host};

/// Makes requests, one after the other, and tells each response.
struct Requests {
    client: CoapClient,
    to_do: VecDeque<Task>,
    under_way: Option<(RequestId, u32)>,
    carrier: Carrier,
    is_ended: bool,
    outcome: Outcome,
}

struct Task {
    request: CoapRequest,
    /// How many responses are awaited: one, but for observations.
    responses: u32,
}

pub(crate) fn run(options: &Options, words: &[String]) -> Result<(), Box<dyn Error>> {
    let [server, how, words @ ..] = words else {
        return Err("coap-client takes a server and con, non or tcp".into());
    };
    let server: IpAddr = server.parse()?;
    let (carrier, kind) = carrier_and_type(how)?;
    let config = CoapClientConfig {
        answers: false,
        server: SocketAddr::new(server, PORT),
        device: DeviceId(1),
        kind,
        push: Push::Post,
        receives: false,
        carrier,
        parameters: Arc::new(CoapParameters::default()),
    };
    let outcome = Outcome::awaited();
    let requests = Requests {
        client: CoapClient::new(config, RandomStream::named(options.seed, "client")),
        to_do: tasks(kind, words)?,
        under_way: None,
        carrier,
        is_ended: false,
        outcome: outcome.clone(),
    };
    match carrier {
        Carrier::Datagrams => run_host(options, Udp::new(options.address), requests, &outcome),
        Carrier::Streams => run_host(options, tcp(options), requests, &outcome),
    }
}

fn tasks(kind: MessageType, mut words: &[String]) -> Result<VecDeque<Task>, Box<dyn Error>> {
    let mut tasks = VecDeque::new();
    while let [method, path, rest @ ..] = words {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let request = |code| CoapRequest {
            query: query
                .split('&')
                .filter(|text| !text.is_empty())
                .map(String::from)
                .collect(),
            ..CoapRequest::new(kind, code, path)
        };
        let (task, rest) = match (method.as_str(), rest) {
            ("get", rest) => (Task::once(request(Code::GET)), rest),
            ("delete", rest) => (Task::once(request(Code::DELETE)), rest),
            ("put", [file, rest @ ..]) => (Task::with_body(request(Code::PUT), file)?, rest),
            ("post", [file, rest @ ..]) => (Task::with_body(request(Code::POST), file)?, rest),
            ("observe", [count, rest @ ..]) => {
                let request = CoapRequest {
                    observe: true,
                    ..request(Code::GET)
                };
                let responses = count.parse()?;
                (Task { request, responses }, rest)
            }
            (other, _) => return Err(format!("{other} {path} is no request").into()),
        };
        tasks.push_back(task);
        words = rest;
    }
    match words {
        [] => Ok(tasks),
        [word, ..] => Err(format!("{word} lacks a path").into()),
    }
}

impl Task {
    fn once(request: CoapRequest) -> Self {
        Self {
            request,
            responses: 1,
        }
    }

    fn with_body(request: CoapRequest, file: &str) -> Result<Self, Box<dyn Error>> {
        Ok(Self::once(CoapRequest {
            payload: fs::read(file)?,
            ..request
        }))
    }
}

impl Requests {
    fn begin_next(&mut self, now: Instant, transport: &mut dyn Transport) {
        if self.under_way.is_some() {
            return;
        }
        let Some(task) = self.to_do.pop_front() else {
            self.end(now, transport);
            return;
        };
        let id = self
            .client
            .request(now, task.request, transport)
            .expect("the client has said that it is ready");
        self.under_way = Some((id, task.responses));
    }

    /// Over datagrams there is nothing to end; a stream is released, and done when it is closed.
    fn end(&mut self, now: Instant, transport: &mut dyn Transport) {
        self.is_ended = true;
        match self.carrier {
            Carrier::Datagrams => self.outcome.set_done(),
            Carrier::Streams => self.client.release(now, transport),
        }
    }

    fn attend(&mut self, now: Instant, transport: &mut dyn Transport) {
        while let Some(event) = self.client.next_event() {
            match event {
                RequestEvent::Response(response) => self.responded(now, &response, transport),
                RequestEvent::Failed { reason, .. } => {
                    println!("{}", json!({ "failed": format!("{reason:?}") }));
                    self.under_way = None;
                }
            }
            self.begin_next(now, transport);
        }
    }

    fn responded(&mut self, now: Instant, response: &CoapResponse, transport: &mut dyn Transport) {
        // An observation that was cancelled is answered too.
        let Some((id, responses)) = self.under_way.filter(|(id, _)| *id == response.request) else {
            return;
        };
        let code = response.code.0;
        let line = json!({
            "code": format!("{}.{:02}", code >> 5, code & 0x1f),
            "payload": String::from_utf8_lossy(&response.payload),
            "observe": response.observe,
        });
        println!("{line}");
        self.under_way = (responses > 1).then(|| (id, responses - 1));
        if self.under_way.is_none() && response.observe.is_some() {
            self.client.cancel(now, id, transport);
        }
    }
}

impl Application for Requests {
    fn handle(&mut self, now: Instant, input: ApplicationInput<'_>, transport: &mut dyn Transport) {
        self.client.handle(now, input, transport);
        self.attend(now, transport);
        if let ApplicationInput::Transport(_, TransportEvent::Closed(_)) = input
            && self.is_ended
        {
            self.outcome.set_done();
        }
    }

    fn poll(&mut self, now: Instant, transport: &mut dyn Transport) -> ApplicationOutput {
        loop {
            match self.client.poll(now, transport) {
                ApplicationOutput::WaitUntil(deadline) => {
                    return ApplicationOutput::WaitUntil(deadline);
                }
                output @ ApplicationOutput::Event(_) => return output,
                ApplicationOutput::Ready(..) => self.begin_next(now, transport),
                ApplicationOutput::Received(_) => {}
            }
        }
    }
}
