//! The endpoints of a route as the service keeps them.
use super::site::Joined;
use crate::engine::{
    Backlog, Budget, DataListener, Edit, InputLane, OutputLane, RoomListener, RouteCore, Sources,
    Tally, lock,
};
use crate::plan::{EndpointQos, Input, Output, Route, Session};
use crate::state::Counters;
use crate::table::{Side, Slot, Time, TypeFacts};
use dunlin::untyped::{UntypedReader, UntypedReaderOptions, UntypedWriter};
use dunlin::{DataReaderQos, DataWriterQos, History, OriginBounds, Reliability};
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};

/// An input keeps so many samples that its outputs take no more of, unless its QoS says otherwise:
/// more than come in at once.
const INPUT_SAMPLES: u32 = 4096;

/// Readers of one output that are given up at once.
const MOST_GIVEN_UP: u64 = 256;

/// Why an endpoint was not made.
pub(super) type EndError = dunlin::Error;

/// A route with its endpoints.
pub(super) struct Ends {
    pub(super) core: Arc<RouteCore>,
    pub(super) is_paused: bool,
    slots: BTreeMap<Slot, End>,
    /// What passed through endpoints that are gone.
    past: HashMap<(Side, usize), Counters>,
}

struct End {
    endpoint: Endpoint,
    tally: Arc<Tally>,
    /// The last reason why something could not be written.
    fault: Arc<Mutex<Option<String>>>,
    /// How much had been written when it last began to stand still, and since when it has.
    still: Option<(u64, Time)>,
    /// Readers that were given up.
    given_up: u64,
}

/// An endpoint; it is deleted when this is dropped.
#[allow(dead_code, reason = "held so that it lives")]
pub(super) enum Endpoint {
    Reader(UntypedReader),
    Writer(UntypedWriter),
}

/// Where an endpoint is to be made.
pub(super) struct Site<'a> {
    pub(super) joined: &'a Joined,
    pub(super) session: &'a Session,
    pub(super) budget: &'a Arc<Budget>,
}

impl Ends {
    pub(super) fn new(core: RouteCore) -> Self {
        Self {
            core: Arc::new(core),
            is_paused: false,
            slots: BTreeMap::new(),
            past: HashMap::new(),
        }
    }

    /// Makes an endpoint and has the route use it.
    pub(super) fn make(
        &mut self,
        site: &Site<'_>,
        route: &Route,
        slot: Slot,
        ty: &TypeFacts,
    ) -> Result<(), EndError> {
        let tally = Arc::new(Tally::default());
        let fault = Arc::default();
        let endpoint = match slot.side {
            Side::Input => match route.inputs.get(slot.index) {
                Some(input) => self.make_reader(site, route, input, slot, ty, &tally)?,
                None => return Ok(()),
            },
            Side::Output => match route.outputs.get(slot.index) {
                Some(output) => {
                    self.make_writer(site, route, output, slot, ty, (&tally, &fault))?
                }
                None => return Ok(()),
            },
        };
        let end = End {
            endpoint,
            tally,
            fault,
            still: None,
            given_up: 0,
        };
        self.slots.insert(slot, end);
        Ok(())
    }

    fn make_reader(
        &self,
        site: &Site<'_>,
        route: &Route,
        input: &Input,
        slot: Slot,
        ty: &TypeFacts,
        tally: &Arc<Tally>,
    ) -> Result<Endpoint, EndError> {
        let topic = site.joined.topic(&input.topic, ty)?;
        let subscriber = site
            .joined
            .subscriber(site.session, input.partitions.as_deref());
        let qos = reader_qos(&input.qos);
        let is_reliable = qos.reliability.is_reliable();
        let options = UntypedReaderOptions {
            stream: true,
            // Only what says where it comes from can come twice.
            duplicates: route.settings.original_info.then(OriginBounds::default),
            accepts: None,
        };
        let listener = DataListener(Arc::clone(&self.core));
        let reader = subscriber.create_untyped_datareader_with_options(
            &topic,
            qos,
            options,
            Some(listener),
        )?;
        let lane = InputLane::new(
            slot,
            reader.unowned(),
            is_reliable,
            ty.keyed,
            Arc::clone(tally),
        );
        self.core.edit(Edit::AddInput(lane));
        Ok(Endpoint::Reader(reader))
    }

