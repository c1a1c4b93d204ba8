//! One entity of a plan is added, changed or removed. What comes out is a plan that went through
//! the same checks as that of a file.
use super::toml::part::{Base, Part};
use super::{MOST_PROBLEMS, Options, check, find_keys};
use crate::plan::{AutoRoute, EndpointQos, Path, Plan, Route, Session};
use apply::apply;
use dunlin_document::{Limits, Problem, Problems, Sources};
use std::fmt;

mod apply;
mod fragment;
mod json;

/// What is to become of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit<'e> {
    /// Adds what the text describes: a session (`within` ends with `/sessions`), or routes and auto
    /// routes of a session (it ends with `/routes` or `/auto_routes`).
    Add {
        /// Where.
        within: &'e str,
        /// A route in XML, or the keys of one in TOML or JSON.
        text: &'e str,
    },
    /// Changes a route or an auto route.
    Set {
        /// Which.
        path: &'e str,
        /// Keys of a route in TOML or JSON; `null` makes one what it is where nothing is written.
        text: &'e str,
    },
    /// Removes a session, a route or an auto route.
    Remove {
        /// Which.
        path: &'e str,
    },
}

/// Why a plan stays as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EditError {
    /// The configuration has no such entity.
    Unknown(String),
    /// The entity is there already, or there are as many as may be.
    Conflict(String),
    /// The text is wrong, or what it makes of the plan; with places.
    Wrong(String),
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::Unknown(why) | Self::Conflict(why) | Self::Wrong(why)) = self;
        f.write_str(why)
    }
}

impl std::error::Error for EditError {}

/// What an edit says, in the language of configurations.
const TEXT: &str = "the request";

/// Edits a plan.
///
/// # Errors
/// See [`EditError`].
pub fn edit(plan: &Plan, edit: &Edit<'_>, options: &Options) -> Result<Plan, EditError> {
    let mut edited = plan.clone();
    match *edit {
        Edit::Add { within, text } => add(&mut edited, within, text, options)?,
        Edit::Set { path, text } => set(&mut edited, path, text, options)?,
        Edit::Remove { path } => remove(&mut edited, path)?,
    }
    let sessions = edited.domain_routes.iter().flat_map(|d| &d.sessions);
    let routes: usize = sessions.map(|s| s.routes.len() + s.auto_routes.len()).sum();
    if routes > edited.limits.routes {
        let most = edited.limits.routes;
        let why = format!("there are {most} routes, and limits.routes allows no more");
        return Err(EditError::Conflict(why));
    }
    find_keys(&mut edited);
    let mut problems = Problems::new(MOST_PROBLEMS);
    let places = super::Places::default();
    check::check(&edited, &places, options.allow_loop, &mut problems);
    match problems.has_errors() {
        true => Err(wrong(&problems, &Sources::default())),
        false => Ok(edited),
    }
}

fn wrong(problems: &Problems, sources: &Sources) -> EditError {
    EditError::Wrong(problems.render(sources))
}

/// Where something of a plan is, by position.
#[derive(Clone, Copy)]
enum Place {
    Session(usize, usize),
    Route(usize, usize, usize),
    AutoRoute(usize, usize, usize),
}

fn unknown(path: &str) -> EditError {
    let made = match path.contains("/routes/") {
        true => "; a route that an auto route made is changed through that one",
        false => "",
    };
    EditError::Unknown(format!(
        "the configuration has no session, route or auto route {path:?}{made}"
    ))
}

/// Finds a session, a route or an auto route.
fn find(plan: &Plan, path: &str) -> Option<Place> {
    let rest = path.strip_prefix(&plan.path().0)?;
    let rest = rest.strip_prefix("/domain_routes/")?;
    let mut parts = rest.trim_end_matches('/').split('/');
    let (domain_route, kind, session) = (parts.next()?, parts.next()?, parts.next()?);
    let all = &plan.domain_routes;
    let at = all.iter().position(|one| one.name == domain_route)?;
    let sessions = &all.get(at)?.sessions;
    let number = sessions.iter().position(|one| one.name == session)?;
    let found = sessions.get(number).filter(|_| kind == "sessions")?;
    let place = match (parts.next(), parts.next()) {
        (None, _) => Place::Session(at, number),
        (Some("routes"), Some(name)) => {
            let route = found.routes.iter().position(|one| one.name == name)?;
            Place::Route(at, number, route)
        }
        (Some("auto_routes"), Some(name)) => {
            let auto = found.auto_routes.iter().position(|one| one.name == name)?;
            Place::AutoRoute(at, number, auto)
        }
        _ => return None,
    };
    parts.next().is_none().then_some(place)
}

