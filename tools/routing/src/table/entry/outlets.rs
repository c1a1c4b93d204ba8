//! What an input leads to. Nothing is taken that no output can write: a sample that was taken is
//! acknowledged, so its source believes that it is beyond.
use super::{Entry, Status};
use crate::table::{Basis, Design, Side, Slot};

/// How it is with the outputs that an input leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outlets {
    /// One of them is there, or there are to be none.
    Open,
    /// It is not known yet whether they can be made.
    Pending,
    /// None of them could be made.
    Closed,
}

/// When what failed is tried again.
const AGAIN: &str = "tried again after 1, 2, 4 ... 60 s, and when its configuration changes";

/// What one says that finds no room.
const CROWDED: &str = "waits for room: the service has as many endpoints as limits.endpoints \
    allows; raise that, or route fewer topics";

impl Entry {
    /// How it is with the outputs that a wanted input leads to.
    pub(super) fn outlets(&self, input: Slot) -> Outlets {
        let all = self.wanted.iter();
        let own = all.filter(|(slot, design)| self.leads(input, **slot, design));
        let (mut any, mut open, mut pending) = (false, false, false);
        for (slot, _) in own {
            any = true;
            match self.slots.get(slot) {
                Some(have) if have.status == Status::Made => open = true,
                // That it is tried again holds up nobody.
                Some(have) if have.failures > 0 => {}
                Some(_) => pending = true,
                None => pending |= !self.crowded.contains(slot),
            }
        }
        match (pending, open || !any) {
            (true, _) => Outlets::Pending,
            (false, true) => Outlets::Open,
            (false, false) => Outlets::Closed,
        }
    }

    /// Is there to be no output for it?
    fn leads_nowhere(&self, input: Slot) -> bool {
        let mut all = self.wanted.iter();
        !all.any(|(slot, design)| self.leads(input, *slot, design))
    }

    /// May what an input takes go to this output?
    fn leads(&self, input: Slot, slot: Slot, design: &Design) -> bool {
        let processor = self.plan.settings.processor.as_ref();
        let splits = processor.is_some_and(|processor| processor.class == "split");
        if slot.side != Side::Output || splits && slot.index != input.index {
            return false;
        }
        match &design.basis {
            _ if slot.group == 0 => true,
            Basis::Plan | Basis::Asks => true,
            Basis::Group(group, ..) | Basis::Writer(group, _) => {
                let source = self.sources.groups.get(group);
                // An input with QoS of its own is for all groups of its sources.
                let is_own = source.is_none_or(|source| source.input == input.index);
                input.group == *group || input.group == 0 && is_own
            }
        }
    }

    /// Inputs whose outputs could not be made, or of whose sources nothing is passed on, are not to
    /// be there.
    pub(super) fn close_inputs(&mut self) {
        let inputs = self.wanted.keys().filter(|slot| slot.side == Side::Input);
        let closed = inputs.filter(|slot| {
            self.outlets(**slot) == Outlets::Closed
                || self.only_returns(**slot) && self.leads_nowhere(**slot)
        });
        let closed: Vec<Slot> = closed.copied().collect();
        closed.iter().for_each(|slot| {
            self.wanted.remove(slot);
        });
    }

    /// What failed is tried at once.
    pub(in crate::table) fn try_again(&mut self) {
        for have in self.slots.values_mut() {
            if let Status::Failed(at, _) = &mut have.status {
                *at = Default::default();
            }
        }
    }

    /// Why an endpoint of an input or output could not be made.
    pub(super) fn failure(&self, side: Side, index: usize) -> Option<&str> {
        let mut own = self
            .slots
            .iter()
            .filter(|(slot, _)| slot.side == side && slot.index == index && !slot.asks());
        own.find_map(|(_, have)| have.why_failed())
    }

    /// What there is to be said of an input or output that is not as it should be.
    pub(super) fn note_of(&self, side: Side, index: usize) -> Option<String> {
        let is_crowded = |slot: &&Slot| slot.side == side && slot.index == index;
        let crowded = self.crowded.iter().find(is_crowded);
        match self.failure(side, index) {
            Some(_) => Some(AGAIN.to_owned()),
            None => crowded.map(|_| CROWDED.to_owned()),
        }
    }

