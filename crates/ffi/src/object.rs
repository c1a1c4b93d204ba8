//! What handles stand for, and which of them are within which.
use crate::condition::{Conditional, Set};
use crate::error::{Failure, Outcome};
use crate::handle::{Kind, Pin, Table};
use crate::octets::Octets;
use crate::participant::Participant;
use crate::reader::Reader;
use crate::types::Type;
use crate::writer::Writer;
use dunlin::untyped::{UntypedContentFilteredTopic, UntypedTopic};
use dunlin::{GuardCondition, InstanceHandle, Publisher, Subscriber};
use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// One of the things that a handle may stand for.
pub(crate) enum Object {
    Participant(Participant),
    Topic(UntypedTopic),
    FilteredTopic(UntypedContentFilteredTopic),
    Publisher(Publisher),
    Subscriber(Subscriber),
    Writer(Box<Writer>),
    Reader(Reader),
    Condition(Conditional),
    Guard(Conditional, GuardCondition),
    Set(Set),
    Type(Type),
    Octets(Octets),
}

/// An object, and what the application has attached to it.
pub(crate) struct Entry {
    pub(crate) object: Object,
    pub(crate) attachment: AtomicU64,
}

pub(crate) static OBJECTS: Table<Entry> = Table::new();

/// What the application holds by a handle, for the time of a call.
pub(crate) struct Held<E: 'static> {
    pin: Pin<'static, Entry>,
    of: fn(&Object) -> Option<&E>,
}

impl<E> Held<E> {
    /// Nobody comes in by the handle any more: for what is in no family.
    pub(crate) fn close(&self) -> bool {
        self.pin.close()
    }
}

impl<E> Deref for Held<E> {
    type Target = E;

    #[inline]
    fn deref(&self) -> &E {
        match (self.of)(&self.pin.object) {
            Some(entity) => entity,
            None => unreachable!("a handle of the kind was pinned"),
        }
    }
}

/// Pins whatever a handle stands for.
pub(crate) fn any(handle: u64, needed: &str) -> Outcome<Pin<'static, Entry>> {
    let known = Kind::of(handle).is_some();
    match OBJECTS.pin(handle).filter(|_| known) {
        Some(pin) => Ok(pin),
        None => Err(Failure::handle(
            handle,
            needed,
            Some(OBJECTS.refusal(handle)),
        )),
    }
}

#[inline]
fn hold<E>(handle: u64, kind: Kind, of: fn(&Object) -> Option<&E>) -> Outcome<Held<E>> {
    if (handle >> 56) as u8 == kind as u8
        && let Some(pin) = OBJECTS.pin(handle)
    {
        return Ok(Held { pin, of });
    }
    Err(refused(handle, kind))
}

#[cold]
fn refused(handle: u64, kind: Kind) -> Failure {
    let refusal = OBJECTS.refusal(handle);
    let is_other = Kind::of(handle).is_some_and(|is| is != kind) && OBJECTS.pin(handle).is_some();
    match is_other {
        true => Failure::handle(handle, kind.name(), None),
        false if Kind::of(handle) == Some(kind) => {
            Failure::handle(handle, kind.name(), Some(refusal))
        }
        // What was of another kind is refused for its kind, closed or not.
        false => match refusal {
            crate::handle::Refused::Noise => Failure::handle(handle, kind.name(), Some(refusal)),
            _ => Failure::handle(handle, kind.name(), None),
        },
    }
}

/// The handle's entity, if it is one of this kind.
macro_rules! holders {
    ($($name:ident: $kind:ident, $pattern:pat => $value:expr, $type:ty;)+) => {$(
        #[inline]
        pub(crate) fn $name(handle: u64) -> Outcome<Held<$type>> {
            hold(handle, Kind::$kind, |object| match object {
                $pattern => Some($value),
                _ => None,
            })
        }
    )+};
}

holders! {
    participant: Participant, Object::Participant(it) => it, Participant;
    topic: Topic, Object::Topic(it) => it, UntypedTopic;
    filtered_topic: FilteredTopic, Object::FilteredTopic(it) => it, UntypedContentFilteredTopic;
    publisher: Publisher, Object::Publisher(it) => it, Publisher;
    subscriber: Subscriber, Object::Subscriber(it) => it, Subscriber;
    writer: Writer, Object::Writer(it) => &**it, Writer;
    reader: Reader, Object::Reader(it) => it, Reader;
    guard: GuardCondition, Object::Guard(_, it) => it, GuardCondition;
    set: WaitSet, Object::Set(it) => it, Set;
    ty: Type, Object::Type(it) => it, Type;
    octets: Octets, Object::Octets(it) => it, Octets;
}

/// A condition of any kind.
pub(crate) fn condition(handle: u64) -> Outcome<Held<Conditional>> {
    let kind = Kind::of(handle);
    let kinds = [
        Kind::ReadCondition,
        Kind::QueryCondition,
        Kind::StatusCondition,
        Kind::GuardCondition,
    ];
    match kind.filter(|kind| kinds.contains(kind)) {
        Some(kind) => hold(handle, kind, |object| match object {
            Object::Condition(it) | Object::Guard(it, _) => Some(it),
            _ => None,
        }),
        None => {
            let refusal = kind.is_none().then(|| OBJECTS.refusal(handle));
            Err(Failure::handle(handle, "a condition", refusal))
        }
    }
}

