//! Outputs whose writers have to show that they live: they do so while their sources do.
use super::beyond::BeyondEnd;
use super::ends::{End, Endpoint, Ends};
use crate::table::{Basis, Design, Side, Slot, Time};
use dunlin::untyped::UntypedReader;
use dunlin::{Guid, LivelinessKind};

/// Whose life an output shows, and when it did so last.
#[derive(Clone, Copy, Debug)]
pub(super) struct Life {
    sources: Sources,
    asserted: Option<Time>,
}

#[derive(Clone, Copy, Debug)]
enum Sources {
    /// None but the service itself.
    None,
    /// Any of a group.
    Group(u64),
    /// One of a group.
    One(u64, Guid),
}

impl Life {
    pub(super) fn of(design: &Design) -> Self {
        let sources = match &design.basis {
            Basis::Plan | Basis::Asks => Sources::None,
            Basis::Group(group, ..) => Sources::Group(*group),
            Basis::Writer(group, data) => Sources::One(*group, data.guid),
        };
        Self {
            sources,
            asserted: None,
        }
    }
}

impl Sources {
    /// An input that the output's sources may have. One with QoS of its own is for all groups.
    fn are_of(self, slot: &Slot) -> bool {
        let group = match self {
            Self::None => return false,
            Self::Group(group) | Self::One(group, _) => group,
        };
        slot.side == Side::Input && [0, group].contains(&slot.group)
    }

    fn live(self, input: &UntypedReader) -> bool {
        match self {
            Self::One(_, source) => input.has_live_writer(source),
            _ => {
                let writers = input.matched_publications();
                writers.iter().any(|writer| input.has_live_writer(*writer))
            }
        }
    }
}

impl Ends {
    /// Shows that sources live whose writers beyond have to, a few times per lease; returns when to
    /// look again.
    pub(super) fn assert_liveliness(&mut self, now: Time) -> Option<Time> {
        let shows = |end: &End| {
            let Endpoint::Writer(writer) = &end.endpoint else {
                return None;
            };
            let liveliness = writer.qos().liveliness;
            let lease = Time::try_from(liveliness.lease_duration).ok()?;
            let has_to = liveliness.kind != LivelinessKind::Automatic && end.is_alive;
            has_to.then_some(lease / 3)
        };
        let all = self.slots.iter();
        let own = all.filter_map(|(slot, end)| Some((*slot, shows(end)?)));
        let own: Vec<(Slot, Time)> = own.collect();
        let due = own
            .into_iter()
            .filter_map(|(slot, every)| self.assert(slot, every, now));
        due.min()
    }

    fn assert(&mut self, slot: Slot, every: Time, now: Time) -> Option<Time> {
        let end = self.slots.get(&slot)?;
        let Life { sources, asserted } = end.life;
        if let Some(due) = asserted.map(|asserted| asserted + every)
            && now < due
        {
            return Some(due);
        }
        if let Endpoint::Writer(writer) = &end.endpoint
            && self.sources_live(sources)
        {
            writer.assert_liveliness();
        }
        self.slots.get_mut(&slot)?.life.asserted = Some(now);
        Some(now + every)
    }

    /// Without an input in a domain nobody knows better than discovery.
    fn sources_live(&self, sources: Sources) -> bool {
        let own = self.slots.iter().filter(|(slot, _)| sources.are_of(slot));
        let mut known = false;
        for (_, end) in own {
            match &end.endpoint {
                Endpoint::Reader(input, _) if sources.live(input) => return true,
                Endpoint::Reader(..) => known = true,
                Endpoint::Beyond(BeyondEnd::Reader(..)) => return true,
                Endpoint::Writer(_) | Endpoint::Beyond(BeyondEnd::Writer(_)) => {}
            }
        }
        !known
    }
}
