//! Properties of the table, over any order of events.
use super::*;
use crate::plan::*;
use crate::state::State;
use dunlin::{EntityId, EntityKind, GuidPrefix};
use proptest::prelude::*;
use std::collections::BTreeSet;

const TOPICS: [&str; 2] = ["Square", "Circle"];

pub(super) fn guid(number: u8, kind: EntityKind) -> Guid {
    Guid::new(
        GuidPrefix([number; 12]),
        EntityId::user(u32::from(number), kind),
    )
}

pub(super) fn input(connection: usize, topic: &str, mode: CreationMode) -> Input {
    Input {
        name: topic.into(),
        connection,
        topic: topic.into(),
        type_name: None,
        keyed: None,
        mode,
        qos: EndpointQos::Explicit(Box::default()),
        filter: None,
        max_rate: None,
        partitions: None,
    }
}

pub(super) fn output(connection: usize, topic: &str, mode: CreationMode) -> Output {
    Output {
        name: topic.into(),
        connection,
        topic: topic.into(),
        type_name: None,
        keyed: None,
        mode,
        qos: EndpointQos::Explicit(Box::default()),
        writers: Writers::One,
        transformation: None,
        representation: None,
        partitions: Vec::new(),
    }
}

pub(super) fn route(topic: &str, from: usize, modes: (CreationMode, CreationMode)) -> Route {
    Route {
        name: format!("{topic} {from}"),
        enabled: true,
        settings: RouteSettings::xml(),
        inputs: vec![input(from, topic, modes.0)],
        outputs: vec![output(1 - from, topic, modes.1)],
    }
}

/// With a type: one that is learnt from an endpoint is kept when that goes, as long as the route
/// has endpoints.
pub(super) fn typed(mut route: Route) -> Route {
    route.inputs[0].keyed = Some(true);
    route.inputs[0].type_name = Some("Shape".into());
    route
}

pub(super) fn plan(routes: Vec<Route>, limits: Limits) -> Plan {
    let connection = |name: &str| Connection {
        name: name.into(),
        kind: ConnectionKind::Participant(Box::default()),
    };
    let session = Session {
        name: "s".into(),
        enabled: true,
        threads: ThreadPool::default(),
        publisher: Default::default(),
        subscriber: Default::default(),
        period: None,
        routes,
        auto_routes: Vec::new(),
    };
    Plan {
        name: "t".into(),
        group: String::new(),
        enabled: true,
        administration: None,
        monitoring: None,
        limits,
        types: Default::default(),
        domain_routes: vec![DomainRoute {
            name: "d".into(),
            enabled: true,
            connections: vec![connection("a"), connection("b")],
            sessions: vec![session],
        }],
    }
}

/// A table whose commands are carried out.
struct World {
    table: Table,
    now: Time,
    there: BTreeSet<(RouteId, Slot)>,
    /// Who is there, by connection.
    remote: BTreeSet<(usize, u8, bool, usize)>,
    /// Which connections have a participant.
    up: [bool; 2],
}

impl World {
    fn new(plan: &Plan) -> Self {
        let mut world = Self {
            table: Table::new(plan, 1),
            now: Time::ZERO,
            there: BTreeSet::new(),
            remote: BTreeSet::new(),
            up: [true; 2],
        };
        world.table.connections(world.now, &[0], true);
        world.table.connections(world.now, &[1], true);
        world.carry_out();
        world
    }

    /// Returns how many endpoints were made and removed.
    fn carry_out(&mut self) -> usize {
        let mut count = 0;
        let mut changed = BTreeSet::new();
        loop {
            let commands = self.table.take_commands();
            if commands.is_empty() {
                return count;
            }
            for command in commands {
                match command {
                    Command::Make(route, slot, _) => {
                        count += 1;
                        assert!(self.there.insert((route, slot)), "made twice");
                        self.table.made(self.now, route, slot);
                    }
                    Command::Change(route, slot, _) => {
                        assert!(self.there.contains(&(route, slot)), "not there");
                        assert!(changed.insert((route, slot)), "twice at once");
                    }
                    Command::Reform(_) => {}
                    Command::Forget(route) => {
                        assert!(self.there.iter().all(|(other, _)| *other != route));
                    }
                    Command::Remove(route, slot) => {
                        count += 1;
                        assert!(self.there.remove(&(route, slot)), "removed, but not there");
                    }
                }
            }
        }
    }