    fn make_writer(
        &self,
        site: &Site<'_>,
        route: &Route,
        output: &Output,
        slot: Slot,
        ty: &TypeFacts,
        (tally, fault): (&Arc<Tally>, &Arc<Mutex<Option<String>>>),
    ) -> Result<Endpoint, EndError> {
        let topic = site.joined.topic(&output.topic, ty)?;
        let publisher = site.joined.publisher(site.session);
        let listener = RoomListener(Arc::clone(&self.core));
        let writer = publisher.create_untyped_datawriter_with_listener(
            &topic,
            writer_qos(&output.qos),
            listener,
        )?;
        let lane = OutputLane::new(
            slot,
            Sources::All,
            writer.unowned(),
            Backlog::new(route.settings.backlog, site.budget),
            Arc::clone(tally),
            Arc::clone(fault),
        );
        self.core.edit(Edit::AddOutput(lane));
        Ok(Endpoint::Writer(writer))
    }

    /// Takes an endpoint out of the route; it ends when it is dropped.
    pub(super) fn remove(&mut self, slot: Slot) -> Option<Endpoint> {
        self.core.edit(Edit::Remove(slot));
        let end = self.slots.remove(&slot)?;
        let past = self.past.entry((slot.side, slot.index)).or_default();
        *past = past.plus(Counters {
            backlog: 0,
            backlog_bytes: 0,
            ..end.counters()
        });
        Some(end.endpoint)
    }

    /// Gives up the slowest readers of outputs that have stood still for so long.
    pub(super) fn relieve(&mut self, now: Time, patience: Time) {
        for end in self.slots.values_mut() {
            end.relieve(now, patience);
        }
    }

    /// Takes all endpoints of a side out of the route.
    pub(super) fn remove_all(&mut self, side: Side) -> Vec<Endpoint> {
        let all: Vec<Slot> = self.slots.keys().copied().collect();
        let own = all.into_iter().filter(|slot| slot.side == side);
        own.filter_map(|slot| self.remove(slot)).collect()
    }

    /// What has passed through an input or output, what it is matched with, and its last fault.
    pub(super) fn look(&self, side: Side, index: usize) -> (Counters, usize, Option<String>) {
        let past = self.past.get(&(side, index)).copied().unwrap_or_default();
        let of = |slot: &Slot| slot.side == side && slot.index == index;
        let own = self.slots.iter().filter(|(slot, _)| of(slot));
        let mut all = (past, 0, None);
        for (_, end) in own {
            all.0 = all.0.plus(end.counters());
            all.1 += end.endpoint.matched();
            all.2 = lock(&end.fault).clone().or(all.2);
        }
        all
    }
}

impl End {
    fn counters(&self) -> Counters {
        Counters {
            given_up: self.given_up,
            ..self.tally.counters()
        }
    }

    fn relieve(&mut self, now: Time, patience: Time) {
        let Endpoint::Writer(writer) = &self.endpoint else {
            return;
        };
        if self.tally.counters().backlog == 0 {
            self.still = None;
            return;
        }
        let passed = self.tally.passed();
        match self.still {
            Some((before, since)) if before == passed => {
                if now.saturating_sub(since) >= patience {
                    self.given_up += give_up(writer, || self.tally.passed() != passed);
                    self.still = None;
                }
            }
            _ => self.still = Some((passed, now)),
        }
    }
}

/// Gives up the slowest reader, and the next one, until there is room; returns how many.
fn give_up(writer: &UntypedWriter, has_room: impl Fn() -> bool) -> u64 {
    let mut count = 0;
    while count < MOST_GIVEN_UP && !has_room() {
        let Some(reader) = writer.backlog_status().slowest else {
            break;
        };
        if !writer.give_up(reader) {
            break;
        }
        count += 1;
    }
    count
}

impl Endpoint {
    fn matched(&self) -> usize {
        match self {
            Self::Reader(reader) => reader.matched_count(),
            Self::Writer(writer) => writer.matched_count(),
        }
    }

    /// The writer, if it is one.
    pub(super) fn writer(&self) -> Option<&UntypedWriter> {
        match self {
            Self::Writer(writer) => Some(writer),
            Self::Reader(_) => None,
        }
    }
}

fn reader_qos(planned: &EndpointQos<DataReaderQos>) -> DataReaderQos {
    let mut qos = match planned {
        EndpointQos::Explicit(qos) => (**qos).clone(),
        EndpointQos::AsSource => DataReaderQos {
            reliability: Reliability::RELIABLE,
            ..DataReaderQos::default()
        },
    };
    qos.resource_limits.max_samples.get_or_insert(INPUT_SAMPLES);
    qos
}

fn writer_qos(planned: &EndpointQos<DataWriterQos>) -> DataWriterQos {
    match planned {
        EndpointQos::Explicit(qos) => (**qos).clone(),
        EndpointQos::AsSource => DataWriterQos {
            history: History::KeepAll,
            ..DataWriterQos::default()
        },
    }
}
