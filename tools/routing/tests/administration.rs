//! Requests to a service over DDS.
mod common;

use common::namespace::{LOOPBACK, in_namespace};
use common::*;
use dunlin::*;
use dunlin_routing::Service;
use dunlin_routing::administration::*;
use dunlin_routing::config::edit::{Edit, EditError, edit};
use dunlin_routing::plan::{Administration, Difference};
use dunlin_routing::service::{Action, UnknownPath};
use dunlin_routing::show::Administered;
use dunlin_routing::state::{State, Tree};
use std::sync::Arc;

const UDP: Transports = Transports::UDP;
/// The domain of administration.
const ASKED: u32 = 2;

/// A service as the command line runs it.
struct Running(Service);

impl Administered for Running {
    fn state(&self) -> Tree {
        self.0.state()
    }

    fn act(&self, path: &str, action: Action) -> std::result::Result<(), UnknownPath> {
        self.0.act(path, action)
    }

    fn configure(&self, _: &str, _: bool) -> std::result::Result<Vec<Difference>, String> {
        Err("not here".into())
    }

    fn edit(
        &self,
        wanted: &Edit<'_>,
        is_dry_run: bool,
    ) -> std::result::Result<Vec<Difference>, EditError> {
        let plan = edit(&self.0.plan(), wanted, &Default::default())?;
        let done = match is_dry_run {
            true => self.0.compare(&plan),
            false => self.0.reload(plan),
        };
        done.map_err(|error| EditError::Wrong(error.to_string()))
    }
}

/// Sends requests, one after the other.
struct Client {
    requests: DataWriter<Request>,
    replies: DataReader<Reply>,
    sent: u32,
}

impl Client {
    fn new(participant: &DomainParticipant) -> Self {
        let (wqos, rqos) = reliable();
        let requests = participant.writer_with(REQUEST_TOPIC, wqos).unwrap();
        let replies = participant.reader_with(REPLY_TOPIC, rqos).unwrap();
        let client = Self {
            requests,
            replies,
            sent: 0,
        };
        client.requests.wait_for_matched(1, SOON).unwrap();
        client.replies.wait_for_matched(1, SOON).unwrap();
        client
    }

    fn send(&mut self, action: &str, path: &str, body: &str) -> String {
        self.sent += 1;
        let request = Request {
            id: self.sent.to_string(),
            action: action.into(),
            path: path.into(),
            body: body.into(),
        };
        self.requests.write(&request).unwrap();
        request.id
    }

    /// The code and the text of the reply.
    fn ask(&mut self, action: &str, path: &str, body: &str) -> (i32, String) {
        let id = self.send(action, path, body);
        loop {
            self.replies.wait_for_data(SOON).unwrap();
            let mut all = Vec::new();
            self.replies
                .take_each(|sample| all.extend(sample.into_data()));
            if let Some(reply) = all.into_iter().find(|reply| reply.id == id) {
                return (reply.code, reply.text);
            }
        }
    }
}

#[test]
fn requests_over_dds_do_what_those_of_http_do() {
    in_namespace(
        "requests_over_dds_do_what_those_of_http_do",
        LOOPBACK,
        || {
            let plan = plan(UDP, vec![route::<Keyless>("Square", 0)]);
            let service = Arc::new(Running(Service::start(plan).unwrap()));
            let administration = Administration {
                domain: ASKED,
                participant: Box::default(),
                allows_changes: true,
            };
            let config = ParticipantConfig {
                transports: UDP,
                ..ParticipantConfig::default()
            };
            let shown = Arc::clone(&service) as Arc<dyn Administered>;
            let by = Administrator::start(shown, &administration, config).unwrap();
            let mut client = Client::new(&participant(ASKED, UDP));
            let path = route_path("Square");
            let (code, text) = client.ask("GET", &path, "");
            assert!(code == 200 && text.contains("\"route\""), "{code} {text}");
            let (code, text) =
                client.ask("PUT", &format!("{path}/state"), "{\"state\": \"paused\"}");
            assert_eq!(code, 200, "{text}");
            wait_for(&service.0, &path, |node| node.state == State::Paused);
            let (code, text) = client.ask("PATCH", &path, "{\"max_rate\": 20}");
            assert!(code == 200 && text.contains("rate"), "{code} {text}");
            let (code, text) = client.ask("PATCH", &path, "{\"max_rat\": 20}");
            assert!(code == 422 && text.contains("max_rate"), "{code} {text}");
            let (code, text) = client.ask("DELETE", &format!("{path}?dry_run"), "");
            assert!(code == 200 && text.contains("- "), "{code} {text}");
            assert!(service.0.state().at(&path).is_some());
            // Of another service it takes no notice: the reply is that of the next request.
            client.send("DELETE", "/routing_services/other", "");
            assert_eq!(client.ask("DELETE", &path, "").0, 200);
            assert!(service.0.state().at(&path).is_none());
            assert_eq!(client.ask("DELETE", &path, "").0, 404);
            drop(by);
        },
    );
}

#[test]
fn the_idl_of_requests_is_that_of_the_types() {
    let all = [
        dunlin::idl::to_string::<Request>().unwrap(),
        dunlin::idl::to_string::<Reply>().unwrap(),
    ];
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/idl/administration.idl");
    let text = all.join("\n");
    if std::env::var_os("DUNLIN_UPDATE").is_some() {
        std::fs::write(path, &text).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap(), text);
}
