//! The source writers of a route, sorted into groups by what a reader can tell apart.
use super::Time;
use super::known::is_keyed;
use crate::plan::Writers;
use dunlin::observe::WriterData;
use dunlin::{
    AccessScope, Batching, DataReaderQos, DataWriterQos, Durability, DurabilityService, Duration,
    EntityFactory, Guid, History, LivelinessKind, Ownership, Presentation, Properties,
    PublisherQos, ReliabilityKind, ResourceLimits, SubscriberQos, VendorId, WriterDataLifecycle,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Groups of one route; those beyond are put together as far as readers allow.
pub(super) const MOST_GROUPS: usize = 64;
/// Source writers of one route that have a writer of their own beyond; those beyond share one.
pub(super) const MOST_MIRRORED: usize = 256;

/// What is kept for late joiners of a source that keeps something and does not say how much.
const UNTOLD_HISTORY: History = History::KeepLast(MIXED);
/// Samples of all instances together, where these cannot be told apart.
const MIXED: u32 = 1000;

/// What a reader can tell of a writer, and so what a group of writers has in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GroupKey {
    qos: DataWriterQos,
    publisher: PublisherQos,
}

/// A group of source writers of one input.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) key: GroupKey,
    pub(super) input: usize,
    /// One of them.
    pub(super) writer: Arc<WriterData>,
    /// The groups of others, if this one is of all that were too many.
    except: Option<Arc<[GroupKey]>>,
    life: Life,
}

/// A source writer.
#[derive(Clone, Debug)]
pub(super) struct Source {
    pub(super) guid: Guid,
    pub(super) group: u64,
    pub(super) data: Arc<WriterData>,
    life: Life,
}

/// It is there, or was until a while ago.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    Lives,
    /// Believed to be there until then.
    Lingers(Time),
}

/// The groups and writers of a route, by numbers that none before them had.
#[derive(Clone, Debug, Default)]
pub(super) struct Sources {
    pub(super) groups: BTreeMap<u64, Group>,
    pub(super) writers: BTreeMap<u64, Source>,
    last: u64,
}

/// What an endpoint is made by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Basis {
    /// The QoS in the plan.
    Plan,
    /// A group of sources: its number, which they are, and one of them.
    Group(u64, Box<Members>, Arc<WriterData>),
    /// One source, as it is, with the number of its group.
    Writer(u64, Arc<WriterData>),
    /// There is no source: it asks other services for one.
    Asks,
}

/// Which writers are of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Members {
    pub(crate) key: GroupKey,
    except: Option<Arc<[GroupKey]>>,
}

impl Members {
    pub(crate) fn contain(&self, writer: &WriterData) -> bool {
        let key = GroupKey::of(writer);
        match &self.except {
            None => key == self.key,
            Some(except) => !except.contains(&key) && key.coarse() == self.key,
        }
    }
}

impl Group {
    fn basis(&self, id: u64) -> Basis {
        let members = Members {
            key: self.key.clone(),
            except: self.except.clone(),
        };
        Basis::Group(id, Box::new(members), Arc::clone(&self.writer))
    }
}

impl Basis {
    /// May an endpoint that was made by one be kept by the other?
    pub(super) fn is_alike(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Plan, Self::Plan) | (Self::Asks, Self::Asks) => true,
            (Self::Group(one, ..), Self::Group(two, ..)) => one == two,
            (Self::Writer(group, one), Self::Writer(other_group, two)) => {
                one.guid == two.guid && group == other_group
            }
            _ => false,
        }
    }
}

impl GroupKey {
    pub(crate) fn of(writer: &WriterData) -> Self {
        let mut qos = writer.qos.clone();
        let mut publisher = writer.publisher.clone();
        qos.reliability.max_blocking_time = Duration::ZERO;
        qos.user_data = Vec::new();
        qos.property = Properties::default();
        qos.entity_name = String::new();
        qos.transport_priority = 0;
        qos.batching = Batching::default();
        qos.writer_data_lifecycle = WriterDataLifecycle::default();
        if qos.ownership == Ownership::Shared {
            qos.ownership_strength = 0;
        }
        if qos.durability == Durability::Volatile {
            qos.history = History::default();
            qos.resource_limits = ResourceLimits::default();
        }
        if qos.durability < Durability::Transient {
            qos.durability_service = DurabilityService::default();
        }
        publisher.partition.0.sort();
        publisher.group_data = Vec::new();
        publisher.entity_name = String::new();
        publisher.entity_factory = EntityFactory::default();
        Self { qos, publisher }
    }

    /// Without what is put together if there are too many groups.
    fn coarse(mut self) -> Self {
        self.publisher.partition.0 = vec!["*".to_owned()];
        self.qos.latency_budget = Duration::ZERO;
        self.qos.deadline = Duration::INFINITE;
        self
    }

