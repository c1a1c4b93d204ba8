//! Conditions on the statuses of an entity and on the samples of a reader (DDS 1.4 2.2.2.1.7,
//! 2.2.2.1.9, 2.2.2.5.8).
use crate::entity::group::SubscriberCore;
use crate::entity::guard_condition::GuardCondition;
use crate::entity::shared::Shared;
use crate::error::Result;
use crate::runtime::signal::{Signal, Waiters};
use crate::status::{StatusFlags, StatusMask};
use crate::untyped::query_condition::Query;
use crate::untyped::reader::ReaderCore;
use crate::untyped::topic::TopicCore;
use crate::untyped::writer::WriterCore;
use dunlin_rtps::{ContentFilter, InstanceHandle, Select};
use dunlin_wire::Guid;
use std::fmt;
use std::sync::{Arc, Weak};

#[derive(Clone)]
enum Entity {
    Writer(Arc<WriterCore>),
    Reader(Arc<ReaderCore>),
    Topic(Arc<TopicCore>),
    Subscriber(Arc<SubscriberCore>),
}

impl Entity {
    fn flags(&self) -> &StatusFlags {
        match self {
            Self::Writer(core) => &core.flags,
            Self::Reader(core) => &core.flags,
            Self::Topic(core) => &core.flags,
            Self::Subscriber(core) => &core.flags,
        }
    }

    fn guid(&self) -> Guid {
        match self {
            Self::Writer(core) => core.guid,
            Self::Reader(core) => core.guid,
            Self::Topic(core) => core.guid,
            Self::Subscriber(core) => core.guid,
        }
    }

    /// Its statuses do not change any more.
    fn is_gone(&self) -> bool {
        match self {
            Self::Writer(core) => core.is_gone(),
            Self::Reader(core) => core.is_gone(),
            Self::Topic(core) => core.check_living().is_err() || core.shared.is_ended(),
            Self::Subscriber(core) => core.is_deleted() || core.shared.is_ended(),
        }
    }

    /// Fails if it is gone.
    fn check_present(&self) -> Result<()> {
        match self {
            Self::Writer(core) => core.check_present(),
            Self::Reader(core) => core.check_present(),
            Self::Topic(core) => core.check_living().and_then(|()| {
                let entity = || format!("topic {:?}", core.name);
                core.shared.check_living(entity)
            }),
            Self::Subscriber(core) => core
                .check_living()
                .and_then(|()| core.shared.check_living(|| "subscriber".into())),
        }
    }

    fn shared(&self) -> &Arc<Shared> {
        match self {
            Self::Writer(core) => &core.shared,
            Self::Reader(core) => &core.shared,
            Self::Topic(core) => &core.shared,
            Self::Subscriber(core) => &core.shared,
        }
    }
}

/// True while a status of its entity that it is enabled for has changed and was not read yet.
#[derive(Clone)]
pub struct StatusCondition {
    entity: Entity,
}

impl StatusCondition {
    pub(crate) fn of_writer(core: &Arc<WriterCore>) -> Self {
        Self {
            entity: Entity::Writer(Arc::clone(core)),
        }
    }

    pub(crate) fn of_reader(core: &Arc<ReaderCore>) -> Self {
        Self {
            entity: Entity::Reader(Arc::clone(core)),
        }
    }

    pub(crate) fn of_topic(core: &Arc<TopicCore>) -> Self {
        Self {
            entity: Entity::Topic(Arc::clone(core)),
        }
    }

    pub(crate) fn of_subscriber(core: &Arc<SubscriberCore>) -> Self {
        Self {
            entity: Entity::Subscriber(Arc::clone(core)),
        }
    }

    /// Which statuses count; all of them at first.
    pub fn set_enabled_statuses(&self, mask: StatusMask) {
        self.entity.flags().enable(mask);
    }

    /// Which statuses count now (DDS 1.4 2.2.2.1.9.2).
    pub fn enabled_statuses(&self) -> StatusMask {
        self.entity.flags().enabled()
    }

    /// Whose statuses: the handle of that entity (DDS 1.4 2.2.2.1.9.3).
    pub fn entity(&self) -> InstanceHandle {
        InstanceHandle(self.entity.guid().to_bytes())
    }

    /// Has one of them changed?
    pub fn trigger_value(&self) -> bool {
        self.entity.flags().is_triggered()
    }
}

/// By identity: equal if both are of the same entity, which has one status condition.
impl PartialEq for StatusCondition {
    fn eq(&self, other: &Self) -> bool {
        self.entity.guid() == other.entity.guid()
    }
}

impl Eq for StatusCondition {}

impl fmt::Debug for StatusCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (guid, enabled) = (self.entity.guid(), self.enabled_statuses());
        write!(f, "status condition of {guid} ({enabled})")
    }
}

/// True while a reader holds samples with the given states.
#[derive(Clone)]
pub struct ReadCondition {
    reader: Arc<ReaderCore>,
    select: Select,
    query: Option<Arc<Query>>,
}

impl ReadCondition {
    pub(crate) fn new(reader: &Arc<ReaderCore>, select: Select) -> Self {
        Self {
            reader: Arc::clone(reader),
            select,
            query: None,
        }
    }

    pub(crate) fn asking(reader: &Arc<ReaderCore>, select: Select, query: &Arc<Query>) -> Self {
        Self {
            query: Some(Arc::clone(query)),
            ..Self::new(reader, select)
        }
    }

