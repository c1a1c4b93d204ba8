//! What a source writes does not come back to where it is, or to where it has been. In a ring of
//! services the writers that stand for one source would otherwise go all the way round, and readers
//! beside the source would get its samples from it and once more by each way. Nothing is lost by
//! it: what comes back has come by the very writer that is there already.
use super::Entry;
use crate::table::known::Known;
use crate::table::{Side, Slot, Time, Via};
use dunlin::Guid;
use dunlin::observe::WriterData;

/// The property of an endpoint that says whose samples it has, all as they are.
pub(crate) const SOURCE: &str = "dunlin.route.source";

/// The text of a GUID is not longer.
const LONGEST: usize = 64;

/// What has been by a writer that is gone does not come back for so long: it goes as well, if there
/// is no other way, and until then it would only repeat what was there.
const AFTER: Time = Time::from_secs(10);

/// The source whose samples a writer has as they are, if it is one or says so.
pub(crate) fn source_of(writer: &WriterData) -> Option<String> {
    let properties = &writer.qos.property;
    match (properties.value(SOURCE), properties.value(Via::PROPERTY)) {
        (Some(source), _) => (source.len() <= LONGEST).then(|| source.to_owned()),
        (None, None) => Some(writer.guid.to_string()),
        (None, Some(_)) => None,
    }
}

impl Entry {
    /// Finds out which sources come back by an output: it would write where they are themselves, or
    /// where what they write has been on its way to here.
    pub(super) fn note_returns(&mut self, now: Time, connections: &[Known]) {
        let linger = Time::try_from(self.plan.settings.linger).unwrap_or(Time::MAX / 4);
        let sources = &self.sources.writers;
        self.returned.retain(|(_, id), until| {
            let holds = until.is_none_or(|until| until > now);
            until.get_or_insert(now + linger + AFTER);
            holds && sources.contains_key(id)
        });
        for (index, output) in self.plan.outputs.iter().enumerate() {
            let known = self.connection(Side::Output, index);
            let Some(known) = known.and_then(|at| connections.get(at)) else {
                continue;
            };
            for (id, source) in &self.sources.writers {
                let Some(original) = source.data.qos.property.value(SOURCE) else {
                    continue;
                };
                let way = Via::of(&source.data.qos.property);
                let is_there = |writer: &WriterData| {
                    writer.type_name == source.data.type_name
                        && Via::of(&writer.qos.property).begins(&way)
                        && source_of(writer).is_some_and(|known| known == original)
                };
                if known.writers(&output.topic).any(is_there) {
                    self.returned.insert((index, *id), None);
                }
            }
        }
    }

    /// Does no output write what this source does?
    fn returns(&self, source: u64) -> bool {
        let mut outputs = 0..self.plan.outputs.len();
        outputs.all(|index| self.returned.contains_key(&(index, source)))
    }

    /// The sources of an input of which nothing is passed on.
    pub(super) fn returning(&self, input: Slot) -> Vec<Guid> {
        if input.side != Side::Input || self.returned.is_empty() {
            return Vec::new();
        }
        let own = self.sources_of(input).filter(|(id, _)| self.returns(*id));
        own.map(|(_, guid)| guid).collect()
    }

    /// Is nothing passed on of any source of an input?
    pub(super) fn only_returns(&self, input: Slot) -> bool {
        let mut own = self.sources_of(input).peekable();
        !self.returned.is_empty() && own.peek().is_some() && own.all(|(id, _)| self.returns(id))
    }