    fn add(&mut self, connection: usize, number: u8, writes: bool, topic: usize) {
        self.remote
            .retain(|(c, n, w, _)| (*c, *n, *w) != (connection, number, writes));
        self.remote.insert((connection, number, writes, topic));
        let name = TOPICS[topic];
        match writes {
            true => {
                let guid = guid(number, EntityKind::WriterWithKey);
                let data = WriterData::new(guid, name, "Shape");
                self.table.writer(self.now, connection, Box::new(data));
            }
            false => {
                let guid = guid(number, EntityKind::ReaderWithKey);
                let data = ReaderData::new(guid, name, "Shape");
                self.table.reader(self.now, connection, Box::new(data));
            }
        }
    }

    fn remove(&mut self, connection: usize, number: u8, writes: bool) {
        self.remote
            .retain(|(c, n, w, _)| (*c, *n, *w) != (connection, number, writes));
        let kind = match writes {
            true => EntityKind::WriterWithKey,
            false => EntityKind::ReaderWithKey,
        };
        self.table.gone(self.now, connection, guid(number, kind));
    }

    /// Lets time pass until nothing is left to do.
    fn rest(&mut self) {
        self.carry_out();
        for _ in 0..10_000 {
            let Some(at) = self.table.next_timeout() else {
                return;
            };
            self.now = self.now.max(at);
            self.table.handle_timeout(self.now);
            self.carry_out();
        }
        panic!("the table does not come to rest");
    }

    /// What is there, by the path of its route.
    fn by_path(&self) -> BTreeMap<(String, Slot), RouteId> {
        let all = self.there.iter().map(|(id, slot)| {
            let path = self.table.route(*id).unwrap().place.path.to_string();
            ((path, *slot), *id)
        });
        all.collect()
    }

    fn has(&self, connection: usize, writes: bool, topic: &str) -> bool {
        let mut all = self.remote.iter();
        all.any(|(c, _, w, t)| *c == connection && *w == writes && TOPICS[*t] == topic)
    }
}

/// A writer that looks to readers as others of that number do.
fn source(number: u8, look: u8) -> Box<WriterData> {
    let guid = guid(number, EntityKind::WriterWithKey);
    let mut data = WriterData::new(guid, "Square", "Shape");
    data.qos.entity_name = format!("writer {number}");
    match look {
        0 => {}
        1 => data.qos.reliability = dunlin::Reliability::BEST_EFFORT,
        2 => data.publisher.partition.0 = vec!["p".into()],
        3 => data.qos.durability = dunlin::Durability::TransientLocal,
        _ => data.qos.ownership = dunlin::Ownership::Exclusive,
    }
    Box::new(data)
}

fn mode() -> impl Strategy<Value = CreationMode> {
    use CreationMode::*;
    prop_oneof![
        Just(Immediate),
        Just(OnDomainMatch),
        Just(OnRouteMatch),
        Just(OnDomainAndRouteMatch),
        Just(OnDomainOrRouteMatch),
        any::<bool>().prop_map(|always| OnDemand { always }),
    ]
}

#[derive(Clone, Debug)]
enum Happens {
    Comes(usize, u8, bool, usize),
    Goes(usize, u8, bool),
    Passes(u64),
    Down(usize),
    Up(usize),
    Enabled(usize, bool),
}

fn happens() -> impl Strategy<Value = Happens> {
    let who = || (0..2_usize, 1..4_u8, any::<bool>());
    prop_oneof![
        4 => (who(), 0..2_usize).prop_map(|((c, n, w), t)| Happens::Comes(c, n, w, t)),
        3 => who().prop_map(|(c, n, w)| Happens::Goes(c, n, w)),
        2 => (0..3_000_u64).prop_map(Happens::Passes),
        1 => (0..2_usize).prop_map(Happens::Down),
        1 => (0..2_usize).prop_map(Happens::Up),
        1 => (0..4_usize, any::<bool>()).prop_map(|(r, e)| Happens::Enabled(r, e)),
    ]
}

