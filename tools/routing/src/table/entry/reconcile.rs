//! From what there is to what there should be.
use super::{Entry, Have, Status};
use crate::table::rate::Rate;
use crate::table::{Command, Design, RouteId, Slot, Time};

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
        for slot in wanted {
            match self.slots.get(&slot).map(|have| &have.status) {
                Some(Status::Making | Status::Made) => continue,
                Some(Status::Failed(at, _)) if *at > now => {
                    due.push(*at);
                    continue;
                }
                None if *room == 0 => {
                    due.push(now + Time::from_secs(1));
                    continue;
                }
                _ => {}
            }
            match self.take_turn(now, slot, rates) {
                Ok(()) => self.make(now, id, slot, room, commands),
                Err(at) => due.push(at),
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
            if next > now {
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