/// Which handles there are, by what is created from what.
static FAMILY: Mutex<Family> = Mutex::new(Family {
    nodes: BTreeMap::new(),
    by_guid: BTreeMap::new(),
});

#[derive(Default)]
pub(crate) struct Family {
    nodes: BTreeMap<u64, Node>,
    by_guid: BTreeMap<InstanceHandle, u64>,
}

#[derive(Default)]
struct Node {
    parent: u64,
    children: Vec<u64>,
    guid: Option<InstanceHandle>,
}

/// The lock that is held around a fork.
pub(crate) fn family() -> MutexGuard<'static, Family> {
    FAMILY.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Family {
    /// In a forked process nothing of it counts, and nothing is destroyed.
    pub(crate) fn disinherit(&mut self) {
        std::mem::forget(std::mem::take(self));
    }
}

/// What is to become an object.
pub(crate) struct New {
    pub(crate) kind: Kind,
    /// The handle of what it is created from; 0 for none.
    pub(crate) parent: u64,
    /// Its name in the domain, if it is an entity.
    pub(crate) guid: Option<InstanceHandle>,
    pub(crate) object: Object,
}

/// A handle for an object: the one that it has already, if it is an entity that has one.
pub(crate) fn adopt(new: New) -> Outcome<u64> {
    // What is not needed ends behind the lock.
    let unused;
    let mut family = family();
    if let Some(known) = new.guid.and_then(|guid| family.by_guid.get(&guid)) {
        let known = *known;
        unused = new.object;
        drop(family);
        drop(unused);
        return Ok(known);
    }
    if new.parent != 0 && !family.nodes.contains_key(&new.parent) {
        unused = new.object;
        drop(family);
        drop(unused);
        return Err(Failure::deleted(format!(
            "what {} was to be created from was closed meanwhile",
            new.kind.name()
        )));
    }
    let samples = match &new.object {
        Object::Reader(reader) => Some(Arc::clone(&reader.samples)),
        _ => None,
    };
    let handle = create(new.kind, new.object)?;
    if let Some(samples) = samples {
        samples.enter(handle);
    }
    if let Some(parent) = family.nodes.get_mut(&new.parent) {
        parent.children.push(handle);
    }
    let node = Node {
        parent: new.parent,
        children: Vec::new(),
        guid: new.guid,
    };
    family.nodes.insert(handle, node);
    if let Some(guid) = new.guid {
        family.by_guid.insert(guid, handle);
    }
    Ok(handle)
}

/// A handle for what is in no family: types and octets.
pub(crate) fn create(kind: Kind, object: Object) -> Outcome<u64> {
    let entry = Entry {
        object,
        attachment: AtomicU64::new(0),
    };
    OBJECTS.create(kind, entry).map_err(|_| {
        Failure::resources(format!(
            "{} handles are in use, and no more can be had: close what is not needed",
            OBJECTS.living()
        ))
    })
}

/// The handle of an entity that has one.
pub(crate) fn known(guid: InstanceHandle) -> Option<u64> {
    family().by_guid.get(&guid).copied()
}

/// What a handle was created from; 0 for nothing.
pub(crate) fn parent(handle: u64) -> u64 {
    family().nodes.get(&handle).map_or(0, |node| node.parent)
}

/// What was created from a handle.
pub(crate) fn children(handle: u64) -> Vec<u64> {
    let family = family();
    let node = family.nodes.get(&handle);
    node.map_or_else(Vec::new, |node| node.children.clone())
}

/// All that were created from nothing.
pub(crate) fn roots() -> Vec<u64> {
    let family = family();
    let roots = family.nodes.iter().filter(|(_, node)| node.parent == 0);
    roots.map(|(handle, _)| *handle).collect()
}

/// Moves the generations of a handle and of all within it on, so that no call comes in any more;
/// what they stand for is given back, inner ones first. Empty if somebody else closes it.
pub(crate) fn close(pin: Pin<'static, Entry>) -> Vec<Pin<'static, Entry>> {
    let mut closed = Vec::new();
    let mut family = family();
    if !pin.close() {
        drop(family);
        return closed;
    }
    let handle = pin.handle();
    let parent = family.nodes.get(&handle).map_or(0, |node| node.parent);
    if let Some(parent) = family.nodes.get_mut(&parent) {
        parent.children.retain(|child| *child != handle);
    }
    let mut open = family.forget(handle);
    closed.push(pin);
    while let Some(child) = open.pop() {
        open.extend(family.forget(child));
        closed.extend(OBJECTS.pin(child).filter(Pin::close));
    }
    drop(family);
    closed.reverse();
    closed
}

impl Family {
    /// Returns its children.
    fn forget(&mut self, handle: u64) -> Vec<u64> {
        let Some(node) = self.nodes.remove(&handle) else {
            return Vec::new();
        };
        if let Some(guid) = node.guid {
            self.by_guid.remove(&guid);
        }
        node.children
    }
}