    /// Which inputs and outputs could not be made, and what that means for the route.
    pub(super) fn why_not_whole(&self) -> Option<String> {
        let inputs = self.plan.inputs.iter().enumerate();
        let inputs = inputs.map(|(at, input)| (Side::Input, at, "input", &input.name));
        let outputs = self.plan.outputs.iter().enumerate();
        let outputs = outputs.map(|(at, output)| (Side::Output, at, "output", &output.name));
        let all = outputs.chain(inputs);
        let failed = all.filter_map(|(side, at, what, name)| {
            let is_crowded = |slot: &&Slot| slot.side == side && slot.index == at;
            let why = self.failure(side, at);
            let why = why.or_else(|| self.crowded.iter().find(is_crowded).map(|_| CROWDED))?;
            Some(format!("{what} {name:?} could not be made: {why}"))
        });
        let failed: Vec<String> = failed.collect();
        if failed.is_empty() {
            return None;
        }
        let begin = match self.is_made(Side::Input) {
            true => "",
            false => "takes nothing: ",
        };
        Some(format!("{begin}{}", failed.join("; ")))
    }
}

#[cfg(test)]
mod tests {
    use crate::plan::{CreationMode, Limits, Plugin, Route};
    use crate::state::State;
    use crate::table::tests::{input, output, plan, route, typed};
    use crate::table::{Command, Side, Slot, Table, Time, reload};
    use std::collections::BTreeSet;

    /// A table whose commands are carried out, but for those whose output is in `refuses`.
    struct World {
        table: Table,
        there: BTreeSet<Slot>,
        refuses: BTreeSet<usize>,
        /// All that was made, in order.
        made: Vec<Slot>,
    }

    impl World {
        fn new(route: Route, limits: Limits, refuses: &[usize]) -> Self {
            let mut world = Self {
                table: Table::new(&plan(vec![route], limits), 5),
                there: BTreeSet::new(),
                refuses: refuses.iter().copied().collect(),
                made: Vec::new(),
            };
            world.table.connections(Time::ZERO, &[0, 1], true);
            world.pass(Time::ZERO);
            world
        }

        fn pass(&mut self, now: Time) {
            self.table.handle_timeout(now);
            loop {
                let commands = self.table.take_commands();
                if commands.is_empty() {
                    return;
                }
                for command in commands {
                    match command {
                        Command::Make(id, slot, _) => {
                            let is_output = slot.side == Side::Output;
                            if is_output && self.refuses.contains(&slot.index) {
                                self.table.failed(now, id, slot, "no".into());
                                continue;
                            }
                            self.there.insert(slot);
                            self.made.push(slot);
                            self.table.made(now, id, slot);
                        }
                        Command::Remove(_, slot) => assert!(self.there.remove(&slot)),
                        _ => {}
                    }
                }
            }
        }

        fn has(&self, side: Side, index: usize) -> bool {
            let slot = Slot {
                side,
                index,
                group: 0,
            };
            self.there.contains(&slot)
        }

        fn note(&self) -> (State, String) {
            let (_, entry) = self.table.routes().next().unwrap();
            let state = entry.state();
            (state.state, state.note.unwrap_or_default())
        }
    }

    const IMMEDIATE: (CreationMode, CreationMode) =
        (CreationMode::Immediate, CreationMode::Immediate);

    fn two_outputs() -> Route {
        let mut route = typed(route("Square", 0, IMMEDIATE));
        let mut second = output(1, "Square", CreationMode::Immediate);
        second.name = "second".into();
        route.outputs.push(second);
        route
    }