impl World {
    fn happen(&mut self, what: &Happens) {
        match *what {
            Happens::Comes(connection, number, writes, topic) => {
                self.add(connection, number, writes, topic);
            }
            Happens::Goes(connection, number, writes) => self.remove(connection, number, writes),
            Happens::Passes(millis) => {
                self.now += Time::from_millis(millis);
                self.table.handle_timeout(self.now);
            }
            Happens::Down(connection) | Happens::Up(connection) => {
                let is_up = matches!(what, Happens::Up(_));
                if std::mem::replace(&mut self.up[connection], is_up) == is_up {
                    return;
                }
                // The endpoints of a participant go with it, and what it knew.
                self.carry_out();
                let table = &self.table;
                self.there.retain(|(route, slot)| {
                    let entry = table.route(*route).unwrap();
                    entry.connection(slot.side, slot.index) != Some(connection)
                });
                self.remote.retain(|(c, ..)| *c != connection);
                self.table.connections(self.now, &[connection], is_up);
            }
            Happens::Enabled(route, enabled) => {
                self.table.enable(self.now, RouteId(route), enabled);
            }
        }
    }
}

/// Up to four routes, of which another plan may have some alike and some with other settings.
fn routes_of_a_plan() -> impl Strategy<Value = Vec<Route>> {
    let one = (
        any::<bool>(),
        prop_oneof![3 => Just(true), 1 => Just(false)],
        few_modes(),
    );
    proptest::collection::vec(one, 4).prop_map(|all| {
        let all = all.into_iter().enumerate().filter(|(_, (is, ..))| *is);
        let made = all.map(|(at, (_, enabled, modes))| Route {
            enabled,
            ..typed(route(TOPICS[at % 2], at / 2, modes))
        });
        made.collect()
    })
}