    /// Does each of its writers need one of its own beyond? If readers choose among writers, if
    /// each keeps something of its own, and if its changes belong together.
    fn is_mirrored(&self) -> bool {
        self.qos.ownership == Ownership::Exclusive
            || self.qos.durability > Durability::Volatile
            || self.publisher.presentation.coherent_access
    }

    /// What a reader asks for that hears these writers, and no others of its kind need to.
    pub(crate) fn reader_qos(&self) -> (DataReaderQos, SubscriberQos) {
        let reader = DataReaderQos {
            durability: self.qos.durability,
            reliability: self.qos.reliability,
            destination_order: self.qos.destination_order,
            history: History::KeepAll,
            ownership: self.qos.ownership,
            representation: vec![self.qos.representation],
            ..DataReaderQos::default()
        };
        // Sets come whole; of scope GROUP topic by topic, for each topic has a route of its own.
        let coherent_access = self.publisher.presentation.coherent_access;
        let scope = self.publisher.presentation.access_scope;
        let subscriber = SubscriberQos {
            partition: self.publisher.partition.clone(),
            presentation: Presentation {
                access_scope: match coherent_access {
                    true => scope.min(AccessScope::Topic),
                    false => AccessScope::default(),
                },
                coherent_access,
                ordered_access: false,
            },
            ..SubscriberQos::default()
        };
        (reader, subscriber)
    }
}

/// What a writer offers that stands beyond for a source, or for a group of which that is one.
pub(crate) fn writer_qos(source: &WriterData, mirrors: bool) -> (DataWriterQos, PublisherQos) {
    let mut qos = source.qos.clone();
    let mut publisher = source.publisher.clone();
    // The properties are its own, and the service says others.
    qos.property = Properties::default();
    qos.batching = Batching::default();
    qos.writer_data_lifecycle = WriterDataLifecycle {
        autodispose_unregistered_instances: false,
    };
    // Volatile samples are kept until they are delivered only, so that none is lost here.
    if qos.durability == Durability::Volatile && qos.reliability.kind == ReliabilityKind::Reliable {
        qos.history = History::KeepAll;
        qos.resource_limits = ResourceLimits::default();
    }
    if qos.durability > Durability::Volatile {
        qos.history = history(source);
    }
    if !mirrors {
        qos.user_data = Vec::new();
        qos.entity_name = String::new();
        publisher.group_data = Vec::new();
    } else if !qos.liveliness.lease_duration.is_infinite() {
        // Satisfies every request, and ends when the service does not show that the source lives.
        qos.liveliness.kind = LivelinessKind::ManualByTopic;
    }
    publisher.entity_factory = EntityFactory::default();
    (qos, publisher)
}

/// What is kept beyond of a source that keeps something. Dunlin and Cyclone DDS announce HISTORY;
/// others leave it out, though readers that join late get what they keep. And only Dunlin says of
/// each sample to which instance it belongs: all samples of others are kept in one place.
fn history(source: &WriterData) -> History {
    let [high, low, ..] = source.guid.prefix.0;
    let vendor = VendorId([high, low]);
    let tells_history = [VendorId::DUNLIN, VendorId::CYCLONE_DDS].contains(&vendor);
    let is_apart = vendor == VendorId::DUNLIN || is_keyed(&source.guid) == Some(false);
    match source.qos.history {
        History::KeepLast(_) if !tells_history => UNTOLD_HISTORY,
        History::KeepLast(count) if !is_apart => History::KeepLast(count.max(MIXED)),
        history => history,
    }
}

impl Sources {
    /// Takes in who is there now: the writers with their inputs.
    pub(super) fn see<'a>(
        &mut self,
        now: Time,
        linger: Time,
        all: impl Iterator<Item = (usize, &'a WriterData)>,
    ) {
        let until = now + linger;
        let (mut groups, mut writers) = (Vec::new(), Vec::new());
        for (input, data) in all {
            let group = self.group(input, data);
            groups.push(group);
            writers.push(self.writer(group, data));
        }
        for (id, group) in &mut self.groups {
            group.life.see(groups.contains(id), until);
        }
        for (id, writer) in &mut self.writers {
            writer.life.see(writers.contains(id), until);
        }
        // Who is in none of these is in that of the rest, so they stay as long as there is that.
        let is_rest = |group: &Group| group.except.is_some() && group.life.is_believed(now);
        let has_rest = self.groups.values().any(is_rest);
        self.groups
            .retain(|_, group| group.life.is_believed(now) || has_rest && group.except.is_none());
        self.writers
            .retain(|_, writer| writer.life.is_believed(now));
    }