    fn sources_of(&self, input: Slot) -> impl Iterator<Item = (u64, Guid)> {
        let is_own = move |group: u64| {
            let known = self.sources.groups.get(&group);
            // An input with QoS of its own is for all groups of its sources.
            let is_in = known.is_some_and(|known| known.input == input.index);
            group == input.group || input.group == 0 && is_in
        };
        let all = self.sources.writers.iter();
        let own = all.filter(move |(_, source)| is_own(source.group));
        own.map(|(id, source)| (*id, source.guid))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{CreationMode, EndpointQos, Limits, Writers};
    use crate::table::tests::{guid, plan, route};
    use crate::table::{Command, Table, Time};
    use dunlin::{Durability, EntityKind, Properties};

    /// A source in connection `at` by this way, with this name of the original.
    fn add(table: &mut Table, now: Time, at: usize, number: u8, said: Option<(&str, &str)>) {
        let guid = guid(number, EntityKind::WriterWithKey);
        let mut data = WriterData::new(guid, "Square", "Shape");
        data.qos.durability = Durability::TransientLocal;
        if let Some((via, source)) = said {
            let properties = Properties::default().with(Via::PROPERTY, via);
            data.qos.property = properties.with(SOURCE, source);
        }
        table.writer(now, at, Box::new(data));
    }

    /// What is made and removed, and the sources that inputs were told to leave alone.
    fn carry_out(table: &mut Table, now: Time) -> (Vec<Side>, Vec<Side>, usize) {
        table.handle_timeout(now);
        let (mut made, mut removed, mut returning) = (Vec::new(), Vec::new(), 0);
        loop {
            let commands = table.take_commands();
            if commands.is_empty() {
                return (made, removed, returning);
            }
            for command in commands {
                match command {
                    Command::Make(id, slot, design) => {
                        table.made(now, id, slot);
                        made.push(slot.side);
                        returning += design.returning.len();
                    }
                    Command::Change(_, _, design) => returning += design.returning.len(),
                    Command::Remove(_, slot) => removed.push(slot.side),
                    _ => {}
                }
            }
        }
    }

    #[test]
    fn nothing_comes_back_to_its_source() {
        let mode = CreationMode::OnDemand { always: true };
        let mut route = route("Square", 0, (mode, mode));
        route.inputs[0].qos = EndpointQos::AsSource;
        route.outputs[0].qos = EndpointQos::AsSource;
        route.outputs[0].writers = Writers::Group;
        let mut table = Table::new(&plan(vec![route], Limits::default()), 5);
        table.connections(Time::ZERO, &[0, 1], true);
        let source = guid(1, EntityKind::WriterWithKey).to_string();
        // It is known here by two services before it is seen beyond.
        add(&mut table, Time::ZERO, 0, 2, Some(("1,2", &source)));
        let all = carry_out(&mut table, Time::ZERO);
        assert_eq!(all, (vec![Side::Output, Side::Input], vec![], 0));
        let now = Time::from_secs(1);
        add(&mut table, now, 1, 1, None);
        let (made, mut removed, _) = carry_out(&mut table, now);
        removed.sort();
        assert_eq!((made, removed), (vec![], vec![Side::Output, Side::Input]));
        // Beside it there is a source of this domain, which passes.
        add(&mut table, now, 0, 3, None);
        let (made, removed, returning) = carry_out(&mut table, now);
        assert_eq!(made, [Side::Output, Side::Input]);
        assert_eq!((removed, returning), (vec![], 1));
        // What has been there does not come back either.
        add(&mut table, now, 1, 4, Some(("1", &source)));
        // What a source leaves behind does not come back when it goes.
        let later = Time::from_secs(2);
        table.gone(later, 1, guid(1, EntityKind::WriterWithKey));
        assert_eq!(carry_out(&mut table, later), (vec![], vec![], 0));
        table.gone(later, 1, guid(4, EntityKind::WriterWithKey));
        assert_eq!(carry_out(&mut table, later), (vec![], vec![], 0));
        // By another way it may still come: if it stays, it is the only one.
        add(&mut table, later, 1, 6, Some(("3", &source)));
        assert!(table.next_timeout().is_some());
        let (made, ..) = carry_out(&mut table, later + Time::from_secs(13));
        assert_eq!(made, [Side::Output]);
    }

    #[test]
    fn a_source_is_named_by_itself_and_by_services_that_change_nothing() {
        let guid = guid(1, EntityKind::WriterWithKey);
        let mut data = WriterData::new(guid, "Square", "Shape");
        assert_eq!(source_of(&data), Some(guid.to_string()));
        data.qos.property = Properties::default().with(Via::PROPERTY, "7");
        assert_eq!(source_of(&data), None);
        data.qos.property = data.qos.property.with(SOURCE, "x");
        assert_eq!(source_of(&data), Some("x".into()));
        data.qos.property = Properties::default().with(SOURCE, "x".repeat(LONGEST + 1));
        assert_eq!(source_of(&data), None);
    }
}