/// Few, so that two plans often agree.
fn few_modes() -> impl Strategy<Value = (CreationMode, CreationMode)> {
    use CreationMode::*;
    prop_oneof![
        3 => Just((OnDomainMatch, OnRouteMatch)),
        1 => Just((OnDomainAndRouteMatch, Immediate)),
        1 => Just((OnDemand { always: true }, OnDemand { always: true })),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// However it came about, what is there depends on what is known alone, and each endpoint is
    /// supported by a remote one, unless its mode asks for none.
    #[test]
    fn what_is_there_depends_on_what_is_known(
        modes in proptest::collection::vec((mode(), mode()), 4),
        all in proptest::collection::vec(happens(), 0..60),
    ) {
        let routes: Vec<Route> = modes.iter().enumerate()
            .map(|(at, modes)| typed(route(TOPICS[at % 2], at / 2, *modes)))
            .collect();
        let mut world = World::new(&plan(routes.clone(), Limits::default()));
        let mut up = [true, true];
        let mut enabled = [true; 4];
        for what in &all {
            world.happen(what);
            match *what {
                Happens::Down(connection) => up[connection] = false,
                Happens::Up(connection) => up[connection] = true,
                Happens::Enabled(route, is) => enabled[route] = is,
                Happens::Comes(connection, number, writes, _) if !up[connection] => {
                    // Nobody is discovered where there is no participant.
                    world.remove(connection, number, writes);
                }
                _ => {}
            }
            // One endpoint concerns two routes at most here, each with two endpoints, which may be
            // replaced.
            prop_assert!(world.carry_out() <= 16);
        }
        world.rest();
        // The same from nothing.
        let mut fresh = World::new(&plan(routes.clone(), Limits::default()));
        for (connection, _) in up.into_iter().enumerate().filter(|(_, is_up)| !is_up) {
            fresh.happen(&Happens::Down(connection));
        }
        for (route, is) in enabled.into_iter().enumerate() {
            fresh.happen(&Happens::Enabled(route, is));
        }
        fresh.carry_out();
        for (connection, number, writes, topic) in world.remote.clone() {
            fresh.add(connection, number, writes, topic);
        }
        fresh.rest();
        prop_assert_eq!(&world.there, &fresh.there);
        for (at, ((input, output), route)) in modes.iter().zip(&routes).enumerate() {
            let topic = TOPICS[at % 2];
            let (from, to) = (at / 2, 1 - at / 2);
            let domain = [world.has(from, true, topic), world.has(to, false, topic)];
            for (side, mode) in [(Side::Input, input), (Side::Output, output)] {
                let slot = Slot { side, index: 0, group: 0 };
                if world.there.contains(&(RouteId(at), slot)) {
                    let connection = if side == Side::Input { from } else { to };
                    prop_assert!(enabled[at] && up[connection]);
                    let other = match side { Side::Input => output, Side::Output => input };
                    let needs_none = [*mode, *other].contains(&CreationMode::Immediate);
                    prop_assert!(needs_none || domain[0] || domain[1], "{:?}", route.name);
                }
            }
        }
    }

    /// A table that takes over another plan ends with what one has that was made by that plan, and
    /// does nothing to the routes that both have alike.
    #[test]
    fn another_plan_ends_as_if_it_had_been_the_first(
        before in routes_of_a_plan(),
        after in routes_of_a_plan(),
        all in proptest::collection::vec(happens(), 0..40),
    ) {
        let (old, new) = (plan(before, Limits::default()), plan(after, Limits::default()));
        let mut world = World::new(&old);
        for what in all.iter().filter(|what| !matches!(what, Happens::Enabled(..))) {
            world.happen(what);
            if let Happens::Comes(connection, number, writes, _) = what
                && !world.up[*connection]
            {
                world.remove(*connection, *number, *writes);
            }
            world.carry_out();
        }
        let known = world.by_path();
        let kept = reload::kept(&old, &new);
        prop_assert_eq!(&kept, &[Some(0), Some(1)]);
        world.table.reload(world.now, (&old, &new), &kept);
        world.carry_out();
        let routes = |plan: &Plan| plan.domain_routes[0].sessions[0].routes.clone();
        for route in routes(&old).iter().filter(|route| routes(&new).contains(route)) {
            let path = format!("routes/{}", route.name);
            let of = |all: &BTreeMap<(String, Slot), RouteId>| -> Vec<_> {
                all.clone().into_iter().filter(|((p, _), _)| p.ends_with(&path)).collect()
            };
            prop_assert_eq!(of(&known), of(&world.by_path()));
        }
        world.rest();
        let mut fresh = World::new(&new);
        for (connection, _) in world.up.iter().enumerate().filter(|(_, is_up)| !**is_up) {
            fresh.happen(&Happens::Down(connection));
        }
        fresh.carry_out();
        for (connection, number, writes, topic) in world.remote.clone() {
            fresh.add(connection, number, writes, topic);
        }
        fresh.rest();
        let places = |world: &World| -> BTreeSet<_> { world.by_path().into_keys().collect() };
        prop_assert_eq!(places(&world), places(&fresh));
    }

    /// Groups and mirrored writers are those of the sources that are there, whatever came before.
    #[test]
    fn groups_follow_the_sources(
        writers in prop_oneof![Just(Writers::One), Just(Writers::Group), Just(Writers::Mirror)],
        all in proptest::collection::vec((1..5_u8, 0..5_u8, any::<bool>(), 0..3_000_u64), 0..40),
    ) {
        let mode = CreationMode::OnDemand { always: true };
        let mut route = route("Square", 0, (mode, mode));
        route.inputs[0].qos = EndpointQos::AsSource;
        route.outputs[0].qos = EndpointQos::AsSource;
        route.outputs[0].writers = writers;
        let plan = plan(vec![route], Limits::default());
        let (mut world, mut fresh) = (World::new(&plan), World::new(&plan));
        let mut sources = BTreeMap::new();
        for world in [&mut world, &mut fresh] {
            world.add(1, 9, false, 0);
        }
        for (number, look, comes, millis) in all {
            world.now += Time::from_millis(millis);
            world.table.handle_timeout(world.now);
            match comes {
                true => {
                    sources.insert(number, look);
                    world.table.writer(world.now, 0, source(number, look));
                }
                false => {
                    sources.remove(&number);
                    world.remove(0, number, true);
                }
            }
            world.carry_out();
        }
        world.rest();
        for (number, look) in &sources {
            fresh.table.writer(fresh.now, 0, source(*number, *look));
        }
        fresh.rest();
        let count = |world: &World, side| {
            world.there.iter().filter(|(_, slot)| slot.side == side).count()
        };
        for side in [Side::Input, Side::Output] {
            prop_assert_eq!(count(&world, side), count(&fresh, side));
        }
        let looks: BTreeSet<u8> = sources.values().copied().collect();
        prop_assert_eq!(count(&world, Side::Input), looks.len());
        let outputs = match writers {
            Writers::One => looks.len().min(1),
            Writers::Mirror => sources.len(),
            // The last two looks are such that readers tell the writers apart.
            Writers::Group => {
                let own = sources.values().filter(|look| **look >= 3).count();
                looks.iter().filter(|look| **look < 3).count() + own
            }
        };
        prop_assert_eq!(count(&world, Side::Output), outputs);
    }

    /// A flap that is shorter than the linger changes nothing.
    #[test]
    fn nothing_flaps(gap in 0..2_000_u64) {
        let modes = (CreationMode::OnDomainMatch, CreationMode::OnRouteMatch);
        let mut world = World::new(&plan(vec![route("Square", 0, modes)], Limits::default()));
        world.add(0, 1, true, 0);
        prop_assert_eq!(world.carry_out(), 2);
        world.remove(0, 1, true);
        world.now += Time::from_millis(gap);
        world.table.handle_timeout(world.now);
        world.add(0, 1, true, 0);
        prop_assert_eq!(world.carry_out(), 0);
        prop_assert_eq!(world.there.len(), 2);
    }
}

#[test]
fn endpoints_are_made_at_a_rate_and_within_a_limit() {
    let immediate = (CreationMode::Immediate, CreationMode::Immediate);
    let known = |at: usize| typed(route(&format!("topic {at}"), 0, immediate));
    let limits = Limits {
        endpoints: 900,
        ..Limits::default()
    };
    let mut world = World::new(&plan((0..500).map(known).collect(), limits));
    // 200 readers here, 200 writers there.
    assert_eq!(world.there.len(), 400);
    for _ in 0..100 {
        world.now += Time::from_millis(10);
        world.table.handle_timeout(world.now);
        world.carry_out();
    }
    assert!(world.there.len() <= 800 + 4, "{}", world.there.len());
    for _ in 0..200 {
        world.now += Time::from_millis(100);
        world.table.handle_timeout(world.now);
        world.carry_out();
    }
    assert_eq!(world.there.len(), 900);
}

#[test]
fn what_fails_is_tried_again_after_longer_and_longer_times() {
    let modes = (CreationMode::OnDomainMatch, CreationMode::OnDomainMatch);
    let mut world = World::new(&plan(vec![route("Square", 0, modes)], Limits::default()));
    world.add(0, 1, true, 0);
    let mut waits = Vec::new();
    for _ in 0..9 {
        let commands = world.table.take_commands();
        let [Command::Make(route, slot, _)] = &commands[..] else {
            panic!("{commands:?}");
        };
        world.table.failed(world.now, *route, *slot, "no".into());
        let state = world
            .table
            .route(*route)
            .unwrap()
            .slot_state(Side::Input, 0);
        assert_eq!(state.state, State::Failed("no".into()));
        let at = world.table.next_timeout().unwrap();
        waits.push((at - world.now).as_secs());
        world.now = at;
        world.table.handle_timeout(at);
    }
    assert_eq!(waits, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
}

#[test]
fn a_type_that_changes_replaces_the_endpoints() {
    let modes = (CreationMode::OnDomainMatch, CreationMode::OnRouteMatch);
    let mut world = World::new(&plan(vec![route("Square", 0, modes)], Limits::default()));
    world.add(0, 1, true, 0);
    assert_eq!(world.carry_out(), 2);
    world.remove(0, 1, true);
    world.rest();
    assert!(world.there.is_empty());
    let keyless = guid(2, EntityKind::WriterNoKey);
    let data = WriterData::new(keyless, "Square", "Other");
    world.table.writer(world.now, 0, Box::new(data));
    let commands = world.table.take_commands();
    let [Command::Make(id, slot, output)] = &commands[..] else {
        panic!("{commands:?}");
    };
    world.table.made(world.now, *id, *slot);
    let commands = world.table.take_commands();
    let [Command::Make(_, _, input)] = &commands[..] else {
        panic!("{commands:?}")
    };
    assert!(!output.ty.keyed && output.ty.name == "Other" && input.ty.name == "Other");
}

#[test]
fn who_waits_for_the_other_side_alone_is_told() {
    let modes = (CreationMode::OnRouteMatch, CreationMode::OnRouteMatch);
    let mut world = World::new(&plan(vec![route("Square", 0, modes)], Limits::default()));
    let entry = |world: &World| world.table.route(RouteId(0)).unwrap().state();
    let before = entry(&world);
    assert_eq!(before.state, State::Enabled);
    assert!(before.note.unwrap().contains("\"Square\""));
    world.add(0, 1, true, 0);
    assert_eq!(world.carry_out(), 0);
    let after = entry(&world);
    assert_eq!(after.state, State::Started);
    let note = after.note.unwrap();
    assert!(note.contains("each side waits for the other"));
}
