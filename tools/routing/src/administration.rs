//! Requests to a service over DDS, and their types, for who sends them.
//!
//! They are those of HTTP ([`crate::show`]): the same verbs, paths without `/v1`, bodies, codes and
//! texts. The IDL of these types is `idl/administration.idl`.
use crate::plan::Administration;
use crate::show::{Administered, Bounds, request};
use dunlin::{
    DataReader, DataReaderQos, DataWriter, DataWriterQos, DomainParticipant, Durability,
    GuidPrefix, History, ParticipantConfig, Reliability, ResourceLimits, Topic,
};
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::thread::{Builder, JoinHandle};
use std::time::{Duration, Instant};

/// The topic of [`Request`].
pub const REQUEST_TOPIC: &str = "dunlin/routing/request";
/// The topic of [`Reply`].
pub const REPLY_TOPIC: &str = "dunlin/routing/reply";

/// Asks a service for something.
#[derive(Clone, Debug, Default, PartialEq, Topic)]
#[topic(name = "dunlin::routing::Request", extensibility = "appendable")]
pub struct Request {
    /// Comes back in the reply; 256 bytes at most.
    pub id: String,
    /// `GET`, `PUT`, `POST`, `PATCH` or `DELETE`.
    pub action: String,
    /// Begins with `/routing_services/S`, where `S` is the name of the service. Of another one's it
    /// takes no notice. `?dry_run` behind it only tells what would happen.
    pub path: String,
    /// As of the request by HTTP.
    pub body: String,
}

/// What became of a request.
#[derive(Clone, Debug, Default, PartialEq, Topic)]
#[topic(name = "dunlin::routing::Reply", extensibility = "appendable")]
pub struct Reply {
    /// That of the request.
    pub id: String,
    /// The status that HTTP has for it: 200 and 201 are good.
    pub code: i32,
    /// JSON.
    pub text: String,
}

/// Requests that wait at most; their writers wait with what is beyond.
const WAITING: u32 = 64;
/// Replies that are kept for who is matched a moment after the request.
const KEPT: u32 = 32;
/// Bytes of a text; the replies that are kept take no more than 128 MiB.
const LONGEST_TEXT: usize = 4 << 20;
/// Bytes of an id.
const LONGEST_ID: usize = 256;
/// A reply waits so long for a reader of the participant that has asked: that may know the service
/// a moment before the service knows it.
const UNKNOWN: Duration = Duration::from_millis(500);
/// How often the thread looks whether it is to end.
const LOOK: dunlin::Duration = dunlin::Duration::from_millis(100);

/// Answers requests until it is dropped.
pub struct Administrator {
    stops: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Administrator {
    /// Joins the domain and begins to answer.
    ///
    /// # Errors
    /// Why the domain cannot be joined, or why the system gives no thread.
    pub fn start(
        service: Arc<dyn Administered>,
        plan: &Administration,
        config: ParticipantConfig,
    ) -> Result<Self, Box<dyn std::error::Error>> {
        let desk = Desk::new(service, plan, config)?;
        let stops = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stops);
        let thread = Builder::new()
            .name("dunlin-admin".into())
            .spawn(move || desk.run(&stopped))?;
        Ok(Self {
            stops,
            thread: Some(thread),
        })
    }
}

impl Drop for Administrator {
    fn drop(&mut self) {
        self.stops.store(true, SeqCst);
        if let Some(thread) = self.thread.take() {
            // A panic of that thread was told when it happened.
            let _ = thread.join();
        }
    }
}

impl fmt::Debug for Administrator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Administrator").finish_non_exhaustive()
    }
}

struct Desk {
    service: Arc<dyn Administered>,
    allows_changes: bool,
    requests: DataReader<Request>,
    replies: DataWriter<Reply>,
    // Behind those which are in it.
    _participant: DomainParticipant,
}

impl Desk {
    fn new(
        service: Arc<dyn Administered>,
        plan: &Administration,
        config: ParticipantConfig,
    ) -> dunlin::Result<Self> {
        let participant = DomainParticipant::with_config(plan.domain, config)?;
        let reader = DataReaderQos {
            reliability: Reliability::RELIABLE,
            history: History::KeepAll,
            resource_limits: ResourceLimits {
                max_samples: Some(WAITING),
                ..Default::default()
            },
            ..Default::default()
        };
        let writer = DataWriterQos {
            reliability: Reliability::RELIABLE,
            durability: Durability::TransientLocal,
            history: History::KeepLast(KEPT),
            ..Default::default()
        };
        Ok(Self {
            service,
            allows_changes: plan.allows_changes,
            replies: participant.writer_with(REPLY_TOPIC, writer)?,
            requests: participant.reader_with(REQUEST_TOPIC, reader)?,
            _participant: participant,
        })
    }

    fn run(self, stops: &AtomicBool) {
        let mut taken = Vec::new();
        let mut silent = None;
        while !stops.load(SeqCst) {
            // That nothing has come is no failure.
            let _ = self.requests.wait_for_data(LOOK);
            self.requests.take_each(|sample| {
                let who = sample.info.publication.prefix;
                taken.extend(sample.into_data().map(|request| (who, request)));
            });
            for (who, request) in taken.drain(..) {
                let allows = self.allows_changes;
                if let Some(reply) = answer(&request, &*self.service, allows) {
                    if silent != Some(who) && !self.is_heard_by(who) {
                        silent = Some(who);
                    }
                    // Who has no room for it for so long does not get it.
                    let _ = self.replies.write(&reply);
                }
            }
        }
    }

    /// Has this participant a reader of replies? It is given a moment to be known.
    fn is_heard_by(&self, who: GuidPrefix) -> bool {
        let until = Instant::now() + UNKNOWN;
        loop {
            let readers = self.replies.matched_subscriptions();
            let known = readers.iter().any(|reader| reader.prefix == who);
            if known || Instant::now() >= until {
                return known;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// What becomes of a request; `None` if it is for another service.
fn answer(asked: &Request, service: &dyn Administered, allows_changes: bool) -> Option<Reply> {
    let own = service.state().path.0;
    let (path, query) = match asked.path.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (&*asked.path, None),
    };
    let rest = path.strip_prefix(&own)?;
    if !rest.is_empty() && !rest.starts_with('/') {
        return None;
    }
    let bounds = Bounds::default();
    let (code, text) = if asked.id.len() > LONGEST_ID {
        let why = format!("the id has more than {LONGEST_ID} bytes");
        request::refused(400, &why)
    } else if asked.body.len() > bounds.body {
        let why = format!("the body is longer than {} bytes", bounds.body);
        request::refused(413, &why)
    } else if asked.action != "GET" && !allows_changes {
        let why = "nothing can be changed here: the configuration of the service says so, \
                   allow_changes";
        request::refused(403, why)
    } else {
        request::carry_out((&asked.action, path, query), &asked.body, service, &own)
    };
    Some(reply(&asked.id, code, text))
}

/// A reply of bounded length.
fn reply(id: &str, code: u16, text: String) -> Reply {
    let (code, text) = match text.len() {
        ..=LONGEST_TEXT => (code, text),
        _ => {
            let why =
                "the reply is longer than 4 MiB: ask for less, such as one session, or by HTTP";
            request::refused(413, why)
        }
    };
    let mut end = id.len().min(LONGEST_ID);
    while !id.is_char_boundary(end) {
        end -= 1;
    }
    Reply {
        id: id.get(..end).unwrap_or_default().to_owned(),
        code: i32::from(code),
        text,
    }
}

#[cfg(test)]
mod tests;