fn session_of(plan: &mut Plan, at: usize, number: usize) -> Option<&mut Session> {
    plan.domain_routes.get_mut(at)?.sessions.get_mut(number)
}

fn remove(plan: &mut Plan, path: &str) -> Result<(), EditError> {
    match find(plan, path).ok_or_else(|| unknown(path))? {
        Place::Session(at, number) => {
            if let Some(domain_route) = plan.domain_routes.get_mut(at) {
                domain_route.sessions.remove(number);
            }
        }
        Place::Route(at, number, route) => {
            session_of(plan, at, number).map(|session| session.routes.remove(route));
        }
        Place::AutoRoute(at, number, auto) => {
            session_of(plan, at, number).map(|session| session.auto_routes.remove(auto));
        }
    }
    Ok(())
}

/// A text of somebody, with what it is to become `null`.
struct Given {
    sources: Sources,
    problems: Problems,
    source: Option<dunlin_document::SourceId>,
    /// Keys without a value.
    reset: Vec<String>,
}

/// Takes a text in: TOML, or JSON as TOML.
fn take(text: &str) -> Result<Given, EditError> {
    let (text, reset) = match text.trim_start().starts_with('{') {
        true => json::to_toml(text).map_err(EditError::Wrong)?,
        false => (text.to_owned(), Vec::new()),
    };
    let (mut sources, mut problems) = (Sources::default(), Problems::new(MOST_PROBLEMS));
    let source = sources.add(TEXT, text, &Limits::default(), &mut problems);
    Ok(Given {
        sources,
        problems,
        source,
        reset,
    })
}

fn set(plan: &mut Plan, path: &str, text: &str, options: &Options) -> Result<(), EditError> {
    let place = find(plan, path).ok_or_else(|| unknown(path))?;
    let (Place::Session(at, number)
    | Place::Route(at, number, _)
    | Place::AutoRoute(at, number, _)) = place;
    let mut given = take(text)?;
    let domain_route = plan.domain_routes.get(at);
    let connections = domain_route.map(|d| d.connections.clone());
    let connections = connections.unwrap_or_default();
    let session = session_of(plan, at, number).ok_or_else(|| unknown(path))?;
    let mut changed = match place {
        Place::Session(..) => {
            let why = format!("{path:?} is a session: what can be changed are its routes");
            return Err(EditError::Wrong(why));
        }
        Place::Route(_, _, at) => session.routes.get_mut(at).map(apply::Changed::of_route),
        Place::AutoRoute(_, _, at) => session.auto_routes.get_mut(at).map(apply::Changed::of_auto),
    };
    let changed = changed.as_mut().ok_or_else(|| unknown(path))?;
    // Each input and output has policies of its own, over which those of the text are laid.
    let ends = changed.inputs.len().max(changed.outputs.len());
    for end in 0..ends {
        let (input, output) = (changed.inputs.get(end), changed.outputs.get(end));
        let base = Base {
            reader: input.and_then(|input| explicit(&input.qos)),
            writer: output.and_then(|output| explicit(&output.qos)),
        };
        let Given {
            sources,
            problems,
            source,
            ..
        } = &mut given;
        let read = source.and_then(|source| {
            let part = Part {
                source,
                text: sources.text(source),
                connections: &connections,
                variables: &options.variables,
            };
            part.changes(base, problems)
        });
        let Some((mut keys, fresh)) = read else {
            return Err(wrong(problems, sources));
        };
        keys.extend(given.reset.iter().cloned());
        if keys.is_empty() {
            let why = "nothing is to be changed: send keys of a route, such as {\"max_rate\": 20}";
            return Err(EditError::Wrong(why.to_owned()));
        }
        for key in &keys {
            apply(changed, end, key, &fresh).map_err(EditError::Wrong)?;
        }
    }
    let rated = changed.inputs.iter().any(|input| input.max_rate.is_some());
    match rated && changed.settings.processor.is_some() {
        true => {
            let why = "max_rate and a processor do not go together: set one of them to null";
            Err(EditError::Wrong(why.to_owned()))
        }
        false => Ok(()),
    }
}