    fn group(&mut self, input: usize, data: &WriterData) -> u64 {
        let (mut key, mut except) = (GroupKey::of(data), None);
        let find = |groups: &BTreeMap<u64, Group>, key: &GroupKey| {
            let mut all = groups.iter();
            let found = all.find(|(_, group)| {
                group.except.is_none() && group.input == input && group.key == *key
            });
            found.map(|(id, _)| *id)
        };
        if let Some(id) = find(&self.groups, &key) {
            return id;
        }
        if self.groups.len() >= MOST_GROUPS {
            key = key.coarse();
            let mut rest = self
                .groups
                .iter()
                .filter(|(_, group)| group.except.is_some());
            let rest = rest.find(|(_, group)| group.input == input && group.key == key);
            if let Some((id, _)) = rest {
                return *id;
            }
            let fine = self.groups.values().filter(|group| group.except.is_none());
            except = Some(fine.map(|group| group.key.clone()).collect());
        }
        self.last += 1;
        let group = Group {
            key,
            input,
            writer: Arc::new(data.clone()),
            except,
            life: Life::Lives,
        };
        self.groups.insert(self.last, group);
        self.last
    }

    fn writer(&mut self, group: u64, data: &WriterData) -> u64 {
        let mut all = self.writers.iter_mut();
        if let Some((id, known)) = all.find(|(_, known)| known.guid == data.guid) {
            known.group = group;
            if *known.data != *data {
                known.data = Arc::new(data.clone());
            }
            return *id;
        }
        self.last += 1;
        let source = Source {
            guid: data.guid,
            group,
            data: Arc::new(data.clone()),
            life: Life::Lives,
        };
        self.writers.insert(self.last, source);
        self.last
    }

    /// When the next one is not believed to be there any more.
    pub(super) fn due(&self) -> impl Iterator<Item = Time> {
        let groups = self.groups.values().map(|group| group.life);
        let all = groups.chain(self.writers.values().map(|writer| writer.life));
        all.filter_map(|life| match life {
            Life::Lives => None,
            Life::Lingers(until) => Some(until),
        })
    }

    /// The writers that an output as the sources has, by their numbers.
    pub(super) fn outputs(&self, planned: Writers) -> Vec<(u64, Basis)> {
        let of_group = |(id, group): (&u64, &Group)| (*id, group.basis(*id));
        if planned == Writers::One {
            let first = self.groups.iter().next().map(of_group);
            return first.map(|(_, basis)| (0, basis)).into_iter().collect();
        }
        let mirrored = |group: &Group| planned == Writers::Mirror || group.key.is_mirrored();
        let may = self.writers.len() <= MOST_MIRRORED;
        let shared = self
            .groups
            .iter()
            .filter(|(_, group)| !may || !mirrored(group));
        let is_own = |source: &Source| may && self.groups.get(&source.group).is_some_and(mirrored);
        let own = self.writers.iter().filter(|(_, source)| is_own(source));
        let own = own.map(|(id, s)| (*id, Basis::Writer(s.group, Arc::clone(&s.data))));
        shared.map(of_group).chain(own).collect()
    }

    /// Do sources keep something for those who join late?
    pub(super) fn are_durable(&self) -> bool {
        let durable = |group: &Group| group.key.qos.durability > Durability::Volatile;
        self.groups.values().any(durable)
    }

    /// Is the source, or one of the group, there?
    pub(super) fn is_alive(&self, id: u64) -> bool {
        let group = self.groups.get(&id).map(|group| group.life);
        let life = group.or_else(|| self.writers.get(&id).map(|writer| writer.life));
        life.is_none_or(|life| life == Life::Lives)
    }

    /// The readers that an input as the sources has, by their numbers.
    pub(super) fn inputs(&self, input: usize) -> Vec<(u64, Basis)> {
        let own = self.groups.iter().filter(|(_, group)| group.input == input);
        own.map(|(id, group)| (*id, group.basis(*id))).collect()
    }
}

impl Life {
    fn see(&mut self, is_there: bool, until: Time) {
        *self = match (is_there, *self) {
            (true, _) => Self::Lives,
            (false, Self::Lives) => Self::Lingers(until),
            (false, lingers) => lingers,
        };
    }

