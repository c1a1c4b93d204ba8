//! Services in a row ask each other for sources.
//!
//! Each of two services in a row makes endpoints for those that are there. The one that the readers
//! are behind sees no source in the domain between them before the other one writes there, and that
//! one sees no reader. So an input that somebody beyond wants, and for which nobody writes, is a
//! reader all the same where there is another service. Its partition is one that nobody writes in,
//! so it is matched with no writer, and an application that waits for a match goes on waiting. The
//! other service counts it as any reader of a service: by the way to the reader beyond, which never
//! leads in a circle ([`Via`](crate::table::Via)).
use super::{Entry, Known, Settled};
use crate::table::{Basis, Design, Side, Slot};

impl Entry {
    /// Has inputs ask for sources that are wanted and not there.
    pub(super) fn ask(&mut self, settled: &Settled, connections: &[Known]) {
        let is_wanted = self.outputs.iter().any(|fact| fact.is_true);
        // A reader beyond that is away for a moment is asked for still.
        let lingers = self.outputs.iter().any(|fact| fact.is_believed());
        for (index, fact) in self.inputs.iter().enumerate() {
            let slot = Slot {
                side: Side::Input,
                index,
                group: Slot::ASKS,
            };
            let known = self.connection(Side::Input, index);
            let known = known.and_then(|connection| connections.get(connection));
            let has_services = known.is_some_and(|known| known.is_up && known.has_services());
            let of_input = |slot: &Slot| slot.side == Side::Input && slot.index == index;
            let is_there = fact.is_true || self.wanted.keys().any(of_input);
            let asks = is_wanted || lingers && self.slots.contains_key(&slot);
            if !has_services || is_there || !asks {
                continue;
            }
            if let Some(ty) = settled.of(Side::Input, index, None) {
                let design = Design {
                    ty,
                    basis: Basis::Asks,
                    via: self.ways[1].clone(),
                    is_alive: true,
                    returning: Vec::new(),
                    asked: None,
                };
                self.wanted.insert(slot, design);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{CreationMode, EndpointQos, Limits};
    use crate::table::tests::{guid, plan, route};
    use crate::table::{Command, Table, Time, Via};
    use dunlin::observe::{ReaderData, WriterData};
    use dunlin::{EntityKind, GuidPrefix, Properties};

    /// Sides of endpoints, and whether they ask.
    type Slots = Vec<(Side, bool)>;

    /// What is made and removed now.
    fn done(table: &mut Table, now: Time) -> (Slots, Slots) {
        let (mut made, mut removed) = (Vec::new(), Vec::new());
        loop {
            let commands = table.take_commands();
            if commands.is_empty() {
                return (made, removed);
            }
            for command in commands {
                match command {
                    Command::Make(route, slot, design) => {
                        assert_eq!(slot.asks(), design.basis == Basis::Asks);
                        made.push((slot.side, slot.asks()));
                        table.made(now, route, slot);
                    }
                    Command::Remove(_, slot) => removed.push((slot.side, slot.asks())),
                    _ => {}
                }
            }
        }
    }

    fn table(modes: (CreationMode, CreationMode)) -> Table {
        let mut route = route("Square", 0, modes);
        route.inputs[0].qos = EndpointQos::AsSource;
        route.outputs[0].qos = EndpointQos::AsSource;
        let mut table = Table::new(&plan(vec![route], Limits::default()), 5);
        for connection in [0, 1] {
            table.connections(Time::ZERO, &[connection], true);
        }
        table
    }

    fn reader(way: &str) -> Box<ReaderData> {
        let guid = guid(9, EntityKind::ReaderWithKey);
        let mut data = ReaderData::new(guid, "Square", "Shape");
        data.qos.property = Properties::default().with(Via::PROPERTY, way);
        Box::new(data)
    }

    fn writer() -> Box<WriterData> {
        let guid = guid(1, EntityKind::WriterWithKey);
        Box::new(WriterData::new(guid, "Square", "Shape"))
    }

    #[test]
    fn an_input_asks_while_somebody_beyond_wants_it_and_nobody_here_writes() {
        let demand = CreationMode::OnDemand { always: false };
        let mut table = table((demand, demand));
        let mut now = Time::ZERO;
        table.reader(now, 1, reader("00000007"));
        assert_eq!(done(&mut table, now).0, [], "there is nobody to be asked");
        let other = GuidPrefix([7; 12]);
        table.service(now, 0, other, true);
        let asking = (Side::Input, true);
        assert_eq!(done(&mut table, now).0, [asking]);
        // A source is there: nobody is to be asked.
        table.writer(now, 0, writer());
        let there = [(Side::Output, false), (Side::Input, false)];
        assert_eq!(done(&mut table, now), (there.to_vec(), vec![asking]));
        // It is gone, and with it what was there.
        table.gone(now, 0, writer().guid);
        assert_eq!(done(&mut table, now), (vec![], vec![]));
        now = Time::from_secs(3);
        table.handle_timeout(now);
        assert_eq!(done(&mut table, now), (vec![asking], there.to_vec()));
        // The other service goes.
        table.service(now, 0, other, false);
        assert_eq!(done(&mut table, now).1, [asking]);
        table.service(now, 0, other, true);
        assert_eq!(done(&mut table, now).0, [asking]);
        // Whoever wanted it is there by way of this service alone: it lingers, and goes.
        table.reader(now, 1, reader("00000007,00000005"));
        assert_eq!(done(&mut table, now), (vec![], vec![]));
        now = Time::from_secs(6);
        table.handle_timeout(now);
        assert_eq!(done(&mut table, now).1, [asking]);
    }

    #[test]
    fn an_input_that_is_there_in_any_case_does_not_ask() {
        let mut table = table((CreationMode::Immediate, CreationMode::OnDomainMatch));
        let now = Time::ZERO;
        table.service(now, 0, GuidPrefix([7; 12]), true);
        table.writer(now, 0, writer());
        table.reader(now, 1, reader("00000007"));
        let (made, _) = done(&mut table, now);
        assert!(!made.contains(&(Side::Input, true)), "{made:?}");
    }
}
