//! Conditions and wait sets.
use crate::entity::dunlin_handle;
use crate::error::{Failure, Outcome, entry};
use crate::handle::Kind;
use crate::hooks::{Called, dunlin_function};
use crate::memory::{Array, In, Out, OutArray, dunlin_block, dunlin_text};
use crate::object::{self, New, Object, adopt};
use crate::open_call;
use crate::qos::duration;
use crate::reader::dunlin_reader;
use crate::select::{dunlin_select, states};
use crate::status::{bits, mask};
use crate::topic::parameter_list;
use dunlin::{Condition, Duration, GuardCondition, QueryCondition, ReadCondition, WaitSet, Wake};
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex, PoisonError};

/// A condition of any kind.
pub type dunlin_condition = u64;
/// A wait set.
pub type dunlin_waitset = u64;

/// A condition, and the wait sets that have it.
pub(crate) struct Conditional {
    condition: Condition,
    query: Option<QueryCondition>,
    sets: Mutex<Vec<u64>>,
    wakes: Mutex<Wakes>,
}

/// The functions that wait for a condition; none once it is closed.
struct Wakes(Option<Vec<Wake>>);

impl Conditional {
    fn new(condition: impl Into<Condition>, query: Option<QueryCondition>) -> Self {
        Self {
            condition: condition.into(),
            query,
            sets: Mutex::default(),
            wakes: Mutex::new(Wakes(Some(Vec::new()))),
        }
    }

    /// The condition, if it is about samples.
    pub(crate) fn read_condition(&self, handle: u64) -> Outcome<&ReadCondition> {
        match &self.condition {
            Condition::Read(condition) => Ok(condition),
            _ => Err(Failure::handle(handle, "a read condition", None)),
        }
    }

    fn query(&self, handle: u64) -> Outcome<&QueryCondition> {
        let other = || Failure::handle(handle, "a query condition", None);
        self.query.as_ref().ok_or_else(other)
    }

    /// Has a function called when it may be true, or is closed.
    fn wake_once(&self, call: Called) {
        let wake = self.condition.wake_once(move || call.call());
        let mut wakes = self.wakes.lock().unwrap_or_else(PoisonError::into_inner);
        match &mut wakes.0 {
            Some(waiting) => {
                waiting.retain(Wake::is_waiting);
                waiting.push(wake);
            }
            None => {
                drop(wakes);
                wake.now();
            }
        }
    }

    /// It leaves the wait sets that have it, and nobody waits for it any more.
    pub(crate) fn end(&self) {
        let mut wakes = self.wakes.lock().unwrap_or_else(PoisonError::into_inner);
        let waiting = wakes.0.take();
        drop(wakes);
        waiting.iter().flatten().for_each(Wake::now);
        let sets = std::mem::take(&mut *self.sets.lock().unwrap_or_else(PoisonError::into_inner));
        for set in sets.into_iter().filter_map(|set| object::set(set).ok()) {
            // It may have been detached meanwhile.
            let _ = set.detach(&self.condition);
        }
    }
}

/// A wait set, and the handles of the conditions in it.
pub(crate) struct Set {
    set: WaitSet,
    /// In the order in which they came. Replaced as a whole, so that who waits copies nothing.
    attached: Mutex<Arc<[(u64, Condition)]>>,
    /// Ends a wait when the wait set is closed.
    end: GuardCondition,
    closed: AtomicBool,
}

impl Set {
    fn new() -> Self {
        let (set, end) = (WaitSet::new(), GuardCondition::new());
        set.attach(end.clone());
        Self {
            set,
            attached: Mutex::new(Arc::new([])),
            end,
            closed: AtomicBool::new(false),
        }
    }

    /// Nobody waits here any more.
    pub(crate) fn close(&self) {
        self.closed.store(true, SeqCst);
        self.end.set_trigger_value(true);
    }