    #[test]
    fn nothing_is_taken_before_the_output_could_be_made() {
        let route = typed(route("Square", 0, IMMEDIATE));
        let mut world = World::new(route, Limits::default(), &[0]);
        assert!(world.there.is_empty());
        let (state, note) = world.note();
        assert_eq!(state, State::Started);
        let wanted = "takes nothing: output \"Square\" could not be made: no";
        assert_eq!(note, wanted);
        let (_, entry) = world.table.routes().next().unwrap();
        let output = entry.slot_state(Side::Output, 0);
        assert_eq!(output.state, State::Failed("no".into()));
        assert!(output.note.unwrap().contains("60 s"));
        assert_eq!(entry.slot_state(Side::Input, 0).state, State::Started);
        // Refused once more after a second; then it can be made.
        world.pass(Time::from_secs(1));
        world.refuses.clear();
        world.pass(Time::from_secs(2));
        assert!(world.there.is_empty());
        world.pass(Time::from_secs(3));
        let sides: Vec<Side> = world.made.iter().map(|slot| slot.side).collect();
        assert_eq!(sides, [Side::Output, Side::Input]);
        assert_eq!(world.note(), (State::Running, String::new()));
    }

    #[test]
    fn an_output_that_fails_does_not_stop_the_other_one() {
        let mut world = World::new(two_outputs(), Limits::default(), &[0]);
        assert!(world.has(Side::Input, 0) && world.has(Side::Output, 1));
        let (state, note) = world.note();
        assert_eq!(state, State::Running);
        assert_eq!(note, "output \"Square\" could not be made: no");
        world.refuses.clear();
        world.pass(Time::from_secs(1));
        assert!(world.has(Side::Output, 0) && world.note().1.is_empty());
        assert_eq!(
            world.made.iter().filter(|s| s.side == Side::Input).count(),
            1
        );
    }

    #[test]
    fn an_input_that_is_split_off_goes_by_its_own_output() {
        let mut route = two_outputs();
        let mut second = input(0, "Circle", CreationMode::Immediate);
        (second.keyed, second.type_name) = (Some(true), Some("Shape".into()));
        route.inputs.push(second);
        route.settings.processor = Some(Plugin {
            class: "split".into(),
            properties: Default::default(),
        });
        let world = World::new(route, Limits::default(), &[1]);
        assert!(world.has(Side::Input, 0) && !world.has(Side::Input, 1));
    }

    #[test]
    fn an_input_goes_when_its_output_cannot_be_made_any_more() {
        let mut world = World::new(typed(route("Square", 0, IMMEDIATE)), Limits::default(), &[]);
        assert_eq!(world.there.len(), 2);
        world.refuses.insert(0);
        // The participant of the output returns.
        world.there.retain(|slot| slot.side == Side::Input);
        world.table.connections(Time::ZERO, &[1], true);
        world.pass(Time::ZERO);
        assert!(world.there.is_empty());
        world.refuses.clear();
        world.pass(Time::from_secs(1));
        assert_eq!(world.there.len(), 2);
    }

    #[test]
    fn what_failed_is_tried_at_once_when_its_plan_changes() {
        let route = typed(route("Square", 0, IMMEDIATE));
        let mut changed = route.clone();
        changed.settings.linger = dunlin::Duration::from_secs(9);
        let mut world = World::new(route.clone(), Limits::default(), &[0]);
        let plans = [route, changed].map(|route| plan(vec![route], Limits::default()));
        let kept = reload::kept(&plans[0], &plans[1]);
        world.refuses.clear();
        let now = Time::from_millis(10);
        world.pass(now);
        assert!(world.there.is_empty());
        world.table.reload(now, (&plans[0], &plans[1]), &kept);
        world.pass(now);
        assert_eq!(world.there.len(), 2);
    }

    #[test]
    fn an_output_without_room_says_so_and_nothing_is_taken() {
        let limits = Limits {
            endpoints: 0,
            ..Limits::default()
        };
        let world = World::new(typed(route("Square", 0, IMMEDIATE)), limits, &[]);
        assert!(world.there.is_empty());
        let (_, note) = world.note();
        assert!(note.contains("takes nothing: output \"Square\""), "{note}");
        assert!(note.contains("limits.endpoints"), "{note}");
    }
}