    fn is_believed(self, now: Time) -> bool {
        match self {
            Self::Lives => true,
            Self::Lingers(until) => until > now,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dunlin::{EntityId, EntityKind, GuidPrefix, Reliability};

    fn writer(number: u8, change: impl FnOnce(&mut WriterData)) -> WriterData {
        let entity = EntityId::user(1, EntityKind::WriterWithKey);
        let guid = Guid::new(GuidPrefix([number; 12]), entity);
        let mut data = WriterData::new(guid, "Square", "Shape");
        change(&mut data);
        data
    }

    fn seen(writers: &[WriterData]) -> Sources {
        let mut sources = Sources::default();
        let all = writers.iter().map(|writer| (0, writer));
        sources.see(Time::ZERO, Time::from_secs(2), all);
        sources
    }

    #[test]
    fn writers_that_look_alike_are_one_group() {
        let sources = seen(&[
            writer(1, |_| {}),
            writer(2, |w| w.qos.entity_name = "two".into()),
            writer(3, |w| w.qos.ownership_strength = 9),
            writer(4, |w| w.qos.reliability = Reliability::BEST_EFFORT),
            writer(5, |w| {
                w.publisher.partition.0 = vec!["a".into(), "b".into()]
            }),
            writer(6, |w| {
                w.publisher.partition.0 = vec!["b".into(), "a".into()]
            }),
        ]);
        assert_eq!((sources.groups.len(), sources.writers.len()), (3, 6));
        assert_eq!(sources.outputs(Writers::Group).len(), 3);
        assert_eq!(sources.outputs(Writers::Mirror).len(), 6);
        assert_eq!(sources.outputs(Writers::One).len(), 1);
        for group in sources.groups.values() {
            let (reader, subscriber) = group.key.reader_qos();
            let (offered, publisher) = writer_qos(&group.writer, false);
            assert_eq!(reader.reliability.kind, offered.reliability.kind);
            assert_eq!(subscriber.partition.0.len(), publisher.partition.0.len());
        }
    }

    #[test]
    fn sources_that_readers_tell_apart_are_mirrored() {
        let exclusive = |strength| {
            move |w: &mut WriterData| {
                w.qos.ownership = Ownership::Exclusive;
                w.qos.ownership_strength = strength;
            }
        };
        let durable = |w: &mut WriterData| w.qos.durability = Durability::TransientLocal;
        let sources = seen(&[
            writer(1, |_| {}),
            writer(2, |_| {}),
            writer(3, exclusive(1)),
            writer(4, exclusive(2)),
            writer(5, durable),
            writer(6, durable),
        ]);
        let outputs = sources.outputs(Writers::Group);
        let own = |(_, basis): &&(u64, Basis)| matches!(basis, Basis::Writer(..));
        assert_eq!((outputs.len(), outputs.iter().filter(own).count()), (5, 4));
    }

    #[test]
    fn a_history_that_is_not_told_is_taken_for_a_long_one() {
        let durable = |w: &mut WriterData| w.qos.durability = Durability::TransientLocal;
        let mut source = writer(1, durable);
        assert_eq!(writer_qos(&source, true).0.history, UNTOLD_HISTORY);
        let VendorId([high, low]) = VendorId::DUNLIN;
        (source.guid.prefix.0[0], source.guid.prefix.0[1]) = (high, low);
        assert_eq!(writer_qos(&source, true).0.history, History::default());
        let VendorId([high, low]) = VendorId::CYCLONE_DDS;
        (source.guid.prefix.0[0], source.guid.prefix.0[1]) = (high, low);
        assert_eq!(writer_qos(&source, true).0.history, UNTOLD_HISTORY);
        source.guid.entity = EntityId::user(1, EntityKind::WriterNoKey);
        assert_eq!(writer_qos(&source, true).0.history, History::default());
    }

    #[test]
    fn too_many_groups_are_put_together() {
        let many: Vec<WriterData> = (0..100)
            .map(|n| writer(n, |w| w.publisher.partition.0 = vec![format!("p{n}")]))
            .collect();
        let sources = seen(&many);
        assert_eq!(sources.groups.len(), MOST_GROUPS + 1);
        let inputs = sources.inputs(0);
        for writer in &many {
            let of = |(_, basis): &&(u64, Basis)| match basis {
                Basis::Group(_, members, _) => members.contain(writer),
                _ => false,
            };
            assert_eq!(inputs.iter().filter(of).count(), 1);
        }
    }

    #[test]
    fn a_group_lingers_with_its_number() {
        let (one, linger) = (writer(1, |_| {}), Time::from_secs(2));
        let mut sources = seen(std::slice::from_ref(&one));
        let id = *sources.groups.keys().next().unwrap();
        sources.see(Time::from_secs(1), linger, std::iter::empty());
        assert_eq!(sources.due().min(), Some(Time::from_secs(3)));
        sources.see(Time::from_secs(2), linger, std::iter::once((0, &one)));
        assert_eq!(sources.groups.keys().next(), Some(&id));
        sources.see(Time::from_secs(3), linger, std::iter::empty());
        sources.see(Time::from_secs(5), linger, std::iter::empty());
        assert!(sources.groups.is_empty() && sources.writers.is_empty());
    }
}
