//! How what a participant contains ends before its handles do (DDS 1.4 2.2.2.2.1.2 to .6, .18).
//!
//! Nothing of this is needed for tidiness: entities end with their last handles. It is for programs
//! that end them while others still have handles, and for those that were written for another
//! interface.
use crate::entity::participant::DomainParticipant;
use crate::error::{Error, Result};
use crate::untyped::publisher::Publisher;
use crate::untyped::subscriber::Subscriber;
use crate::untyped::topic::{TopicCore, UntypedTopic};
use crate::untyped::{reader, writer};
use std::sync::Arc;

impl DomainParticipant {
    /// Ends a publisher: from now on it creates nothing.
    ///
    /// # Errors
    /// `PreconditionNotMet` while it has writers, or if it is another participant's;
    /// `AlreadyDeleted`.
    pub fn delete_publisher(&self, publisher: &Publisher) -> Result<()> {
        let core = publisher.core();
        self.check_own("publisher", Arc::ptr_eq(&core.shared, &self.guard.shared))?;
        core.check_living()?;
        let writers = core.writers();
        check_empty("publisher", writers.first().map(|writer| writer.describe()))?;
        core.delete();
        Ok(())
    }

    /// Ends a subscriber: from now on it creates nothing.
    ///
    /// # Errors
    /// `PreconditionNotMet` while it has readers, or if it is another participant's;
    /// `AlreadyDeleted`.
    pub fn delete_subscriber(&self, subscriber: &Subscriber) -> Result<()> {
        let core = subscriber.core();
        let shared = &self.guard.shared;
        self.check_own("subscriber", Arc::ptr_eq(&core.shared, shared))?;
        core.check_living()?;
        let readers = core.readers();
        check_empty(
            "subscriber",
            readers.first().map(|reader| reader.describe()),
        )?;
        core.delete();
        Ok(())
    }

    /// Ends a topic: from now on nothing is created for it, and another one may have its name.
    ///
    /// # Errors
    /// `PreconditionNotMet` while it has writers or readers, or if it is another participant's;
    /// `AlreadyDeleted`.
    pub fn delete_topic(&self, topic: &UntypedTopic) -> Result<()> {
        let core = topic.core();
        self.check_own("topic", Arc::ptr_eq(&core.shared, &self.guard.shared))?;
        core.check_living()?;
        check_empty("topic", self.user_of(core))?;
        self.forget_topic(core);
        Ok(())
    }

    /// Ends all writers and readers of this participant, then its publishers, subscribers and
    /// topics, whoever still has handles of them. The participant lives on. Readers of built-in
    /// topics do, too.
    pub fn delete_contained_entities(&self) {
        let shared = &self.guard.shared;
        for core in shared.publishers() {
            writer::deletion::end_all(&core);
            core.delete();
        }
        for core in shared.subscribers() {
            if !core.is_builtin() {
                reader::deletion::end_all(&core);
                core.delete();
            }
        }
        let topics = shared.matching.lock().own_topics();
        topics.iter().for_each(|topic| self.forget_topic(topic));
    }

    /// Leaves the domain now, whoever still has handles of the participant or of what it contains:
    /// all of that is deleted, waits end, and each call that would do something fails with
    /// `AlreadyDeleted`. Its threads have ended when this returns. Without this call that happens
    /// when the last handle is dropped. A second call does nothing.
    ///
    /// Called in a listener it does not wait for the thread that it runs in.
    pub fn close(&self) {
        self.delete_contained_entities();
        self.guard.end();
    }

    fn forget_topic(&self, core: &Arc<TopicCore>) {
        core.delete();
        self.guard.shared.matching.lock().forget_topic(core);
    }

    /// A writer or reader of the topic.
    fn user_of(&self, topic: &Arc<TopicCore>) -> Option<String> {
        let shared = &self.guard.shared;
        let writers = shared.publishers().into_iter().flat_map(|p| p.writers());
        let mut writers = writers.filter(|writer| Arc::ptr_eq(&writer.topic_core, topic));
        let readers = shared.subscribers().into_iter().flat_map(|s| s.readers());
        let mut readers = readers.filter(|reader| Arc::ptr_eq(&reader.topic_core, topic));
        let writer = writers.next().map(|writer| writer.describe());
        writer.or_else(|| readers.next().map(|reader| reader.describe()))
    }

    fn check_own(&self, what: &str, own: bool) -> Result<()> {
        match own {
            true => Ok(()),
            false => Err(Error::PreconditionNotMet(format!(
                "the {what} belongs to another participant, which deletes it"
            ))),
        }
    }
}

fn check_empty(what: &str, content: Option<String>) -> Result<()> {
    match content {
        None => Ok(()),
        Some(content) => Err(Error::PreconditionNotMet(format!(
            "the {what} still has a {content}: delete that first"
        ))),
    }
}
