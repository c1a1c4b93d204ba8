//! From what there is to what there should be.
use super::far_filters::is_wider;
use super::outlets::Outlets;
use super::{Entry, Have, Status};
use crate::table::rate::Rate;
use crate::table::{Command, Design, RouteId, Side, Slot, Time};

/// Between two changes of what an endpoint announces.
const BETWEEN_CHANGES: Time = Time::from_millis(250);

impl Entry {
    /// Says what is to be done so that there is what should be.
    pub(in crate::table) fn reconcile(
        &mut self,
        now: Time,
        id: RouteId,
        rates: &mut [Rate],
        room: &mut usize,
        commands: &mut Vec<Command>,
    ) {
        let facts = self.inputs.iter().chain(&self.outputs);
        let mut due: Vec<Time> = facts.filter_map(|fact| fact.until).collect();
        due.extend(self.sources.due());
        due.extend(self.far_filters.due(self.plan.settings.filter_propagation));
        due.extend(self.returned.values().flatten());
        due.extend(self.broken().map(|broken| broken.until));
        for slot in self.outdated() {
            match self.take_turn(now, slot, rates) {
                Ok(()) => {
                    self.slots.remove(&slot);
                    *room += 1;
                    commands.push(Command::Remove(id, slot));
                }
                Err(at) => due.push(at),
            }
        }
        let wanted: Vec<Slot> = self.wanted.keys().copied().collect();
        self.crowded.clear();
        // When there is to be an output that has to wait for its turn.
        let mut late = None;
        for slot in wanted {
            match self.slots.get(&slot).map(|have| &have.status) {
                Some(Status::Making | Status::Made) => continue,
                Some(Status::Failed(at, _)) if *at > now => {
                    due.push(*at);
                    continue;
                }
                None if *room == 0 => {
                    self.crowded.insert(slot);
                    due.push(now + Time::from_secs(1));
                    continue;
                }
                _ => {}
            }
            // What an input takes before there is an output for it is nobody's.
            if slot.side == Side::Input && !slot.asks() && self.outlets(slot) != Outlets::Open {
                due.extend(late);
                continue;
            }
            match self.take_turn(now, slot, rates) {
                Ok(()) => self.make(now, id, slot, room, commands),
                Err(at) => {
                    due.push(at);
                    if slot.side == Side::Output {
                        late.get_or_insert(at);
                    }
                }
            }
        }
        self.announce(now, id, commands, &mut due);
        self.due = due.into_iter().min();
    }

    /// Has endpoints say what has changed of what they announce, not too often.
    fn announce(
        &mut self,
        now: Time,
        id: RouteId,
        commands: &mut Vec<Command>,
        due: &mut Vec<Time>,
    ) {
        for (slot, have) in &mut self.slots {
            let wanted = self.wanted.get(slot);
            let is_news = |wanted: &&Design| have.status == Status::Made && **wanted != have.design;
            let Some(wanted) = wanted.filter(is_news) else {
                continue;
            };
            let next = have.changed + BETWEEN_CHANGES;
            // Somebody waits for what a wider filter lets through.
            if next > now && !is_wider(&wanted.asked, &have.design.asked) {
                due.push(next);
                continue;
            }
            have.design = wanted.clone();
            have.changed = now;
            commands.push(Command::Change(id, *slot, Box::new(wanted.clone())));
        }
    }

    /// Endpoints that should not be there, or not as they are.
    fn outdated(&mut self) -> Vec<Slot> {
        let wanted = &self.wanted;
        let fits = |slot: &Slot, have: &Have| {
            let is_alike = |wanted: &Design| wanted.is_alike(&have.design);
            wanted.get(slot).is_some_and(is_alike)
        };
        // What failed is not there.
        let is_failed = |have: &Have| matches!(have.status, Status::Failed(..));
        self.slots
            .retain(|slot, have| fits(slot, have) || !is_failed(have));
        let made = self
            .slots
            .iter()
            .filter(|(_, have)| have.status == Status::Made);
        let outdated = made.filter(|(slot, have)| !fits(slot, have));
        outdated.map(|(slot, _)| *slot).collect()
    }

    /// One more endpoint of a participant is made or removed.
    fn take_turn(&self, now: Time, slot: Slot, rates: &mut [Rate]) -> Result<(), Time> {
        let connection = self.connection(slot.side, slot.index);
        match connection.and_then(|connection| rates.get_mut(connection)) {
            Some(rate) => rate.take(now),
            None => Ok(()),
        }
    }

    fn make(
        &mut self,
        now: Time,
        id: RouteId,
        slot: Slot,
        room: &mut usize,
        commands: &mut Vec<Command>,
    ) {
        let Some(design) = self.wanted.get(&slot).cloned() else {
            return;
        };
        let before = self.slots.get(&slot).map(|have| have.failures);
        if before.is_none() {
            *room = room.saturating_sub(1);
        }
        let have = Have {
            design: design.clone(),
            changed: now,
            status: Status::Making,
            failures: before.unwrap_or_default(),
        };
        self.slots.insert(slot, have);
        commands.push(Command::Make(id, slot, Box::new(design)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::{CreationMode, EndpointQos, Limits, Writers};
    use crate::table::Table;
    use crate::table::tests::{guid, plan, route, typed};
    use dunlin::observe::WriterData;
    use dunlin::{Durability, EntityKind};

    /// Which sides get an endpoint; all of them are made.
    fn made(table: &mut Table, now: Time) -> Vec<Side> {
        table.handle_timeout(now);
        let mut sides = Vec::new();
        loop {
            let commands = table.take_commands();
            if commands.is_empty() {
                return sides;
            }
            for command in commands {
                if let Command::Make(route, slot, _) = command {
                    table.made(now, route, slot);
                    sides.push(slot.side);
                }
            }
        }
    }

    #[test]
    fn an_input_waits_for_outputs_that_wait_for_their_turn() {
        let mode = CreationMode::OnDemand { always: true };
        let mut route = route("Square", 0, (mode, mode));
        route.inputs[0].qos = EndpointQos::AsSource;
        route.outputs[0].qos = EndpointQos::AsSource;
        route.outputs[0].writers = Writers::Mirror;
        let limits = Limits {
            endpoints_per_second: 1,
            ..Limits::default()
        };
        let mut table = Table::new(&plan(vec![route], limits), 5);
        for connection in [0, 1] {
            table.connections(Time::ZERO, &[connection], true);
        }
        let (id, _) = table.routes().next().unwrap();
        table.enable(Time::ZERO, id, false);
        for number in 1..=2 {
            let guid = guid(number, EntityKind::WriterWithKey);
            let mut data = WriterData::new(guid, "Square", "Shape");
            data.qos.durability = Durability::TransientLocal;
            table.writer(Time::ZERO, 0, Box::new(data));
        }
        assert!(made(&mut table, Time::ZERO).is_empty());
        table.enable(Time::ZERO, id, true);
        let mut all = Vec::new();
        for millis in 0..3_000 {
            all.extend(made(&mut table, Time::from_millis(millis)));
        }
        assert_eq!(all, [Side::Output, Side::Output, Side::Input]);
    }

    #[test]
    fn an_input_waits_for_the_participant_of_its_output() {
        let mode = CreationMode::Immediate;
        let route = typed(route("Square", 0, (mode, mode)));
        let mut table = Table::new(&plan(vec![route], Limits::default()), 5);
        table.connections(Time::ZERO, &[0], true);
        assert!(made(&mut table, Time::ZERO).is_empty());
        table.connections(Time::ZERO, &[1], true);
        assert_eq!(made(&mut table, Time::ZERO), [Side::Output, Side::Input]);
    }
}