    fn attached(&self) -> Arc<[(u64, Condition)]> {
        Arc::clone(&self.attached.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn attach(&self, handle: u64, condition: &Condition) {
        let mut attached = self.attached.lock().unwrap_or_else(PoisonError::into_inner);
        if attached.iter().all(|(_, known)| known != condition) {
            let all = attached.iter().cloned();
            *attached = all.chain([(handle, condition.clone())]).collect();
            drop(attached);
            self.set.attach(condition.clone());
        }
    }

    fn detach(&self, condition: &Condition) -> Outcome {
        let mut attached = self.attached.lock().unwrap_or_else(PoisonError::into_inner);
        let rest = attached.iter().filter(|(_, known)| known != condition);
        *attached = rest.cloned().collect();
        drop(attached);
        Ok(self.set.detach(condition.clone())?)
    }

    fn wait(&self, timeout: Duration) -> Outcome {
        let there = self.set.wait_for(timeout)?;
        match (self.closed.load(SeqCst), there) {
            (true, _) => Err(Failure::deleted(
                "the wait set was closed while it was waited in",
            )),
            (false, true) => Ok(()),
            (false, false) => Err(Failure::TIMEOUT),
        }
    }
}

/// A condition of a reader: samples with the states of `select`, which may be null.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_read_condition_new(
    reader: dunlin_reader,
    select: In<'_, dunlin_select>,
    condition: Out<'_, dunlin_condition>,
) -> i32 {
    entry(|| {
        let place = condition.required("condition")?;
        let select = states(select.sized("select")?.as_ref())?;
        let made = object::reader(reader)?.core.read_condition(select);
        place.put(adopt(New {
            kind: Kind::ReadCondition,
            parent: reader,
            guid: None,
            object: Object::Condition(Conditional::new(made, None)),
        })?);
        Ok(())
    })
}

/// A condition of a reader: samples with the states of `select` whose content an expression
/// describes, in the language of content filters.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_query_condition_new(
    reader: dunlin_reader,
    select: In<'_, dunlin_select>,
    expression: dunlin_text,
    parameters: Array<'_, dunlin_text>,
    parameter_count: u64,
    condition: Out<'_, dunlin_condition>,
) -> i32 {
    entry(|| {
        let place = condition.required("condition")?;
        let select = states(select.sized("select")?.as_ref())?;
        let expression = expression.get("expression")?;
        let parameters = parameter_list(parameters, parameter_count)?;
        let core = &object::reader(reader)?.core;
        let made = core.query_condition(select, expression, &parameters)?;
        place.put(adopt(New {
            kind: Kind::QueryCondition,
            parent: reader,
            guid: None,
            object: Object::Condition(Conditional::new(made.clone(), Some(made))),
        })?);
        Ok(())
    })
}

/// The values of the parameters of its expression, a line each.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_query_parameters_get(
    condition: dunlin_condition,
    text: Out<'_, dunlin_block>,
) -> i32 {
    entry(|| {
        let place = text.required("text")?;
        let query = object::condition(condition)?;
        let parameters = query.query(condition)?.query_parameters();
        place.put(dunlin_block::text(&parameters.join("\n")));
        Ok(())
    })
}

/// Other values for the parameters of its expression.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_query_parameters_set(
    condition: dunlin_condition,
    parameters: Array<'_, dunlin_text>,
    parameter_count: u64,
) -> i32 {
    entry(|| {
        let query = object::condition(condition)?;
        let parameters = parameter_list(parameters, parameter_count)?;
        Ok(query.query(condition)?.set_query_parameters(&parameters)?)
    })
}

/// A condition that the application itself sets.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_guard_new(condition: Out<'_, dunlin_condition>) -> i32 {
    entry(|| {
        let place = condition.required("condition")?;
        let guard = GuardCondition::new();
        place.put(adopt(New {
            kind: Kind::GuardCondition,
            parent: 0,
            guid: None,
            object: Object::Guard(Conditional::new(guard.clone(), None), guard),
        })?);
        Ok(())
    })
}

/// Sets it, or resets it with 0.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_guard_set(guard: dunlin_condition, value: u8) -> i32 {
    entry(|| {
        object::guard(guard)?.set_trigger_value(value != 0);
        Ok(())
    })
}

/// Whether a condition is true now.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_condition_value(condition: dunlin_condition, value: Out<'_, u8>) -> i32 {
    entry(|| {
        let place = value.required("value")?;
        place.put(
            object::condition(condition)?
                .condition
                .trigger_value()
                .into(),
        );
        Ok(())
    })
}

/// Calls a function once, when a condition may have become true, or is closed: at once in this thread
/// if it is true already, else on the thread that brings it about. It may be called early: take, or
/// ask for the value, and call this again if there is nothing. For tasks and futures, which sleep
/// without a thread.
///
/// The function only hands on to a thread or task that there is something to do; it calls nothing of
/// the library.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_condition_wake_once(
    condition: dunlin_condition,
    wake: dunlin_function,
    context: *mut c_void,
) -> i32 {
    entry(|| {
        let call = Called::new(wake, context);
        let call = call.ok_or_else(|| Failure::bad("the argument wake is a null pointer"))?;
        object::condition(condition)?.wake_once(call);
        Ok(())
    })
}

