//! What a participant makes, and how that ends: topics, publishers, subscribers (DDS 1.4
//! 2.2.2.2.1).
mod deletion;

use crate::entity::participant::DomainParticipant;
use crate::error::{Error, Result};
use crate::status::StatusMask;
use crate::untyped::listener::DomainParticipantListener;
use crate::untyped::publisher::Publisher;
use crate::untyped::subscriber::Subscriber;
use crate::untyped::topic::{TopicCore, UntypedTopic};
use crate::untyped::{TypeSupport, UntypedContentFilteredTopic};
use dunlin_qos::{Duration, PublisherQos, SubscriberQos, TopicQos};
use dunlin_rtps::Time;
use std::sync::Arc;
use std::time::Duration as Span;

/// Between two looks at whether a topic was found.
const GLANCE: Span = Span::from_millis(5);

impl DomainParticipant {
    /// A topic whose type is known at run time. A topic of that name that the participant has
    /// already is the same one, whichever way its type was described.
    ///
    /// # Errors
    /// `PreconditionNotMet` if this participant has a topic of that name with another type or QoS;
    /// `BadParameter` for a name that is empty or longer than 255 bytes.
    pub fn create_untyped_topic(
        &self,
        name: &str,
        type_support: &TypeSupport,
        qos: TopicQos,
    ) -> Result<UntypedTopic> {
        if name.is_empty() || name.len() > 255 {
            return Err(Error::BadParameter(format!(
                "topic name {name:?}: 1 to 255 bytes are allowed"
            )));
        }
        let shared = &self.guard.shared;
        shared.check_living(|| format!("the participant asked for topic {name:?}"))?;
        let ty = type_support.clone();
        let topic = Arc::new(TopicCore::new(name, ty.clone(), qos, shared));
        let core = shared.matching.lock().add_topic(&topic);
        core.check_alike(&topic)?;
        Ok(UntypedTopic::new(core, ty, Arc::clone(&self.guard)))
    }

    /// Those samples of a topic that pass a filter, in the SQL of DDS 1.4 annex B:
    /// `color = 'RED' AND size <= %0`, where `%0` is the first of the parameters (DDS 1.4
    /// 2.2.2.2.1.7; `docs/content-filters.md`). Readers are made for it as for a topic.
    ///
    /// # Errors
    /// `BadParameter`, showing what is wrong with the expression, with its parameters or with the
    /// name, and where; also for a topic of whose type the name alone is known.
    pub fn create_untyped_contentfilteredtopic(
        &self,
        name: &str,
        related: &UntypedTopic,
        expression: &str,
        parameters: &[impl AsRef<str>],
    ) -> Result<UntypedContentFilteredTopic> {
        UntypedContentFilteredTopic::new(name, related, expression, parameters)
    }

    /// From now on this one hears of the statuses in `mask` that no listener of an entity of this
    /// participant wants, nobody before it any more.
    pub fn set_listener(&self, listener: impl DomainParticipantListener, mask: StatusMask) {
        let shared = &self.guard.shared;
        let old = shared.listener.set(Arc::new(listener), mask);
        shared.bind_readers();
        shared.wait_for_calls(old);
    }

    /// From now on statuses that no listener of an entity wants are told to nobody.
    pub fn clear_listener(&self) {
        let shared = &self.guard.shared;
        let old = shared.listener.clear();
        shared.bind_readers();
        shared.wait_for_calls(old);
    }

    /// A publisher.
    pub fn create_publisher(&self, qos: PublisherQos) -> Publisher {
        Publisher::new(qos, Arc::clone(&self.guard))
    }

    /// A subscriber.
    pub fn create_subscriber(&self, qos: SubscriberQos) -> Subscriber {
        Subscriber::new(qos, Arc::clone(&self.guard))
    }

    /// The topic of this name that the application has made in this participant (DDS 1.4
    /// 2.2.2.2.1.13).
    pub fn lookup_topic(&self, name: &str) -> Option<UntypedTopic> {
        let core = self.guard.shared.matching.lock().topic(name)?;
        let ty = core.type_support.clone();
        Some(UntypedTopic::new(core, ty, Arc::clone(&self.guard)))
    }

    /// The topic of this name and type, made with the default QoS as soon as some participant has
    /// it (DDS 1.4 2.2.2.2.1.12).
    ///
    /// # Errors
    /// `Timeout` if nobody has it by then; `ParticipantFailed`; as
    /// [`create_untyped_topic`](Self::create_untyped_topic).
    pub fn find_untyped_topic(
        &self,
        name: &str,
        type_support: &TypeSupport,
        timeout: impl Into<Duration>,
    ) -> Result<UntypedTopic> {
        let timeout = timeout.into();
        let shared = &self.guard.shared;
        let until = match timeout.is_infinite() {
            true => Time::NEVER,
            false => shared.clock.now().after(timeout),
        };
        loop {
            let matching = shared.matching.lock();
            let (own, heard) = (
                matching.topic(name),
                matching.hears_of(name, type_support.name()),
            );
            drop(matching);
            if own.is_some() || heard {
                let qos = own.map_or_else(|| self.default_topic_qos(), |topic| topic.qos());
                return self.create_untyped_topic(name, type_support, qos);
            }
            shared.check_living(|| format!("the participant asked for topic {name:?}"))?;
            if shared.clock.now() >= until {
                return Err(Error::Timeout {
                    entity: format!("topic {name:?} (type {:?})", type_support.name()),
                    waited: timeout,
                    why: "no participant has a writer or reader of it".into(),
                });
            }
            shared.clock.sleep(GLANCE);
        }
    }
}