    /// Are there such samples? The answer to a query takes time in proportion to the samples that
    /// the reader holds.
    pub fn trigger_value(&self) -> bool {
        match self.filter() {
            None => self.reader.has_data(&self.select),
            Some(filter) => self.reader.has_matching(&self.select, filter),
        }
    }

    /// Which samples, by their states.
    pub fn select(&self) -> &Select {
        &self.select
    }

    pub(crate) fn reader(&self) -> &Arc<ReaderCore> {
        &self.reader
    }

    /// Which of them, by their content.
    pub(crate) fn filter(&self) -> Option<ContentFilter> {
        self.query.as_ref().map(|query| query.filter())
    }
}

/// Equal if both ask the same of the same reader; of queries, if they are clones.
impl PartialEq for ReadCondition {
    fn eq(&self, other: &Self) -> bool {
        let query = |condition: &Self| condition.query.as_ref().map(Arc::as_ptr);
        Arc::ptr_eq(&self.reader, &other.reader)
            && self.select == other.select
            && query(self) == query(other)
    }
}

impl Eq for ReadCondition {}

impl fmt::Debug for ReadCondition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reader = self.reader.describe();
        match &self.query {
            None => write!(f, "read condition of {reader}"),
            Some(query) => write!(f, "query condition {:?} of {reader}", query.expression()),
        }
    }
}

/// Any condition.
///
/// Conditions are compared by identity, also with those that the application keeps: which of them
/// has triggered?
///
/// ```no_run
/// # fn which(wait_set: &dunlin::WaitSet, stop: &dunlin::GuardCondition) -> dunlin::Result<bool> {
/// wait_set.wait(std::time::Duration::from_secs(1))?;
/// Ok(wait_set.active().iter().any(|condition| condition == stop))
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// Set by the application.
    Guard(GuardCondition),
    /// A status changed.
    Status(StatusCondition),
    /// There is data.
    Read(ReadCondition),
}

impl PartialEq<GuardCondition> for Condition {
    fn eq(&self, other: &GuardCondition) -> bool {
        matches!(self, Self::Guard(condition) if condition == other)
    }
}

impl PartialEq<StatusCondition> for Condition {
    fn eq(&self, other: &StatusCondition) -> bool {
        matches!(self, Self::Status(condition) if condition == other)
    }
}

impl PartialEq<ReadCondition> for Condition {
    fn eq(&self, other: &ReadCondition) -> bool {
        matches!(self, Self::Read(condition) if condition == other)
    }
}

impl From<GuardCondition> for Condition {
    fn from(condition: GuardCondition) -> Self {
        Self::Guard(condition)
    }
}

impl From<StatusCondition> for Condition {
    fn from(condition: StatusCondition) -> Self {
        Self::Status(condition)
    }
}

impl From<ReadCondition> for Condition {
    fn from(condition: ReadCondition) -> Self {
        Self::Read(condition)
    }
}

/// A function that waits for a condition ([`Condition::wake_once`]).
#[derive(Clone)]
pub struct Wake(Weak<Signal>);

impl Wake {
    /// Has the function called now, if it was not called yet.
    pub fn now(&self) {
        if let Some(signal) = self.0.upgrade() {
            signal.raise();
        }
    }

    /// The function was not called yet.
    pub fn is_waiting(&self) -> bool {
        self.0.strong_count() > 0
    }
}

impl fmt::Debug for Wake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "wake (waiting: {})", self.is_waiting())
    }
}

impl Condition {
    /// Is it true now?
    pub fn trigger_value(&self) -> bool {
        match self {
            Self::Guard(c) => c.trigger_value(),
            Self::Status(c) => c.trigger_value(),
            Self::Read(c) => c.trigger_value(),
        }
    }

    pub(crate) fn waiters(&self) -> &Waiters {
        match self {
            Self::Guard(c) => c.waiters(),
            Self::Status(c) => &c.entity.flags().waiters,
            Self::Read(c) => &c.reader.data,
        }
    }

    /// Calls a function once, when the condition may have become true, or cannot become true any
    /// more: at once in this thread if that is so already, else on the thread that brings it about.
    /// It may be called early: look whether the condition is true, and ask again if it is not.
    /// [`Wake::now`] has it called by then.
    ///
    /// The function hands on to a thread or task of its own that there is something to do, and does
    /// nothing else here.
    pub fn wake_once(&self, call: impl FnOnce() + Send + 'static) -> Wake {
        let signal = Signal::new();
        self.waiters().add(&signal);
        let (condition, own) = (self.clone(), Arc::clone(&signal));
        signal.sleep_call(Box::new(move || {
            condition.waiters().remove(&own);
            call();
        }));
        if self.trigger_value() || self.is_gone() {
            signal.raise();
        }
        Wake(Arc::downgrade(&signal))
    }

    /// It cannot become true any more, since its entity is deleted or its participant has ended.
    pub(crate) fn is_gone(&self) -> bool {
        match self {
            Self::Guard(_) => false,
            Self::Status(c) => c.entity.is_gone(),
            Self::Read(c) => c.reader.is_gone(),
        }
    }

    /// Fails if it is gone.
    pub(crate) fn check_present(&self) -> Result<()> {
        match self {
            Self::Guard(_) => Ok(()),
            Self::Status(c) => c.entity.check_present(),
            Self::Read(c) => c.reader.check_present(),
        }
    }

    pub(super) fn shared(&self) -> Option<&Arc<Shared>> {
        match self {
            Self::Guard(_) => None,
            Self::Status(c) => Some(c.entity.shared()),
            Self::Read(c) => Some(&c.reader.shared),
        }
    }
}