fn add(plan: &mut Plan, within: &str, text: &str, options: &Options) -> Result<(), EditError> {
    let within = within.trim_end_matches('/');
    let (above, kind) = within.rsplit_once('/').unwrap_or((within, ""));
    let is_xml = text.trim_start().starts_with('<');
    if kind == "sessions" {
        let service = plan.path().child("domain_routes", "");
        let name = above.strip_prefix(&service.0).unwrap_or_default();
        let all = &mut plan.domain_routes;
        let domain_route = all.iter_mut().find(|one| one.name == name);
        let domain_route = domain_route.ok_or_else(|| {
            let why = format!("the configuration has no domain route {above:?}");
            EditError::Unknown(why)
        })?;
        let added = match is_xml {
            true => fragment::sessions(domain_route, text, options)?,
            false => vec![fragment::short_session(text)?],
        };
        for session in added {
            let names = domain_route.sessions.iter().map(|one| &*one.name);
            once(above, "sessions", names, &session.name)?;
            domain_route.sessions.push(session);
        }
        return Ok(());
    }
    let place = find(plan, above).filter(|_| ["routes", "auto_routes"].contains(&kind));
    let Some(Place::Session(at, number)) = place else {
        let why = format!(
            "nothing can be added to {within:?}; to ../sessions, ../sessions/X/routes and \
             ../sessions/X/auto_routes it can"
        );
        return Err(EditError::Unknown(why));
    };
    let domain_route = plan.domain_routes.get(at).ok_or_else(|| unknown(above))?;
    let known = domain_route.sessions.get(number);
    let (routes, autos) = match is_xml {
        true => fragment::routes(domain_route, text, options)?,
        false if kind == "routes" => {
            let why = "a route of one topic is added in XML, <topic_route>; keys in TOML or JSON \
                       make an auto route, with topics: send them to ../auto_routes";
            return Err(EditError::Wrong(why.to_owned()));
        }
        false => {
            let mut given = take(text)?;
            let names: Vec<&str> = known
                .into_iter()
                .flat_map(|session| &session.auto_routes)
                .map(|auto| &*auto.name)
                .collect();
            let mut numbers = 1..=names.len() + 1;
            let free = numbers.find(|n| !names.contains(&&*format!("route_{n}")));
            let fallback = format!("route_{}", free.unwrap_or(names.len() + 1));
            let (sources, problems) = (&given.sources, &mut given.problems);
            if let Some(key) = given.reset.first() {
                problems.push(Problem::error(None, format!("{key} is null: leave it out")));
            }
            let read = given.source.map(|source| {
                let part = Part {
                    source,
                    text: sources.text(source),
                    connections: &domain_route.connections,
                    variables: &options.variables,
                };
                part.whole(&fallback, problems)
            });
            if problems.has_errors() {
                return Err(wrong(problems, sources));
            }
            (Vec::new(), read.unwrap_or_default())
        }
    };
    let types = plan.types.clone();
    let session = session_of(plan, at, number).ok_or_else(|| unknown(above))?;
    for mut route in routes {
        let names = session.routes.iter().map(|one| &*one.name);
        once(above, "routes", names, &route.name)?;
        for input in &mut route.inputs {
            let known = input.type_name.as_ref().and_then(|name| types.get(name));
            let known = known.map(|known| known.ty.resolved().has_key());
            input.keyed = input.keyed.or(known);
        }
        session.routes.push(route);
    }
    for auto in autos {
        let names = session.auto_routes.iter().map(|one| &*one.name);
        once(above, "auto_routes", names, &auto.name)?;
        session.auto_routes.push(auto);
    }
    Ok(())
}

/// Policies that are written down.
fn explicit<Q: Clone>(qos: &EndpointQos<Q>) -> Option<Q> {
    match qos {
        EndpointQos::Explicit(qos) => Some((**qos).clone()),
        EndpointQos::AsSource => None,
    }
}

/// Nothing is there twice.
fn once<'n>(
    above: &str,
    kind: &str,
    mut names: impl Iterator<Item = &'n str>,
    name: &str,
) -> Result<(), EditError> {
    match names.any(|known| known == name) {
        true => {
            let path = Path(above.to_owned()).child(kind, name);
            Err(EditError::Conflict(format!("{path} is there already")))
        }
        false => Ok(()),
    }
}

/// Routes, and auto routes.
type Routes = (Vec<Route>, Vec<AutoRoute>);

#[cfg(test)]
mod tests;