/// The condition of an entity that a status has changed: of a topic, subscriber, writer or reader.
/// An entity has one.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_status_condition(
    entity: dunlin_handle,
    condition: Out<'_, dunlin_condition>,
) -> i32 {
    entry(|| {
        let place = condition.required("condition")?;
        let pin = object::any(entity, "a topic, a subscriber, a writer or a reader")?;
        let is_one = |handle: &u64| Kind::of(*handle) == Some(Kind::StatusCondition);
        if let Some(known) = object::children(entity).into_iter().find(is_one) {
            place.put(known);
            return Ok(());
        }
        let made = match &pin.object {
            Object::Topic(topic) => topic.status_condition(),
            Object::Subscriber(subscriber) => subscriber.status_condition(),
            Object::Writer(writer) => writer.core.status_condition(),
            Object::Reader(reader) => reader.core.status_condition(),
            _ => {
                let needed = "a topic, a subscriber, a writer or a reader";
                return Err(Failure::handle(entity, needed, None));
            }
        };
        place.put(adopt(New {
            kind: Kind::StatusCondition,
            parent: entity,
            guid: None,
            object: Object::Condition(Conditional::new(made, None)),
        })?);
        Ok(())
    })
}

/// Which statuses count for a status condition. `before`, which may be null, is what counted; then
/// `statuses` count, unless it is null.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_status_condition_mask(
    condition: dunlin_condition,
    statuses: In<'_, u32>,
    before: Out<'_, u32>,
) -> i32 {
    entry(|| {
        let held = object::condition(condition)?;
        let Condition::Status(status) = &held.condition else {
            return Err(Failure::handle(condition, "a status condition", None));
        };
        if let Some(place) = before.optional() {
            place.put(bits(status.enabled_statuses()));
        }
        if let Some(statuses) = statuses.get() {
            status.set_enabled_statuses(mask(*statuses));
        }
        Ok(())
    })
}

/// A wait set without conditions.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_waitset_new(waitset: Out<'_, dunlin_waitset>) -> i32 {
    entry(|| {
        let place = waitset.required("waitset")?;
        place.put(adopt(New {
            kind: Kind::WaitSet,
            parent: 0,
            guid: None,
            object: Object::Set(Set::new()),
        })?);
        Ok(())
    })
}

/// Adds a condition, unless it is there; also while another thread waits.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_waitset_attach(
    waitset: dunlin_waitset,
    condition: dunlin_condition,
) -> i32 {
    entry(|| {
        let set = object::set(waitset)?;
        let one = object::condition(condition)?;
        let mut sets = one.sets.lock().unwrap_or_else(PoisonError::into_inner);
        sets.retain(|set| object::set(*set).is_ok());
        sets.push(waitset);
        drop(sets);
        set.attach(condition, &one.condition);
        Ok(())
    })
}

/// Takes a condition out again.
///
/// @return PRECONDITION_NOT_MET if it is not there.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_waitset_detach(
    waitset: dunlin_waitset,
    condition: dunlin_condition,
) -> i32 {
    entry(|| {
        let set = object::set(waitset)?;
        let one = object::condition(condition)?;
        let mut sets = one.sets.lock().unwrap_or_else(PoisonError::into_inner);
        sets.retain(|known| *known != waitset);
        drop(sets);
        set.detach(&one.condition)
    })
}

/// Writes the handles of a wait set's conditions, of those that are true or of all.
fn put_conditions(set: &Set, all: bool, conditions: &mut [dunlin_condition]) -> u64 {
    let attached = set.attached();
    let wanted = attached
        .iter()
        .filter(|(_, condition)| all || condition.trigger_value());
    let mut places = conditions.iter_mut();
    let mut count = 0;
    for (handle, _) in wanted {
        if let Some(place) = places.next() {
            *place = *handle;
        }
        count += 1;
    }
    count
}

/// Waits until one of its conditions is true. The thread receives meanwhile, and listeners may be
/// called in it. `count` is how many conditions are true; as many as `room` allows are written.
///
/// @return TIMEOUT; PRECONDITION_NOT_MET while another thread waits here; ALREADY_DELETED if none of
/// the conditions can become true any more, or the wait set is closed meanwhile; ERROR once if a
/// `longjmp` of this thread has left a function of a listener.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_waitset_wait(
    waitset: dunlin_waitset,
    timeout: i64,
    conditions: OutArray<'_, dunlin_condition>,
    room: u64,
    count: Out<'_, u64>,
) -> i32 {
    entry(|| {
        open_call::check()?;
        let set = object::set(waitset)?;
        let conditions = conditions.slice(room, "conditions")?;
        set.wait(duration(timeout, "timeout")?)?;
        let found = put_conditions(&set, false, conditions);
        if let Some(place) = count.optional() {
            place.put(found);
        }
        Ok(())
    })
}

/// The conditions in a wait set. `count` is how many there are; as many as `room` allows are
/// written.
#[unsafe(no_mangle)]
pub extern "C" fn dunlin_waitset_conditions(
    waitset: dunlin_waitset,
    conditions: OutArray<'_, dunlin_condition>,
    room: u64,
    count: Out<'_, u64>,
) -> i32 {
    entry(|| {
        let place = count.required("count")?;
        let set = object::set(waitset)?;
        let conditions = conditions.slice(room, "conditions")?;
        place.put(put_conditions(&set, true, conditions));
        Ok(())
    })
}
