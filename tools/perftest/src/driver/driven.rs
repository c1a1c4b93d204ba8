//! A driver as a `Messaging`.

use std::cell::Cell;
use std::net::Ipv4Addr;
use std::sync::Arc;

use super::{Content, Driver, Endpoint, Inbox, Refused, Settings};
use crate::clock::{Nanos, monotonic};
use crate::dds;
use crate::messaging::{EndpointQos, Messaging, Publish, Sample, Topic, Wake, WriteError};
use crate::options::{Options, Role};
use crate::output::Log;

/// A driver that has joined a domain.
pub(crate) struct Driven {
    driver: Arc<dyn Driver>,
    inbox: Arc<Inbox>,
    type_name: &'static str,
    /// `-multicast`: the groups of the topics.
    groups: Option<[Ipv4Addr; 3]>,
    /// Topics with a writer or a reader.
    topics: Vec<Topic>,
    /// All that comes goes to listeners, and the main thread waits for none of it.
    listens: bool,
    /// What could not be sent as long as nobody was there.
    unheard: Cell<u64>,
}

impl Driven {
    /// Joins the domain. The error is text for the user.
    pub(crate) fn open(
        driver: Arc<dyn Driver>,
        options: &Options,
        log: &Log,
    ) -> Result<Self, String> {
        if options.open_loop().is_some() {
            return Err(format!(
                "-openLoop is measured in Rust only: use perftest instead of the one in {}",
                driver.language()
            ));
        }
        for note in dds::without_effect(options) {
            log.line(format!("Note: {note}."));
        }
        if options.read_thread.is_some() {
            log.line("Note: -useReadThread is ignored: samples are taken in listeners.");
        }
        let inbox = Arc::<Inbox>::default();
        driver.open(&Settings::of(options), &inbox)?;
        Ok(Self {
            driver,
            inbox,
            type_name: options.type_name(),
            groups: options.transport.multicast,
            topics: Vec::new(),
            listens: matches!(options.role, Role::Subscriber(_)),
            unheard: Cell::new(0),
        })
    }

    fn is_matched(&self, topic: Topic) -> bool {
        self.driver.matched(topic) > 0
    }
}

impl Drop for Driven {
    fn drop(&mut self) {
        self.driver.close();
    }
}

/// The writer of one topic.
#[derive(Clone)]
pub(crate) struct DrivenWriter {
    driver: Arc<dyn Driver>,
    topic: Topic,
}

impl Publish for DrivenWriter {
    fn register_instances(&self, _: u32) -> Result<(), WriteError> {
        let registered = self.driver.register(self.topic);
        registered.map_err(WriteError::Failed)
    }

    fn write(&self, sample: &Sample<'_>) -> Result<(), WriteError> {
        let content = match sample.data.len() {
            length if length > dds::NOTES => Content::Payload(length),
            _ => Content::Octets(sample.data),
        };
        let written = self.driver.control(self.topic, &sample.header, content);
        written.map_err(|refused| match refused {
            Refused::Full => WriteError::Timeout,
            Refused::Failed(reason) => WriteError::Failed(reason),
        })
    }

    fn flush(&self) {
        self.driver.flush(self.topic);
    }
}

/// Ends a wait of the main thread.
#[derive(Clone)]
pub(crate) struct DrivenWaker(Arc<dyn Driver>);

impl Wake for DrivenWaker {
    fn wake(&self) {
        self.0.wake();
    }
}

impl Messaging for Driven {
    type Writer = DrivenWriter;
    type Waker = DrivenWaker;

    fn writer(&mut self, topic: Topic, qos: &EndpointQos) -> Result<DrivenWriter, String> {
        self.driver.writer(&Endpoint::of(topic, qos))?;
        self.topics.push(topic);
        Ok(DrivenWriter {
            driver: Arc::clone(&self.driver),
            topic,
        })
    }

    fn reader<F>(&mut self, topic: Topic, qos: &EndpointQos, on_sample: F) -> Result<(), String>
    where
        F: FnMut(&Sample<'_>) + Send + 'static,
    {
        self.inbox.set(topic, Box::new(on_sample));
        self.driver.reader(&Endpoint {
            multicast: self.groups.map(|groups| groups[topic as usize]),
            ..Endpoint::of(topic, qos)
        })?;
        self.topics.push(topic);
        Ok(())
    }

    fn waker(&self) -> DrivenWaker {
        DrivenWaker(Arc::clone(&self.driver))
    }

    fn wait<P: Fn() -> bool>(&self, until: P, deadline: Nanos) -> bool {
        loop {
            if until() {
                return true;
            }
            let now = monotonic();
            if now >= deadline {
                return false;
            }
            let matched = || self.topics.iter().map(|topic| self.is_matched(*topic));
            if !matched().any(|is_matched| is_matched) {
                self.unheard.set(self.driver.losses().unsent);
            }
            // As in `dds`: a subscriber leaves receiving to Dunlin's thread.
            let receives = !(self.listens && matched().all(|is_matched| is_matched));
            // A look takes long in some languages, and who listens is woken by what comes.
            let nap = if receives { dds::NAP } else { 5 * dds::NAP };
            // What has failed shows in the deadline; a sleep keeps that from being busy.
            if self
                .driver
                .wait((deadline - now).min(nap), receives)
                .is_err()
            {
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
        }
    }

    fn matched(&self, topic: Topic) -> usize {
        self.driver.matched(topic)
    }

    fn losses(&self) -> Option<String> {
        let losses = self.driver.losses();
        dds::losses(
            losses.dropped,
            losses.unsent.saturating_sub(self.unheard.get()),
        )
    }

    fn describe_discovery(&self) -> String {
        let explained = self.driver.explain();
        let lines = explained.lines().map(String::from);
        dds::describe(Vec::new(), lines, self.type_name)
    }

    fn driver(&self) -> Option<Arc<dyn Driver>> {
        Some(Arc::clone(&self.driver))
    }
}
