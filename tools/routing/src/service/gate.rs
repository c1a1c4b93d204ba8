//! Outputs whose sources keep samples for late joiners: nobody beyond is told of one before it has
//! these, so that a reader that waits for historical data gets all there is (DDS 1.4 2.2.2.5.3.24).
use super::beyond::BeyondEnd;
use super::ends::{Endpoint, Ends};
use crate::engine::lock;
use crate::table::{Basis, Design, Slot, Time};
use dunlin::untyped::UntypedReader;
use dunlin::{Durability, EntityFactory, Guid, PublisherQos};

/// An output is announced after this time in any case.
const LONGEST: Time = Time::from_secs(5);
/// How often its input is looked at until then.
const LOOK: Time = Time::from_millis(20);

/// What an output waits for that is not announced yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gate {
    /// The source whose samples it is for; `None` if it is for all of its input.
    source: Option<Guid>,
    /// The group of sources that its input is for.
    group: u64,
    /// When it stops to wait; not known before it is looked at.
    until: Option<Time>,
}

impl Gate {
    /// For an output that keeps something for late joiners, as its sources do.
    pub(super) fn of(design: &Design, durability: Durability) -> Option<Self> {
        let (group, source) = match &design.basis {
            Basis::Plan | Basis::Asks => return None,
            Basis::Group(group, ..) => (*group, None),
            Basis::Writer(group, data) => (*group, Some(data.guid)),
        };
        let keeps = durability > Durability::Volatile;
        keeps.then_some(Self {
            source,
            group,
            until: None,
        })
    }

    /// Of the publisher of an output that is not announced when it is made.
    pub(super) fn closes(mut qos: PublisherQos) -> PublisherQos {
        qos.entity_factory = EntityFactory {
            autoenable_created_entities: false,
        };
        qos
    }

    /// Has its input all that the sources have?
    fn is_complete(&self, input: &UntypedReader) -> bool {
        let has = |writer: &Guid| input.has_history_of(*writer);
        match &self.source {
            Some(source) => has(source),
            None => {
                let all = input.matched_publications();
                !all.is_empty() && all.iter().all(has)
            }
        }
    }
}

impl Ends {
    /// Announces outputs that have what their sources keep; returns when to look again.
    pub(super) fn open_gates(&mut self, now: Time) -> Option<Time> {
        let mut next = None;
        let closed = self
            .slots
            .iter()
            .filter_map(|(slot, end)| Some((*slot, end.gate?)));
        let closed: Vec<_> = closed.collect();
        for (slot, gate) in closed {
            let until = gate.until.unwrap_or(now + LONGEST);
            // One with QoS of its own is for all groups.
            let is_for = |slot: &Slot| [0, gate.group].contains(&slot.group);
            let inputs = self.slots.iter().filter(|(slot, _)| is_for(slot));
            let is_complete = inputs.map(|(_, end)| &end.endpoint).any(|end| match end {
                Endpoint::Reader(reader, _) => gate.is_complete(reader),
                // An adapter does not say what its sources keep.
                Endpoint::Beyond(BeyondEnd::Reader(..)) => true,
                Endpoint::Writer(_) | Endpoint::Beyond(BeyondEnd::Writer(_)) => false,
            });
            // Of a source that is gone comes no more than what the input has.
            let is_gone = self.slots.get(&slot).is_some_and(|end| !end.is_alive);
            // What the input has is with the output as well.
            let opens = now >= until || (is_complete || is_gone) && self.core.is_through();
            let Some(end) = self.slots.get_mut(&slot) else {
                continue;
            };
            if !opens {
                end.gate = Some(Gate {
                    until: Some(until),
                    ..gate
                });
                next = Some(until.min(now + LOOK));
                continue;
            }
            end.gate = None;
            if let Endpoint::Writer(writer) = &end.endpoint
                && let Err(error) = writer.enable()
            {
                *lock(&end.fault) = Some(error.to_string());
            }
        }
        next
    }
}
